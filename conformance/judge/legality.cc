// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/legality.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <unordered_set>
#include <utility>

#include "core/data_type.h"
#include "core/shape.h"

namespace poolproof {
namespace {

constexpr std::int32_t kParamInvalid = 161002;
constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();

bool IsPublicFormat(Format format) {
  if (format == Format::kUndefined) return false;
  for (const FormatInfo& info : AllFormats()) {
    if (info.format == format) return !info.is_private;
  }
  return false;
}

bool HasNegative(std::span<const std::int64_t> dims) {
  return std::any_of(dims.begin(), dims.end(), [](std::int64_t value) { return value < 0; });
}

// Elements up to which a view is looked at one by one.
constexpr std::int64_t kMostCounted = std::int64_t{1} << 16;

// Whether elements of the view share memory. The axes may interleave without any that does, which
// no rule over the strides tells; above kMostCounted elements such a view is taken to overlap.
bool OverlapsItself(const Dims& shape, const Dims& strides) {
  if (IsInjective(shape, strides)) return false;
  if (CheckedNumel(shape).value_or(kMostCounted + 1) > kMostCounted) return true;
  std::unordered_set<std::int64_t> taken;
  bool overlaps = false;
  ForEachOffset(shape, strides, 0, [&](std::int64_t, std::int64_t at) {
    overlaps = overlaps || !taken.insert(at).second;
  });
  return overlaps;
}

// Why the documents say nothing about a tensor's layout; empty where they do.
std::string LayoutDoubt(const TensorSpec& tensor, bool is_output) {
  if (HasNegative(tensor.shape)) return "has a negative extent";
  if (tensor.offset < 0) return "has a negative offset";
  if (HasNegative(tensor.storage)) return "has a negative storage extent";
  if (!tensor.strides.empty() && tensor.strides.size() != tensor.shape.size()) {
    return "has strides of another rank than its shape";
  }
  if (HasNegative(tensor.strides)) return "has a negative stride";
  const std::optional<std::int64_t> numel = CheckedNumel(tensor.shape);
  if (!numel.has_value()) return "has more elements than int64 can count";
  if (*numel == 0) return "";
  const Dims strides = StridesOf(tensor);
  const std::optional<Reach> reach = ViewReach(tensor.shape, strides, tensor.offset);
  const std::optional<std::int64_t> elements = StorageElements(tensor);
  if (!reach.has_value() || !elements.has_value()) return "reaches beyond int64";
  if (reach->last >= *elements) return "leaves its storage";
  if (is_output && OverlapsItself(tensor.shape, strides)) return "overlaps itself";
  return "";
}

class Classifier {
 public:
  Classifier(const ProfileRules& rules, const Call& call, const CallPlan& plan)
      : rules_(rules), call_(call), plan_(plan), info_(InfoOf(call.op)) {}

  Legality Run() {
    legality_.phase_one_only = plan_.descriptors_only;
    if (plan_.phase_two_alone) {
      // Nothing of the call reaches the implementation.
      Breach(rules_.spec().Find("2P-09"));
      return Finish();
    }
    if (plan_.null_workspace_size || plan_.null_executor_out) {
      Breach(rules_.spec().Find("2P-05"));
    }
    if (!rules_.Covers(call_.op)) {
      CheckPlatform();
      return Finish();
    }
    CheckNulls();
    CheckTypes();
    CheckFormats();
    CheckShapes();
    CheckLists();
    CheckPlane();
    CheckDerivedShape();
    CheckLayouts();
    CheckEmpty();
    CheckNotDivisible();
    return Finish();
  }

 private:
  [[nodiscard]] bool Applies(Condition condition) const {
    return rules_.Applies(call_.op, condition);
  }

