// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/legality.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "core/data_type.h"
#include "core/shape.h"

namespace poolproof {
namespace {

constexpr std::int32_t kParamNullptr = 161001;
constexpr std::int32_t kParamInvalid = 161002;
constexpr std::int64_t kInt32Max = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kNonDivisibleLimit = std::int64_t{1} << 24;  // AMP2-C01

constexpr std::array kBackwardRoles = {Role::kGradOutput, Role::kSelf, Role::kIndices,
                                       Role::kGradInput};
constexpr std::array kGradientRoles = {Role::kGradOutput, Role::kSelf, Role::kGradInput};

// Clause numbers of conditions that every operator has, but not under one number.
struct Numbers {
  std::array<std::string_view, 4> null;  // by Role: gradOutput, self, indices, gradInput
  std::string_view rank;
  std::string_view output_shapes;  // gradOutput against indices
  std::string_view input_shapes;   // self against gradInput
  std::string_view plane;
  std::string_view derived_shape;  // gradOutput against self
};
constexpr Numbers kFixedNumbers = {{"S03", "S01", "S02", "S04"}, "S32", "S30", "S31", "S50", "S33"};
constexpr Numbers kAdaptiveNumbers = {
    {"S01", "S02", "S03", "S04"}, "S30", "S31", "S32", "S33", "S34"};

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

bool HasLength(const Dims& list, std::initializer_list<std::size_t> lengths) {
  return std::find(lengths.begin(), lengths.end(), list.size()) != lengths.end();
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
  if (is_output && !IsInjective(tensor.shape, strides)) return "overlaps itself";
  return "";
}

class Classifier {
 public:
  Classifier(const Spec& spec, Profile profile, const Call& call, const Plan& plan)
      : spec_(spec),
        profile_(profile),
        call_(call),
        plan_(plan),
        info_(InfoOf(call.op)),
        numbers_(info_.is_adaptive ? kAdaptiveNumbers : kFixedNumbers) {}

  Legality Run() {
    legality_.phase_one_only = plan_.descriptors_only;
    if (plan_.phase_two_alone) {
      // Nothing of the call reaches the implementation.
      BreachId("2P-09");
      return Finish();
    }
    if (plan_.null_workspace_size || plan_.null_executor_out) BreachId("2P-05");
    if (!Applies("S01")) {
      CheckPlatform();
      return Finish();
    }
    CheckNulls();
    CheckTypes();
    CheckFormats();
    CheckShapes();
    if (!info_.is_adaptive) CheckLists();
    CheckPlane();
    CheckDerivedShape();
    CheckLayouts();
    CheckEmpty();
    if (info_.is_adaptive) CheckNonDivisible();
    return Finish();
  }

 private:
  [[nodiscard]] std::string IdOf(std::string_view number) const {
    return std::string(info_.clause_prefix) + "-" + std::string(number);
  }
  [[nodiscard]] bool Applies(std::string_view number) const {
    const Clause* clause = spec_.Find(IdOf(number));
    return clause != nullptr && clause->AppliesTo(profile_);
  }

  // Notes a breach; ids that the operator lacks or that the profile excludes are no conditions
  // here.
  void BreachId(std::string_view id) {
    const Clause* clause = spec_.Find(id);
    if (clause == nullptr || !clause->AppliesTo(profile_)) return;
    std::vector<const Clause*>& list =
        clause->strength == Strength::kRequired ? required_ : advisory_;
    if (std::find(list.begin(), list.end(), clause) == list.end()) list.push_back(clause);
  }
  void Breach(std::string_view number) { BreachId(IdOf(number)); }
  [[nodiscard]] bool Breached(std::string_view number) const {
    const std::string id = IdOf(number);
    const auto is_it = [&](const Clause* clause) { return clause->id == id; };
    return std::any_of(required_.begin(), required_.end(), is_it) ||
           std::any_of(advisory_.begin(), advisory_.end(), is_it);
  }
  void Open(std::string reason) {
    if (open_reason_.empty()) open_reason_ = std::move(reason);
  }
  void OpenBy(std::string_view number, std::string reason) {
    Open(std::move(reason));
    if (!Applies(number)) return;
    const Clause* clause = spec_.Find(IdOf(number));
    std::vector<const Clause*>& list = legality_.left_open_by;
    if (std::find(list.begin(), list.end(), clause) == list.end()) list.push_back(clause);
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
    if (!Applies("S49")) {
      // DD-17: AdaptiveMaxPool3dBackward under Ascend 950.
      Open("no page of " + std::string(info_.name) + " speaks of " +
           std::string(InfoOf(profile_).name));
      return;
    }
    Breach("S49");
    // The null-pointer row of the page is bound to no platform.
    bool any_null = false;
    for (const Role role : info_.tensors) any_null = any_null || Present(role) == nullptr;
    for (const List list : info_.lists) any_null = any_null || !call_.list(list).has_value();
    if (any_null) AlsoAllow(kParamNullptr);
  }

