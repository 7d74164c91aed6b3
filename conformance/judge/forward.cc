// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/forward.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "conformance/judge/sum_rule.h"
#include "conformance/judge/values.h"
#include "core/decimal_text.h"
#include "core/float_bits.h"

namespace poolproof {
namespace {

constexpr std::int64_t kMostListed = 32;  // wrong elements of a kind that a finding keeps

// Row-major elements of a view, as storage bits.
class Elements {
 public:
  Elements(const TensorSpec& tensor, std::span<const std::byte> storage)
      : storage_(storage),
        width_(static_cast<std::size_t>(StorageBytes(tensor.type))),
        shape_(tensor.shape),
        strides_(StridesOf(tensor)),
        offset_(tensor.offset),
        contiguous_(IsContiguousView(tensor)) {}

  [[nodiscard]] std::uint64_t At(std::int64_t element) const {
    std::int64_t at = offset_;
    if (contiguous_) {
      at += element;
    } else {
      for (std::size_t axis = shape_.size(); axis-- > 0; element /= shape_[axis]) {
        at += element % shape_[axis] * strides_[axis];
      }
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, storage_.data() + static_cast<std::size_t>(at) * width_, width_);
    return bits;
  }
  [[nodiscard]] std::int64_t IndexAt(std::int64_t element) const {
    const std::uint64_t bits = At(element);
    return width_ == 4 ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits);
  }

 private:
  std::span<const std::byte> storage_;
  std::size_t width_;
  Dims shape_;
  Dims strides_;
  std::int64_t offset_;
  bool contiguous_;
};

// Numbers in the order of the reals: equal for zeros of both signs. nullopt: NaN.
class Ranking {
 public:
  explicit Ranking(DataType type)
      : type_(type),
        sign_(EncodeFloat(-0.0, type)),
        infinity_(EncodeFloat(HUGE_VAL, type)),
        least_normal_(EncodeFloat(TraitsOf(type).min_normal, type)) {}
  [[nodiscard]] std::optional<std::int64_t> Of(std::uint64_t bits) const {
    const std::uint32_t magnitude = static_cast<std::uint32_t>(bits) & (sign_ - 1);
    if (magnitude > infinity_) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(magnitude);
    return (bits & sign_) != 0 ? -rank : rank;
  }
  // Whether a number of that rank may count as zero: it is, or it is a subnormal. Such are alike to
  // one that takes subnormals for zero.
  [[nodiscard]] bool MayBeZero(const std::optional<std::int64_t>& rank) const {
    return rank && -least_normal_ < *rank && *rank < least_normal_;
  }
  [[nodiscard]] std::string Bits(std::uint64_t bits) const {
    return HexBits(static_cast<std::uint32_t>(bits), type_);
  }
  // "1.5 (3fc00000)".
  [[nodiscard]] std::string Text(std::uint64_t bits) const {
    return DecimalText(DecodeFloat(static_cast<std::uint32_t>(bits), type_), 9) + " (" +
           Bits(bits) + ")";
  }

