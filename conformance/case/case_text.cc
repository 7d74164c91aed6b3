// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/case_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "conformance/json/strict_json.h"

namespace poolproof {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Bounds that keep a hostile or mistyped text from costing more than it is worth.
constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxRank = 64;
constexpr std::size_t kMaxElements = std::size_t{1} << 20;  // literal words and patches
constexpr std::size_t kMaxCalls = 4096;

constexpr std::string_view kVersion = "pp1";
constexpr std::string_view kSchema = "poolproof-case/1";
constexpr std::int64_t kMostEdges = std::int64_t{1} << 32;

// --- Names ---------------------------------------------------------------------------------------

struct RoleField {
  Role role;
  std::string_view name;
};
constexpr std::array kRoleFields = {
    RoleField{Role::kSelf, "self"},    RoleField{Role::kGradOutput, "go"},
    RoleField{Role::kOut, "out"},      RoleField{Role::kIndices, "ix"},
    RoleField{Role::kGradInput, "gi"},
};

struct ListField {
  List list;
  std::string_view name;
};
constexpr std::array kListFields = {
    ListField{List::kKernelSize, "k"}, ListField{List::kStride, "s"},
    ListField{List::kPadding, "p"},    ListField{List::kDilation, "d"},
    ListField{List::kOutputSize, "o"},
};

// By DataKind. kLiteral and kConstant have spellings of their own in the line.
constexpr std::array<std::string_view, 15> kKindNames = {
    "zero",    "uniform", "wide",   "subnormal", "ties", "exact",  "coded", "constant",
    "literal", "argmax",  "window", "first",     "last", "shared", "plane"};
constexpr std::string_view kLineConstant = "const";
constexpr std::string_view kLineHex = "hex";
constexpr std::string_view kLineInt = "int";

constexpr std::array<std::string_view, 4> kPoisonNames = {"nan", "finite", "zero", "mixed"};
constexpr std::array<std::string_view, 3> kGuardNames = {"none", "after", "before"};
constexpr std::array<std::string_view, 3> kOrderNames = {"turn", "fifo", "lifo"};

struct PlanFlag {
  bool Plan::*member;
  std::string_view line;
  std::string_view json;
};
constexpr std::array kPlanFlags = {
    PlanFlag{&Plan::descriptors_only, "descriptors", "descriptorsOnly"},
    PlanFlag{&Plan::null_workspace_size, "nullsize", "nullWorkspaceSize"},
    PlanFlag{&Plan::null_executor_out, "nullexecutor", "nullExecutorOut"},
    PlanFlag{&Plan::phase_two_alone, "phase2", "phaseTwoAlone"},
    PlanFlag{&Plan::deterministic, "det", "deterministic"},
    PlanFlag{&Plan::fill_late, "late", "fillLate"},
    PlanFlag{&Plan::vary_contents, "vary", "varyContents"},
    PlanFlag{&Plan::reuse_executor, "reuse", "reuseExecutor"},
};

struct PlanNumber {
  int Plan::*member;
  std::string_view line;
  std::string_view json;
};
constexpr std::array kPlanNumbers = {
    PlanNumber{&Plan::repeat, "repeat", "repeat"},
    PlanNumber{&Plan::threads, "threads", "threads"},
    PlanNumber{&Plan::settle_ms, "settle", "settleMs"},
    PlanNumber{&Plan::growth_calls, "growth", "growthCalls"},
    PlanNumber{&Plan::shift_bytes, "shift", "shiftBytes"},
    PlanNumber{&Plan::streams, "streams", "streams"},
};

// A member of the plan that is one of a few words, the same in line and JSON.
template <typename Enum>
struct PlanWord {
  Enum Plan::*member;
  std::string_view name;
  std::span<const std::string_view> words;  // by enumerator
};
constexpr PlanWord<Poison> kOutputWord = {&Plan::output, "output", kPoisonNames};
constexpr PlanWord<Poison> kWorkspaceWord = {&Plan::workspace, "workspace", kPoisonNames};
constexpr PlanWord<Guard> kGuardWord = {&Plan::guard, "guard", kGuardNames};
constexpr PlanWord<Order> kOrderWord = {&Plan::order, "order", kOrderNames};

// Calls visit(word) for each until one returns an error.
template <typename Visit>
Status ForEachPlanWord(Visit visit) {
  if (Status s = visit(kOutputWord); !s.ok()) return s;
  if (Status s = visit(kWorkspaceWord); !s.ok()) return s;
  if (Status s = visit(kGuardWord); !s.ok()) return s;
  return visit(kOrderWord);
}

// "nan, finite or zero".
std::string WordList(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

constexpr std::string_view kRelationField = "relation";

std::string_view KindName(DataKind kind) { return kKindNames[static_cast<std::size_t>(kind)]; }

std::optional<DataKind> KindOf(std::string_view name) {
  const auto* found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found == kKindNames.end()) return std::nullopt;
  return static_cast<DataKind>(found - kKindNames.begin());
}

// The text in quotes, shortened and free of control characters, for a message.
std::string Quoted(std::string_view text) {
  constexpr std::size_t kShown = 60;
  std::string quoted = "\"";
  for (const char c : text.substr(0, kShown)) quoted += (c > ' ' && c <= '~') ? c : '?';
  if (text.size() > kShown) quoted += "...";
  return quoted + '"';
}

template <typename Enum>
std::string_view WordOf(const Plan& plan, const PlanWord<Enum>& word) {
  return word.words[static_cast<std::size_t>(plan.*word.member)];
}

template <typename Enum>
Status SetWord(const PlanWord<Enum>& word, std::string_view text, Plan& plan) {
  const auto found = std::find(word.words.begin(), word.words.end(), text);
  if (found == word.words.end()) {
    return InvalidArgument(Quoted(text) + " is not " + WordList(word.words));
  }
  plan.*word.member = static_cast<Enum>(found - word.words.begin());
  return OkStatus();
}

bool IsLiteralKind(DataKind kind) {
  return kind == DataKind::kConstant || kind == DataKind::kLiteral;
}

bool Has(const OperatorInfo& info, Role role) {
  return std::find(info.tensors.begin(), info.tensors.end(), role) != info.tensors.end();
}
bool Has(const OperatorInfo& info, List list) {
  return std::find(info.lists.begin(), info.lists.end(), list) != info.lists.end();
}

// --- Defaults ------------------------------------------------------------------------------------

// What a tensor is where the text does not say otherwise. Printer and parser both start here.
struct TensorDefault {
  TensorSpec spec;
  bool shape_required = false;  // no shape follows from the rest: the text must give it
};

// Requires the tensors and attributes that come earlier in the order self, lists, gradOutput or
// out, indices, gradInput.
TensorDefault DefaultOf(const Call& call, Role role) {
  const OperatorInfo& info = InfoOf(call.op);
  TensorDefault result;
  TensorSpec& spec = result.spec;
  if (!Has(info, role)) return result;
  if (role == Role::kSelf) {
    spec.data.kind = DataKind::kUniform;
    result.shape_required = true;
    return result;
  }
  const TensorSpec& self = call.tensor(Role::kSelf);
  spec.type = self.type;
  spec.format = self.format;
  spec.shape = self.shape;
  switch (role) {
    case Role::kGradOutput:
    case Role::kOut:
      if (std::optional<Dims> derived = DerivedOutputShape(call)) {
        spec.shape = *std::move(derived);
      } else {
        result.shape_required = true;
      }
      if (role == Role::kGradOutput) spec.data.kind = DataKind::kExact;
      break;
    case Role::kIndices:
      spec.type = DataType::kInt32;
      spec.shape = call.tensor(info.is_forward ? Role::kOut : Role::kGradOutput).shape;
      if (!info.is_forward) spec.data.kind = DataKind::kArgmax;
      break;
    default:
      break;
  }
  return result;
}

// --- Printing numbers and lists ------------------------------------------------------------------

void AppendInteger(std::string& text, std::int64_t value) { text += std::to_string(value); }

void AppendDims(std::string& text, const Dims& dims) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    AppendInteger(text, dims[i]);
  }
}

