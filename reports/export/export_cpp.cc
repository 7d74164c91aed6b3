// SPDX-License-Identifier: Apache-2.0
#include "reports/export/export_cpp.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "conformance/case/case_text.h"
#include "conformance/case/passed_axes.h"
#include "conformance/case/plan_members.h"
#include "core/float_bits.h"
#include "core/shape.h"
#include "core/text.h"
#include "reports/export/cpp_text.h"
#include "reports/export/embedded_frame.h"
#include "reports/export/generators.h"

namespace poolproof {
namespace {

// Up to so many elements are listed however regular they are: a list is read most easily.
constexpr std::size_t kAlwaysListed = 32;
// Lists longer than this show bits alone, without the numbers that they represent.
constexpr std::size_t kExplained = 256;
constexpr std::size_t kMaxShownLine = 4000;

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

bool HasNullList(const Call& call) {
  const std::span<const List> lists = InfoOf(call.op).lists;
  return std::any_of(lists.begin(), lists.end(),
                     [&](List list) { return !call.list(list).has_value(); });
}

// Whether any element may be more than one value.
bool HasRanges(const CallExpectation& wanted) {
  return std::any_of(wanted.elements.begin(), wanted.elements.end(),
                     [](const ExpectedCells& cells) { return !cells.IsOneValue(); });
}

// A backward call that must give these very numbers, without options, on contiguous operands: a
// straight program says it best.
bool IsPlain(const Case& problem, const CaseExpectation& expectation) {
  const Call& call = problem.calls.front();
  const OperatorInfo& info = InfoOf(call.op);
  const CallExpectation& wanted = expectation.front();
  const auto is_plain = [&](Role role) {
    const TensorSpec& tensor = call.tensor(role);
    const std::optional<std::int64_t> numel = CheckedNumel(tensor.shape);
    return !tensor.null && IsContiguousView(tensor) && tensor.offset == 0 &&
           StorageDimsOf(tensor) == tensor.shape && numel.value_or(0) > 0;
  };
  return problem.calls.size() == 1 && problem.plan == CallPlan() && !info.is_forward &&
         wanted.answer == CallExpectation::Answer::kSuccess && !wanted.may_refuse &&
         wanted.must_return && !wanted.elements.empty() && !HasRanges(wanted) &&
         !HasNullList(call) && std::all_of(info.tensors.begin(), info.tensors.end(), is_plain);
}

// --- The frame -----------------------------------------------------------------------------------

// What the plan, the data and the expectation of a case ask of a program: the names in
// the conditions of the frame.
std::set<std::string_view> FeaturesOf(const Case& problem, const CaseExpectation& expectation) {
  std::set<std::string_view> features;
  const auto add = [&](bool wanted, std::string_view name) {
    if (wanted) features.insert(name);
  };
  if (IsPlain(problem, expectation)) return {"plain"};
  const CallPlan& plan = problem.plan;
  add(problem.calls.size() > 1, "many");
  add(plan.descriptors_only, "descriptors");
  add(plan.phase_two_alone, "phase2");
  add(plan.deterministic, "deterministic");
  add(plan.fill_late, "late");
  add(plan.reuse_executor, "reuse");
  add(plan.threads > 1, "threads");
  add(plan.growth_calls > 0, "growth");
  add(plan.order != Order::kInTurn, "together");
  add(plan.guard != Guard::kNone, "guard");
  for (std::size_t i = 0; i < problem.calls.size(); ++i) {
    const CallExpectation& wanted = expectation[i];
    add(!wanted.elements.empty(), "gradients");
    add(wanted.plane[0] > 0, "windows");
    add(PassesChannelsLast(problem.calls[i]), "channels_last");
  }
  return features;
}

// Of "name", "!name", "a && b" or "a || b".
bool Holds(std::string_view condition, const std::set<std::string_view>& features) {
  const std::size_t end = std::min(condition.find(' '), condition.size());
  std::string_view name = condition.substr(0, end);
  const bool negated = name.starts_with('!');
  if (negated) name.remove_prefix(1);
  const bool holds = features.contains(name) != negated;
  if (end == condition.size()) return holds;
  const bool rest = Holds(condition.substr(end + 4), features);
  return condition.substr(end, 4) == " || " ? holds || rest : holds && rest;
}

// The lines of the frame for which the conditions of "#if ... #else ... #endif" hold.
std::string FrameWith(const std::set<std::string_view>& features) {
  constexpr std::string_view kIf = "#if ";
  std::string text;
  std::vector<bool> open;  // the conditions around the line
  for (std::string_view rest = ExportFrame(); !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1);
    rest.remove_prefix(line.size());
    if (line.starts_with(kIf)) {
      open.push_back(Holds(line.substr(kIf.size(), line.size() - kIf.size() - 1), features));
    } else if (line == "#else\n") {
      open.back() = !open.back();
    } else if (line == "#endif\n") {
      open.pop_back();
    } else if (std::find(open.begin(), open.end(), false) == open.end()) {
      text += line;
    }
  }
  return text;
}

// --- The case ------------------------------------------------------------------------------------

// The definition of data and calls, put together piece by piece.
class CaseText {
 public:
  CaseText(const Case& problem, const Materialized& data, const CaseExpectation& expectation)
      : problem_(problem), data_(data), expectation_(expectation) {}

