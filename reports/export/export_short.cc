// SPDX-License-Identifier: Apache-2.0
#include "reports/export/export_short.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/case/passed_axes.h"
#include "core/shape.h"
#include "core/text.h"
#include "reports/export/cpp_text.h"

namespace poolproof {
namespace {

constexpr std::size_t kShortColumns = 120;
constexpr std::size_t kMostBytes = 512;  // of an operand's storage

// `parts` behind `begin`, with commas, in lines that fit; `end` closes the last one.
std::string Wrapped(const std::string& begin, const std::vector<std::string>& parts,
                    const std::string& end) {
  std::string text;
  std::string line = begin;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string part = parts[i] + (i + 1 < parts.size() ? "," : end);
    if (line.size() + part.size() + 1 > kShortColumns) {
      text += line + "\n";
      line = "      " + part;
    } else {
      line += (line.ends_with('(') || line.ends_with('{') ? "" : " ") + part;
    }
  }
  return text + line + (parts.empty() ? end : "") + "\n";
}

constexpr std::string_view kShortFrame =
    R"(using Dims = std::vector<int64_t>;  using Bits = unsigned long long;
#pragma weak aclInit  // called where the library has them
#pragma weak aclrtSetDevice
constexpr size_t kGuard = 64;  // bytes around the elements of an operand, which must not change
struct Tensor {
  std::vector<unsigned char> bytes;  // guard, elements, guard
  unsigned char* memory;
  aclTensor* acl;
};
void Must(const char* what, int status) {
  if (status != 0) std::exit((std::printf("%s: expected 0, got %d\n", what, status), 1));
}
aclIntArray* List(const Dims& values) { return aclCreateIntArray(values.data(), values.size()); }
template <typename T>
Tensor Make(const std::vector<T>& elements, int type, int format, const Dims& shape, const Dims& strides = {},
            int64_t offset = 0, const Dims& storage_dims = {}) {
  const Dims& dims = storage_dims.empty() ? shape : storage_dims;
  const size_t size = elements.size() * sizeof(T) + 2 * kGuard;
  Tensor tensor = {std::vector<unsigned char>(size, 0xa5), nullptr, nullptr};
  if (!elements.empty()) std::memcpy(&tensor.bytes[kGuard], elements.data(), size - 2 * kGuard);
  Must("aclrtMalloc", aclrtMalloc(reinterpret_cast<void**>(&tensor.memory), size, ACL_MEM_MALLOC_HUGE_FIRST));
  Must("aclrtMemcpy", aclrtMemcpy(tensor.memory, size, tensor.bytes.data(), size, ACL_MEMCPY_HOST_TO_DEVICE));
  tensor.acl = aclCreateTensor(shape.data(), shape.size(), static_cast<aclDataType>(type),
                               strides.empty() ? nullptr : strides.data(), offset, static_cast<aclFormat>(format),
                               dims.data(), dims.size(), tensor.memory + kGuard);
  return tensor;
}
template <typename T>  // what an operand holds after the call
void Expect(const char* name, const Tensor& tensor, const std::vector<T>& elements) {
  const size_t size = tensor.bytes.size();
  std::vector<T> expected(size / sizeof(T)), now(expected.size());
  std::memcpy(expected.data(), tensor.bytes.data(), size);
  if (!elements.empty()) std::memcpy(&expected[kGuard / sizeof(T)], elements.data(), size - 2 * kGuard);
  Must("aclrtMemcpy", aclrtMemcpy(now.data(), size, tensor.memory, size, ACL_MEMCPY_DEVICE_TO_HOST));
  for (size_t i = 0; i < now.size(); ++i) {
    if (std::memcmp(&expected[i], &now[i], sizeof(T)) == 0) continue;
    const long long at = static_cast<long long>(i) - static_cast<long long>(kGuard / sizeof(T));
    std::exit((T(-1) > T(0) ? std::printf("%s[%lld]: expected bits %llx, got %llx\n", name, at, Bits(expected[i]), Bits(now[i]))
               : std::printf("%s[%lld]: expected %.9g, got %.9g\n", name, at, double(expected[i]), double(now[i])), 1));
  }
}
int main() {
)";

class ShortProgram {
 public:
  ShortProgram(const Case& problem, const Materialized& data, const CaseExpectation& expectation,
               const ExportOptions& options)
      : problem_(problem),
        call_(problem.calls.front()),
        info_(InfoOf(call_.op)),
        data_(data),
        expected_(expectation.front()),
        options_(options) {}

