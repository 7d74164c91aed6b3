// SPDX-License-Identifier: Apache-2.0
//
// StartsLeft: the workers that may still be started to investigate failing cases, by number; into
// others, as many as it takes. From several threads, a case on one at a time. Private to the
// session.
#ifndef POOLPROOF_CONFORMANCE_SESSION_STARTS_LEFT_H_
#define POOLPROOF_CONFORMANCE_SESSION_STARTS_LEFT_H_

#include <cstdint>
#include <map>

namespace poolproof {

class StartsLeft {
 public:
  void Allow(std::int64_t number, int starts) { left_[number] = starts; }
  [[nodiscard]] bool Any(std::int64_t number) const {
    const auto place = left_.find(number);
    return place == left_.end() || place->second > 0;
  }
  // False where none is left.
  bool Take(std::int64_t number) {
    const auto place = left_.find(number);
    return place == left_.end() || place->second-- > 0;
  }

 private:
  std::map<std::int64_t, int> left_;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_STARTS_LEFT_H_