  Result<std::string> Render() {
    const bool plain = IsPlain(problem_, expectation_);
    std::string calls;
    if (plain) {
      calls = PlainText();
    } else {
      for (std::size_t i = 0; i < problem_.calls.size(); ++i) calls += CallText(i);
      calls = "\nstd::vector<Call> MakeCalls() {\n  std::vector<Call> calls;\n" + calls +
              "  return calls;\n}\n";
    }
    if (problem_.plan.share_descriptors) {
      return InvalidArgument(
          "the case cannot be exported: its plan (share) uses one descriptor in several calls, and "
          "an exported program makes descriptors for each call");
    }
    if (problem_.plan.look != Look::kNone) {
      return InvalidArgument(
          "the case cannot be exported: its plan (look) reads the outputs before the calls have "
          "ended, and an exported program reads them at the end");
    }
    if (listed_ > kMaxListedElements) {
      return InvalidArgument("the case cannot be exported: " + std::to_string(listed_) +
                             " elements of it follow no rule, expected at most " +
                             std::to_string(kMaxListedElements) +
                             "; a report's shrunk_case_line is smaller");
    }
    return (plain ? "" : PlanText()) + LimitsText() + helpers_ + arrays_ + functions_ + calls;
  }

 private:
  // For the watching process.
  [[nodiscard]] std::string LimitsText() const {
    const CallPlan& plan = problem_.plan;
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
    return Format("constexpr int kDeadlineSeconds = %d;\n",
                  static_cast<int>(std::min(seconds, 36000.0))) +
           Format("constexpr int64_t kMemoryLimit = %lldLL;  // resident bytes\n",
                  static_cast<long long>(memory));
  }

  [[nodiscard]] std::string PlanText() const {
    const CallPlan& plan = problem_.plan;
    std::string text = Format("\nconstexpr int kCalls = %zu, kRepeat = %d, kStreams = %d",
                              problem_.calls.size(), plan.repeat, plan.streams);
    if (plan.threads > 1) text += Format(", kThreads = %d", plan.threads);
    text += Format(", kSettleMs = %d", plan.settle_ms);
    // Operands before closed pages stay where these are.
    if (plan.guard == Guard::kNone) text += Format(", kShiftBytes = %d", plan.shift_bytes);
    if (plan.growth_calls > 0) text += Format(", kGrowthCalls = %d", plan.growth_calls);
    text += ";\n";
    if (!plan.phase_two_alone) {
      text += Format("constexpr bool kNullSize = %s, kNullExecutor = %s;\n",
                     plan.null_workspace_size ? "true" : "false",
                     plan.null_executor_out ? "true" : "false");
    }
    if (plan.order != Order::kInTurn) {
      text += Format("constexpr bool kLastFirst = %s;  // phase two of the calls\n",
                     plan.order == Order::kLifo ? "true" : "false");
    }
    if (plan.guard != Guard::kNone) {
      text += Format("constexpr bool kGuardBehind = %s;  // operands, or before them\n",
                     plan.guard == Guard::kAfter ? "true" : "false");
    }
    text += PoisonText("kOutputPoison", plan, plan.output);
    if (!plan.phase_two_alone) text += PoisonText("kWorkspacePoison", plan, plan.workspace);
    return text;
  }