  Result<std::string> Render() {
    const std::string reason = WhyNot();
    if (!reason.empty()) return Refused(reason);
    const std::string text = Head() + std::string(kShortFrame) + Body() + "}\n";
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    if (lines > kShortLines) {
      return Refused("it would take " + std::to_string(lines) + " lines, more than " +
                     std::to_string(kShortLines));
    }
    return text;
  }

 private:
  using Answer = CallExpectation::Answer;

  static Status Refused(const std::string& why) {
    return InvalidArgument("--short: the case has no short program: " + why +
                           "; without --short it is exported whole");
  }

  // Empty: it can be written.
  [[nodiscard]] std::string WhyNot() const {
    CallPlan plan;
    plan.descriptors_only = problem_.plan.descriptors_only;
    if (problem_.calls.size() != 1) return "it has several calls";
    if (problem_.plan != plan)
      return "it has a plan (" + CaseLine(problem_).substr(CaseLine(problem_).rfind('|') + 1) + ")";
    if (expected_.answer == Answer::kAnything) return "the documents leave its answer open";
    if (info_.is_forward && expected_.answer == Answer::kSuccess) {
      return "for a forward operator, several indices may be right";
    }
    if (expected_.may_refuse) return "the call may be refused";
    for (const Role role : info_.tensors) {
      if (expected_.answer == Answer::kSuccess && StorageOf(role).size() > kMostBytes) {
        return RoleName(role).data() + (" has " + std::to_string(StorageOf(role).size())) +
               " bytes, more than " + std::to_string(kMostBytes);
      }
    }
    for (const ExpectedCells& cells : expected_.elements) {
      if (!cells.IsOneValue()) {
        return "an element may have several values";
      }
    }
    return "";
  }

  [[nodiscard]] std::string Head() const {
    std::string line = CaseLine(problem_);
    if (line.size() > 1000) line = line.substr(0, 1000) + " ...";
    std::string base = options_.file_name;
    if (base.ends_with(".cpp")) base.resize(base.size() - 4);
    std::string expected = "the numbers below";
    if (expected_.answer == Answer::kRefusal) expected = "an error: " + expected_.why;
    return "// SPDX-License-Identifier: Apache-2.0\n// " + line + "\n// Expected on " +
           std::string(InfoOf(options_.profile).name) + ": " + expected +
           ". Exit status 0: seen; 1 or a signal: not seen.\n//   g++ -std=c++17 " +
           options_.file_name + " -I<headers> -L<folder> -l<library> -Wl,-rpath,<folder> -o " +
           base +
           "\n#include <unistd.h>\n#include <cstdint>\n#include <cstdio>\n"
           "#include <cstdlib>\n#include <cstring>\n#include <vector>\n#include \"acl/acl.h\"\n"
           "#include \"aclnnop/aclnn_" +
           SnakeCase(info_.name) + ".h\"\n";
  }