  void CheckNulls() {
    for (const Role role : kBackwardRoles) {
      if (Present(role) == nullptr) Breach(numbers_.null[static_cast<std::size_t>(role)]);
    }
    for (const List list : info_.lists) {
      if (!call_.list(list).has_value()) Breach("S05");
    }
  }

  void CheckTypes() {
    std::set<DataType> supported;
    for (const Role role : kGradientRoles) {
      const TensorSpec* tensor = Present(role);
      if (tensor == nullptr) continue;
      if (IsGradientType(tensor->type)) {
        supported.insert(tensor->type);
      } else {
        Breach("S10");
        if (tensor->type == DataType::kDouble) Breach("S13");
      }
    }
    if (const TensorSpec* indices = Present(Role::kIndices)) {
      const bool is_int64 = indices->type == DataType::kInt64;
      // INT64 is supported where B24 says so.
      if (indices->type != DataType::kInt32 && !(is_int64 && Applies("B24"))) {
        Breach("S11");
        if (is_int64) Breach("S12");
        if (indices->type == DataType::kDouble) Breach("S13");
      }
    }
    if (call_.op == Operator::kAdaptiveMaxPool2dBackward) {
      CheckTypes2d();
    } else if (supported.size() > 1) {
      Breach("S14");
    }
  }

  // AMP2-S14 is about self and gradOutput, AMP2-S15 about gradInput against both.
  void CheckTypes2d() {
    const TensorSpec* grad_output = Present(Role::kGradOutput);
    const TensorSpec* self = Present(Role::kSelf);
    const TensorSpec* grad_input = Present(Role::kGradInput);
    if (grad_output == nullptr || self == nullptr) return;
    if (!IsGradientType(grad_output->type) || !IsGradientType(self->type)) return;
    if (grad_output->type != self->type) Breach("S14");
    if (grad_input != nullptr && IsGradientType(grad_input->type) &&
        grad_input->type != grad_output->type && grad_input->type != self->type) {
      Breach("S15");
    }
  }

  void CheckFormats() {
    std::set<Format> formats;  // of all tensors
    bool all_public = true;
    for (const Role role : kBackwardRoles) {
      const TensorSpec* tensor = Present(role);
      if (tensor == nullptr) continue;
      formats.insert(tensor->format);
      if (IsPrivateFormat(tensor->format)) Breach("S20");
      if (!IsPublicFormat(tensor->format)) all_public = false;
      if (!IsPublicFormat(tensor->format) && !IsPrivateFormat(tensor->format)) {
        doubtful_format_ = "format " + FormatName(tensor->format) + " is none that a page lists";
      }
    }
    CheckEqualFormats(formats.size() > 1);
    if (formats.empty() || formats == std::set<Format>{Format::kNd}) return;
    // DD-07: whether a public format other than ND is an unsupported one is left open, so the row
    // on formats is an answer to any such call.
    AlsoAllow(kParamInvalid);
    if (!all_public || formats.size() > 1) return;
    const Clause* all_ncdhw = spec_.Find(IdOf("B27"));
    if (formats == std::set<Format>{Format::kNcdhw} && all_ncdhw != nullptr) {
      legality_.by_advice.push_back(all_ncdhw);
    } else {
      doubtful_format_ = "all tensors have the public format " + FormatName(*formats.begin()) +
                         ", which is left open (DD-07)";
    }
  }

  // Only public formats are compared: a private one is S20's affair.
  void CheckEqualFormats(bool differ) {
    if (!differ) return;
    const auto differs = [&](Role a, Role b) {
      const TensorSpec* x = Present(a);
      const TensorSpec* y = Present(b);
      return x != nullptr && y != nullptr && IsPublicFormat(x->format) &&
             IsPublicFormat(y->format) && x->format != y->format;
    };
    if (!info_.is_adaptive) {
      if (differs(Role::kGradOutput, Role::kSelf) || differs(Role::kGradInput, Role::kSelf)) {
        Breach("S21");
      }
      if (differs(Role::kIndices, Role::kSelf)) Breach("S22");
      return;
    }
    for (const Role a : kBackwardRoles) {
      for (const Role b : kBackwardRoles) {
        if (differs(a, b)) Breach("S21");
      }
    }
  }

