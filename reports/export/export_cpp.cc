// SPDX-License-Identifier: Apache-2.0
#include "reports/export/export_cpp.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "core/float_bits.h"
#include "core/shape.h"
#include "reports/export/embedded_frame.h"
#include "reports/export/generators.h"

namespace poolproof {
namespace {

// Up to so many elements are listed however regular they are: a list is read most easily.
constexpr std::size_t kAlwaysListed = 32;
// Lists longer than this show bits alone, without the numbers that they stand for.
constexpr std::size_t kExplained = 256;
constexpr std::size_t kMaxShownLine = 4000;

__attribute__((format(printf, 1, 2))) std::string Format(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  std::array<char, 256> text = {};  // numbers and their names
  std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  return text.data();
}

// A string literal of C++.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '?') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) {
      quoted += Format("\\%03o", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string DimsLiteral(std::span<const std::int64_t> dims) {
  std::string text;
  for (const std::int64_t value : dims) {
    // The lowest integer has no literal of its own.
    text += (text.empty() ? "" : ", ") +
            (value == INT64_MIN ? std::string("INT64_MIN") : std::to_string(value));
  }
  return "{" + text + "}";
}

std::string SnakeCase(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !text.empty()) text += '_';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

std::string Capitalised(std::string_view name) {
  std::string text(name);
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string DecimalText(std::uint32_t bits, DataType type) {
  const double value = DecodeFloat(bits, type);
  if (std::isnan(value)) return "NaN";
  return Format("%.9g", value);
}

// Elements of a storage as words of their width; types of another width than a word's are bytes.
struct Words {
  std::size_t width = 1;
  std::vector<std::uint64_t> values;
};
Words WordsOf(const TensorSpec& tensor, std::span<const std::byte> bytes) {
  Words words;
  const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
  if (width == 2 || width == 4 || width == 8) words.width = width;
  words.values.resize(bytes.size() / words.width);
  for (std::size_t i = 0; i < words.values.size(); ++i) {
    std::memcpy(&words.values[i], bytes.data() + i * words.width, words.width);
  }
  return words;
}

struct Progression {
  std::uint64_t count, first, step;
};
std::vector<Progression> ProgressionsOf(const Words& words, std::size_t limit) {
  const std::uint64_t mask = words.width == 8 ? ~std::uint64_t{0} : (1ULL << words.width * 8) - 1;
  std::vector<Progression> runs;
  for (std::size_t i = 0; i < words.values.size() && runs.size() <= limit;) {
    const std::uint64_t first = words.values[i];
    std::uint64_t step = i + 1 < words.values.size() ? (words.values[i + 1] - first) & mask : 0;
    std::size_t end = i + 1;
    while (end < words.values.size() &&
           ((words.values[end] - words.values[end - 1]) & mask) == step) {
      ++end;
    }
    // Two that differ are better left apart: the second may begin a longer run.
    if (end - i == 2 && step != 0) end = i + 1;
    if (end - i == 1) step = 0;
    runs.push_back({end - i, first, step});
    i = end;
  }
  return runs;
}

std::string_view WordType(const TensorSpec& tensor, std::size_t width) {
  if (tensor.type == DataType::kInt32) return "int32_t";
  if (tensor.type == DataType::kInt64) return "int64_t";
  switch (width) {
    case 2:
      return "uint16_t";
    case 4:
      return "uint32_t";
    case 8:
      return "uint64_t";
    default:
      return "unsigned char";
  }
}

std::string WordText(const TensorSpec& tensor, std::size_t width, std::uint64_t word) {
  if (tensor.type == DataType::kInt32) {
    const auto value = static_cast<std::int32_t>(static_cast<std::uint32_t>(word));
    return value == INT32_MIN ? "INT32_MIN" : std::to_string(value);
  }
  if (tensor.type == DataType::kInt64) {
    const auto value = static_cast<std::int64_t>(word);
    return value == INT64_MIN ? "INT64_MIN" : std::to_string(value);
  }
  return Format("0x%0*llx", static_cast<int>(2 * width), static_cast<unsigned long long>(word));
}

std::string_view RandomKind(DataKind kind) {
  switch (kind) {
    case DataKind::kUniform:
      return "Kind::kUniform";
    case DataKind::kWide:
      return "Kind::kWide";
    case DataKind::kSubnormal:
      return "Kind::kSubnormal";
    case DataKind::kTies:
      return "Kind::kTies";
    default:
      return "";
  }
}

// The definition of data and calls, put together piece by piece.
class CaseText {
 public:
  CaseText(const Case& problem, const Materialized& data, const CaseExpectation& expectation)
      : problem_(problem), data_(data), expectation_(expectation) {}

  Result<std::string> Render() {
    std::string calls;
    for (std::size_t i = 0; i < problem_.calls.size(); ++i) calls += CallText(i);
    if (listed_ > kMaxListedElements) {
      return InvalidArgument("the case cannot be exported: " + std::to_string(listed_) +
                             " elements of it follow no rule, wanted at most " +
                             std::to_string(kMaxListedElements) +
                             "; a report's shrunk_case_line is smaller");
    }
    return PlanText() + helpers_ + arrays_ + functions_ + "\nstd::vector<Call> MakeCalls() {\n" +
           "  std::vector<Call> calls;\n" + calls + "  return calls;\n}\n";
  }

 private:
  [[nodiscard]] std::string PlanText() const {
    const Plan& plan = problem_.plan;
    const auto boolean = [](bool value) { return value ? "true" : "false"; };
    std::int64_t bytes = 0;
    for (const MaterializedCall& call : data_.calls) {
      for (const std::vector<std::byte>& storage : call.storage) {
        bytes += static_cast<std::int64_t>(storage.size());
      }
    }
    const std::int64_t runs = std::int64_t{plan.repeat} * plan.threads + 2 * plan.growth_calls;
    const double seconds = 10 + static_cast<double>(runs) * (static_cast<double>(bytes) * 400e-9 +
                                                             2e-3 + 1e-3 * plan.settle_ms);
    const std::int64_t memory = (std::int64_t{4} << 30) + bytes * (12 + 4 * plan.threads) +
                                bytes * std::int64_t{plan.repeat} * plan.threads;
    return Format("\nconstexpr int kCalls = %zu;\n", problem_.calls.size()) +
           Format("constexpr int kRepeat = %d;   // runs of the whole sequence\n", plan.repeat) +
           Format("constexpr int kThreads = %d;  // host threads that do so at once\n",
                  plan.threads) +
           Format("constexpr int kGrowthCalls = %d;  // further runs, in which memory is watched\n",
                  plan.growth_calls) +
           Format("constexpr int kSettleMs = %d;     // pause before results are read\n",
                  plan.settle_ms) +
           Format("constexpr bool kDeterministic = %s;    // ACL_OPT_DETERMINISTIC\n",
                  boolean(plan.deterministic)) +
           Format("constexpr bool kDescriptorsOnly = %s;  // phase one alone, without storage\n",
                  boolean(plan.descriptors_only)) +
           Format("constexpr bool kNullSize = %s;         // phase one: no workspaceSize\n",
                  boolean(plan.null_workspace_size)) +
           Format("constexpr bool kNullExecutor = %s;     // phase one: no executor\n",
                  boolean(plan.null_executor_out)) +
           Format("constexpr bool kPhaseTwoAlone = %s;    // with a null executor\n",
                  boolean(plan.phase_two_alone)) +
           Format(
               "constexpr bool kFillLate = %s;         // inputs get their contents after phase "
               "one\n",
               boolean(plan.fill_late)) +
           Format(
               "constexpr bool kReuseExecutor = %s;    // runs after the first point it "
               "elsewhere\n",
               boolean(plan.reuse_executor)) +
           Format(
               "constexpr int kShiftBytes = %d;   // by which operands lie further in each run\n",
               plan.shift_bytes) +
           Format("constexpr int kStreams = %d;      // that calls take in turn\n", plan.streams) +
           std::string("constexpr Order kOrder = Order::") +
           (plan.order == Order::kInTurn ? "kInTurn"
            : plan.order == Order::kFifo ? "kFifo"
                                         : "kLifo") +
           ";\nconstexpr Pages kPages = Pages::" +
           (plan.guard == Guard::kNone    ? "kNone"
            : plan.guard == Guard::kAfter ? "kBehind"
                                          : "kBefore") +
           ";  // that nobody may touch, next to operands\n" +
           PoisonText("kOutputPoison", plan, plan.output) +
           PoisonText("kWorkspacePoison", plan, plan.workspace) +
           "constexpr size_t kPoisons = sizeof kOutputPoison / 16;\n" +
           Format("constexpr int kDeadlineSeconds = %d;\n",
                  static_cast<int>(std::min(seconds, 36000.0))) +
           Format("constexpr int64_t kMemoryLimit = %lldLL;  // resident bytes\n",
                  static_cast<long long>(memory));
  }

  // What is there before each run, in turn. A pattern repeats within 16 bytes.
  static std::string PoisonText(const char* name, const Plan& plan, Poison first) {
    std::string rows;
    for (int run = 0; run < (plan.vary_contents ? kPoisonCount : 1); ++run) {
      std::string bytes;
      for (std::size_t i = 0; i < 16; ++i) {
        bytes += Format(i == 0 ? "0x%02x" : ", 0x%02x",
                        std::to_integer<unsigned>(PoisonByte(PoisonOfRun(plan, first, run), i)));
      }
      rows += "    {" + bytes + "},\n";
    }
    return Format("constexpr unsigned char %s[][16] = {\n", name) + rows + "};\n";
  }

  void NeedHelper(std::string_view text) {
    if (used_.insert(text.data()).second) helpers_ += text;
  }

  // The name of an array with this content; equal ones are written once.
  std::string Array(const std::string& wanted_name, const std::string& type,
                    const std::string& body) {
    const auto [place, added] = names_.emplace(type + body, wanted_name);
    if (added) arrays_ += "\nconst " + type + " " + wanted_name + "[] = {\n" + body + "};\n";
    return place->second;
  }

  std::string ListedWords(const TensorSpec& tensor, const Words& words) {
    const std::size_t per_line = words.width == 8 ? 6 : 8;
    const bool explain = IsGradientType(tensor.type) && words.values.size() <= kExplained;
    std::string body;
    for (std::size_t i = 0; i < words.values.size(); i += per_line) {
      std::string numbers;
      body += "    ";
      for (std::size_t k = i; k < std::min(i + per_line, words.values.size()); ++k) {
        body += (k > i ? " " : "") + WordText(tensor, words.width, words.values[k]) + ",";
        if (explain) {
          numbers += (k > i ? ", " : "") +
                     DecimalText(static_cast<std::uint32_t>(words.values[k]), tensor.type);
        }
      }
      body += numbers.empty() ? "\n" : "  // " + numbers + "\n";
    }
    return body;
  }

  // An expression for the bytes of a storage.
  std::string BytesText(const std::string& name, const TensorSpec& tensor, Role role,
                        bool is_output, std::span<const std::byte> bytes) {
    if (bytes.empty()) return "Bytes()";
    if (is_output) return Format("Bytes(%zu)", bytes.size());
    const Words words = WordsOf(tensor, bytes);
    const std::string type(WordType(tensor, words.width));
    const std::size_t count = words.values.size();
    if (count > kAlwaysListed) {
      const std::vector<Progression> runs = ProgressionsOf(words, count / 4);
      if (runs.size() <= count / 4) {
        NeedHelper(kRunHelper);
        std::string body;
        for (const Progression& run : runs) {
          body += Format("    {%llu, ", static_cast<unsigned long long>(run.count));
          body += Format("0x%llx, 0x%llx},", static_cast<unsigned long long>(run.first),
                         static_cast<unsigned long long>(run.step)) +
                  RunComment(tensor, words.width, run, runs.size()) + "\n";
        }
        listed_ += static_cast<std::int64_t>(runs.size());
        return "Progressions<" + type + ">(" + Array(name, "Run", body) + ")";
      }
      if (const std::optional<std::string> random = RandomText(tensor, role, words)) return *random;
    }
    NeedHelper(kListHelper);
    listed_ += static_cast<std::int64_t>(count);
    if (listed_ > kMaxListedElements) return "Bytes()";  // the whole is refused
    return "Listed(" + Array(name, type, ListedWords(tensor, words)) + ")";
  }

  static std::string RunComment(const TensorSpec& tensor, std::size_t width, const Progression& run,
                                std::size_t runs) {
    if (runs > kExplained) return "";
    if (!IsGradientType(tensor.type)) {
      if (!IsIndexType(tensor.type)) return "";
      return "  // from " + WordText(tensor, width, run.first);
    }
    return run.step != 0
               ? ""
               : "  // " + DecimalText(static_cast<std::uint32_t>(run.first), tensor.type);
  }

  // Large data made by the recipe of the case; nullopt where it is not large or not random.
  std::optional<std::string> RandomText(const TensorSpec& tensor, Role role, const Words& words) {
    constexpr std::size_t kLarge = std::size_t{1} << 14;
    const std::string_view kind = RandomKind(tensor.data.kind);
    if (words.values.size() < kLarge || kind.empty() || !IsGradientType(tensor.type)) {
      return std::nullopt;
    }
    if (!tensor.data.patches.empty()) return std::nullopt;
    const bool whole = IsContiguousView(tensor) && tensor.offset == 0 &&
                       CheckedNumel(tensor.shape) == static_cast<std::int64_t>(words.values.size());
    const bool broadcast = !IsInjective(tensor.shape, StridesOf(tensor)) && role == Role::kSelf;
    if (!whole && !broadcast) return std::nullopt;
    NeedHelper(kRandomHelper);
    std::uint64_t sum = 0xcbf29ce484222325ULL;
    for (const std::uint64_t word : words.values) sum = (sum ^ word) * 0x100000001b3ULL;
    const FloatTraits& traits = TraitsOf(tensor.type);
    return "Random(" + std::string(kind) +
           Format(", {%zu, %d, %d, %d}, ", words.width, traits.precision, traits.min_exponent,
                  traits.max_exponent) +
           Format("0x%llxULL, %zu, 0x%llxULL)",
                  static_cast<unsigned long long>(StreamSeed(tensor.data, role)),
                  words.values.size(), static_cast<unsigned long long>(sum));
  }

  std::string TensorText(std::size_t number, Role role) {
    const Call& call = problem_.calls[number];
    const OperatorInfo& info = InfoOf(call.op);
    const TensorSpec& tensor = call.tensor(role);
    const std::string name(RoleName(role));
    std::string text = "    Tensor " + name + ";\n    " + name + ".name = " + Quoted(name) + ";\n";
    const auto set = [&](const std::string& member, const std::string& value) {
      text += "    " + name + "." + member + " = " + value + ";\n";
    };
    if (IsOutput(info, role)) set("output", "true");
    if (tensor.null) {
      set("null", "true");
    } else {
      set("type", Format("%d", static_cast<int>(tensor.type)));
      text.pop_back();
      text += "  // " + AbiName(tensor.type) + "\n";
      set("format", Format("%d", static_cast<int>(tensor.format)));
      text.pop_back();
      text += "  // " + FormatName(tensor.format) + "\n";
      set("shape", DimsLiteral(tensor.shape));
      set("strides", DimsLiteral(StridesOf(tensor)));
      if (tensor.offset != 0) set("offset", std::to_string(tensor.offset));
      set("storage_dims", DimsLiteral(StorageDimsOf(tensor)));
      set("width", std::to_string(StorageBytes(tensor.type)));
      set("bytes", BytesText("kData" + std::to_string(number) + Capitalised(name), tensor, role,
                             IsOutput(info, role),
                             data_.calls[number].storage[static_cast<std::size_t>(role)]));
    }
    return text + "    call.tensors.push_back(" + name + ");\n";
  }

  static std::string AbiName(DataType type) {
    for (const DataTypeInfo& info : AllDataTypes()) {
      if (info.type == type) return std::string(info.abi_name);
    }
    return "no type of the ABI";
  }

  // The function that passes tensors and lists on in the order of the C prototype.
  void AddPhaseOne(const OperatorInfo& info) {
    if (!operators_.insert(info.op).second) return;
    const std::string name(info.name);
    std::vector<std::string> arguments;
    const auto tensors = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) arguments.push_back(Format("tensors[%zu]", i));
    };
    // Attributes stand behind the inputs.
    const std::size_t inputs =
        static_cast<std::size_t>(std::count_if(info.tensors.begin(), info.tensors.end(),
                                               [&](Role role) { return !IsOutput(info, role); }));
    tensors(0, inputs);
    for (std::size_t i = 0; i < info.lists.size(); ++i) {
      arguments.push_back(Format("lists[%zu]", i));
    }
    if (!info.is_adaptive) arguments.emplace_back("ceil_mode");
    tensors(inputs, info.tensors.size());
    std::string joined;
    for (const std::string& argument : arguments) joined += argument + ", ";
    functions_ +=
        "\naclnnStatus PhaseOneOf" + name +
        "(const std::vector<aclTensor*>& tensors,\n    const std::vector<aclIntArray*>& " +
        (info.lists.empty() ? "" : "lists") + ", bool" + (info.is_adaptive ? "" : " ceil_mode") +
        ", uint64_t* size,\n    aclOpExecutor** executor) {\n  return aclnn" + name +
        "GetWorkspaceSize(\n      " + joined + "size, executor);\n}\n";
  }

  std::string CallText(std::size_t number) {
    const Call& call = problem_.calls[number];
    const OperatorInfo& info = InfoOf(call.op);
    AddPhaseOne(info);
    const std::string name(info.name);
    std::string text = "  {\n    Call call;\n    call.phase_one = &PhaseOneOf" + name +
                       ";\n    call.phase_two = &aclnn" + name + ";\n";
    for (const Role role : info.tensors) text += TensorText(number, role);
    for (const List list : info.lists) {
      const std::optional<Dims>& values = call.list(list);
      text += "    call.lists.push_back({" +
              (values ? "false, " + DimsLiteral(*values) : std::string("true, {}")) + "});  // " +
              std::string(ListName(list)) + "\n";
    }
    if (call.ceil_mode) text += "    call.ceil_mode = true;\n";
    return text + AnswerText(number) + "    calls.push_back(call);\n  }\n";
  }

  std::string AnswerText(std::size_t number) {
    using Answer = CallExpectation::Answer;
    const CallExpectation& wanted = expectation_[number];
    const std::string index = std::to_string(number);
    std::string text = std::string("    call.answer = Answer::") +
                       (wanted.answer == Answer::kSuccess   ? "kSuccess"
                        : wanted.answer == Answer::kRefusal ? "kRefusal"
                                                            : "kAnything") +
                       ";\n    call.why = " + Quoted(wanted.why) + ";\n";
    if (!wanted.statuses.empty()) {
      const Dims statuses(wanted.statuses.begin(), wanted.statuses.end());
      text += "    call.statuses = " + DimsLiteral(statuses) + ";\n";
    }
    if (wanted.any_error) text += "    call.any_error = true;\n";
    if (wanted.may_come_late) text += "    call.late = true;\n";
    if (wanted.may_refuse) text += "    call.may_refuse = true;\n";
    if (!wanted.must_return) text += "    call.must_return = false;\n";
    if (!wanted.elements.empty()) {
      const DataType type = problem_.calls[number].tensor(Role::kGradInput).type;
      std::string body;
      const bool explain = wanted.elements.size() <= kExplained;
      listed_ += static_cast<std::int64_t>(wanted.elements.size());
      if (listed_ > kMaxListedElements) return text;
      for (const ExpectedCells& cells : wanted.elements) {
        const std::string_view also = cells.or_nan && cells.or_infinity ? "kNaN | kInfinity"
                                      : cells.or_nan                    ? "kNaN"
                                      : cells.or_infinity               ? "kInfinity"
                                                                        : "kNothing";
        body += Format("    {%lld, 0x%x, 0x%x, ", static_cast<long long>(cells.count), cells.low,
                       cells.high) +
                std::string(also) + "},";
        if (explain && cells.low == cells.high) body += "  // " + DecimalText(cells.low, type);
        body += "\n";
      }
      const std::string name = Array("kExpected" + index, "Cells", body);
      text += "    call.grad_input.assign(std::begin(" + name + "), std::end(" + name + "));\n";
    }
    if (wanted.plane[0] > 0) {
      text += "    call.plane = " + DimsLiteral(wanted.plane) + ";\n";
      for (std::size_t axis = 0; axis < 3; ++axis) {
        std::string spans;
        for (const WindowSpan& span : wanted.windows[axis]) {
          spans += (spans.empty() ? "{" : ", {") + std::to_string(span.first) + ", " +
                   std::to_string(span.end) + "}";
        }
        if (!spans.empty()) {
          text += "    call.windows[" + std::to_string(axis) + "] = {" + spans + "};\n";
        }
      }
    }
    return text;
  }

  const Case& problem_;
  const Materialized& data_;
  const CaseExpectation& expectation_;
  std::int64_t listed_ = 0;
  std::string helpers_;
  std::string arrays_;
  std::string functions_;
  std::set<const char*> used_;
  std::set<Operator> operators_;
  std::map<std::string, std::string> names_;  // of arrays, by content
};

std::string HeaderText(const Case& problem, const ExportOptions& options) {
  std::string line = CaseLine(problem);
  if (line.size() > kMaxShownLine) {
    line = line.substr(0, kMaxShownLine) + " ... (" + std::to_string(line.size()) + " characters)";
  }
  const ProfileInfo& profile = InfoOf(options.profile);
  std::string base = options.file_name;
  if (base.ends_with(".cpp")) base.resize(base.size() - 4);
  return "// SPDX-License-Identifier: Apache-2.0\n//\n"
         "// One case, exported by poolproof " +
         options.tool_version +
         ". It needs the headers of the aclnn C ABI and the implementation, nothing else:\n//\n"
         "//   g++ -std=c++17 " +
         options.file_name +
         " -I<headers> -L<folder> -l<library> -Wl,-rpath,<folder> -pthread -o " + base +
         "\n//   ./" + base +
         "\n//\n"
         "// Exit status: 0 the documented behaviour was seen, 1 it was not (one line says how),\n"
         "// 3 the calls could not be carried out. The calls run in a child process, so that a "
         "crash or\n// a hang is an answer, too; `./" +
         base +
         " --here` makes them in this one, for a debugger.\n//\n"
         "// What is expected holds for the profile " +
         std::string(profile.name) +
         ". Poolproof's host libraries play a chip of it with\n// POOLPROOF_SOC_NAME=" +
         std::string(profile.default_soc) +
         " in the environment.\n//\n"
         "// The case:\n//   " +
         line + "\n";
}

std::string Includes(const Case& problem) {
  std::set<std::string> lines;
  for (const Call& call : problem.calls) {
    lines.insert("#include \"aclnnop/aclnn_" + SnakeCase(InfoOf(call.op).name) + ".h\"\n");
  }
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace

Result<std::string> ExportCpp(const Case& problem, const Materialized& data,
                              const CaseExpectation& expectation, const ExportOptions& options) {
  const Result<std::string> body = CaseText(problem, data, expectation).Render();
  if (!body.ok()) return body.status();
  std::string program;
  const std::string_view frame = ExportFrame();
  std::size_t from = 0;
  const std::pair<std::string_view, std::string> parts[] = {
      {"// @HEADER@\n", HeaderText(problem, options)},
      {"// @INCLUDES@\n", Includes(problem)},
      {"// @CASE@\n", *body},
  };
  for (const auto& [mark, text] : parts) {
    const std::size_t at = frame.find(mark, from);
    if (at == std::string_view::npos) return Internal("frame.cpp lacks " + std::string(mark));
    program += frame.substr(from, at - from);
    program += text;
    from = at + mark.size();
  }
  program += frame.substr(from);
  return program;
}

}  // namespace poolproof