  // The word as a number of the program; empty: its bits have to be written. -0 and NaN have none.
  static std::string NumberText(const TensorSpec& tensor, std::uint64_t word) {
    if (tensor.type != DataType::kFloat) return "";
    const auto bits = static_cast<std::uint32_t>(word);
    float value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value) || bits == 0x80000000U) return "";
    std::string text = Format("%.9g", static_cast<double>(value));
    const bool whole = text.find_first_not_of("-0123456789") == std::string::npos;
    return text + (whole ? "" : "F");
  }

  // The type of the program's elements for these words.
  static std::string TypeOf(const TensorSpec& tensor, const Words& words) {
    const bool plain =
        std::none_of(words.values.begin(), words.values.end(),
                     [&](std::uint64_t word) { return NumberText(tensor, word).empty(); });
    return plain ? "float" : std::string(WordType(tensor, words.width));
  }

  // Elements as they lie in the storage of an operand. `type`: TypeOf.
  static std::string Elements(const TensorSpec& tensor, std::span<const std::byte> bytes,
                              const std::string& type) {
    const Words words = WordsOf(tensor, bytes);
    const auto text_of = [&](std::uint64_t word) {
      return type == "float" ? NumberText(tensor, word) : WordText(tensor, words.width, word);
    };
    const std::string vector = "std::vector<" + type + ">";
    if (words.values.empty()) return vector + "()";
    const bool same = std::adjacent_find(words.values.begin(), words.values.end(),
                                         std::not_equal_to<>()) == words.values.end();
    if (same && words.values.size() > 3) {
      return vector + "(" + std::to_string(words.values.size()) + ", " +
             text_of(words.values.front()) + ")";
    }
    std::string list;
    for (const std::uint64_t word : words.values)
      list += (list.empty() ? "" : ", ") + text_of(word);
    return vector + "{" + list + "}";
  }

  // "  // 1, 2, 4": what 16-bit words represent, where they are few.
  static std::string Numbers(const TensorSpec& tensor, std::span<const std::byte> bytes) {
    constexpr std::size_t kMost = 12;
    const Words words = WordsOf(tensor, bytes);
    if (!IsGradientType(tensor.type) || words.width != 2 || words.values.size() > kMost) return "";
    std::string text;
    for (const std::uint64_t word : words.values) {
      text += (text.empty() ? "  // " : ", ") +
              DecimalText(static_cast<std::uint32_t>(word), tensor.type);
    }
    return text;
  }

  // gradInput's storage before the call.
  [[nodiscard]] static std::vector<std::byte> Poisoned(std::size_t size) {
    return std::vector<std::byte>(size, std::byte{0xff});
  }

  [[nodiscard]] std::span<const std::byte> StorageOf(Role role) const {
    return data_.calls.front().storage[static_cast<std::size_t>(role)];
  }

  std::string MakeTensor(Role role) const {
    const TensorSpec tensor = AsPassed(call_).tensor(role);
    const std::string name = SnakeCase(RoleName(role));
    if (tensor.null) return "  const Tensor " + name + " = {{}, nullptr, nullptr};\n";
    const bool is_output = IsOutput(info_, role);
    const std::vector<std::byte> poison = Poisoned(StorageOf(role).size());
    const std::span<const std::byte> bytes =
        is_output ? std::span<const std::byte>(poison) : StorageOf(role);
    const std::string numbers =
        is_output || expected_.answer == Answer::kRefusal ? "" : Numbers(tensor, bytes);
    // A call is refused for what its descriptors say, whatever the data are.
    const bool plain = expected_.answer == Answer::kRefusal && bytes.size() > kMostBytes / 8;
    std::vector<std::string> arguments = {
        plain ? "std::vector<char>(" + std::to_string(bytes.size()) + ")"
              : Elements(tensor, bytes, TypeOf(tensor, WordsOf(tensor, bytes))),
        std::to_string(static_cast<int>(tensor.type)),
        std::to_string(static_cast<int>(tensor.format)), "Dims" + DimsLiteral(tensor.shape)};
    if (!IsContiguousView(tensor) || tensor.offset != 0 || StorageDimsOf(tensor) != tensor.shape) {
      arguments.push_back("Dims" + DimsLiteral(StridesOf(tensor)));
      arguments.push_back(std::to_string(tensor.offset));
      arguments.push_back("Dims" + DimsLiteral(StorageDimsOf(tensor)));
    }
    return Wrapped("  const Tensor " + name + " = Make(", arguments,
                   ");  // " + AbiName(tensor.type) + ", " + FormatName(tensor.format) +
                       (numbers.empty() ? "" : ":" + numbers.substr(4)));
  }

  // What the storage of gradInput holds after a right call: elements where the view has them.
  [[nodiscard]] std::vector<std::byte> Expected(const TensorSpec& tensor) const {
    std::vector<std::byte> bytes = Poisoned(StorageOf(Role::kGradInput).size());
    const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
    const Dims strides = StridesOf(tensor);
    Dims at(tensor.shape.size(), 0);
    for (const ExpectedCells& cells : expected_.elements) {
      for (std::int64_t i = 0; i < cells.count; ++i) {
        std::int64_t place = tensor.offset;
        for (std::size_t axis = 0; axis < at.size(); ++axis) place += at[axis] * strides[axis];
        std::memcpy(bytes.data() + static_cast<std::size_t>(place) * width, &cells.low, width);
        for (std::size_t axis = at.size(); axis-- > 0;) {
          if (++at[axis] < tensor.shape[axis]) break;
          at[axis] = 0;
        }
      }
    }
    return bytes;
  }

  std::string Body() const {
    std::string text =
        "  alarm(30);  // a call that hangs ends the program\n  aclrtStream stream = nullptr;\n"
        "  Must(\"set-up\", (aclInit && aclInit(nullptr) != 0) || (aclrtSetDevice && "
        "aclrtSetDevice(0) != 0) || "
        "aclrtCreateStream(&stream) != 0);\n";
    std::vector<std::string> arguments;
    std::vector<std::string> outputs;
    for (const Role role : info_.tensors) {
      text += MakeTensor(role);
      const std::string name = SnakeCase(RoleName(role));
      (IsOutput(info_, role) ? outputs : arguments).push_back(name + ".acl");
    }
    for (const List list : info_.lists) {
      const std::optional<Dims>& values = call_.list(list);
      arguments.push_back(values ? "List(" + DimsLiteral(*values) + ")" : "nullptr");
    }
    if (info_.windows == WindowRule::kFixed)
      arguments.emplace_back(call_.ceil_mode ? "true" : "false");
    arguments.insert(arguments.end(), outputs.begin(), outputs.end());
    arguments.insert(arguments.end(), {"&size", "&executor"});
    const std::string name = "aclnn" + std::string(info_.name);
    text += "  uint64_t size = 0;\n  aclOpExecutor* executor = nullptr;\n" +
            Wrapped("  int status = " + name + "GetWorkspaceSize(", arguments, ");");
    const bool refuses = expected_.answer == Answer::kRefusal;
    if (!problem_.plan.descriptors_only && (!refuses || expected_.may_come_late)) {
      if (!refuses) text += "  Must(\"phase one\", status);\n";
      text += std::string("  void* workspace = nullptr;\n") +
              "  if (status == 0 && size > 0) Must(\"aclrtMalloc\", aclrtMalloc(&workspace, size, "
              "ACL_MEM_MALLOC_HUGE_FIRST));\n  if (status == 0) status = " +
              name +
              "(workspace, size, executor, stream);\n"
              "  if (status == 0) status = aclrtSynchronizeStream(stream);\n";
    }
    text += refuses ? RefusalCheck() : std::string("  Must(\"phase two\", status);\n");
    std::string inputs;
    for (const Role role : info_.tensors) {
      if (call_.tensor(role).null) continue;
      if (IsOutput(info_, role) && !expected_.elements.empty()) {
        text += OutputCheck(role);
      } else {
        inputs += (inputs.empty() ? "&" : ", &") + SnakeCase(RoleName(role));
      }
    }
    if (!inputs.empty()) {
      text += "  for (const Tensor* tensor : {" + inputs +
              "}) Expect(\"byte of an operand\", *tensor, std::vector<char>());\n";
    }
    return text + "  std::printf(\"ok: the expected answer\\n\");\n  return 0;\n";
  }

  [[nodiscard]] std::string RefusalCheck() const {
    if (expected_.any_error) {
      return "  if (status == 0) {\n    std::printf(\"expected an error, got 0\\n\");\n    return "
             "1;\n  }\n";
    }
    std::string wrong;
    std::string list;
    for (const std::int32_t status : expected_.statuses) {
      wrong += (wrong.empty() ? "" : " && ") + ("status != " + std::to_string(status));
      list += (list.empty() ? "" : " or ") + std::to_string(status);
    }
    return "  if (" + wrong + ") {\n    std::printf(\"expected " + list +
           ", got %d\\n\", status);\n    return 1;\n  }\n";
  }

  // Elements and guards.
  [[nodiscard]] std::string OutputCheck(Role role) const {
    const TensorSpec& tensor = call_.tensor(role);
    const std::string begin =
        "  Expect(" + StringLiteral(RoleName(role)) + ", " + SnakeCase(RoleName(role)) + ", ";
    const std::vector<std::byte> bytes = Expected(tensor);
    const std::string numbers = Numbers(tensor, bytes);
    return begin + Elements(tensor, bytes, TypeOf(tensor, WordsOf(tensor, bytes))) + ");" +
           numbers + "\n";
  }

  const Case& problem_;
  const Call& call_;
  const OperatorInfo& info_;
  const Materialized& data_;
  const CallExpectation& expected_;
  const ExportOptions& options_;
};

}  // namespace

Result<std::string> ExportShort(const Case& problem, const Materialized& data,
                                const CaseExpectation& expectation, const ExportOptions& options) {
  return ShortProgram(problem, data, expectation, options).Render();
}

}  // namespace poolproof