// At least `digits` lower-case hex digits.
void AppendHex(std::string& text, std::uint64_t bits, std::size_t digits) {
  std::array<char, 16> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), bits, 16);
  static_cast<void>(error);  // sixteen digits hold every value
  const auto length = static_cast<std::size_t>(end - buffer.data());
  if (length < digits) text.append(digits - length, '0');
  text.append(buffer.data(), length);
}

std::size_t HexDigits(DataType type) {
  return std::min<std::size_t>(16, 2 * static_cast<std::size_t>(StorageBytes(type)));
}

std::int64_t AsSigned(std::uint64_t bits) { return static_cast<std::int64_t>(bits); }

// An element: hex storage bits, or a signed decimal where indices are meant.
void AppendWord(std::string& text, std::uint64_t bits, DataType type) {
  if (IsIndexType(type)) {
    AppendInteger(text, AsSigned(bits));
  } else {
    AppendHex(text, bits, HexDigits(type));
  }
}

void AppendWords(std::string& text, const std::vector<std::uint64_t>& words, DataType type,
                 char separator) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += separator;
    AppendWord(text, words[i], type);
  }
}

// --- Printing the line ---------------------------------------------------------------------------

void AppendData(std::string& text, const Data& data, DataType type) {
  text += '~';
  if (IsLiteralKind(data.kind)) {
    text += data.kind == DataKind::kConstant ? kLineConstant
            : IsIndexType(type)              ? kLineInt
                                             : kLineHex;
    if (!data.literal.empty()) text += '.';
    AppendWords(text, data.literal, type, ',');
    if (data.seed != 0) text += ':' + std::to_string(data.seed);
    return;
  }
  text += KindName(data.kind);
  if (data.seed != 0) text += '.' + std::to_string(data.seed);
  if (!data.literal.empty()) {
    text += ':';
    AppendWords(text, data.literal, type, ',');
  }
}

bool SameSource(const Data& a, const Data& b) {
  return a.kind == b.kind && a.seed == b.seed && a.literal == b.literal;
}

std::string TensorToken(const TensorSpec& tensor, const TensorDefault& fallback, bool is_self) {
  const TensorSpec& base = fallback.spec;
  std::string text;
  if (is_self || tensor.type != base.type) text += DataTypeName(tensor.type);
  if ((fallback.shape_required && !tensor.null) || tensor.shape != base.shape) {
    text += '[';
    AppendDims(text, tensor.shape);
    text += ']';
  }
  if (tensor.format != base.format) text += '@' + FormatName(tensor.format);
  if (!tensor.strides.empty()) {
    text += '{';
    AppendDims(text, tensor.strides);
    text += '}';
  }
  if (tensor.offset != 0) text += '+' + std::to_string(tensor.offset);
  if (!tensor.storage.empty()) {
    text += '<';
    AppendDims(text, tensor.storage);
    text += '>';
  }
  if (!SameSource(tensor.data, base.data)) AppendData(text, tensor.data, tensor.type);
  for (const Patch& patch : tensor.data.patches) {
    text += '!' + std::to_string(patch.position) + '=';
    AppendWord(text, patch.bits, tensor.type);
  }
  if (!tensor.null) return text;
  return text.empty() ? "null" : "null:" + text;
}

void AppendField(std::string& text, std::string_view name, std::string_view value) {
  if (text.back() != ':') text += ';';
  text += name;
  if (!value.empty()) {
    text += '=';
    text += value;
  }
}

std::string ListToken(const std::optional<Dims>& list) {
  if (!list.has_value()) return "null";
  if (list->empty()) return "[]";
  std::string text;
  AppendDims(text, *list);
  return text;
}

void AppendTensorField(std::string& text, const Call& call, const RoleField& field) {
  const std::string token =
      TensorToken(call.tensor(field.role), DefaultOf(call, field.role), field.role == Role::kSelf);
  if (!token.empty()) AppendField(text, field.name, token);
}

void AppendCall(std::string& text, const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  text += info.name;
  text += ':';
  AppendTensorField(text, call, kRoleFields.front());
  for (const ListField& field : kListFields) {
    const std::optional<Dims>& list = call.list(field.list);
    if (Has(info, field.list) || list.has_value()) AppendField(text, field.name, ListToken(list));
  }
  if (call.ceil_mode) AppendField(text, "ceil", "");
  for (const RoleField& field : std::span(kRoleFields).subspan(1)) {
    AppendTensorField(text, call, field);
  }
}

void AppendPlan(std::string& text, const Plan& plan) {
  const Plan fallback;
  if (plan == fallback) return;
  text += "|run:";
  for (const PlanFlag& flag : kPlanFlags) {
    if (plan.*flag.member) AppendField(text, flag.line, "");
  }
  for (const PlanNumber& number : kPlanNumbers) {
    if (plan.*number.member != fallback.*number.member) {
      AppendField(text, number.line, std::to_string(plan.*number.member));
    }
  }
  static_cast<void>(ForEachPlanWord([&](const auto& word) {
    if (plan.*word.member != fallback.*word.member) {
      AppendField(text, word.name, WordOf(plan, word));
    }
    return OkStatus();
  }));
  if (plan.relation != Relation::kNone) {
    AppendField(text, kRelationField, RelationName(plan.relation));
  }
}

// --- Parsing numbers and lists -------------------------------------------------------------------

