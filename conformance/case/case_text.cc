// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/case_text.h"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/case/case_words.h"
#include "conformance/case/passed_axes.h"
#include "conformance/case/plan_members.h"
#include "core/nearest.h"
#include "core/text.h"

namespace poolproof {
namespace {

constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;
constexpr std::string_view kVersion = "pp1";
// Data of literal kinds.
constexpr std::string_view kLineConstant = "const";
constexpr std::string_view kLineHex = "hex";
constexpr std::string_view kLineInt = "int";

// --- Printing ------------------------------------------------------------------------------------

void AppendDims(std::string& text, const Dims& dims) {
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(dims[i]);
  }
}

void AppendData(std::string& text, const Data& data, DataType type) {
  text += '~';
  if (IsLiteralKind(data.kind)) {
    text += data.kind == DataKind::kConstant ? kLineConstant
            : IsIndexType(type)              ? kLineInt
                                             : kLineHex;
    if (!data.literal.empty()) text += '.';
    text += WordsText(data.literal, type, ',');
    if (data.seed != 0) text += ':' + std::to_string(data.seed);
    return;
  }
  text += KindName(data.kind);
  if (data.seed != 0) text += '.' + std::to_string(data.seed);
  if (!data.literal.empty()) {
    text += ':';
    text += WordsText(data.literal, type, ',');
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
    text += WordText(patch.bits, tensor.type);
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
  if (list->size() <= kMaxRank) {
    AppendDims(text, *list);
    return text;
  }
  // Longer ones by runs of equal values: "2x65538,3".
  for (auto run = list->begin(); run != list->end();) {
    const auto end = std::find_if(run, list->end(), [&](std::int64_t v) { return v != *run; });
    if (run != list->begin()) text += ',';
    text += std::to_string(*run);
    if (end - run > 1) text += 'x' + std::to_string(end - run);
    run = end;
  }
  return text;
}

void AppendTensorField(std::string& text, const Call& call, const RoleField& field) {
  const std::string token =
      TensorToken(call.tensor(field.role), DefaultOf(call, field.role), field.role == Role::kSelf);
  if (!token.empty()) AppendField(text, field.name, token);
}

void AppendPassedCall(std::string& text, const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  text += info.name;
  text += ':';
  AppendTensorField(text, call, kRoleFields.front());
  for (const ListField& field : kListFields) {
    const std::optional<Dims>& list = call.list(field.list);
    if (Contains(info.lists, field.list) || list.has_value())
      AppendField(text, field.name, ListToken(list));
  }
  if (call.ceil_mode) AppendField(text, "ceil", "");
  for (const RoleField& field : std::span(kRoleFields).subspan(1)) {
    AppendTensorField(text, call, field);
  }
}

void AppendCall(std::string& text, const Call& call) {
  if (PassesChannelsLast(call)) {
    AppendPassedCall(text, AsPassed(call));
  } else {
    AppendPassedCall(text, call);
  }
}

void AppendPlan(std::string& text, const CallPlan& plan) {
  if (plan == CallPlan()) return;
  text += "|run:";
  for (const PlanMember& member : PlanMembers()) {
    if (member.IsDefault(plan)) continue;
    AppendField(text, member.line_name, member.ValueText(member.get(plan)));
  }
}

// --- Parsing -------------------------------------------------------------------------------------

// "1,2,3"; an empty text is an empty list.
Result<Dims> ParseDims(std::string_view text, std::string_view what) {
  Dims dims;
  if (text.empty()) return dims;
  const Status status = ForEachPiece(text, ',', [&](std::string_view piece) {
    if (dims.size() == kMaxRank) {
      return InvalidArgument(std::string(what) + ": expected at most " + std::to_string(kMaxRank) +
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

// A list's values; "2x5" represents five of them. An empty text is no list.
Result<Dims> ParseListValues(std::string_view text, std::string_view what) {
  Dims values;
  const Status status = ForEachPiece(text, ',', [&](std::string_view piece) {
    const std::size_t cross = piece.find('x');
    const auto value = ParseInteger<std::int64_t>(piece.substr(0, cross));
    const auto count = cross == std::string_view::npos
                           ? std::optional<std::int64_t>(1)
                           : ParseInteger<std::int64_t>(piece.substr(cross + 1));
    if (!value.has_value() || !count.has_value() || *count < 1) {
      return InvalidArgument(std::string(what) + ": " + Quoted(piece) +
                             " is neither a 64-bit integer nor one with 'x' and a count");
    }
    if (static_cast<std::uint64_t>(*count) > kMaxListValues - values.size()) {
      return InvalidArgument(std::string(what) + ": expected at most " +
                             std::to_string(kMaxListValues) + " values");
    }
    values.insert(values.end(), static_cast<std::size_t>(*count), *value);
    return OkStatus();
  });
  if (!status.ok()) return status;
  return values;
}

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
  return InvalidArgument("data: " + Quoted(text) + " is not a seed; expected 0 to 2^64-1");
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
      return InvalidArgument("data: int is for i32 and i64; expected hex for " +
                             DataTypeName(type));
    }
    std::swap(words, seed);
  } else if (const auto kind = KindOf(name); kind.has_value() && !IsLiteralKind(*kind)) {
    data.kind = *kind;
  } else {
    return InvalidArgument("data: unknown kind " + Quoted(name) + "; expected one of " +
                           KindList() + "const, hex, int");
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
      return InvalidArgument("patch " + Quoted(text) + ": expected <element number>=<bits>");
    }
    const Result<std::uint64_t> bits = ParseWord(text.substr(equals + 1), FormOf(type));
    if (!bits.ok()) return bits.status().Annotate("patch");
    if (patches.size() == kMaxElements) {
      return InvalidArgument("expected at most " + std::to_string(kMaxElements) + " patches");
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
                             "; expected a name such as f32, f16, bf16, i32, i64 or t<number>");
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
                             "; expected a name such as ND, NCDHW, NCHW or f<number>");
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
                           "; expected type[shape]@format{strides}+offset<storage>~data!n=bits");
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
      return InvalidArgument("field " + Quoted(piece) + " has no name; expected name=value");
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
      return InvalidArgument("field " + Quoted(name) + " is given twice");
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
  if (text->empty())
    return InvalidArgument(FieldLabel(field.name) + ": expected a tensor after '='");
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
    if (!Contains(InfoOf(call.op).lists, field.list)) return OkStatus();
    return InvalidArgument(FieldLabel(field.name) + " (" + std::string(ListName(field.list)) +
                           ") is missing; expected integers, [] or null");
  }
  if (*text == "null") return OkStatus();
  if (text->empty()) return InvalidArgument(FieldLabel(field.name) + ": expected a list after '='");
  Result<Dims> list =
      *text == "[]" ? Result<Dims>(Dims()) : ParseListValues(*text, FieldLabel(field.name));
  if (!list.ok()) return list.status();
  call.list(field.list) = *std::move(list);
  return OkStatus();
}

Result<Call> NewCall(std::string_view operator_name) {
  const std::optional<Operator> op = ParseOperator(operator_name);
  if (!op.has_value()) {
    std::vector<std::string_view> names;
    for (int i = 0; i < kOperatorCount; ++i) names.push_back(InfoOf(static_cast<Operator>(i)).name);
    return InvalidArgument("unknown operator " + Quoted(operator_name) + "; expected one of " +
                           OperatorList() + DidYouMean(std::string(operator_name), names));
  }
  Call call;
  call.op = *op;
  return call;
}

// Before any is missed: one that is misspelt would be told as a missing one.
Status CheckFieldNames(const Fields& fields) {
  for (const auto& [name, value] : fields) {
    const bool known =
        name == "ceil" ||
        std::any_of(kRoleFields.begin(), kRoleFields.end(),
                    [&, wanted = name](const RoleField& field) { return field.name == wanted; }) ||
        std::any_of(kListFields.begin(), kListFields.end(),
                    [&, wanted = name](const ListField& field) { return field.name == wanted; });
    if (known) continue;
    constexpr std::array<std::string_view, 11> kNames = {"self", "k",  "s",   "p",  "d", "o",
                                                         "ceil", "go", "out", "ix", "gi"};
    return InvalidArgument("unknown field " + Quoted(name) +
                           "; expected self, k, s, p, d, o, ceil, go, out, ix or gi" +
                           DidYouMean(std::string(name), kNames));
  }
  return OkStatus();
}

Result<Call> ParseCall(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return InvalidArgument(Quoted(text) + ": expected <operator>:<field>;<field>...");
  }
  Result<Call> call = NewCall(text.substr(0, colon));
  if (!call.ok()) return call;
  Result<Fields> fields = SplitFields(text.substr(colon + 1));
  if (!fields.ok()) return fields.status();
  if (Status s = CheckFieldNames(*fields); !s.ok()) return s;
  // self and the attributes first: the defaults of the other tensors follow from them.
  if (Status s = ReadTensorField(fields.value(), kRoleFields.front(), call.value()); !s.ok()) {
    return s;
  }
  for (const ListField& field : kListFields) {
    if (Status s = ReadListField(fields.value(), field, call.value()); !s.ok()) return s;
  }
  if (const auto ceil = TakeField(fields.value(), "ceil")) {
    if (!ceil->empty()) return InvalidArgument("field ceil: expected no value");
    call.value().ceil_mode = true;
  }
  for (const RoleField& field : std::span(kRoleFields).subspan(1)) {
    if (Status s = ReadTensorField(fields.value(), field, call.value()); !s.ok()) return s;
  }
  return call;
}

