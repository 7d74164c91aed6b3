// SPDX-License-Identifier: Apache-2.0
#include "conformance/gen/rapidcheck_adapter.h"

#include <rapidcheck.h>

#include <numeric>

namespace poolproof {

struct Draw::State {
  rc::Random random;
};

Draw::Draw(std::uint64_t seed) : state_(new State{rc::Random(seed)}) {}
Draw::~Draw() = default;

std::int64_t Draw::Between(std::int64_t low, std::int64_t high) {
  // inRange is half open and scales with the size; at the nominal size the whole range is drawn.
  return rc::gen::inRange<std::int64_t>(low, high + 1)(state_->random.split(), rc::kNominalSize)
      .value();
}

std::vector<std::size_t> Draw::Permutation(std::size_t size) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = size; i > 1; --i) {
    std::swap(order[i - 1],
              order[static_cast<std::size_t>(Between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  return order;
}

}  // namespace poolproof