template <typename Integer>
std::optional<Integer> ParseInteger(std::string_view text, int base = 10) {
  Integer value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc() || stop != end || text.empty()) return std::nullopt;
  return value;
}

// Calls accept(piece) for each piece between separators, until it returns an error.
template <typename Accept>
Status ForEachPiece(std::string_view text, char separator, Accept accept) {
  while (true) {
    const std::size_t end = text.find(separator);
    if (Status status = accept(text.substr(0, end)); !status.ok()) return status;
    if (end == std::string_view::npos) return OkStatus();
    text.remove_prefix(end + 1);
  }
}

// "1,2,3"; an empty text is an empty list.
Result<Dims> ParseDims(std::string_view text, std::string_view what) {
  Dims dims;
  if (text.empty()) return dims;
  const Status status = ForEachPiece(text, ',', [&](std::string_view piece) {
    if (dims.size() == kMaxRank) {
      return InvalidArgument(std::string(what) + ": wanted at most " + std::to_string(kMaxRank) +
                             " values");
    }
    const auto value = ParseInteger<std::int64_t>(piece);
    if (!value.has_value()) {
      return InvalidArgument(std::string(what) + ": " + Quoted(piece) + " is not a 64-bit integer");
    }
    dims.push_back(*value);
    return OkStatus();
  });
  if (!status.ok()) return status;
  return dims;
}

enum class WordForm { kHex, kInteger };

WordForm FormOf(DataType type) { return IsIndexType(type) ? WordForm::kInteger : WordForm::kHex; }

Result<std::uint64_t> ParseWord(std::string_view text, WordForm form) {
  if (form == WordForm::kInteger) {
    const auto value = ParseInteger<std::int64_t>(text);
    if (value.has_value()) return static_cast<std::uint64_t>(*value);
    return InvalidArgument(Quoted(text) + " is not a 64-bit integer");
  }
  const auto bits = ParseInteger<std::uint64_t>(text, 16);
  if (bits.has_value() && text.size() <= 16) return *bits;
  return InvalidArgument(Quoted(text) + " is not a word of 1 to 16 hex digits");
}

Result<std::vector<std::uint64_t>> ParseWords(std::string_view text, char separator,
                                              WordForm form) {
  std::vector<std::uint64_t> words;
  if (text.empty()) return words;
  const Status status = ForEachPiece(text, separator, [&](std::string_view piece) {
    if (words.size() == kMaxElements) {
      return InvalidArgument("data: wanted at most " + std::to_string(kMaxElements) + " elements");
    }
    const Result<std::uint64_t> word = ParseWord(piece, form);
    if (!word.ok()) return word.status().Annotate("data");
    words.push_back(*word);
    return OkStatus();
  });
  if (!status.ok()) return status;
  return words;
}

std::string KindList() {
  std::string text;
  for (const DataKind kind :
       {DataKind::kZero, DataKind::kUniform, DataKind::kWide, DataKind::kSubnormal, DataKind::kTies,
        DataKind::kExact, DataKind::kCoded, DataKind::kArgmax, DataKind::kWindow, DataKind::kFirst,
        DataKind::kLast, DataKind::kShared, DataKind::kPlane}) {
    text += std::string(KindName(kind)) + ", ";
  }
  return text;
}

std::string RelationList() {
  std::string text;
  for (std::size_t i = 0; i < kRelationCount; ++i) {
    text += (i == 0 ? "" : ", ") + std::string(RelationName(static_cast<Relation>(i)));
  }
  return text;
}

// --- Parsing the line ----------------------------------------------------------------------------

// Reads a tensor token piece by piece.
class TokenReader {
 public:
  explicit TokenReader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

  bool Take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }
  // Everything before the first of `stops`.
  std::string_view Until(std::string_view stops) {
    const std::string_view piece = rest_.substr(0, rest_.find_first_of(stops));
    rest_.remove_prefix(piece.size());
    return piece;
  }

 private:
  std::string_view rest_;
};

// A list in brackets, where the token goes on with `open`; `dims` stays as it is elsewhere.
Status ReadBracketed(TokenReader& reader, char open, char close, std::string_view what,
                     Dims& dims) {
  if (!reader.Take({&open, 1})) return OkStatus();
  const std::string_view piece = reader.Until({&close, 1});
  if (!reader.Take({&close, 1})) {
    return InvalidArgument(std::string(what) + ": " + Quoted(piece) + " lacks its closing '" +
                           close + "'");
  }
  Result<Dims> parsed = ParseDims(piece, what);
  if (!parsed.ok()) return parsed.status();
  dims = *std::move(parsed);
  return OkStatus();
}

Result<std::uint64_t> ParseSeed(std::string_view text) {
  const auto seed = ParseInteger<std::uint64_t>(text);
  if (seed.has_value()) return *seed;
  return InvalidArgument("data: " + Quoted(text) + " is not a seed; wanted 0 to 2^64-1");
}

// "kind[.seed][:words]", or "const|hex|int[.words][:seed]".
Status ReadData(std::string_view text, DataType type, Data& data) {
  const std::string_view name = text.substr(0, text.find_first_of(".:"));
  text.remove_prefix(name.size());
  const std::size_t colon = text.find(':');
  const std::string_view extra =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  const std::string_view main = text.substr(0, colon);
  if (main == "." || (colon != std::string_view::npos && extra.empty())) {
    return InvalidArgument("data: nothing follows '" + std::string(main == "." ? "." : ":") + "'");
  }
  const std::string_view payload = main.empty() ? main : main.substr(1);

  std::string_view words = extra;
  std::string_view seed = payload;
  WordForm form = FormOf(type);
  if (name == kLineConstant || name == kLineHex || name == kLineInt) {
    data.kind = name == kLineConstant ? DataKind::kConstant : DataKind::kLiteral;
    if (name == kLineHex) form = WordForm::kHex;
    if (name == kLineInt && !IsIndexType(type)) {
      return InvalidArgument("data: int is for i32 and i64; wanted hex for " + DataTypeName(type));
    }
    std::swap(words, seed);
  } else if (const auto kind = KindOf(name); kind.has_value() && !IsLiteralKind(*kind)) {
    data.kind = *kind;
  } else {
    return InvalidArgument("data: unknown kind " + Quoted(name) + "; wanted one of " + KindList() +
                           "const, hex, int");
  }
  Result<std::vector<std::uint64_t>> literal = ParseWords(words, ',', form);
  if (!literal.ok()) return literal.status();
  data.literal = *std::move(literal);
  data.seed = 0;
  if (seed.empty()) return OkStatus();
  const Result<std::uint64_t> parsed = ParseSeed(seed);
  if (!parsed.ok()) return parsed.status();
  data.seed = *parsed;
  return OkStatus();
}