  // Notes a breach of a clause that applies; nullptr is no condition here.
  void Breach(const Clause* clause) {
    if (clause == nullptr) return;
    std::vector<const Clause*>& list =
        clause->strength == Strength::kRequired ? required_ : advisory_;
    if (std::find(list.begin(), list.end(), clause) == list.end()) list.push_back(clause);
  }
  void Breach(Condition condition) { Breach(rules_.Of(call_.op, condition)); }
  [[nodiscard]] bool Breached(Condition condition) const {
    const Clause* clause = rules_.Of(call_.op, condition);
    return std::find(required_.begin(), required_.end(), clause) != required_.end() ||
           std::find(advisory_.begin(), advisory_.end(), clause) != advisory_.end();
  }
  void Open(std::string reason) {
    if (open_reason_.empty()) open_reason_ = std::move(reason);
  }
  void OpenBy(Condition condition, std::string reason) {
    Open(std::move(reason));
    const Clause* clause = rules_.Of(call_.op, condition);
    std::vector<const Clause*>& list = legality_.left_open_by;
    if (clause != nullptr && std::find(list.begin(), list.end(), clause) == list.end()) {
      list.push_back(clause);
    }
  }
  void AlsoAllow(std::int32_t status) { legality_.also_allowed.push_back(status); }

  // nullptr for a null argument.
  [[nodiscard]] const TensorSpec* Present(Role role) const {
    const TensorSpec& tensor = call_.tensor(role);
    return tensor.null ? nullptr : &tensor;
  }
  [[nodiscard]] bool HasLegalRank(const TensorSpec& tensor) const {
    const auto spatial = static_cast<std::size_t>(info_.spatial_rank);
    return tensor.shape.size() == spatial + 1 || tensor.shape.size() == spatial + 2;
  }
  [[nodiscard]] std::span<const std::int64_t> Spatial(const TensorSpec& tensor) const {
    return std::span(tensor.shape).last(static_cast<std::size_t>(info_.spatial_rank));
  }

  // A platform on which the other clauses do not apply.
  void CheckPlatform() {
    if (!Applies(Condition::kPlatform)) {
      // DD-17: AdaptiveMaxPool3dBackward under Ascend 950.
      Open("no page of " + std::string(info_.name) + " mentions " +
           std::string(InfoOf(rules_.profile()).name));
      return;
    }
    Breach(Condition::kPlatform);
    // The null-pointer row of the page is bound to no platform.
    bool any_null = false;
    for (const Role role : info_.tensors) any_null = any_null || Present(role) == nullptr;
    for (const List list : info_.lists) any_null = any_null || !call_.list(list).has_value();
    if (any_null) AlsoAllow(kParamNullptr);
  }

  void CheckNulls() {
    for (const Role role : BackwardRoles()) {
      if (Present(role) == nullptr) Breach(NullCondition(role));
    }
    for (const List list : info_.lists) {
      if (!call_.list(list).has_value()) Breach(Condition::kNullList);
    }
  }

  void CheckTypes() {
    for (const Role role : GradientRoles()) {
      const TensorSpec* tensor = Present(role);
      if (tensor == nullptr || rules_.TakesValues(call_.op, tensor->type)) continue;
      Breach(Condition::kGradientType);
      if (tensor->type == DataType::kDouble) Breach(Condition::kDoubleType);
    }
    const TensorSpec* indices = Present(Role::kIndices);
    if (indices != nullptr && !rules_.TakesIndices(call_.op, indices->type)) {
      Breach(Condition::kIndexType);
      if (indices->type == DataType::kInt64) Breach(Condition::kIndexTypeInt64);
      if (indices->type == DataType::kDouble) Breach(Condition::kDoubleType);
    }
    for (const TypeRule& rule : info_.type_rules) {
      if (rules_.Holds(call_.op, rule)) CheckTypeRule(rule);
    }
  }

  // Only supported types are compared.
  void CheckTypeRule(const TypeRule& rule) {
    const auto supported = [&](Role role) {
      return Present(role) != nullptr && rules_.TakesValues(call_.op, Present(role)->type);
    };
    if (!supported(rule.role) || !std::all_of(rule.as.begin(), rule.as.end(), supported)) return;
    const DataType type = Present(rule.role)->type;
    if (std::all_of(rule.as.begin(), rule.as.end(),
                    [&](Role role) { return Present(role)->type != type; })) {
      Breach(rule.breached);
    }
  }