 private:
  DataType type_;
  std::uint32_t sign_;
  std::uint32_t infinity_;
  std::int64_t least_normal_;
};

bool HasViews(const Call& call) {
  const std::vector<Role>& roles = InfoOf(call.op).tensors;
  return std::any_of(roles.begin(), roles.end(),
                     [&](Role role) { return !IsPacked(call.tensor(role)); });
}

struct WindowMaximum {
  bool empty = true;
  bool has_nan = false;
  std::optional<std::int64_t> rank;  // of the numbers; nullopt: NaN alone
  std::uint64_t bits = 0;            // of the first element of that rank
};

class ForwardCheck {
 public:
  ForwardCheck(Judgement& judgement, std::size_t number, const CallOutcome& outcome,
               const std::string& where)
      : judgement_(judgement),
        call_(judgement.problem().calls[number]),
        membership_(*judgement.prepared().calls[number].membership),
        where_(where),
        fixed_(InfoOf(call_.op).windows == WindowRule::kFixed),
        rank_(call_.tensor(Role::kSelf).type),
        self_(call_.tensor(Role::kSelf),
              judgement.prepared().data.calls[number].storage[Slot(Role::kSelf)]),
        out_(call_.tensor(Role::kOut), outcome.outputs[Slot(Role::kOut)]),
        indices_(call_.tensor(Role::kIndices), outcome.outputs[Slot(Role::kIndices)]) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::int64_t o = 0; o < membership_.geometry().output[axis]; ++o) {
        spans_[axis].push_back(membership_.AxisSpan(axis, o));
      }
    }
  }

  static std::size_t Slot(Role role) { return static_cast<std::size_t>(role); }

  void Run() {
    const PlaneGeometry& geometry = membership_.geometry();
    std::int64_t element = 0;
    for (std::int64_t plane = 0; plane < geometry.planes; ++plane) {
      for (std::int64_t o = 0; o < geometry.OutputSize(); ++o, ++element) Look(plane, o, element);
    }
    Report();
  }

 private:
  struct Wrong {
    std::int64_t count = 0;
    std::string first;
    std::vector<Mismatch> mismatches;
  };

  // Of windows without a NaN: as it is, or where subnormals compare as zeros.
  [[nodiscard]] bool IsMaximum(const WindowMaximum& maximum,
                               const std::optional<std::int64_t>& rank) const {
    return rank == maximum.rank || (rank_.MayBeZero(rank) && rank_.MayBeZero(maximum.rank));
  }

  WindowMaximum MaximumOf(std::int64_t plane, std::int64_t o) const {
    const PlaneGeometry& geometry = membership_.geometry();
    const auto& [depth, height, width] = geometry.output;
    const WindowSpan& on_d = spans_[0][static_cast<std::size_t>(o / (height * width))];
    const WindowSpan& on_h = spans_[1][static_cast<std::size_t>(o / width % height)];
    const WindowSpan& on_w = spans_[2][static_cast<std::size_t>(o % width)];
    WindowMaximum maximum;
    for (std::int64_t d = on_d.first; d < on_d.end; d += on_d.step) {
      for (std::int64_t h = on_h.first; h < on_h.end; h += on_h.step) {
        const std::int64_t row =
            plane * geometry.PlaneSize() + (d * geometry.input[1] + h) * geometry.input[2];
        for (std::int64_t w = on_w.first; w < on_w.end; w += on_w.step) {
          const std::uint64_t bits = self_.At(row + w);
          const std::optional<std::int64_t> rank = rank_.Of(bits);
          maximum.empty = false;
          if (!rank) {
            maximum.has_nan = true;
          } else if (!maximum.rank || *rank > *maximum.rank) {
            maximum.rank = rank;
            maximum.bits = bits;
          }
        }
      }
    }
    return maximum;
  }

  void Look(std::int64_t plane, std::int64_t o, std::int64_t element) {
    const PlaneGeometry& geometry = membership_.geometry();
    const WindowMaximum maximum = MaximumOf(plane, o);
    const std::int64_t index = indices_.IndexAt(element);
    const bool in_plane = index >= 0 && index < geometry.PlaneSize();
    // Nothing is said of a window without an element.
    if (maximum.empty) return;
    const bool in_window = in_plane && membership_.Covers(o, index);
    std::optional<std::uint64_t> named;
    if (in_window) named = self_.At(plane * geometry.PlaneSize() + index);
    LookAtIndex(maximum, element, index, in_plane, named);
    LookAtOutput(maximum, element, named);
  }

  void LookAtIndex(const WindowMaximum& maximum, std::int64_t element, std::int64_t index,
                   bool in_plane, const std::optional<std::uint64_t>& named) {
    const auto text = [&](const std::string& what) {
      return "the forward's index " + std::to_string(index) + " of element " +
             std::to_string(element) + what;
    };
    const Mismatch mismatch{element, "an index of its window", std::to_string(index), 0};
    if (!in_plane) {
      Note(astray_, mismatch, [&] {
        return text(" lies outside the plane of " +
                    std::to_string(membership_.geometry().PlaneSize()));
      });
    } else if (!named) {
      // Of fixed windows the clauses on the plane say no more.
      Note(fixed_ ? not_maximal_ : astray_, mismatch,
           [&] { return text(" lies outside its window"); });
    } else if (!maximum.has_nan && !IsMaximum(maximum, rank_.Of(*named))) {
      Note(not_maximal_, {element, "an index of the maximum", std::to_string(index), 0}, [&] {
        return text(" points to " + rank_.Text(*named) + ", the maximum of its window is " +
                    rank_.Text(maximum.bits));
      });
    }
  }

  void LookAtOutput(const WindowMaximum& maximum, std::int64_t element,
                    const std::optional<std::uint64_t>& named) {
    const std::uint64_t got = out_.At(element);
    const std::optional<std::int64_t> rank = rank_.Of(got);
    // With a NaN in the window: NaN, the maximum of the numbers, or whatever the index names.
    // So it is where subnormals compare as zeros. What is taken for a maximum may also be told as
    // zero.
    const bool as_named = named && rank == rank_.Of(*named);
    const bool right = maximum.has_nan ? !rank || rank == maximum.rank || as_named
                                       : rank == maximum.rank ||
                                             (IsMaximum(maximum, rank) && (rank == 0 || as_named));
    if (right) return;
    const std::string wanted = maximum.has_nan ? "NaN" : rank_.Bits(maximum.bits);
    Note(wrong_output_, {element, wanted, rank_.Bits(got), 0}, [&] {
      const bool kept = got == PoisonBits(judgement_.held_before(), call_.tensor(Role::kOut).type);
      return "out" + CoordinateText(call_.tensor(Role::kOut).shape, element) +
             ", the maximum of its window: expected " +
             (maximum.has_nan ? wanted : rank_.Text(maximum.bits)) + ", got " + rank_.Text(got) +
             (kept ? ": it still holds what was there before the call" : "");
    });
  }

  template <typename Text>
  static void Note(Wrong& wrong, Mismatch mismatch, const Text& text) {
    if (wrong.count++ == 0) wrong.first = text();
    if (wrong.count <= kMostListed) wrong.mismatches.push_back(std::move(mismatch));
  }

  void Report() {
    const Condition of_windows =
        fixed_ ? Condition::kPaddingNeverWins : Condition::kAdaptiveWindows;
    Fail(astray_, judgement_.IdOf(call_, of_windows), FindingKind::kWrongIndex);
    Fail(not_maximal_, ForwardClause(judgement_, call_, Condition::kForwardArgmax),
         FindingKind::kWrongIndex);
    Fail(wrong_output_, ForwardClause(judgement_, call_, Condition::kForwardMaximum),
         FindingKind::kWrongMaximum);
    // A case with a finding proves nothing.
    ForwardEvidence(judgement_, call_);
  }

  void Fail(const Wrong& wrong, const std::string& id, FindingKind kind) {
    for (const Mismatch& mismatch : wrong.mismatches) {
      judgement_.Fail(
          {id}, kind,
          where_ + wrong.first +
              (wrong.count > 1 ? " (" + std::to_string(wrong.count) + " elements are wrong)" : ""),
          mismatch);
    }
  }

  Judgement& judgement_;
  const Call& call_;
  const Membership& membership_;
  const std::string& where_;
  const bool fixed_;
  const Ranking rank_;
  const Elements self_;
  const Elements out_;
  const Elements indices_;
  std::array<std::vector<WindowSpan>, 3> spans_;
  Wrong astray_;       // indices outside what the clause on the windows allows
  Wrong not_maximal_;  // indices that name no maximum
  Wrong wrong_output_;
};

}  // namespace