Status ReadPatches(TokenReader& reader, DataType type, std::vector<Patch>& patches) {
  while (reader.Take("!")) {
    const std::string_view text = reader.Until("!");
    const std::size_t equals = text.find('=');
    const auto position = ParseInteger<std::int64_t>(text.substr(0, equals));
    if (equals == std::string_view::npos || !position.has_value()) {
      return InvalidArgument("patch " + Quoted(text) + ": wanted <element number>=<bits>");
    }
    const Result<std::uint64_t> bits = ParseWord(text.substr(equals + 1), FormOf(type));
    if (!bits.ok()) return bits.status().Annotate("patch");
    if (patches.size() == kMaxElements) {
      return InvalidArgument("wanted at most " + std::to_string(kMaxElements) + " patches");
    }
    patches.push_back({*position, *bits});
  }
  return OkStatus();
}

Result<TensorSpec> ParseTensor(std::string_view text, const TensorDefault& fallback) {
  TensorSpec tensor = fallback.spec;
  TokenReader reader(text);
  if (text == "null" || text.starts_with("null:")) {
    tensor.null = true;
    reader.Take("null");
    if (reader.Take(":") && reader.done()) return InvalidArgument("nothing follows \"null:\"");
  }
  if (const std::string_view name = reader.Until("[@{+<~!"); !name.empty()) {
    const std::optional<DataType> type = ParseDataType(name);
    if (!type.has_value()) {
      return InvalidArgument("unknown data type " + Quoted(name) +
                             "; wanted a name such as f32, f16, bf16, i32, i64 or t<number>");
    }
    tensor.type = *type;
  }
  const bool has_shape = reader.rest().starts_with('[');
  if (Status s = ReadBracketed(reader, '[', ']', "shape", tensor.shape); !s.ok()) return s;
  if (reader.Take("@")) {
    const std::string_view name = reader.Until("{+<~!");
    const std::optional<Format> format = ParseFormat(name);
    if (!format.has_value()) {
      return InvalidArgument("unknown format " + Quoted(name) +
                             "; wanted a name such as ND, NCDHW, NCHW or f<number>");
    }
    tensor.format = *format;
  }
  if (Status s = ReadBracketed(reader, '{', '}', "strides", tensor.strides); !s.ok()) return s;
  if (reader.Take("+")) {
    const std::string_view number = reader.Until("<~!");
    const auto offset = ParseInteger<std::int64_t>(number);
    if (!offset.has_value()) {
      return InvalidArgument("offset: " + Quoted(number) + " is not a 64-bit integer");
    }
    tensor.offset = *offset;
  }
  if (Status s = ReadBracketed(reader, '<', '>', "storage", tensor.storage); !s.ok()) return s;
  if (reader.Take("~")) {
    if (Status s = ReadData(reader.Until("!"), tensor.type, tensor.data); !s.ok()) return s;
  }
  if (Status s = ReadPatches(reader, tensor.type, tensor.data.patches); !s.ok()) return s;
  if (!reader.done()) {
    return InvalidArgument("unexpected " + Quoted(reader.rest()) +
                           "; wanted type[shape]@format{strides}+offset<storage>~data!n=bits");
  }
  if (fallback.shape_required && !tensor.null && !has_shape) {
    return InvalidArgument("the shape is missing, and none follows from the other fields");
  }
  return tensor;
}

using Fields = std::map<std::string_view, std::string_view>;

// "name=value;name;..." without duplicates. A value is never empty; a bare name maps to "".
Result<Fields> SplitFields(std::string_view text) {
  Fields fields;
  const Status status = ForEachPiece(text, ';', [&](std::string_view piece) {
    const std::size_t equals = piece.find('=');
    const std::string_view name = piece.substr(0, equals);
    if (name.empty()) {
      return InvalidArgument("field " + Quoted(piece) + " has no name; wanted name=value");
    }
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = piece.substr(equals + 1);
      if (value.empty()) {
        return InvalidArgument("field " + Quoted(name) +
                               ": nothing follows '='; an empty list is [], a null pointer null");
      }
    }
    if (!fields.emplace(name, value).second) {
      return InvalidArgument("field " + Quoted(name) + " comes twice");
    }
    return OkStatus();
  });
  if (!status.ok()) return status;
  return fields;
}

// Removes the field and returns its value.
std::optional<std::string_view> TakeField(Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  if (found == fields.end()) return std::nullopt;
  const std::string_view value = found->second;
  fields.erase(found);
  return value;
}

std::string FieldLabel(std::string_view name) { return "field " + std::string(name); }

Status ReadTensorField(Fields& fields, const RoleField& field, Call& call) {
  const TensorDefault fallback = DefaultOf(call, field.role);
  const std::optional<std::string_view> text = TakeField(fields, field.name);
  if (!text.has_value()) {
    if (fallback.shape_required) {
      return InvalidArgument(FieldLabel(field.name) + " (" + std::string(RoleName(field.role)) +
                             ") is missing, and its shape does not follow from the other fields");
    }
    call.tensor(field.role) = fallback.spec;
    return OkStatus();
  }
  if (text->empty()) return InvalidArgument(FieldLabel(field.name) + ": wanted a tensor after '='");
  Result<TensorSpec> tensor = ParseTensor(*text, fallback);
  if (!tensor.ok()) return tensor.status().Annotate(FieldLabel(field.name));
  if (Status s = CheckStrides(*tensor, RoleName(field.role)); !s.ok()) {
    return s.Annotate(FieldLabel(field.name));
  }
  call.tensor(field.role) = *std::move(tensor);
  return OkStatus();
}

Status ReadListField(Fields& fields, const ListField& field, Call& call) {
  const std::optional<std::string_view> text = TakeField(fields, field.name);
  if (!text.has_value()) {
    if (!Has(InfoOf(call.op), field.list)) return OkStatus();
    return InvalidArgument(FieldLabel(field.name) + " (" + std::string(ListName(field.list)) +
                           ") is missing; wanted integers, [] or null");
  }
  if (*text == "null") return OkStatus();
  if (text->empty()) return InvalidArgument(FieldLabel(field.name) + ": wanted a list after '='");
  Result<Dims> list =
      *text == "[]" ? Result<Dims>(Dims()) : ParseDims(*text, FieldLabel(field.name));
  if (!list.ok()) return list.status();
  call.list(field.list) = *std::move(list);
  return OkStatus();
}

std::string OperatorList() {
  std::string text;
  for (const OperatorInfo& info : AllOperators()) {
    if (!text.empty()) text += ", ";
    text += info.name;
  }
  return text;
}