  // What is there before each run, in turn: eight bytes of the first, eight of the second.
  static std::string PoisonText(const char* name, const CallPlan& plan, Poison first) {
    std::string rows;
    for (int run = 0; run < (plan.vary_contents ? kPoisonCount : 1); ++run) {
      const Poison poison = PoisonOfRun(plan, first, run);
      rows += Format(run == 0 ? "{0x%02x, 0x%02x}" : ", {0x%02x, 0x%02x}",
                     std::to_integer<unsigned>(PoisonByte(poison, 0)),
                     std::to_integer<unsigned>(PoisonByte(poison, 8)));
    }
    return Format("constexpr unsigned char %s[][2] = {", name) + rows + "};\n";
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
    const bool is_output = IsOutput(InfoOf(call.op), role);
    const TensorSpec& tensor = call.tensor(role);
    const std::string name(RoleName(role));
    const std::string head =
        "      {" + StringLiteral(name) + ", " + (is_output ? "true" : "false") + ", ";
    if (tensor.null) return head + "0, 0, {}, {}, 0, {}, 0, {}, true},\n";
    return head +
           Format("%d, %d, ", static_cast<int>(tensor.type), static_cast<int>(tensor.format)) +
           DimsLiteral(tensor.shape) + ", " + DimsLiteral(StridesOf(tensor)) + ", " +
           std::to_string(tensor.offset) + ", " +
           DimsLiteral(StorageDimsOf(AsPassed(call).tensor(role))) + ", " +
           std::to_string(StorageBytes(tensor.type)) + ",\n       " +
           BytesText("kData" + std::to_string(number) + Capitalised(name), tensor, role, is_output,
                     data_.calls[number].storage[static_cast<std::size_t>(role)]) +
           (PassesChannelsLast(call) ? ", false, true" : "") + "},  // " + AbiName(tensor.type) +
           ", " + FormatName(tensor.format) + "\n";
  }