std::string ForwardClause(const Judgement& judgement, const Call& call, Condition condition) {
  const std::string id =
      HasViews(call) ? judgement.IdOf(call, Condition::kForwardViews) : std::string();
  return id.empty() ? judgement.IdOf(call, condition) : id;
}

void ForwardEvidence(Judgement& judgement, const Call& call) {
  const auto prove = [&](Condition condition) { judgement.Evidence(call, condition); };
  const OperatorInfo& info = InfoOf(call.op);
  const bool fixed = info.windows == WindowRule::kFixed;
  prove(fixed ? Condition::kPaddingNeverWins : Condition::kAdaptiveWindows);
  if (fixed && CeilChangesOutput(call)) prove(Condition::kCeilMode);
  for (const Condition condition :
       {Condition::kForwardAnswers, Condition::kForwardMaximum, Condition::kForwardArgmax}) {
    prove(condition);
  }
  if (HasViews(call)) prove(Condition::kForwardViews);
  for (const SupportedFormat& row : info.formats) {
    if (row.by && row.format == call.tensor(Role::kSelf).format) prove(*row.by);
  }
}

void WithholdForwardEvidence(Judgement& judgement, std::size_t number) {
  const Call& call = judgement.problem().calls[number];
  const PreparedCall& prepared = judgement.prepared().calls[number];
  judgement.Withhold();
  const bool plain = prepared.legality.by_advice.empty() && !prepared.undocumented_values;
  if (plain && !HasViews(call)) ForwardEvidence(judgement, call);
}