Result<Call> NewCall(std::string_view operator_name) {
  const std::optional<Operator> op = ParseOperator(operator_name);
  if (!op.has_value()) {
    return InvalidArgument("unknown operator " + Quoted(operator_name) + "; wanted one of " +
                           OperatorList());
  }
  Call call;
  call.op = *op;
  return call;
}

Result<Call> ParseCall(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return InvalidArgument(Quoted(text) + ": wanted <operator>:<field>;<field>...");
  }
  Result<Call> call = NewCall(text.substr(0, colon));
  if (!call.ok()) return call;
  Result<Fields> fields = SplitFields(text.substr(colon + 1));
  if (!fields.ok()) return fields.status();
  // self and the attributes first: the defaults of the other tensors follow from them.
  if (Status s = ReadTensorField(fields.value(), kRoleFields.front(), call.value()); !s.ok()) {
    return s;
  }
  for (const ListField& field : kListFields) {
    if (Status s = ReadListField(fields.value(), field, call.value()); !s.ok()) return s;
  }
  if (const auto ceil = TakeField(fields.value(), "ceil")) {
    if (!ceil->empty()) return InvalidArgument("field ceil: wanted no value");
    call.value().ceil_mode = true;
  }
  for (const RoleField& field : std::span(kRoleFields).subspan(1)) {
    if (Status s = ReadTensorField(fields.value(), field, call.value()); !s.ok()) return s;
  }
  if (!fields->empty()) {
    return InvalidArgument("unknown field " + Quoted(fields->begin()->first) +
                           "; wanted self, k, s, p, d, o, ceil, go, out, ix or gi");
  }
  return call;
}

Result<Plan> ParsePlan(std::string_view text) {
  Plan plan;
  Result<Fields> fields = SplitFields(text);
  if (!fields.ok()) return fields.status();
  for (const PlanFlag& flag : kPlanFlags) {
    const auto value = TakeField(fields.value(), flag.line);
    if (value.has_value() && !value->empty()) {
      return InvalidArgument(FieldLabel(flag.line) + ": wanted no value");
    }
    plan.*flag.member = value.has_value();
  }
  for (const PlanNumber& number : kPlanNumbers) {
    const auto text_value = TakeField(fields.value(), number.line);
    if (!text_value.has_value()) continue;
    const auto value = ParseInteger<std::int32_t>(*text_value);
    if (!value.has_value()) {
      return InvalidArgument(FieldLabel(number.line) + ": " + Quoted(*text_value) +
                             " is not a 32-bit integer");
    }
    plan.*number.member = *value;
  }
  const Status words = ForEachPlanWord([&](const auto& word) {
    const auto name = TakeField(fields.value(), word.name);
    return name.has_value() ? SetWord(word, *name, plan).Annotate(FieldLabel(word.name))
                            : OkStatus();
  });
  if (!words.ok()) return words;
  if (const auto name = TakeField(fields.value(), kRelationField)) {
    const std::optional<Relation> relation = ParseRelation(*name);
    if (!relation.has_value()) {
      return InvalidArgument(FieldLabel(kRelationField) + ": " + Quoted(*name) + " is not one of " +
                             RelationList());
    }
    plan.relation = *relation;
  }
  if (!fields->empty()) {
    return InvalidArgument("unknown field " + Quoted(fields->begin()->first) +
                           "; wanted descriptors, nullsize, nullexecutor, phase2, det, late, vary, "
                           "reuse, repeat, threads, settle, growth, shift, streams, output, "
                           "workspace, guard, order or relation");
  }
  return plan;
}

Status CheckCharacters(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c <= ' ' || c > '~' || c == '\'' || c == '"' || c == '\\') {
      return InvalidArgument(
          "a case line holds no spaces, quotes, backslashes or characters "
          "outside ASCII; found one at byte " +
          std::to_string(i));
    }
  }
  return OkStatus();
}

// --- JSON out ------------------------------------------------------------------------------------

ordered_json WordsToJson(const std::vector<std::uint64_t>& words, DataType type) {
  if (IsIndexType(type)) {
    ordered_json array = ordered_json::array();
    for (const std::uint64_t word : words) array.push_back(AsSigned(word));
    return array;
  }
  std::string text = DataTypeName(type) + ':';
  AppendWords(text, words, type, ' ');
  return text;
}

ordered_json DataToJson(const Data& data, DataType type) {
  ordered_json object;
  object["kind"] = KindName(data.kind);
  if (data.seed != 0) object["seed"] = data.seed;
  if (!data.literal.empty()) object["values"] = WordsToJson(data.literal, type);
  if (!data.patches.empty()) {
    ordered_json patches = ordered_json::array();
    for (const Patch& patch : data.patches) {
      std::string word;
      if (!IsIndexType(type)) AppendHex(word, patch.bits, HexDigits(type));
      patches.push_back(
          {{"position", patch.position},
           {"value", IsIndexType(type) ? ordered_json(AsSigned(patch.bits)) : ordered_json(word)}});
    }
    object["patches"] = std::move(patches);
  }
  return object;
}

ordered_json TensorToJson(const TensorSpec& tensor, const TensorSpec& base, bool is_input) {
  if (tensor.null) {
    TensorSpec rest = tensor;
    rest.null = false;
    if (rest == base) return nullptr;
  }
  ordered_json object;
  if (tensor.null) object["null"] = true;
  object["type"] = DataTypeName(tensor.type);
  object["shape"] = tensor.shape;
  object["format"] = FormatName(tensor.format);
  if (!tensor.strides.empty()) object["strides"] = tensor.strides;
  if (tensor.offset != 0) object["offset"] = tensor.offset;
  if (!tensor.storage.empty()) object["storage"] = tensor.storage;
  if (is_input || tensor.data != base.data) object["data"] = DataToJson(tensor.data, tensor.type);
  return object;
}

ordered_json CallToJson(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  ordered_json object;
  object["operator"] = info.name;
  ordered_json tensors = ordered_json::object();
  for (const RoleField& field : kRoleFields) {
    const TensorSpec base = DefaultOf(call, field.role).spec;
    const TensorSpec& tensor = call.tensor(field.role);
    if (!Has(info, field.role) && tensor == base) continue;
    tensors[std::string(RoleName(field.role))] =
        TensorToJson(tensor, base, !IsOutput(info, field.role));
  }
  object["tensors"] = std::move(tensors);
  for (const ListField& field : kListFields) {
    const std::optional<Dims>& list = call.list(field.list);
    if (!Has(info, field.list) && !list.has_value()) continue;
    object[std::string(ListName(field.list))] =
        list.has_value() ? ordered_json(*list) : ordered_json(nullptr);
  }
  if (call.ceil_mode || !info.is_adaptive) object["ceilMode"] = call.ceil_mode;
  return object;
}