  void CheckShapes() {
    for (const Role role : kBackwardRoles) {
      const TensorSpec* tensor = Present(role);
      if (tensor != nullptr && !HasLegalRank(*tensor)) Breach(numbers_.rank);
    }
    const auto differ = [&](Role a, Role b) {
      return Present(a) != nullptr && Present(b) != nullptr &&
             Present(a)->shape != Present(b)->shape;
    };
    if (differ(Role::kGradOutput, Role::kIndices)) Breach(numbers_.output_shapes);
    if (differ(Role::kSelf, Role::kGradInput)) Breach(numbers_.input_shapes);
  }

  void CheckLists() {
    const auto any_below = [](const Dims& list, std::int64_t lowest) {
      return std::any_of(list.begin(), list.end(),
                         [=](std::int64_t value) { return value < lowest; });
    };
    const std::optional<Dims>& kernel = call_.list(List::kKernelSize);
    const std::optional<Dims>& stride = call_.list(List::kStride);
    const std::optional<Dims>& padding = call_.list(List::kPadding);
    const std::optional<Dims>& dilation = call_.list(List::kDilation);
    if (kernel.has_value()) {
      if (!HasLength(*kernel, {1, 3})) Breach("S40");
      if (any_below(*kernel, 1)) Breach("S41");
    }
    if (stride.has_value()) {
      if (!HasLength(*stride, {0, 1, 3})) Breach("S42");
      if (any_below(*stride, 1)) Breach("S43");
    }
    if (padding.has_value()) {
      if (!HasLength(*padding, {1, 3})) Breach("S44");
      if (any_below(*padding, 0)) Breach("S45");
    }
    if (dilation.has_value()) {
      if (!HasLength(*dilation, {1, 3})) Breach("S47");
      if (std::any_of(dilation->begin(), dilation->end(),
                      [](std::int64_t value) { return value != 1; })) {
        Breach("S48");
      }
    }
    if (kernel.has_value() && padding.has_value() && HasLength(*kernel, {1, 3}) &&
        HasLength(*padding, {1, 3})) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t k = (*kernel)[kernel->size() == 1 ? 0 : axis];
        const std::int64_t p = (*padding)[padding->size() == 1 ? 0 : axis];
        // For an integer p, p > k/2 says the same with an exact half and with a truncated one.
        if (k >= 1 && p > k / 2) Breach("S46");
      }
    }
  }

  void CheckPlane() {
    const TensorSpec* self = Present(Role::kSelf);
    if (self == nullptr || !HasLegalRank(*self) || HasNegative(self->shape)) return;
    const std::optional<std::int64_t> plane = PlaneElements(self->shape, info_.spatial_rank);
    if (plane.has_value() && *plane <= kInt32Max) return;
    Breach(numbers_.plane);
    const TensorSpec* indices = Present(Role::kIndices);
    if (!Applies(numbers_.plane) && indices != nullptr && indices->type == DataType::kInt32) {
      // MP3-S50 leaves Ascend 950 out, MP3-B25 speaks of INT64 indices only.
      Open("the plane has more elements than INT32 indices can name, and no limit is stated for " +
           std::string(InfoOf(profile_).name));
    }
  }

  void CheckDerivedShape() {
    const TensorSpec* self = Present(Role::kSelf);
    const TensorSpec* grad_output = Present(Role::kGradOutput);
    if (self == nullptr || grad_output == nullptr) return;
    if (!HasLegalRank(*self) || !HasLegalRank(*grad_output)) return;
    if (HasNegative(self->shape) || HasNegative(grad_output->shape)) return;
    if (info_.is_adaptive) {
      const auto leading = self->shape.size() - static_cast<std::size_t>(info_.spatial_rank);
      if (self->shape.size() != grad_output->shape.size() ||
          !std::equal(self->shape.begin(),
                      self->shape.begin() + static_cast<std::ptrdiff_t>(leading),
                      grad_output->shape.begin())) {
        Breach(numbers_.derived_shape);
      }
      return;
    }
    // Attributes that are themselves at fault give no output shape to compare with.
    if (!ExpandAttributes(call_).has_value() || Breached("S46")) return;
    if (DerivedOutputShape(call_) != grad_output->shape) Breach(numbers_.derived_shape);
  }

  void CheckLayouts() {
    for (const Role role : kBackwardRoles) {
      const TensorSpec* tensor = Present(role);
      if (tensor == nullptr) continue;
      const std::string doubt = LayoutDoubt(*tensor, role == Role::kGradInput);
      if (!doubt.empty()) Open(std::string(RoleName(role)) + " " + doubt);
    }
    const TensorSpec* indices = Present(Role::kIndices);
    if (call_.op == Operator::kAdaptiveMaxPool3dBackward && indices != nullptr &&
        !IsContiguousView(*indices)) {
      // DD-23: the page says so of the other three tensors only.
      if (const Clause* clause = spec_.Find("AMP3-B25")) legality_.by_advice.push_back(clause);
    }
  }