void JudgeForward(Judgement& judgement, std::size_t number, const CallOutcome& outcome,
                  const std::string& where) {
  const bool answered = !outcome.outputs[ForwardCheck::Slot(Role::kOut)].empty() &&
                        !outcome.outputs[ForwardCheck::Slot(Role::kIndices)].empty();
  if (!judgement.prepared().calls[number].membership.has_value() || !answered) return;
  ForwardCheck(judgement, number, outcome, where).Run();
}

void JudgeForwardRefused(Judgement& judgement, std::size_t number, const CallOutcome& outcome,
                         const std::string& where) {
  const Call& call = judgement.problem().calls[number];
  const std::string id = ForwardClause(judgement, call, Condition::kForwardAnswers);
  WithholdForwardEvidence(judgement, number);
  const std::string suffix = outcome.message.empty() ? "" : " (\"" + outcome.message + "\")";
  if (outcome.phase_one.value_or(0) != 0) {
    judgement.Fail({id}, FindingKind::kRefused,
                   where + "phase one refused a valid forward" + TypesText(call) + " with " +
                       std::to_string(*outcome.phase_one) + suffix);
  } else if (!outcome.HasPlan()) {
    judgement.Fail({id}, FindingKind::kOutParameter,
                   where + "phase one returned 0 " + NoPlanText(outcome) +
                       "; its parameter list seems not to be the documented one, " +
                       ParameterListText(InfoOf(call.op)));
  } else {
    const bool in_phase_two = outcome.phase_two.value_or(0) != 0;
    judgement.Fail(
        {id}, in_phase_two ? FindingKind::kRefused : FindingKind::kStreamFailed,
        where + (in_phase_two ? "phase two" : "synchronise") + " returned " +
            std::to_string(in_phase_two ? *outcome.phase_two : outcome.synchronise.value_or(0)) +
            " for a valid forward" + TypesText(call) + suffix);
  }
}

std::string ParameterListText(const OperatorInfo& info) {
  std::string list;
  for (const Role role : info.tensors) {
    list += std::string(RoleName(role)) + ", ";
    if (role != Role::kSelf) continue;
    for (const List attribute : info.lists) list += std::string(ListName(attribute)) + ", ";
    if (info.windows == WindowRule::kFixed) list += "ceilMode, ";
  }
  return "(" + list + "workspaceSize, executor)";
}

}  // namespace poolproof