  void CheckFormats() {
    std::set<Format> formats;  // of all tensors
    bool all_public = true;
    std::size_t rank = 0;
    for (const Role role : BackwardRoles()) {
      const TensorSpec* tensor = Present(role);
      if (tensor == nullptr) continue;
      formats.insert(tensor->format);
      rank = tensor->shape.size();
      if (IsPrivateFormat(tensor->format)) Breach(Condition::kPrivateFormat);
      if (!IsPublicFormat(tensor->format)) all_public = false;
      if (!IsPublicFormat(tensor->format) && !IsPrivateFormat(tensor->format)) {
        doubtful_format_ = "format " + FormatName(tensor->format) + " is not one that a page lists";
      }
    }
    for (const FormatRule& rule : info_.format_rules) {
      const TensorSpec* tensor = Present(rule.role);
      const TensorSpec* other = Present(rule.as);
      // Only public formats are compared: a private one breaches its own clause.
      if (tensor != nullptr && other != nullptr && IsPublicFormat(tensor->format) &&
          IsPublicFormat(other->format) && tensor->format != other->format) {
        Breach(rule.breached);
      }
    }
    if (formats.empty() || formats == std::set<Format>{Format::kNd}) return;
    // DD-07: whether a public format other than ND is an unsupported one is left open, so the row
    // on formats is an answer to any such call.
    AlsoAllow(kParamInvalid);
    if (!all_public || formats.size() > 1) return;
    const SupportedFormat* row = rules_.FormatRow(call_.op, *formats.begin(), rank);
    if (row == nullptr) {
      doubtful_format_ = "all tensors have the public format " + FormatName(*formats.begin()) +
                         ", which is left open (DD-07)";
    } else if (row->by && rules_.Of(call_.op, *row->by)->strength == Strength::kAdvisory) {
      legality_.by_advice.push_back(rules_.Of(call_.op, *row->by));
    }
  }

  void CheckShapes() {
    for (const Role role : BackwardRoles()) {
      const TensorSpec* tensor = Present(role);
      if (tensor != nullptr && !HasLegalRank(*tensor)) Breach(Condition::kRank);
    }
    const auto differ = [&](Role a, Role b) {
      return Present(a) != nullptr && Present(b) != nullptr &&
             Present(a)->shape != Present(b)->shape;
    };
    if (differ(Role::kGradOutput, Role::kIndices)) Breach(Condition::kOutputShapes);
    if (differ(Role::kSelf, Role::kGradInput)) Breach(Condition::kInputShapes);
  }

  // `list` expanded to the plane's axes where its length is one of those allowed; empty otherwise.
  [[nodiscard]] Dims PerAxis(List list) const {
    const std::optional<Dims>& values = call_.list(list);
    const auto axes = static_cast<std::size_t>(info_.spatial_rank);
    if (!values.has_value() || (values->size() != 1 && values->size() != axes)) return {};
    return values->size() == 1 ? Dims(axes, values->front()) : *values;
  }

  void CheckLists() {
    for (const ListRule& rule : info_.list_rules) {
      const std::optional<Dims>& list = call_.list(rule.list);
      if (!list.has_value()) continue;
      if (std::find(rule.lengths.begin(), rule.lengths.end(), list->size()) == rule.lengths.end()) {
        Breach(rule.wrong_length);
      }
      if (std::any_of(list->begin(), list->end(),
                      [&](std::int64_t value) { return value < rule.lowest; })) {
        Breach(rule.too_low);
      }
    }
    const std::optional<Dims>& dilation = call_.list(List::kDilation);
    if (dilation.has_value() && std::any_of(dilation->begin(), dilation->end(),
                                            [](std::int64_t value) { return value != 1; })) {
      Breach(Condition::kDilationNotOne);
    }
    const Dims kernel = PerAxis(List::kKernelSize);
    const Dims padding = PerAxis(List::kPadding);
    for (std::size_t axis = 0; axis < std::min(kernel.size(), padding.size()); ++axis) {
      // For an integer p, p > k/2 says the same with an exact half and with a truncated one.
      if (kernel[axis] < 1 || padding[axis] <= kernel[axis] / 2) continue;
      Breach(Condition::kPaddingAboveHalf);
      if (padding[axis] > kernel[axis]) Breach(Condition::kPaddingAboveKernel);
    }
  }