ordered_json PlanToJson(const Plan& plan) {
  const Plan fallback;
  ordered_json object = ordered_json::object();
  for (const PlanFlag& flag : kPlanFlags) {
    if (plan.*flag.member) object[std::string(flag.json)] = true;
  }
  for (const PlanNumber& number : kPlanNumbers) {
    if (plan.*number.member != fallback.*number.member) {
      object[std::string(number.json)] = plan.*number.member;
    }
  }
  static_cast<void>(ForEachPlanWord([&](const auto& word) {
    if (plan.*word.member != fallback.*word.member) {
      object[std::string(word.name)] = WordOf(plan, word);
    }
    return OkStatus();
  }));
  if (plan.relation != Relation::kNone) {
    object[std::string(kRelationField)] = RelationName(plan.relation);
  }
  return object;
}

// --- JSON in -------------------------------------------------------------------------------------

// An object whose members are taken one by one; what is left over was unknown.
class Members {
 public:
  // errors: kInvalidArgument where `value` is no object.
  static Result<Members> Of(const json& value) {
    if (!value.is_object()) return InvalidArgument("wanted a JSON object");
    return Members(value);
  }
  const json* Take(std::string_view name) {
    const auto found = object_->find(name);
    if (found == object_->end()) return nullptr;
    ++taken_;
    return &*found;
  }
  // Requires that every known name was taken, which `known` lists for the message.
  [[nodiscard]] Status Finish(std::initializer_list<std::string_view> known) const {
    if (taken_ == object_->size()) return OkStatus();
    std::string wanted;
    for (const std::string_view name : known) {
      wanted += (wanted.empty() ? "" : ", ") + std::string(name);
    }
    for (const auto& [name, value] : object_->items()) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        return InvalidArgument("unknown member " + Quoted(name) + "; wanted " + wanted);
      }
    }
    return OkStatus();
  }

 private:
  explicit Members(const json& object) : object_(&object) {}
  const json* object_;
  std::size_t taken_ = 0;
};

// `what` in front, unless the status is fine: "tensors.self: ...".
Status At(std::string_view what, const Status& status) {
  return status.Annotate(std::string(what));
}

