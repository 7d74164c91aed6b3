// SPDX-License-Identifier: Apache-2.0
//
// Teller: takes down what the files of this component say of a case, in a fixed order. Theirs
// alone.
#ifndef POOLPROOF_CONFORMANCE_CIRCUMSTANCE_TELLER_H_
#define POOLPROOF_CONFORMANCE_CIRCUMSTANCE_TELLER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/case/case.h"
#include "conformance/circumstance/circumstances.h"

namespace poolproof {

using Number = std::optional<std::int64_t>;
using Flag = std::optional<bool>;

// Effort of sentences, in the order in which they are preferred.
constexpr int kPlain = 1;    // operator, type, overlap, layout
constexpr int kCounted = 2;  // extents and attributes
constexpr int kDerived = 3;  // products, data
constexpr int kOdd = 4;      // the recipe of data

// A text of parts, made where it is asked for: values are asked for a thousand times, names once.
struct Join {
  std::array<const char*, 4> parts;

  // NOLINTNEXTLINE(google-explicit-constructor)
  Join(const char* a, const char* b = "", const char* c = "", const char* d = "")
      : parts{a, b, c, d} {}
  [[nodiscard]] std::string Text() const {
    std::string text;
    for (const char* part : parts) text += part;
    return text;
  }
};

// Calls `tell` of everything that there is to say, in an order that no case changes. Names are
// made for the table alone.
class Teller {
 public:
  explicit Teller(std::vector<Circumstance>* table) : table_(table) {}

  template <typename Names>
  void Tell(Number value, const Names& names) {
    if (table_ != nullptr) {
      table_->push_back(names());
      table_->back().of_data = of_data;
      table_->back().measure = measure;
    } else {
      values_.push_back(value.value_or(missing));
    }
  }
  void TellFlag(Flag value, int effort, const char* name, const char* text, const char* negation) {
    Tell(value ? Number(*value ? 1 : 0) : Number(),
         [&] { return Circumstance{Circumstance::Kind::kFlag, name, text, negation, {}, effort}; });
  }
  void TellNumber(Number value, int effort, const Join& name, const Join& text) {
    Tell(value, [&] {
      return Circumstance{Circumstance::Kind::kNumber, name.Text(), text.Text(), {}, {}, effort};
    });
  }
  template <typename Words>
  void TellWord(Number value, int effort, const char* name, const char* text, const Words& words) {
    Tell(value,
         [&] { return Circumstance{Circumstance::Kind::kWord, name, text, {}, words(), effort}; });
  }
  CircumstanceValues Take() { return std::move(values_); }
  // Of the case that is described now.
  bool of_data = false;
  Circumstance::Measure measure = Circumstance::Measure::kNone;
  std::int64_t missing = kNoValue;  // represents what the call does not have

 private:
  std::vector<Circumstance>* table_;
  CircumstanceValues values_;
};

// ---- helpers on numbers that may be missing or too large

inline Number Times(Number a, Number b) {
  std::int64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) return std::nullopt;
  return product;
}
inline Flag Greater(Number a, Number b) {
  if (!a || !b) return std::nullopt;
  return *a > *b;
}
inline Flag Same(Number a, Number b) {
  if (!a || !b) return std::nullopt;
  return *a == *b;
}
inline Number AsNumber(Flag flag) { return flag ? Number(*flag ? 1 : 0) : Number(); }

// ---- operands of a call

inline bool Has(const OperatorInfo& info, Role role) {
  return std::find(info.tensors.begin(), info.tensors.end(), role) != info.tensors.end();
}

// The operand as far as the call has one with one stride for each extent.
inline const TensorSpec* OperandOf(const Call& call, Role role) {
  if (!Has(InfoOf(call.op), role)) return nullptr;
  const TensorSpec& tensor = call.tensor(role);
  return tensor.null ? nullptr : &tensor;
}

// The tensors of the call, each by itself and compared with one another.
void TellOperands(const Call& call, const CallPlan& plan, Teller& teller);
// Extents, windows, and the sizes that follow from them.
void TellWindows(const Call& call, Teller& teller);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CIRCUMSTANCE_TELLER_H_
