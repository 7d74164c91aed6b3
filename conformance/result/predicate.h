// SPDX-License-Identifier: Apache-2.0
//
// Predicate: a closed little language about the parameters of a case, in which waivers say which
// cases they are about and manifests what an implementation accepts:
// `dtype == bf16 and stride_w < kernel_w`. Grammar in docs/waivers.md.
#ifndef POOLPROOF_CONFORMANCE_RESULT_PREDICATE_H_
#define POOLPROOF_CONFORMANCE_RESULT_PREDICATE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/case/case.h"
#include "core/status.h"

namespace poolproof {

// "dtype == f16" for each parameter of the first call, but those of the plan, whose value is a
// word.
std::vector<std::string> WordComparisons(const Case& problem);

// Which parameters of a case are facts. One that is none may be anything.
enum class Told : std::uint8_t {
  kAll,      // a comparison with a parameter that the case lacks is false
  kPresent,  // all that the case has
  kTypes,    // operator, data types and plan: the rest of the call breaches something
};

class Predicate {
 public:
  // errors: kInvalidArgument with the position, what was found and what was wanted.
  static Result<Predicate> Parse(std::string_view text);

  // Of the first call. A comparison with a parameter that the case lacks is false.
  [[nodiscard]] bool Holds(const Case& problem) const;
  // Whether it holds for the call, which is one of the case's, for some value of what is not told.
  [[nodiscard]] bool MayHold(const Call& call, const Case& problem, Told told) const;

 private:
  friend class PredicateParser;
  enum class Kind : std::uint8_t { kCompare, kNot, kAnd, kOr };
  enum class Comparison : std::uint8_t {
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual
  };
  // A parameter by its place in the table, or a value.
  struct Term {
    int parameter = -1;
    std::int64_t number = 0;
    std::string word;
  };
  struct Node {
    Kind kind = Kind::kCompare;
    Comparison comparison = Comparison::kEqual;
    Term left;
    Term right;
    std::size_t first = 0;   // kNot, kAnd, kOr: places in nodes_
    std::size_t second = 0;  // kAnd, kOr
  };
  enum class Truth : std::uint8_t { kNo, kMaybe, kYes };  // in this order
  static Truth Compare(const Node& node, const Call& call, const Case& problem, Told told);
  [[nodiscard]] Truth TruthAt(std::size_t node, const Call& call, const Case& problem,
                              Told told) const;

  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_PREDICATE_H_
