// SPDX-License-Identifier: Apache-2.0
#include "runtime/ops/checks.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "aclnn/opdev/op_errno.h"
#include "runtime/kernel_binding.h"

namespace poolproof {
namespace {

// Above this many elements a layout that the quick test does not prove injective is refused
// untested.
constexpr std::int64_t kCountedElements = std::int64_t{1} << 22;

Objection Null(const char* name, const char* clause) {
  return Refusal{ACLNN_ERR_PARAM_NULLPTR, Complaint(name, "null", "a valid pointer", clause)};
}

Objection NotAlive(const char* name) {
  return Refusal{ACLNN_ERR_INNER, std::string(name) + " is not a living object of this library"};
}

Objection Invalid(const std::string& thing, const std::string& value, const std::string& wanted,
                  const char* clause) {
  return Refusal{ACLNN_ERR_PARAM_INVALID, Complaint(thing, value, wanted, clause)};
}

template <typename T, typename NameOf>
std::string Choices(std::initializer_list<T> choices, const NameOf& name_of) {
  std::string text;
  std::size_t number = 0;
  for (const T& choice : choices) {
    if (number > 0) text += number + 1 == choices.size() ? " or " : ", ";
    text += name_of(choice);
    ++number;
  }
  return text;
}

std::string ShapeOf(const Operand& operand) { return std::string("shape of ") + operand.name; }

std::string TypeText(DataType type) {
  for (const DataTypeInfo& info : AllDataTypes()) {
    if (info.type == type) return std::string(info.abi_name);
  }
  return "aclDataType " + std::to_string(static_cast<std::int32_t>(type));
}

std::string FormatText(Format format) { return FormatName(format); }

bool IsPublicFormat(Format format) {
  if (format == Format::kUndefined) return false;
  for (const FormatInfo& info : AllFormats()) {
    if (info.format == format) return !info.is_private;
  }
  return false;
}

// What an adapter's kernels can be given.
bool IsKernelType(DataType type) {
  constexpr std::array kTypes = {DataType::kFloat,  DataType::kFloat16, DataType::kBf16,
                                 DataType::kDouble, DataType::kInt32,   DataType::kInt64};
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

// Exact, by marking every element. Requires a view inside int64.
bool IsInjectiveCounted(const aclTensor& tensor, const Reach& reach) {
  const std::int64_t span = reach.last - reach.first + 1;
  const std::int64_t numel = CheckedNumel(tensor.shape).value_or(0);
  if (span < numel) return false;
  if (numel > kCountedElements) return false;
  std::vector<std::int64_t> elements(static_cast<std::size_t>(numel));
  for (std::int64_t i = 0; i < numel; ++i) {
    elements[static_cast<std::size_t>(i)] =
        ElementOffset(tensor.shape, tensor.strides, tensor.offset, i);
  }
  std::sort(elements.begin(), elements.end());
  return std::adjacent_find(elements.begin(), elements.end()) == elements.end();
}

std::string ViewText(const aclTensor& tensor) {
  return "shape " + DimsText(tensor.shape) + ", strides " + DimsText(tensor.strides) + ", offset " +
         std::to_string(tensor.offset);
}

}  // namespace

Objection CheckPointer(const Operand& operand, const char* clause) {
  if (operand.tensor == nullptr) return Null(operand.name, clause);
  return IsLive(operand.tensor) ? std::nullopt : NotAlive(operand.name);
}

Objection CheckPointer(const char* name, const aclIntArray* array, const char* clause) {
  if (array == nullptr) return Null(name, clause);
  return IsLive(array) ? std::nullopt : NotAlive(name);
}

Objection CheckOutPointers(const std::uint64_t* workspace_size,
                           const aclOpExecutor* const* executor) {
  if (workspace_size == nullptr) return Null("workspaceSize", "2P-05");
  if (executor == nullptr) return Null("executor", "2P-05");
  return std::nullopt;
}

Objection CheckPlatform(std::initializer_list<Platform> supported, const char* clause) {
  if (!ChecksDocuments()) return std::nullopt;
  const std::string_view soc_name = SocName();
  const Platform platform = PlatformOf(soc_name);
  if (std::find(supported.begin(), supported.end(), platform) != supported.end()) {
    return std::nullopt;
  }
  const auto name_of = [](Platform choice) { return std::string(PlatformName(choice)); };
  return Invalid("platform", std::string(soc_name) + " (" + name_of(platform) + ")",
                 Choices(supported, name_of), clause);
}

Objection CheckType(const Operand& operand, std::initializer_list<DataType> supported,
                    const char* clause) {
  const DataType type = operand.tensor->type;
  if (!ChecksDocuments() && IsKernelType(type)) return std::nullopt;
  if (std::find(supported.begin(), supported.end(), type) != supported.end()) return std::nullopt;
  return Invalid(std::string("data type of ") + operand.name, TypeText(type),
                 Choices(supported, TypeText), clause);
}

Objection CheckSameType(const Operand& operand, const Operand& other, const char* clause) {
  if (operand.tensor->type == other.tensor->type) return std::nullopt;
  return Invalid(std::string("data type of ") + operand.name, TypeText(operand.tensor->type),
                 TypeText(other.tensor->type) + ", that of " + other.name, clause);
}

Objection CheckFormat(const Operand& operand, const char* clause) {
  if (!ChecksDocuments()) return std::nullopt;
  if (IsPublicFormat(operand.tensor->format)) return std::nullopt;
  return Invalid(std::string("format of ") + operand.name, FormatText(operand.tensor->format),
                 "ND or another public format", clause);
}

Objection CheckFormat(const Operand& operand, std::initializer_list<Format> supported,
                      const char* clause) {
  if (!ChecksDocuments()) return std::nullopt;
  const Format format = operand.tensor->format;
  if (std::find(supported.begin(), supported.end(), format) != supported.end()) return std::nullopt;
  return Invalid(std::string("format of ") + operand.name, FormatText(format),
                 Choices(supported, FormatText), clause);
}

Objection CheckSameFormat(const Operand& operand, const Operand& other, const char* clause) {
  if (!ChecksDocuments()) return std::nullopt;
  if (operand.tensor->format == other.tensor->format) return std::nullopt;
  return Invalid(std::string("format of ") + operand.name, FormatText(operand.tensor->format),
                 FormatText(other.tensor->format) + ", that of " + other.name, clause);
}

Objection CheckRank(const Operand& operand, std::size_t low, std::size_t high, const char* clause) {
  const std::size_t rank = operand.tensor->shape.size();
  if (rank >= low && rank <= high) return std::nullopt;
  return Invalid(std::string("rank of ") + operand.name, std::to_string(rank),
                 std::to_string(low) + " or " + std::to_string(high), clause);
}

Objection CheckExtents(const Operand& operand) {
  const Dims& shape = operand.tensor->shape;
  for (const std::int64_t extent : shape) {
    if (extent < 0) {
      return Invalid(ShapeOf(operand), DimsText(shape), "no negative extent", nullptr);
    }
  }
  if (CheckedNumel(shape).has_value()) return std::nullopt;
  return Invalid(ShapeOf(operand), DimsText(shape), "a number of elements below 2^63", nullptr);
}

Objection CheckSameShape(const Operand& operand, const Operand& other, const char* clause) {
  if (operand.tensor->shape == other.tensor->shape) return std::nullopt;
  return Invalid(ShapeOf(operand), DimsText(operand.tensor->shape),
                 DimsText(other.tensor->shape) + ", that of " + other.name, clause);
}

Objection CheckShape(const Operand& operand, const Dims& wanted, const std::string& reason,
                     const char* clause) {
  if (operand.tensor->shape == wanted) return std::nullopt;
  return Invalid(ShapeOf(operand), DimsText(operand.tensor->shape),
                 DimsText(wanted) + ", " + reason, clause);
}

Objection CheckSameBatch(const Operand& operand, const Operand& other, int spatial_rank,
                         const char* clause) {
  const Dims& shape = operand.tensor->shape;
  const Dims& wanted = other.tensor->shape;
  const auto batch = static_cast<std::ptrdiff_t>(wanted.size()) - spatial_rank;
  if (shape.size() == wanted.size() &&
      std::equal(wanted.begin(), wanted.begin() + batch, shape.begin())) {
    return std::nullopt;
  }
  return Invalid(ShapeOf(operand), DimsText(shape),
                 std::string("the rank, N and C of ") + other.name + ", " + DimsText(wanted),
                 clause);
}

Objection CheckPlane(const Operand& operand, int spatial_rank, const char* clause) {
  if (!ChecksDocuments()) return std::nullopt;
  constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
  const std::span<const std::int64_t> plane = Plane(*operand.tensor, spatial_rank);
  const std::optional<std::int64_t> size = CheckedNumel(plane);
  if (size.has_value() && *size <= kLargest) return std::nullopt;
  return Invalid(std::string("plane of ") + operand.name,
                 DimsText(plane) + " with " +
                     (size.has_value() ? std::to_string(*size) : "more than 2^63") + " elements",
                 "at most 2147483647", clause);
}

Objection CheckPlanesExist(const Operand& operand, int spatial_rank) {
  const std::span<const std::int64_t> of_batch =
      std::span(operand.tensor->shape).last(static_cast<std::size_t>(spatial_rank) + 1);
  if (std::find(of_batch.begin(), of_batch.end(), 0) == of_batch.end()) return std::nullopt;
  return Invalid(ShapeOf(operand), DimsText(operand.tensor->shape), "elements on every axis but N",
                 nullptr);
}

Objection CheckPlaneExists(const Operand& operand, const Operand& self, int spatial_rank) {
  if (IsEmpty(*operand.tensor)) return std::nullopt;
  const std::span<const std::int64_t> plane = Plane(*self.tensor, spatial_rank);
  if (std::find(plane.begin(), plane.end(), 0) == plane.end()) return std::nullopt;
  return Invalid(std::string("plane of ") + self.name, DimsText(plane),
                 std::string("elements, since ") + operand.name + " has some", nullptr);
}

Objection CheckLength(const char* name, const aclIntArray& array,
                      std::initializer_list<std::size_t> lengths, const char* clause) {
  const std::size_t size = array.values.size();
  if (std::find(lengths.begin(), lengths.end(), size) != lengths.end()) return std::nullopt;
  return Invalid(std::string("length of ") + name, std::to_string(size),
                 Choices(lengths, [](std::size_t length) { return std::to_string(length); }),
                 clause);
}

Objection CheckAtLeast(const char* name, const aclIntArray& array, std::int64_t low,
                       const char* clause) {
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    if (array.values[i] >= low) continue;
    return Invalid(std::string(name) + "[" + std::to_string(i) + "]",
                   std::to_string(array.values[i]), std::to_string(low) + " or more", clause);
  }
  return std::nullopt;
}

std::array<std::int64_t, 3> PerAxis(const aclIntArray& array,
                                    const std::array<std::int64_t, 3>& none) {
  const std::vector<std::int64_t>& values = array.values;
  if (values.empty()) return none;
  return {values[0], values[values.size() == 1 ? 0 : values.size() - 2], values.back()};
}

Objection CheckView(const Operand& operand) {
  const aclTensor& tensor = *operand.tensor;
  if (IsEmpty(tensor)) return std::nullopt;
  const std::optional<Reach> reach = ViewReach(tensor.shape, tensor.strides, tensor.offset);
  const bool own_storage = tensor.storage_shape.empty() && tensor.offset == 0 &&
                           IsContiguous(tensor.shape, tensor.strides);
  // Extents that overflow are more than any view needs.
  const std::int64_t storage =
      CheckedNumel(tensor.storage_shape).value_or(std::numeric_limits<std::int64_t>::max());
  const bool inside =
      reach.has_value() && reach->first >= 0 && (own_storage || reach->last < storage);
  if (inside) return std::nullopt;
  return Refusal{ACLNN_ERR_INNER_NULLPTR,
                 Complaint(std::string("view of ") + operand.name, ViewText(tensor),
                           "elements inside its storage " + DimsText(tensor.storage_shape))};
}

Objection CheckOutputView(const Operand& operand) {
  if (auto no = CheckView(operand)) return no;
  const aclTensor& tensor = *operand.tensor;
  if (IsEmpty(tensor) || IsInjective(tensor.shape, tensor.strides)) return std::nullopt;
  const std::optional<Reach> reach = ViewReach(tensor.shape, tensor.strides, tensor.offset);
  if (reach.has_value() && IsInjectiveCounted(tensor, *reach)) return std::nullopt;
  return Invalid(std::string("view of ") + operand.name, ViewText(tensor),
                 "a place of its own for every element of the output", nullptr);
}

bool IsEmpty(const aclTensor& tensor) {
  return std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
}

aclTensor ChannelsFirst(const aclTensor& tensor) {
  aclTensor result = tensor;
  if (tensor.format != Format::kNhwc || tensor.shape.size() != 4) return result;
  for (Dims* axes : {&result.shape, &result.strides}) {
    if (axes->size() == 4) std::rotate(axes->begin() + 1, axes->end() - 1, axes->end());
  }
  return result;
}

std::span<const std::int64_t> Plane(const aclTensor& tensor, int spatial_rank) {
  return std::span(tensor.shape).last(static_cast<std::size_t>(spatial_rank));
}

}  // namespace poolproof