Result<std::int64_t> JsonInteger(const json& value) {
  const bool fits = value.is_number_integer() &&
                    (!value.is_number_unsigned() ||
                     value.get<std::uint64_t>() <=
                         static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
  if (!fits) return InvalidArgument("wanted a 64-bit integer");
  return value.get<std::int64_t>();
}

Result<Dims> JsonDims(const json& value) {
  if (!value.is_array()) return InvalidArgument("wanted an array of integers");
  if (value.size() > kMaxRank) {
    return InvalidArgument("wanted at most " + std::to_string(kMaxRank) + " values");
  }
  Dims dims;
  for (const json& element : value) {
    const Result<std::int64_t> integer = JsonInteger(element);
    if (!integer.ok()) return integer.status();
    dims.push_back(*integer);
  }
  return dims;
}

Result<std::string> JsonText(const json& value) {
  if (!value.is_string()) return InvalidArgument("wanted a string");
  return value.get<std::string>();
}

Result<bool> JsonBool(const json& value) {
  if (!value.is_boolean()) return InvalidArgument("wanted true or false");
  return value.get<bool>();
}

// Stores what `read` makes of the member `name`, where there is one.
template <typename Target, typename Read>
Status ReadMember(Members& members, std::string_view name, Read read, Target& target) {
  const json* value = members.Take(name);
  if (value == nullptr) return OkStatus();
  auto result = read(*value);
  if (!result.ok()) return At(name, result.status());
  target = *std::move(result);
  return OkStatus();
}

Result<std::vector<std::uint64_t>> JsonWords(const json& value, DataType type) {
  if (IsIndexType(type)) {
    if (!value.is_array()) return InvalidArgument("wanted an array of integers");
    if (value.size() > kMaxElements) {
      return InvalidArgument("wanted at most " + std::to_string(kMaxElements) + " elements");
    }
    std::vector<std::uint64_t> words;
    for (const json& element : value) {
      const Result<std::int64_t> integer = JsonInteger(element);
      if (!integer.ok()) return integer.status();
      words.push_back(static_cast<std::uint64_t>(*integer));
    }
    return words;
  }
  const std::string prefix = DataTypeName(type) + ':';
  if (!value.is_string()) {
    return InvalidArgument("wanted a string of hex words such as \"" + prefix + "0 1\"");
  }
  const std::string_view text = value.get_ref<const std::string&>();
  if (!text.starts_with(prefix)) {
    return InvalidArgument(Quoted(text) + " does not start with \"" + prefix + "\"");
  }
  return ParseWords(text.substr(prefix.size()), ' ', WordForm::kHex);
}

Result<Patch> JsonPatch(const json& value, DataType type) {
  Result<Members> members = Members::Of(value);
  if (!members.ok()) return members.status();
  const json* position = members.value().Take("position");
  const json* bits = members.value().Take("value");
  if (position == nullptr || bits == nullptr) {
    return InvalidArgument("wanted members position and value");
  }
  if (Status s = members->Finish({"position", "value"}); !s.ok()) return s;
  const Result<std::int64_t> at = JsonInteger(*position);
  if (!at.ok()) return At("position", at.status());
  if (IsIndexType(type)) {
    const Result<std::int64_t> integer = JsonInteger(*bits);
    if (!integer.ok()) return At("value", integer.status());
    return Patch{*at, static_cast<std::uint64_t>(*integer)};
  }
  if (!bits->is_string()) return InvalidArgument("value: wanted a string of hex digits");
  const Result<std::uint64_t> word = ParseWord(bits->get_ref<const std::string&>(), WordForm::kHex);
  if (!word.ok()) return At("value", word.status());
  return Patch{*at, *word};
}

Result<std::vector<Patch>> JsonPatches(const json& value, DataType type) {
  if (!value.is_array()) return InvalidArgument("wanted an array");
  if (value.size() > kMaxElements) {
    return InvalidArgument("wanted at most " + std::to_string(kMaxElements) + " patches");
  }
  std::vector<Patch> patches;
  for (const json& element : value) {
    const Result<Patch> patch = JsonPatch(element, type);
    if (!patch.ok()) return patch.status();
    patches.push_back(*patch);
  }
  return patches;
}

Result<Data> JsonData(const json& value, DataType type, const Data& base) {
  Result<Members> members = Members::Of(value);
  if (!members.ok()) return members.status();
  Data data = base;
  const auto read_kind = [](const json& text) -> Result<DataKind> {
    const std::optional<DataKind> kind =
        text.is_string() ? KindOf(text.get_ref<const std::string&>()) : std::nullopt;
    if (kind.has_value()) return *kind;
    return InvalidArgument("wanted one of " + KindList() + "constant, literal");
  };
  const bool has_kind = value.contains("kind");
  if (has_kind) {
    data.seed = 0;
    data.literal.clear();
  } else if (value.contains("seed") || value.contains("values")) {
    return InvalidArgument("seed and values need a kind");
  }
  Status s = ReadMember(members.value(), "kind", read_kind, data.kind);
  if (!s.ok()) return s;
  const auto read_seed = [](const json& number) -> Result<std::uint64_t> {
    const bool negative = number.is_number_integer() && !number.is_number_unsigned() &&
                          number.get<std::int64_t>() < 0;
    if (!number.is_number_integer() || negative) return InvalidArgument("wanted 0 to 2^64-1");
    return number.get<std::uint64_t>();
  };
  s = ReadMember(members.value(), "seed", read_seed, data.seed);
  if (!s.ok()) return s;
  s = ReadMember(
      members.value(), "values", [&](const json& words) { return JsonWords(words, type); },
      data.literal);
  if (!s.ok()) return s;
  s = ReadMember(
      members.value(), "patches", [&](const json& array) { return JsonPatches(array, type); },
      data.patches);
  if (!s.ok()) return s;
  s = members->Finish({"kind", "seed", "values", "patches"});
  if (!s.ok()) return s;
  return data;
}

Result<DataType> JsonType(const json& value) {
  const std::optional<DataType> type =
      value.is_string() ? ParseDataType(value.get_ref<const std::string&>()) : std::nullopt;
  if (type.has_value()) return *type;
  return InvalidArgument("wanted a data type such as \"f32\" or \"t<number>\"");
}

Result<Format> JsonFormat(const json& value) {
  const std::optional<Format> format =
      value.is_string() ? ParseFormat(value.get_ref<const std::string&>()) : std::nullopt;
  if (format.has_value()) return *format;
  return InvalidArgument("wanted a format such as \"ND\" or \"f<number>\"");
}

Result<TensorSpec> JsonTensor(const json& value, const TensorDefault& fallback) {
  TensorSpec tensor = fallback.spec;
  if (value.is_null()) {
    tensor.null = true;
    return tensor;
  }
  Result<Members> opened = Members::Of(value);
  if (!opened.ok()) return opened.status();
  Members& members = opened.value();
  // The type first: how data is written depends on it.
  if (Status s = ReadMember(members, "null", JsonBool, tensor.null); !s.ok()) return s;
  if (Status s = ReadMember(members, "type", JsonType, tensor.type); !s.ok()) return s;
  if (Status s = ReadMember(members, "shape", JsonDims, tensor.shape); !s.ok()) return s;
  if (Status s = ReadMember(members, "format", JsonFormat, tensor.format); !s.ok()) return s;
  if (Status s = ReadMember(members, "strides", JsonDims, tensor.strides); !s.ok()) return s;
  if (Status s = ReadMember(members, "offset", JsonInteger, tensor.offset); !s.ok()) return s;
  if (Status s = ReadMember(members, "storage", JsonDims, tensor.storage); !s.ok()) return s;
  const auto read_data = [&](const json& data) {
    return JsonData(data, tensor.type, fallback.spec.data);
  };
  if (Status s = ReadMember(members, "data", read_data, tensor.data); !s.ok()) return s;
  if (Status s = members.Finish(
          {"null", "type", "shape", "format", "strides", "offset", "storage", "data"});
      !s.ok()) {
    return s;
  }
  if (fallback.shape_required && !tensor.null && !value.contains("shape")) {
    return InvalidArgument("shape is missing, and none follows from the other members");
  }
  return tensor;
}

Status ReadJsonTensor(Members& tensors, Role role, Call& call) {
  const TensorDefault fallback = DefaultOf(call, role);
  call.tensor(role) = fallback.spec;
  const json* value = tensors.Take(RoleName(role));
  if (value == nullptr) {
    if (!fallback.shape_required) return OkStatus();
    return InvalidArgument("tensors: " + std::string(RoleName(role)) +
                           " is missing, and its shape does not follow from the other members");
  }
  Result<TensorSpec> tensor = JsonTensor(*value, fallback);
  if (!tensor.ok()) return At("tensors." + std::string(RoleName(role)), tensor.status());
  if (Status s = CheckStrides(*tensor, RoleName(role)); !s.ok()) return At("tensors", s);
  call.tensor(role) = *std::move(tensor);
  return OkStatus();
}

Status ReadJsonList(Members& members, List list, Call& call) {
  const json* value = members.Take(ListName(list));
  if (value == nullptr) {
    if (!Has(InfoOf(call.op), list)) return OkStatus();
    return InvalidArgument("member " + std::string(ListName(list)) +
                           " is missing; wanted an array or null");
  }
  if (value->is_null()) return OkStatus();
  Result<Dims> dims = JsonDims(*value);
  if (!dims.ok()) return At(ListName(list), dims.status());
  call.list(list) = *std::move(dims);
  return OkStatus();
}

Result<Call> JsonCall(const json& value) {
  Result<Members> opened = Members::Of(value);
  if (!opened.ok()) return opened.status();
  Members& members = opened.value();
  std::string name;
  if (Status s = ReadMember(members, "operator", JsonText, name); !s.ok()) return s;
  Result<Call> call = NewCall(name);
  if (!call.ok()) return call;
  const json* tensor_object = members.Take("tensors");
  if (tensor_object == nullptr) return InvalidArgument("member tensors is missing");
  Result<Members> tensors = Members::Of(*tensor_object);
  if (!tensors.ok()) return At("tensors", tensors.status());

  if (Status s = ReadJsonTensor(tensors.value(), Role::kSelf, call.value()); !s.ok()) return s;
  for (const ListField& field : kListFields) {
    if (Status s = ReadJsonList(members, field.list, call.value()); !s.ok()) return s;
  }
  if (Status s = ReadMember(members, "ceilMode", JsonBool, call.value().ceil_mode); !s.ok()) {
    return s;
  }
  for (const RoleField& field : std::span(kRoleFields).subspan(1)) {
    if (Status s = ReadJsonTensor(tensors.value(), field.role, call.value()); !s.ok()) return s;
  }
  if (Status s = tensors->Finish({"self", "gradOutput", "out", "indices", "gradInput"}); !s.ok()) {
    return At("tensors", s);
  }
  if (Status s = members.Finish({"operator", "tensors", "kernelSize", "stride", "padding",
                                 "dilation", "outputSize", "ceilMode"});
      !s.ok()) {
    return s;
  }
  return call;
}

Result<Plan> JsonPlan(const json& value) {
  Result<Members> opened = Members::Of(value);
  if (!opened.ok()) return opened.status();
  Members& members = opened.value();
  Plan plan;
  for (const PlanFlag& flag : kPlanFlags) {
    if (Status s = ReadMember(members, flag.json, JsonBool, plan.*flag.member); !s.ok()) return s;
  }
  const auto read_number = [](const json& number) -> Result<int> {
    const Result<std::int64_t> integer = JsonInteger(number);
    if (!integer.ok() || *integer < std::numeric_limits<std::int32_t>::min() ||
        *integer > std::numeric_limits<std::int32_t>::max()) {
      return InvalidArgument("wanted a 32-bit integer");
    }
    return static_cast<int>(*integer);
  };
  for (const PlanNumber& number : kPlanNumbers) {
    Status s = ReadMember(members, number.json, read_number, plan.*number.member);
    if (!s.ok()) return s;
  }
  const Status words = ForEachPlanWord([&](const auto& word) {
    const json* text = members.Take(word.name);
    if (text == nullptr) return OkStatus();
    if (!text->is_string()) return At(word.name, InvalidArgument("wanted a string"));
    return At(word.name, SetWord(word, text->template get_ref<const std::string&>(), plan));
  });
  if (!words.ok()) return words;
  const auto read_relation = [](const json& text) -> Result<Relation> {
    const std::optional<Relation> relation =
        text.is_string() ? ParseRelation(text.get_ref<const std::string&>()) : std::nullopt;
    if (relation.has_value()) return *relation;
    return InvalidArgument("wanted one of " + RelationList());
  };
  if (Status s = ReadMember(members, kRelationField, read_relation, plan.relation); !s.ok()) {
    return s;
  }
  if (Status s = members.Finish({"descriptorsOnly", "nullWorkspaceSize", "nullExecutorOut",
                                 "phaseTwoAlone", "deterministic", "fillLate", "varyContents",
                                 "reuseExecutor", "repeat", "threads", "settleMs", "growthCalls",
                                 "shiftBytes", "streams", "output", "workspace", "guard", "order",
                                 "relation"});
      !s.ok()) {
    return s;
  }
  return plan;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

}  // namespace

std::string CaseLine(const Case& problem) {
  std::string line(kVersion);
  line += ':';
  for (std::size_t i = 0; i < problem.calls.size(); ++i) {
    if (i > 0) line += '|';
    AppendCall(line, problem.calls[i]);
  }
  AppendPlan(line, problem.plan);
  return line;
}

Result<Case> ParseCaseLine(std::string_view line) {
  if (line.size() > kMaxLineBytes) {
    return InvalidArgument("case line of " + std::to_string(line.size()) +
                           " bytes; wanted at most " + std::to_string(kMaxLineBytes));
  }
  if (Status s = CheckCharacters(line); !s.ok()) return s;
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || line.substr(0, colon) != kVersion) {
    return InvalidArgument("case line " + Quoted(line) + " does not start with \"" +
                           std::string(kVersion) + ":\"");
  }
  line.remove_prefix(colon + 1);

  Case problem;
  bool has_plan = false;
  const Status status = ForEachPiece(line, '|', [&](std::string_view segment) {
    if (has_plan) return InvalidArgument("case line: the run segment must be the last one");
    if (segment.starts_with("run:")) {
      Result<Plan> plan = ParsePlan(segment.substr(4));
      if (!plan.ok()) return plan.status().Annotate("case line, run");
      problem.plan = *std::move(plan);
      has_plan = true;
      return OkStatus();
    }
    const std::string where = "case line, call " + std::to_string(problem.calls.size() + 1);
    if (problem.calls.size() == kMaxCalls) {
      return InvalidArgument(where + ": wanted at most " + std::to_string(kMaxCalls) + " calls");
    }
    Result<Call> call = ParseCall(segment);
    if (!call.ok()) return call.status().Annotate(where);
    problem.calls.push_back(*std::move(call));
    return OkStatus();
  });
  if (!status.ok()) return status;
  if (problem.calls.empty()) return InvalidArgument("case line: wanted at least one call");
  return problem;
}

