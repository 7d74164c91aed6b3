// SPDX-License-Identifier: Apache-2.0
#include "conformance/case/case_json.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "conformance/case/case_text.h"
#include "conformance/case/case_words.h"
#include "conformance/case/passed_axes.h"
#include "conformance/case/plan_members.h"

namespace poolproof {
namespace {

using nlohmann::ordered_json;

// --- Printing ------------------------------------------------------------------------------------

ordered_json WordsToJson(const std::vector<std::uint64_t>& words, DataType type) {
  if (IsIndexType(type)) {
    ordered_json array = ordered_json::array();
    for (const std::uint64_t word : words) array.push_back(AsSigned(word));
    return array;
  }
  return DataTypeName(type) + ':' + WordsText(words, type, ' ');
}

ordered_json DataToJson(const Data& data, DataType type) {
  ordered_json object;
  object["kind"] = KindName(data.kind);
  if (data.seed != 0) object["seed"] = data.seed;
  if (!data.literal.empty()) object["values"] = WordsToJson(data.literal, type);
  if (!data.patches.empty()) {
    ordered_json patches = ordered_json::array();
    for (const Patch& patch : data.patches) {
      patches.push_back({{"position", patch.position},
                         {"value", IsIndexType(type) ? ordered_json(AsSigned(patch.bits))
                                                     : ordered_json(WordText(patch.bits, type))}});
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

ordered_json PassedCallToJson(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  ordered_json object;
  object["operator"] = info.name;
  ordered_json tensors = ordered_json::object();
  for (const RoleField& field : kRoleFields) {
    const TensorSpec base = DefaultOf(call, field.role).spec;
    const TensorSpec& tensor = call.tensor(field.role);
    if (!Contains(info.tensors, field.role) && tensor == base) continue;
    tensors[std::string(RoleName(field.role))] =
        TensorToJson(tensor, base, !IsOutput(info, field.role));
  }
  object["tensors"] = std::move(tensors);
  for (const ListField& field : kListFields) {
    const std::optional<Dims>& list = call.list(field.list);
    if (!Contains(info.lists, field.list) && !list.has_value()) continue;
    object[std::string(ListName(field.list))] =
        list.has_value() ? ordered_json(*list) : ordered_json(nullptr);
  }
  if (call.ceil_mode || info.windows == WindowRule::kFixed) object["ceilMode"] = call.ceil_mode;
  return object;
}

ordered_json CallToJson(const Call& call) {
  return PassesChannelsLast(call) ? PassedCallToJson(AsPassed(call)) : PassedCallToJson(call);
}

ordered_json PlanToJson(const CallPlan& plan) {
  ordered_json object = ordered_json::object();
  for (const PlanMember& member : PlanMembers()) {
    if (member.IsDefault(plan)) continue;
    const int value = member.get(plan);
    ordered_json& target = object[std::string(member.json_name)];
    switch (member.kind) {
      case PlanMember::Kind::kFlag:
        target = value != 0;
        break;
      case PlanMember::Kind::kNumber:
        target = value;
        break;
      case PlanMember::Kind::kWord:
        target = member.ValueText(value);
        break;
    }
  }
  return object;
}

// --- Parsing -------------------------------------------------------------------------------------

std::int64_t ReadInteger(const JsonReader& at) {
  return at.Int64(std::numeric_limits<std::int64_t>::min());
}

// Whether `at` is an array of at most so many; notes an error where not.
bool IsArray(const JsonReader& at, std::size_t most, std::string_view of_what) {
  if (!at.ok()) return false;
  if (!at.json().is_array()) {
    at.Expected("an array of " + std::string(of_what));
  } else if (at.json().size() > most) {
    at.Fail(std::to_string(at.json().size()) + " " + std::string(of_what) + "; expected at most " +
            std::to_string(most));
  }
  return at.ok();
}

Dims ReadIntegers(const JsonReader& at, std::size_t most) {
  Dims values;
  if (!IsArray(at, most, "integers")) return values;
  at.ForEachItem([&](const JsonReader& item) { values.push_back(ReadInteger(item)); });
  return values;
}

Dims ReadDims(const JsonReader& at) { return ReadIntegers(at, kMaxRank); }

std::vector<std::uint64_t> ReadWords(const JsonReader& at, DataType type) {
  std::vector<std::uint64_t> words;
  if (IsIndexType(type)) {
    if (!IsArray(at, kMaxElements, "integers")) return words;
    at.ForEachItem([&](const JsonReader& item) {
      words.push_back(static_cast<std::uint64_t>(ReadInteger(item)));
    });
    return words;
  }
  const std::string prefix = DataTypeName(type) + ':';
  const std::string text = at.String([&](std::string_view all) { return all.starts_with(prefix); },
                                     "hex words such as \"" + prefix + "0 1\"");
  if (!at.ok()) return words;
  Result<std::vector<std::uint64_t>> parsed =
      ParseWords(std::string_view(text).substr(prefix.size()), ' ', WordForm::kHex);
  if (!parsed.ok()) {
    at.Fail(parsed.status().message());
    return words;
  }
  return *std::move(parsed);
}

Patch ReadPatch(const JsonReader& at, DataType type) {
  at.NoOtherMembers({"position", "value"});
  Patch patch;
  patch.position = ReadInteger(at.At("position"));
  const JsonReader value = at.At("value");
  if (IsIndexType(type)) {
    patch.bits = static_cast<std::uint64_t>(ReadInteger(value));
    return patch;
  }
  const std::string text = value.String();
  const Result<std::uint64_t> bits = ParseWord(text, WordForm::kHex);
  if (!bits.ok()) {
    value.Fail(bits.status().message());
  } else {
    patch.bits = *bits;
  }
  return patch;
}

Data ReadData(const JsonReader& at, DataType type, Data data) {
  at.NoOtherMembers({"kind", "seed", "values", "patches"});
  const std::optional<JsonReader> seed = at.Find("seed");
  const std::optional<JsonReader> values = at.Find("values");
  if (const std::optional<JsonReader> kind = at.Find("kind")) {
    data.kind = kind->Enum(KindOf, "one of " + KindList() + "constant, literal");
    data.seed = 0;
    data.literal.clear();
  } else if (seed.has_value() || values.has_value()) {
    at.Fail("seed and values need a kind");
  }
  if (seed.has_value()) data.seed = seed->Unsigned();
  if (values.has_value()) data.literal = ReadWords(*values, type);
  if (const std::optional<JsonReader> patches = at.Find("patches");
      patches.has_value() && IsArray(*patches, kMaxElements, "patches")) {
    patches->ForEachItem(
        [&](const JsonReader& item) { data.patches.push_back(ReadPatch(item, type)); });
  }
  return data;
}

TensorSpec ReadTensor(const JsonReader& at, Role role, const TensorDefault& fallback) {
  TensorSpec tensor = fallback.spec;
  if (at.json().is_null()) {
    tensor.null = true;
    return tensor;
  }
  at.NoOtherMembers({"null", "type", "shape", "format", "strides", "offset", "storage", "data"});
  const auto read = [&](std::string_view name, auto& member, auto reader) {
    if (const std::optional<JsonReader> found = at.Find(name)) member = reader(*found);
  };
  read("null", tensor.null, [](const JsonReader& value) { return value.Bool(); });
  read("type", tensor.type, [](const JsonReader& value) {
    return value.Enum(ParseDataType, "a data type such as \"f32\" or \"t<number>\"");
  });
  read("shape", tensor.shape, ReadDims);
  read("format", tensor.format, [](const JsonReader& value) {
    return value.Enum(ParseFormat, "a format such as \"ND\" or \"f<number>\"");
  });
  read("strides", tensor.strides, ReadDims);
  read("offset", tensor.offset, ReadInteger);
  read("storage", tensor.storage, ReadDims);
  read("data", tensor.data,
       [&](const JsonReader& value) { return ReadData(value, tensor.type, fallback.spec.data); });
  if (fallback.shape_required && !tensor.null && !at.Find("shape")) {
    at.Fail("shape is missing, and none follows from the other members");
  }
  if (const Status s = CheckStrides(tensor, RoleName(role)); !s.ok()) at.Fail(s.message());
  return tensor;
}

void ReadTensor(const JsonReader& tensors, Role role, Call& call) {
  const TensorDefault fallback = DefaultOf(call, role);
  call.tensor(role) = fallback.spec;
  if (const std::optional<JsonReader> found = tensors.Find(RoleName(role))) {
    call.tensor(role) = ReadTensor(*found, role, fallback);
  } else if (fallback.shape_required) {
    tensors.Fail(std::string(RoleName(role)) +
                 " is missing, and its shape does not follow from the other members");
  }
}

void ReadList(const JsonReader& at, List list, Call& call) {
  const std::string name(ListName(list));
  if (const std::optional<JsonReader> found = at.Find(name)) {
    if (!found->json().is_null()) call.list(list) = ReadIntegers(*found, kMaxListValues);
  } else if (Contains(InfoOf(call.op).lists, list)) {
    at.Fail("member \"" + name + "\" is missing; expected an array or null");
  }
}

Call ReadCall(const JsonReader& at) {
  std::vector<std::string_view> names = {"operator", "tensors", "ceilMode"};
  for (const ListField& field : kListFields) names.push_back(ListName(field.list));
  at.NoOtherMembers(names);
  Call call;
  call.op = at.At("operator").Enum(ParseOperator, "one of " + OperatorList());
  const JsonReader tensors = at.At("tensors");
  std::vector<std::string_view> roles;
  roles.reserve(kRoleFields.size());
  for (const RoleField& field : kRoleFields) roles.push_back(RoleName(field.role));
  tensors.NoOtherMembers(roles);
  // self and the attributes first: the defaults of the other tensors follow from them.
  ReadTensor(tensors, kRoleFields.front().role, call);
  for (const ListField& field : kListFields) ReadList(at, field.list, call);
  if (const std::optional<JsonReader> ceil = at.Find("ceilMode")) call.ceil_mode = ceil->Bool();
  for (const RoleField& field : std::span(kRoleFields).subspan(1)) {
    ReadTensor(tensors, field.role, call);
  }
  return at.ok() ? FromPassed(std::move(call)) : call;
}

int ReadPlanMember(const JsonReader& at, const PlanMember& member) {
  if (member.kind == PlanMember::Kind::kFlag) return at.Bool() ? 1 : 0;
  if (member.kind == PlanMember::Kind::kNumber) {
    return static_cast<int>(at.Int64(member.least, member.most));
  }
  return at.Enum(
      [&](std::string_view text) -> std::optional<int> {
        const auto found = std::find(member.words.begin(), member.words.end(), text);
        if (found == member.words.end()) return std::nullopt;
        return static_cast<int>(found - member.words.begin());
      },
      member.Wanted());
}

CallPlan ReadPlan(const JsonReader& at) {
  CallPlan plan;
  std::vector<std::string_view> names;
  for (const PlanMember& member : PlanMembers()) names.push_back(member.json_name);
  at.NoOtherMembers(names);
  for (const PlanMember& member : PlanMembers()) {
    if (const std::optional<JsonReader> found = at.Find(member.json_name)) {
      member.set(plan, ReadPlanMember(*found, member));
    }
  }
  if (const Status s = CheckPlan(plan); !s.ok()) at.Fail(s.message());
  return plan;
}

}  // namespace

ordered_json CaseToJson(const Case& problem) {
  ordered_json object;
  object["schema"] = kCaseSchema;
  ordered_json calls = ordered_json::array();
  for (const Call& call : problem.calls) calls.push_back(CallToJson(call));
  object["calls"] = std::move(calls);
  if (problem.plan != CallPlan()) object["plan"] = PlanToJson(problem.plan);
  return object;
}

Case ReadCaseLine(const JsonReader& at) {
  const std::string line = at.String();
  if (!at.ok()) return {};
  Result<Case> problem = ParseCaseLine(line);
  if (problem.ok()) return *std::move(problem);
  at.Fail(problem.status().message());
  return {};
}

Case ReadCase(const JsonReader& at) {
  at.At("schema").Equals(kCaseSchema);
  if (const std::optional<JsonReader> line = at.Find("case")) {
    at.NoOtherMembers({"schema", "case"});
    return ReadCaseLine(*line);
  }
  at.NoOtherMembers({"schema", "calls", "plan"});
  const JsonReader calls = at.At("calls");
  if (!IsArray(calls, kMaxCalls, "calls")) return {};
  if (calls.json().empty()) calls.Fail("expected at least one call");
  Case problem;
  calls.ForEachItem([&](const JsonReader& call) { problem.calls.push_back(ReadCall(call)); });
  if (const std::optional<JsonReader> plan = at.Find("plan")) problem.plan = ReadPlan(*plan);
  return problem;
}

Result<Case> CaseFromJson(const ordered_json& object) {
  Status error;
  Case problem = ReadCase(JsonReader(object, error));
  if (!error.ok()) return error.Annotate("case");
  return problem;
}

}  // namespace poolproof