  void CheckPlane() {
    const TensorSpec* self = Present(Role::kSelf);
    if (self == nullptr || !HasLegalRank(*self) || HasNegative(self->shape)) return;
    const std::optional<std::int64_t> plane = PlaneElements(self->shape, info_.spatial_rank);
    if (plane.has_value() && *plane <= kInt32Max) return;
    Breach(Condition::kPlaneLimit);
    const TensorSpec* indices = Present(Role::kIndices);
    if (!Applies(Condition::kPlaneLimit) && indices != nullptr &&
        indices->type == DataType::kInt32) {
      // MP3-S50 leaves Ascend 950 out, MP3-B25 mentions INT64 indices only.
      Open("the plane has more elements than INT32 indices can name, and no limit is stated for " +
           std::string(InfoOf(rules_.profile()).name));
    }
  }

  void CheckDerivedShape() {
    const TensorSpec* self = Present(Role::kSelf);
    const TensorSpec* grad_output = Present(Role::kGradOutput);
    if (self == nullptr || grad_output == nullptr) return;
    if (!HasLegalRank(*self) || !HasLegalRank(*grad_output)) return;
    if (HasNegative(self->shape) || HasNegative(grad_output->shape)) return;
    if (info_.windows == WindowRule::kAdaptive) {
      const auto leading = self->shape.size() - static_cast<std::size_t>(info_.spatial_rank);
      if (self->shape.size() != grad_output->shape.size() ||
          !std::equal(self->shape.begin(),
                      self->shape.begin() + static_cast<std::ptrdiff_t>(leading),
                      grad_output->shape.begin())) {
        Breach(Condition::kDerivedShape);
      }
      return;
    }
    // Attributes that are themselves at fault give no output shape to compare with.
    if (!ExpandAttributes(call_).has_value() || Breached(Condition::kPaddingAboveHalf)) return;
    if (!HasDerivedOutput(call_)) Breach(Condition::kDerivedShape);
  }

  void CheckLayouts() {
    for (const Role role : BackwardRoles()) {
      const TensorSpec* tensor = Present(role);
      if (tensor == nullptr) continue;
      const std::string doubt = LayoutDoubt(*tensor, role == Role::kGradInput);
      if (!doubt.empty()) Open(std::string(RoleName(role)) + " " + doubt);
    }
    const TensorSpec* indices = Present(Role::kIndices);
    // DD-23: AMP3-B25 alone allows such indices.
    const Clause* clause = rules_.Of(call_.op, info_.indices_view);
    if (indices != nullptr && !IsPacked(*indices) && clause != nullptr &&
        clause->strength == Strength::kAdvisory) {
      legality_.by_advice.push_back(clause);
    }
  }

  void CheckEmpty() {
    for (const Role role : BackwardRoles()) {
      const TensorSpec* tensor = Present(role);
      if (tensor != nullptr && CheckedNumel(tensor->shape) == 0) {
        OpenBy(Condition::kEmpty,
               std::string(RoleName(role)) + " is empty, to which no page gives an answer (DD-13)");
      }
    }
  }

  // AMP2-C01, AMP3-C01, in every reading of "shape" (DD-18): an extent, the plane, all elements, of
  // self or of gradOutput.
  void CheckNotDivisible() {
    const TensorSpec* self = Present(Role::kSelf);
    const TensorSpec* grad_output = Present(Role::kGradOutput);
    if (!Applies(Condition::kNotDivisible) || self == nullptr || grad_output == nullptr) return;
    if (!HasLegalRank(*self) || !HasLegalRank(*grad_output)) return;
    bool divides = true;
    for (std::size_t axis = 0; axis < Spatial(*self).size(); ++axis) {
      const std::int64_t outputs = Spatial(*grad_output)[axis];
      if (outputs < 1) return;
      divides = divides && Spatial(*self)[axis] % outputs == 0;
    }
    if (divides) return;
    for (const TensorSpec* tensor : {self, grad_output}) {
      // The product of all extents bounds every extent and the plane.
      const std::optional<std::int64_t> numel = CheckedNumel(tensor->shape);
      if (!numel.has_value() || *numel > *info_.divisible_limit) {
        OpenBy(Condition::kNotDivisible,
               "above 2^24 elements with an output that does not divide the input (" +
                   rules_.IdOf(call_.op, Condition::kNotDivisible) + ")");
      }
    }
  }