  // The function that passes tensors and lists on in the order of the C prototype.
  void AddPhaseOne(const OperatorInfo& info) {
    if (!operators_.insert(info.op).second) return;
    const std::string name(info.name);
    std::vector<std::string> arguments;
    const auto tensors = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) arguments.push_back(Format("tensors[%zu]", i));
    };
    // Attributes are behind the inputs.
    const auto inputs =
        static_cast<std::size_t>(std::count_if(info.tensors.begin(), info.tensors.end(),
                                               [&](Role role) { return !IsOutput(info, role); }));
    tensors(0, inputs);
    for (std::size_t i = 0; i < info.lists.size(); ++i) {
      arguments.push_back(Format("lists[%zu]", i));
    }
    if (info.windows == WindowRule::kFixed) arguments.emplace_back("ceil_mode");
    tensors(inputs, info.tensors.size());
    functions_ += "\naclnnStatus PhaseOneOf" + name + "(const Tensors& tensors, const Lists&" +
                  (info.lists.empty() ? "" : " lists") + ", bool" +
                  (info.windows == WindowRule::kAdaptive ? "" : " ceil_mode") +
                  ",\n    uint64_t* size, aclOpExecutor** executor) {\n  return aclnn" + name +
                  "GetWorkspaceSize(\n      " + Joined(arguments) + ", size, executor);\n}\n";
  }

  std::string CallText(std::size_t number) {
    const Call& call = problem_.calls[number];
    const OperatorInfo& info = InfoOf(call.op);
    AddPhaseOne(info);
    const std::string name(info.name);
    std::string text = "  {\n    Call call;\n    call.phase_one = &PhaseOneOf" + name +
                       ";\n    call.phase_two = &aclnn" + name + ";\n    call.tensors = {\n";
    for (const Role role : info.tensors) text += TensorText(number, role);
    text += "    };\n";
    std::vector<std::string> lists;
    std::vector<std::string_view> nulls;
    std::vector<std::string_view> names;
    for (const List list : info.lists) {
      const std::optional<Dims>& values = call.list(list);
      lists.push_back(DimsLiteral(values.value_or(Dims())));
      nulls.emplace_back(values.has_value() ? "false" : "true");
      names.push_back(ListName(list));
    }
    if (!lists.empty()) {
      // A single list in double braces would be taken for its copy.
      text +=
          "    call.lists = std::vector<Dims>{" + Joined(lists) + "};  // " + Joined(names) + "\n";
    }
    if (HasNullList(call)) text += "    call.null_lists = {" + Joined(nulls) + "};\n";
    if (call.ceil_mode) text += "    call.ceil_mode = true;\n";
    return text + AnswerText(number) + "    calls.push_back(call);\n  }\n";
  }

  // The one call of a plain case, written out.
  std::string PlainText() {
    const Call& call = problem_.calls.front();
    const OperatorInfo& info = InfoOf(call.op);
    std::string text = "\nvoid TheCase() {\n";
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<std::string> addresses;
    std::vector<std::string> input_addresses;
    for (const Role role : info.tensors) {
      const TensorSpec& tensor = call.tensor(role);
      const std::vector<std::byte>& bytes =
          data_.calls.front().storage[static_cast<std::size_t>(role)];
      const std::string name = SnakeCase(RoleName(role));
      const bool is_output = IsOutput(info, role);
      text +=
          "  const Tensor " + name + "(" + StringLiteral(RoleName(role)) +
          Format(", %d, %d, ", static_cast<int>(tensor.type), static_cast<int>(tensor.format)) +
          DimsLiteral(tensor.shape) + ",  // " + AbiName(tensor.type) + ", " +
          FormatName(tensor.format) + "\n      " +
          (is_output ? Format("Bytes(%zu, 0xff)", bytes.size())
                     : BytesText("k" + Capitalised(RoleName(role)), tensor, role, false, bytes)) +
          ");\n";
      (is_output ? outputs : inputs).push_back(name + ".acl");
      addresses.push_back("&" + name);
      if (!is_output) input_addresses.push_back("&" + name);
    }
    std::vector<std::string> arguments = inputs;
    for (const List list : info.lists) {
      const std::string name = SnakeCase(ListName(list));
      text += "  const List " + name + "(Dims" + DimsLiteral(*call.list(list)) + ");\n";
      arguments.push_back(name + ".acl");
    }
    if (info.windows == WindowRule::kFixed)
      arguments.emplace_back(call.ceil_mode ? "true" : "false");
    arguments.insert(arguments.end(), outputs.begin(), outputs.end());
    const std::string name = "aclnn" + std::string(info.name);
    text +=
        "  uint64_t size = kUnset;\n  aclOpExecutor* executor = nullptr;\n"
        "  aclrtStream stream = nullptr;\n"
        "  Make(\"aclrtCreateStream\", [&] { return aclrtCreateStream(&stream); });\n"
        "  Make(\"phase one\", [&] {\n    return " +
        name + "GetWorkspaceSize(\n        " + Joined(arguments) +
        ", &size, &executor);\n  });\n  Unchanged({" + Joined(addresses) +
        "}, \"phase one\");\n"
        "  CheckOut(size, executor);\n"
        "  const Tensor workspace(\"workspace\", 0, 2, {0}, Bytes(size, 0xff));\n"
        "  void* const scratch = size == 0 ? nullptr : workspace.storage;\n"
        "  Make(\"phase two\", [&] { return " +
        name +
        "(scratch, size, executor, stream); });\n"
        "  Make(\"synchronise\", [&] { return aclrtSynchronizeStream(stream); });\n";
    text += "  Unchanged({" + Joined(input_addresses) + "}, \"the call\");\n" +
            "  workspace.Expect({}, 1);\n";
    for (const Role role : info.tensors) {
      const TensorSpec& tensor = call.tensor(role);
      if (!IsOutput(info, role)) continue;
      text += "  " + SnakeCase(RoleName(role)) + ".Expect(" +
              BytesText("kExpected", tensor, role, false, ExpectedBytes(tensor)) +
              Format(", %d);\n", StorageBytes(tensor.type));
    }
    return text + "  aclrtDestroyStream(stream);\n}\n";
  }

  [[nodiscard]] std::vector<std::byte> ExpectedBytes(const TensorSpec& tensor) const {
    const auto width = static_cast<std::size_t>(StorageBytes(tensor.type));
    std::vector<std::byte> bytes;
    for (const ExpectedCells& cells : expectation_.front().elements) {
      for (std::int64_t i = 0; i < cells.count; ++i) {
        bytes.resize(bytes.size() + width);
        std::memcpy(bytes.data() + bytes.size() - width, &cells.low, width);
      }
    }
    return bytes;
  }

  std::string AnswerText(std::size_t number) {
    using Answer = CallExpectation::Answer;
    const CallExpectation& wanted = expectation_[number];
    const std::string index = std::to_string(number);
    std::string text;
    if (wanted.answer == Answer::kAnything) text += "    call.answer = Answer::kAnything;\n";
    if (wanted.answer == Answer::kRefusal) {
      text += "    call.answer = Answer::kRefusal;\n    call.why = " + StringLiteral(wanted.why) +
              ";\n";
    }
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
        std::string also;
        const auto add = [&](bool allowed, const char* name) {
          if (allowed) also += (also.empty() ? "" : " | ") + std::string(name);
        };
        add(cells.or_nan, "kNaN");
        add(cells.or_infinity, "kInfinity");
        add(cells.or_zero, "kZero");
        if (also.empty()) also = "kNothing";
        body += Format("    {%lld, 0x%x, 0x%x", static_cast<long long>(cells.count), cells.low,
                       cells.high) +
                ", " + also + "},";
        if (explain && cells.low == cells.high) body += "  // " + DecimalText(cells.low, type);
        body += "\n";
      }
      const std::string name = Array("kExpected" + index, "Cells", body);
      text += "    call.grad_input = {std::begin(" + name + "), std::end(" + name + ")};\n";
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

