// SPDX-License-Identifier: Apache-2.0
#include "conformance/exchange/problem_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "conformance/case/materialize.h"
#include "core/data_type.h"
#include "core/sha256.h"

namespace poolproof {
namespace {

using Json = nlohmann::ordered_json;

// Not a byte of a poison, no NaN in any type, and not the same in front and behind.
void FillGuard(std::span<std::byte> zone, std::size_t first) {
  for (std::size_t i = 0; i < zone.size(); ++i) {
    zone[i] = static_cast<std::byte>(0x2bU + (first + 5 * i) % 16);
  }
}

// Bytes of all files; nullopt where they cannot be counted.
std::optional<std::int64_t> BytesOf(const Case& problem) {
  std::int64_t total = 0;
  for (const Call& call : problem.calls) {
    for (const Role role : InfoOf(call.op).tensors) {
      const TensorSpec& tensor = call.tensor(role);
      if (tensor.null) continue;
      const std::optional<std::int64_t> elements = StorageElements(tensor);
      if (!elements || *elements > kMaxStorageBytes) return std::nullopt;
      total += *elements * std::max(1, StorageBytes(tensor.type)) +
               2 * static_cast<std::int64_t>(kFileGuardBytes);
    }
    if (total > kMaxStorageBytes) return std::nullopt;
  }
  return total * problem.plan.repeat;
}

Json ListOf(const std::optional<Dims>& list) { return list ? Json(*list) : Json(nullptr); }

Json TensorJson(const CallPlan& plan, const TensorArgument& tensor, std::size_t number,
                int repetition) {
  Json object = Json::object();
  object["name"] = RoleName(tensor.role);
  object["is_output"] = tensor.is_output;
  object["is_null"] = tensor.null;
  if (tensor.null) return object;
  const auto type = static_cast<DataType>(tensor.type);
  object["dtype"] = DataTypeName(type);
  object["acl_dtype"] = tensor.type;
  object["format"] = FormatName(static_cast<Format>(tensor.format));
  object["acl_format"] = tensor.format;
  object["shape"] = tensor.shape;
  object["strides"] = tensor.strides;
  object["offset"] = tensor.offset;
  object["storage_shape"] = tensor.storage_dims;
  if (plan.descriptors_only) return object;
  const OperandFile file{number, &tensor};
  object["element_bytes"] = StorageBytes(type);
  object["file"] = file.name();
  object["file_bytes"] = file.bytes();
  object["storage_at"] = kFileGuardBytes;
  object["storage_bytes"] = tensor.bytes.size();
  object["answer_file"] = file.answer_name();
  if (tensor.is_output) {
    constexpr std::string_view kWords[] = {"nan", "finite", "zero", "mixed"};
    object["poison"] = kWords[static_cast<std::size_t>(PoisonOfRun(plan, plan.output, repetition))];
  }
  return object;
}

Json ArgumentJson(std::string_view kind, std::string_view name) {
  return {{"kind", kind}, {"name", name}};
}

// In the order of the C prototype.
Json ArgumentsJson(const OperatorInfo& info) {
  Json arguments = Json::array();
  const auto tensors = [&](bool outputs) {
    for (const Role role : info.tensors) {
      if (IsOutput(info, role) == outputs)
        arguments.push_back(ArgumentJson("tensor", RoleName(role)));
    }
  };
  tensors(/*outputs=*/false);
  for (const List list : info.lists) arguments.push_back(ArgumentJson("list", ListName(list)));
  if (info.windows == WindowRule::kFixed) arguments.push_back(ArgumentJson("flag", "ceilMode"));
  tensors(/*outputs=*/true);
  return arguments;
}

Json CallJson(const Invocation& invocation, std::size_t position, int repetition) {
  const CallArguments& call = invocation.calls[position];
  const OperatorInfo& info = InfoOf(call.op);
  const std::size_t number =
      static_cast<std::size_t>(repetition) * invocation.calls.size() + position;
  Json object = Json::object();
  object["operator"] = info.name;
  object["arguments"] = ArgumentsJson(info);
  object["lists"] = Json::object();
  for (std::size_t i = 0; i < call.lists.size(); ++i) {
    object["lists"][std::string(ListName(info.lists[i]))] = ListOf(call.lists[i]);
  }
  object["ceilMode"] = call.ceil_mode;
  object["tensors"] = Json::array();
  for (const TensorArgument& tensor : call.tensors) {
    object["tensors"].push_back(TensorJson(invocation.plan, tensor, number, repetition));
  }
  return object;
}

Json ProblemJson(const Invocation& invocation) {
  Json object = Json::object();
  object["phases"] = invocation.plan.descriptors_only ? "one" : "both";
  object["deterministic"] = invocation.plan.deterministic;
  object["calls"] = Json::array();
  for (int repetition = 0; repetition < invocation.plan.repeat; ++repetition) {
    for (std::size_t i = 0; i < invocation.calls.size(); ++i) {
      object["calls"].push_back(CallJson(invocation, i, repetition));
    }
  }
  return object;
}

}  // namespace

std::optional<std::string> WhyNotAsFiles(const Case& problem) {
  const CallPlan& plan = problem.plan;
  const std::pair<bool, std::string_view> reasons[] = {
      {plan.threads > 1, "it needs several threads"},
      {plan.streams > 1, "it needs several streams"},
      {plan.order != Order::kInTurn, "its calls run at the same time"},
      {plan.growth_calls > 0, "it watches the memory of a process"},
      {plan.guard != Guard::kNone, "it needs guard pages"},
      {plan.null_workspace_size || plan.null_executor_out, "it passes a null out-pointer"},
      {plan.phase_two_alone, "it passes a null executor"},
      {plan.reuse_executor, "it runs an executor again"},
      {plan.share_descriptors, "its calls share descriptors"},
      {plan.fill_late, "it fills inputs between the phases"},
      {plan.shift_bytes != 0, "it is about addresses"},
      {plan.settle_ms > 0, "it is about when results are visible"},
      {plan.look != Look::kNone, "it is about where work is done"},
  };
  for (const auto& [holds, reason] : reasons) {
    if (holds) return std::string(reason);
  }
  if (problem.calls.size() * static_cast<std::size_t>(plan.repeat) > kMostProblemCalls) {
    return "it makes more than " + std::to_string(kMostProblemCalls) + " calls";
  }
  if (plan.descriptors_only) return std::nullopt;
  const std::optional<std::int64_t> bytes = BytesOf(problem);
  if (!bytes || *bytes > kMostProblemBytes) {
    return "its files would have more than " + std::to_string(kMostProblemBytes >> 20) + " MiB";
  }
  return std::nullopt;
}

std::optional<std::string> WhyNotByFiles(const Clause& clause) {
  switch (clause.condition) {
    case Condition::kPhaseOne:
    case Condition::kPhaseTwo:
    case Condition::kVisibleAfterSynchronise:
    case Condition::kNullOutPointer:
    case Condition::kIndependentCalls:
    case Condition::kOperandsAlone:
    case Condition::kPhaseTwoAlone:
    case Condition::kErrorText:
    case Condition::kWorkspaceOverrun:
    case Condition::kGrowth:
    case Condition::kReadOutside:
    case Condition::kProcessState:
      return "can only be tested where Poolproof calls the library; here the answers are files";
    default:
      return std::nullopt;
  }
}

std::string OperandFile::name() const {
  return std::to_string(number) + "." + std::string(RoleName(argument->role)) + ".bin";
}

std::string OperandFile::answer_name() const {
  return std::to_string(number) + "." + std::string(RoleName(argument->role)) + ".answer.bin";
}

std::vector<OperandFile> OperandFiles(const Invocation& invocation) {
  std::vector<OperandFile> files;
  if (invocation.plan.descriptors_only) return files;
  const std::size_t calls = invocation.calls.size();
  for (std::size_t k = 0; k < calls * static_cast<std::size_t>(invocation.plan.repeat); ++k) {
    for (const TensorArgument& tensor : invocation.calls[k % calls].tensors) {
      if (!tensor.null) files.push_back({k, &tensor});
    }
  }
  return files;
}

std::vector<std::byte> ImageOf(const Invocation& invocation, const OperandFile& file) {
  const TensorArgument& tensor = *file.argument;
  const CallPlan& plan = invocation.plan;
  std::vector<std::byte> image(file.bytes());
  const std::span<std::byte> whole(image);
  FillGuard(whole.first(kFileGuardBytes), 0);
  FillGuard(whole.last(kFileGuardBytes), 8);
  const std::span<std::byte> storage = whole.subspan(kFileGuardBytes, tensor.bytes.size());
  std::copy(tensor.bytes.begin(), tensor.bytes.end(), storage.begin());
  const int repetition = static_cast<int>(file.number / invocation.calls.size());
  if (tensor.is_output && plan.vary_contents) {
    FillOutput(tensor.shape, tensor.strides, tensor.offset,
               static_cast<std::size_t>(StorageBytes(static_cast<DataType>(tensor.type))),
               PoisonOfRun(plan, plan.output, repetition), storage);
  }
  return image;
}

std::string ProblemText(const Invocation& invocation, std::string_view path,
                        std::string_view line) {
  Json object = Json::object();
  object["schema"] = kProblemSchema;
  object["path"] = path;
  object["case_line"] = line;
  object.update(ProblemJson(invocation));
  return object.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::string ProblemSha256(const Invocation& invocation) {
  Sha256 hash;
  hash.Update(ProblemJson(invocation).dump());
  for (const OperandFile& file : OperandFiles(invocation)) {
    hash.Update(ImageOf(invocation, file));
  }
  return hash.Finish();
}

}  // namespace poolproof