ordered_json CaseToJson(const Case& problem) {
  ordered_json object;
  object["schema"] = kSchema;
  ordered_json calls = ordered_json::array();
  for (const Call& call : problem.calls) calls.push_back(CallToJson(call));
  object["calls"] = std::move(calls);
  if (problem.plan != Plan()) object["plan"] = PlanToJson(problem.plan);
  return object;
}

Result<Case> CaseFromJson(const json& object) {
  Result<Members> opened = Members::Of(object);
  if (!opened.ok()) return At("case", opened.status());
  Members& members = opened.value();
  std::string schema;
  if (Status s = ReadMember(members, "schema", JsonText, schema); !s.ok()) return At("case", s);
  if (schema != kSchema) {
    return InvalidArgument("case: schema " + Quoted(schema) + "; wanted \"" + std::string(kSchema) +
                           "\"");
  }
  if (const json* line = members.Take("case"); line != nullptr) {
    // What a campaign says of the case is no part of it.
    const json* finding = members.Take("finding");
    if (finding != nullptr && !finding->is_object()) {
      return InvalidArgument("case: finding: wanted a JSON object");
    }
    const json* edges = members.Take("edges");
    if (edges != nullptr && !(edges->is_number_unsigned() && *edges >= 1 && *edges <= kMostEdges)) {
      return InvalidArgument("case: edges: wanted a number from 1 to " +
                             std::to_string(kMostEdges));
    }
    if (Status s = members.Finish({"schema", "case", "finding", "edges"}); !s.ok()) {
      return At("case", s);
    }
    if (!line->is_string()) return InvalidArgument("case: case: wanted a case line");
    return ParseCaseLine(line->get_ref<const std::string&>());
  }
  const json* calls = members.Take("calls");
  if (calls == nullptr || !calls->is_array() || calls->empty() || calls->size() > kMaxCalls) {
    return InvalidArgument("case: calls: wanted an array of 1 to " + std::to_string(kMaxCalls) +
                           " calls");
  }
  Case problem;
  for (const json& element : *calls) {
    const std::string where = "case: calls[" + std::to_string(problem.calls.size()) + "]";
    Result<Call> call = JsonCall(element);
    if (!call.ok()) return At(where, call.status());
    problem.calls.push_back(*std::move(call));
  }
  if (Status s = ReadMember(members, "plan", JsonPlan, problem.plan); !s.ok()) {
    return At("case", s);
  }
  if (Status s = members.Finish({"schema", "calls", "plan"}); !s.ok()) return At("case", s);
  return problem;
}

Result<Case> ParseCase(std::string_view text) {
  text = Trimmed(text);
  if (!text.starts_with('{')) return ParseCaseLine(text);
  const Result<json> object = ParseStrictJson(text);
  if (!object.ok()) return object.status().Annotate("case");
  return CaseFromJson(*object);
}

}  // namespace poolproof