// What the plan asks for beyond a single plain run.
std::string PlanComment(const CallPlan& plan) {
  std::string text;
  for (const PlanMember& member : PlanMembers()) {
    if (member.IsDefault(plan)) continue;
    const std::string value = member.ValueText(member.get(plan));
    text += "//   " + std::string(member.line_name) + (value.empty() ? "" : "=" + value) + ": " +
            std::string(member.meaning) + "\n";
  }
  return text;
}

std::string HeaderText(const Case& problem, const ExportOptions& options) {
  std::string line = CaseLine(problem);
  if (line.size() > kMaxShownLine) {
    line = line.substr(0, kMaxShownLine) + " ... (" + std::to_string(line.size()) + " characters)";
  }
  const ProfileInfo& profile = InfoOf(options.profile);
  std::string base = options.file_name;
  if (base.ends_with(".cpp")) base.resize(base.size() - 4);
  return "// SPDX-License-Identifier: Apache-2.0\n//\n// One case, exported by poolproof " +
         options.tool_version + ":\n//   " + line + "\n" + PlanComment(problem.plan) +
         "//\n//   g++ -std=c++17 " + options.file_name +
         " -I<headers> -L<folder> -l<library> -Wl,-rpath,<folder> -pthread -o " + base +
         "\n//   ./" + base +
         "         # --here: the calls in this process, not in a child, for a debugger\n//\n"
         "// Exit status: 0 what the documents want was seen, 1 it was not (one line says how),\n"
         "// 3 the calls could not be carried out. The documents are those of the profile " +
         std::string(profile.name) +
         ":\n// POOLPROOF_SOC_NAME=" + std::string(profile.default_soc) +
         " in the environment makes Poolproof's host libraries play a chip of it.\n";
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
  const std::string frame = FrameWith(FeaturesOf(problem, expectation));
  std::size_t from = 0;
  const std::pair<std::string_view, std::string> parts[] = {
      {"// @HEADER@\n", HeaderText(problem, options)},
      {"// @INCLUDES@\n", Includes(problem)},
      {"// @CASE@\n", *body},
  };
  for (const auto& [mark, text] : parts) {
    const std::size_t at = frame.find(mark, from);
    if (at == std::string::npos) return Internal("the frame lacks " + std::string(mark));
    program.append(frame, from, at - from);
    program += text;
    from = at + mark.size();
  }
  program += frame.substr(from);
  return program;
}

}  // namespace poolproof