  Legality Finish() {
    if (!required_.empty()) {
      // Whatever else is odd about the call, a table says that it must be refused.
      legality_.kind = LegalityKind::kInvalid;
    } else if (!open_reason_.empty()) {
      // Memory, emptiness and limits without a code: any status is an answer, also to what only an
      // advisory clause would have refused.
      legality_.kind = LegalityKind::kOpen;
      legality_.open_reason = open_reason_;
    } else if (!advisory_.empty()) {
      // An advisory any-error may come after phase one, which a descriptor-only call never leaves.
      const bool may_come_late =
          plan_.descriptors_only &&
          std::all_of(advisory_.begin(), advisory_.end(),
                      [](const Clause* clause) { return ExpectationOf(*clause).any_error; });
      legality_.kind = may_come_late ? LegalityKind::kOpen : LegalityKind::kInvalid;
      if (may_come_late) {
        legality_.open_reason = "the refusal that " + advisory_.front()->id +
                                " asks for may come after phase one, where this call ends";
      }
    } else if (!doubtful_format_.empty()) {
      legality_.kind = LegalityKind::kOpen;
      legality_.open_reason = doubtful_format_;
    }
    if (legality_.kind == LegalityKind::kInvalid) {
      legality_.breached = required_;
      legality_.breached.insert(legality_.breached.end(), advisory_.begin(), advisory_.end());
    } else {
      legality_.also_allowed.clear();
    }
    if (legality_.kind != LegalityKind::kValid) legality_.by_advice.clear();
    if (legality_.kind != LegalityKind::kOpen) legality_.left_open_by.clear();
    return std::move(legality_);
  }

