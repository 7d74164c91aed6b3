// SPDX-License-Identifier: Apache-2.0
//
// Trigger: an expression on circumstances, as tests/mutants/triggers.cc holds them for its faults:
// `dtype == bf16 and (in_w > 16 or not padded)`.
#ifndef POOLPROOF_TESTS_CIRCUMSTANCE_TRIGGER_H_
#define POOLPROOF_TESTS_CIRCUMSTANCE_TRIGGER_H_

#include <memory>
#include <string>
#include <string_view>

#include "conformance/circumstance/circumstances.h"
#include "core/status.h"

namespace poolproof {

class Trigger {
 public:
  // errors: kInvalidArgument with what is not understood.
  static Result<Trigger> Parse(std::string_view text);
  // A comparison with what the call does not have is false.
  [[nodiscard]] bool Holds(const CircumstanceValues& values) const;

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
};

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_CIRCUMSTANCE_TRIGGER_H_