Status ReadPlanField(std::string_view text, const PlanMember& member, CallPlan& plan) {
  if (member.kind == PlanMember::Kind::kFlag) {
    if (!text.empty()) return InvalidArgument("expected no value");
    member.set(plan, 1);
    return OkStatus();
  }
  std::optional<std::int64_t> value;
  if (member.kind == PlanMember::Kind::kNumber) {
    value = ParseInteger<std::int64_t>(text);
  } else if (const auto found = std::find(member.words.begin(), member.words.end(), text);
             found != member.words.end()) {
    value = found - member.words.begin();
  }
  if (!value.has_value() || *value < member.least || *value > member.most) {
    return InvalidArgument(Quoted(text) + " is not " + member.Wanted());
  }
  member.set(plan, static_cast<int>(*value));
  return OkStatus();
}

Result<CallPlan> ParsePlan(std::string_view text) {
  CallPlan plan;
  Result<Fields> fields = SplitFields(text);
  if (!fields.ok()) return fields.status();
  std::vector<std::string_view> names;
  for (const PlanMember& member : PlanMembers()) {
    names.push_back(member.line_name);
    const std::optional<std::string_view> value = TakeField(fields.value(), member.line_name);
    if (!value.has_value()) continue;
    if (Status s = ReadPlanField(*value, member, plan); !s.ok()) {
      return s.Annotate(FieldLabel(member.line_name));
    }
  }
  if (!fields->empty()) {
    return InvalidArgument("unknown field " + Quoted(fields->begin()->first) +
                           "; expected one of " + Joined(names) +
                           DidYouMean(std::string(fields->begin()->first), names));
  }
  if (Status s = CheckPlan(plan); !s.ok()) return s;
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
                           " bytes; expected at most " + std::to_string(kMaxLineBytes));
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
      Result<CallPlan> plan = ParsePlan(segment.substr(4));
      if (!plan.ok()) return plan.status().Annotate("case line, run");
      problem.plan = *std::move(plan);
      has_plan = true;
      return OkStatus();
    }
    const std::string where = "case line, call " + std::to_string(problem.calls.size() + 1);
    if (problem.calls.size() == kMaxCalls) {
      return InvalidArgument(where + ": expected at most " + std::to_string(kMaxCalls) + " calls");
    }
    Result<Call> call = ParseCall(segment);
    if (!call.ok()) return call.status().Annotate(where);
    problem.calls.push_back(FromPassed(*std::move(call)));
    return OkStatus();
  });
  if (!status.ok()) return status;
  if (problem.calls.empty()) return InvalidArgument("case line: expected at least one call");
  return problem;
}

}  // namespace poolproof