  const ProfileRules& rules_;
  const Call& call_;
  const CallPlan& plan_;
  const OperatorInfo& info_;
  Legality legality_;
  std::vector<const Clause*> required_;
  std::vector<const Clause*> advisory_;
  std::string open_reason_;
  std::string doubtful_format_;  // open as well, but a breached advisory clause outweighs it
};

// A forward is in order where its own page takes types and formats, and the backward of the same
// operands would be in all else.
Legality ClassifyForward(const ProfileRules& rules, const Call& call, const CallPlan& plan) {
  const OperatorInfo& info = InfoOf(call.op);
  Legality open;
  open.kind = LegalityKind::kOpen;
  open.phase_one_only = plan.descriptors_only;
  open.open_reason = "a forward, whose statuses these documents do not give";
  if (!rules.Covers(call.op)) return open;
  Legality valid;
  valid.phase_one_only = plan.descriptors_only;
  for (const Role role : info.tensors) {
    const TensorSpec& tensor = call.tensor(role);
    if (tensor.null) return open;
    const bool taken = role == Role::kIndices ? rules.TakesIndices(call.op, tensor.type)
                                              : rules.TakesValues(call.op, tensor.type);
    const SupportedFormat* row = rules.FormatRow(call.op, tensor.format, tensor.shape.size());
    if (!taken || row == nullptr) return open;
    if (role == Role::kSelf && row->by &&
        rules.Of(call.op, *row->by)->strength == Strength::kAdvisory) {
      valid.by_advice.push_back(rules.Of(call.op, *row->by));
    }
    if (tensor.format != call.tensor(Role::kSelf).format) return open;
    if (IsOutput(info, role) && !LayoutDoubt(tensor, true).empty()) return open;
  }
  if (call.tensor(Role::kOut).type != call.tensor(Role::kSelf).type) return open;

  Call backward;
  backward.op = info.backward;
  backward.tensor(Role::kGradOutput) = call.tensor(Role::kOut);
  backward.tensor(Role::kSelf) = call.tensor(Role::kSelf);
  backward.tensor(Role::kIndices) = call.tensor(Role::kIndices);
  // gradInput replaces self's shape and type alone; self may be any view.
  backward.tensor(Role::kGradInput) = MakeTensor(DataType::kFloat, call.tensor(Role::kSelf).shape);
  for (const Role role : GradientRoles()) backward.tensor(role).type = DataType::kFloat;
  for (const Role role : BackwardRoles()) backward.tensor(role).format = Format::kNd;
  DataType& index_type = backward.tensor(Role::kIndices).type;
  if (!rules.TakesIndices(backward.op, index_type)) index_type = DataType::kInt32;
  for (const List list : info.lists) backward.list(list) = call.list(list);
  backward.ceil_mode = call.ceil_mode;
  if (Classifier(rules, backward, plan).Run().kind != LegalityKind::kValid) return open;
  if (!HasDerivedOutput(call)) return open;
  return valid;
}

}  // namespace

std::vector<const Clause*> Legality::Governing() const {
  std::vector<const Clause*> governing;
  for (const Clause* clause : breached) {
    if (!HasRequired() || clause->strength == Strength::kRequired) governing.push_back(clause);
  }
  return governing;
}

bool Legality::OfStatusTable() const {
  return std::any_of(breached.begin(), breached.end(), [](const Clause* clause) {
    return clause->strength == Strength::kRequired && clause->kind == ClauseKind::kStatus;
  });
}

bool Legality::HasRequired() const {
  return std::any_of(breached.begin(), breached.end(),
                     [](const Clause* clause) { return clause->strength == Strength::kRequired; });
}

bool Legality::LacksOutPointerToo() const {
  return HasRequired() && std::any_of(breached.begin(), breached.end(), [](const Clause* clause) {
           return clause->condition == Condition::kNullOutPointer;
         });
}

bool Legality::AllowsPhaseOne(std::int32_t status) const {
  if (status == 0) return false;
  if (LacksOutPointerToo() ||
      std::find(also_allowed.begin(), also_allowed.end(), status) != also_allowed.end()) {
    return true;
  }
  const std::vector<const Clause*> governing = Governing();
  return std::any_of(governing.begin(), governing.end(), [=](const Clause* clause) {
    const ExpectedStatus expected = ExpectationOf(*clause);
    return expected.any_error || expected.status == status;
  });
}

bool Legality::AllowsLateRefusal() const {
  if (phase_one_only) return false;
  const std::vector<const Clause*> governing = Governing();
  return std::any_of(governing.begin(), governing.end(),
                     [](const Clause* clause) { return ExpectationOf(*clause).any_error; });
}

std::string Legality::ExpectedText() const {
  if (kind == LegalityKind::kValid) return "0";
  if (kind == LegalityKind::kOpen) return "any answer";
  if (LacksOutPointerToo()) return "any error";
  std::set<std::int32_t> statuses(also_allowed.begin(), also_allowed.end());
  for (const Clause* clause : Governing()) {
    const ExpectedStatus expected = ExpectationOf(*clause);
    if (expected.any_error) return "any error";
    statuses.insert(expected.status);
  }
  std::string text;
  for (const std::int32_t status : statuses) {
    text += (text.empty() ? "" : " or ") + std::to_string(status);
  }
  return text;
}

ExpectedStatus ExpectationOf(const Clause& clause) {
  // 2P-05 belongs to no operator's table; its statement names the status.
  if (!clause.expect.has_value()) return {.any_error = false, .status = kParamNullptr};
  return *clause.expect;
}

Legality Classify(const ProfileRules& rules, const Call& call, const CallPlan& plan) {
  if (InfoOf(call.op).is_forward) return ClassifyForward(rules, call, plan);
  return Classifier(rules, call, plan).Run();
}

}  // namespace poolproof