  void CheckEmpty() {
    for (const Role role : kBackwardRoles) {
      const TensorSpec* tensor = Present(role);
      if (tensor != nullptr && CheckedNumel(tensor->shape) == 0) {
        OpenBy("S51",
               std::string(RoleName(role)) + " is empty, to which no page gives an answer (DD-13)");
      }
    }
  }

  // AMP2-C01, in every reading of "shape" (DD-18): an extent, the plane, all elements, of self or
  // of gradOutput.
  void CheckNonDivisible() {
    const TensorSpec* self = Present(Role::kSelf);
    const TensorSpec* grad_output = Present(Role::kGradOutput);
    if (!Applies("C01") || self == nullptr || grad_output == nullptr) return;
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
      if (!numel.has_value() || *numel > kNonDivisibleLimit) {
        OpenBy("C01",
               "above 2^24 elements with an output that does not divide the input (AMP2-C01)");
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

  const Spec& spec_;
  const Profile profile_;
  const Call& call_;
  const Plan& plan_;
  const OperatorInfo& info_;
  const Numbers& numbers_;
  Legality legality_;
  std::vector<const Clause*> required_;
  std::vector<const Clause*> advisory_;
  std::string open_reason_;
  std::string doubtful_format_;  // open as well, but a breached advisory clause outweighs it
};

// The formats that the forwards' own pages list, for tensors of `rank` dimensions.
bool IsListedForwardFormat(const OperatorInfo& info, std::size_t rank, Format format) {
  const bool unbatched = rank == static_cast<std::size_t>(info.spatial_rank) + 1;
  if (!info.is_adaptive) return format == Format::kNd;
  if (info.spatial_rank == 3) return format == (unbatched ? Format::kNchw : Format::kNcdhw);
  return format == (unbatched ? Format::kNcl : Format::kNchw);
}

// A forward is in order where the backward of the same operands would be.
Legality ClassifyForward(const Spec& spec, Profile profile, const Call& call, const Plan& plan) {
  const OperatorInfo& info = InfoOf(call.op);
  Legality open;
  open.kind = LegalityKind::kOpen;
  open.phase_one_only = plan.descriptors_only;
  open.open_reason = "a forward, whose statuses these documents do not give";

  Call backward;
  backward.op = info.backward;
  backward.tensor(Role::kGradOutput) = call.tensor(Role::kOut);
  backward.tensor(Role::kSelf) = call.tensor(Role::kSelf);
  backward.tensor(Role::kIndices) = call.tensor(Role::kIndices);
  backward.tensor(Role::kGradInput) = call.tensor(Role::kSelf);
  // gradInput stands in for self's shape and type alone; self may be any view.
  backward.tensor(Role::kGradInput).strides.clear();
  backward.tensor(Role::kGradInput).storage.clear();
  backward.tensor(Role::kGradInput).offset = 0;
  for (const List list : info.lists) backward.list(list) = call.list(list);
  backward.ceil_mode = call.ceil_mode;
  for (const Role role : info.tensors) {
    const TensorSpec& tensor = call.tensor(role);
    if (tensor.null) return open;
    if (!IsListedForwardFormat(info, tensor.shape.size(), tensor.format)) return open;
    if (IsOutput(info, role) && !LayoutDoubt(tensor, true).empty()) return open;
  }
  for (const Role role : kBackwardRoles) backward.tensor(role).format = Format::kNd;
  if (Classify(spec, profile, backward, plan).kind != LegalityKind::kValid) return open;
  if (DerivedOutputShape(call) != call.tensor(Role::kOut).shape) return open;
  if (call.op == Operator::kAdaptiveMaxPool2d &&
      call.tensor(Role::kIndices).type != DataType::kInt64) {
    return open;
  }
  Legality valid;
  valid.phase_one_only = plan.descriptors_only;
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

bool Legality::HasRequired() const {
  return std::any_of(breached.begin(), breached.end(),
                     [](const Clause* clause) { return clause->strength == Strength::kRequired; });
}

bool Legality::AllowsPhaseOne(std::int32_t status) const {
  if (status == 0) return false;
  if (std::find(also_allowed.begin(), also_allowed.end(), status) != also_allowed.end()) {
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

Legality Classify(const Spec& spec, Profile profile, const Call& call, const Plan& plan) {
  if (InfoOf(call.op).is_forward) return ClassifyForward(spec, profile, call, plan);
  return Classifier(spec, profile, call, plan).Run();
}

}  // namespace poolproof
