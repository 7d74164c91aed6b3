// SPDX-License-Identifier: Apache-2.0
#include "cli/describe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "conformance/case/passed_axes.h"
#include "conformance/case/plan_members.h"
#include "conformance/judge/legality.h"
#include "conformance/result/ending.h"
#include "core/float_bits.h"
#include "core/shape.h"
#include "core/text.h"
#include "reports/mismatch_text.h"

namespace poolproof {
namespace {

constexpr std::int64_t kShownValues = 64;  // further values that matter are in the findings
constexpr std::size_t kColumns = 100;
constexpr std::size_t kValueColumn = 14;

std::string Padded(std::string_view words, std::size_t columns) {
  return std::string(words) + std::string(columns > words.size() ? columns - words.size() : 0, ' ');
}

std::string ValueText(const TensorSpec& tensor, const std::byte* element) {
  const auto bytes = static_cast<std::size_t>(StorageBytes(tensor.type));
  std::uint64_t bits = 0;
  std::memcpy(&bits, element, std::min<std::size_t>(bytes, 8));
  if (IsGradientType(tensor.type)) {
    const double value = DecodeFloat(static_cast<std::uint32_t>(bits), tensor.type);
    std::array<char, 48> text = {};
    std::snprintf(text.data(), text.size(), " (%.9g)", value);
    return HexText(bits, 2 * bytes) + (std::isnan(value) ? " (nan)" : text.data());
  }
  if (tensor.type == DataType::kInt32) {
    return std::to_string(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)));
  }
  if (tensor.type == DataType::kInt64) return std::to_string(static_cast<std::int64_t>(bits));
  return HexText(bits, 2 * bytes);
}

// The first values of the view in row-major order, in lines that fit; empty where there are no
// bytes.
std::string ValuesText(const TensorSpec& tensor, const std::vector<std::byte>& storage) {
  const std::optional<std::int64_t> count = CheckedNumel(tensor.shape);
  if (storage.empty() || !count || *count == 0) return "";
  const Dims strides = StridesOf(tensor);
  const std::int64_t bytes = StorageBytes(tensor.type);
  std::string text;
  std::size_t used = kValueColumn - 2;
  for (std::int64_t i = 0; i < std::min(*count, kShownValues); ++i) {
    const std::int64_t at = ElementOffset(tensor.shape, strides, tensor.offset, i) * bytes;
    if (at < 0 || at + bytes > static_cast<std::int64_t>(storage.size())) return text;
    const std::string value = ValueText(tensor, storage.data() + at);
    if (i > 0 && used + 2 + value.size() > kColumns) {
      text += "\n" + std::string(kValueColumn, ' ') + value;
      used = kValueColumn + value.size();
    } else {
      text += (i == 0 ? "" : "  ") + value;
      used += 2 + value.size();
    }
  }
  if (*count > kShownValues) text += "  ... of " + std::to_string(*count);
  return text;
}

std::string TensorText(const TensorSpec& tensor) {
  if (tensor.null) return "null pointer";
  std::string text =
      DataTypeName(tensor.type) + " " + FormatName(tensor.format) + " " + DimsText(tensor.shape);
  if (!tensor.strides.empty()) text += " strides " + DimsText(tensor.strides);
  if (tensor.offset != 0) text += " offset " + std::to_string(tensor.offset);
  const Dims storage = StorageDimsOf(tensor);
  if (storage != tensor.shape) text += " storage " + DimsText(storage);
  return text;
}

// What differs from the defaults, one member on each line.
std::string PlanText(const CallPlan& plan) {
  std::string text;
  for (const PlanMember& member : PlanMembers()) {
    if (member.IsDefault(plan)) continue;
    const std::string value = member.ValueText(member.get(plan));
    text += "  " + Padded(std::string(member.line_name) + (value.empty() ? "" : "=") + value, 20) +
            " " + std::string(member.meaning) + "\n";
  }
  return text.empty() ? "" : "plan:\n" + text;
}

std::string StatusText(const std::optional<std::int32_t>& status) {
  return status ? std::to_string(*status) : "not made or not returned";
}

std::string Indented(const std::string& text, const std::string& margin) {
  // What a library says must not steer the terminal.
  std::string result = margin;
  for (const char c : text) {
    result += c == '\n' || c == '\t' || (c >= ' ' && c <= '~') ? c : '?';
    if (c == '\n') result += margin;
  }
  return result;
}

}  // namespace

std::string DescribeLegality(const PreparedCase& prepared) {
  std::string text;
  for (std::size_t i = 0; i < prepared.calls.size(); ++i) {
    const Legality& legality = prepared.calls[i].legality;
    std::string line = prepared.calls.size() > 1 ? "call " + std::to_string(i + 1) + ": " : "";
    switch (legality.kind) {
      case LegalityKind::kValid:
        line += "success, with the right numbers (a valid call)";
        break;
      case LegalityKind::kInvalid:
        line += "error " + legality.ExpectedText();
        break;
      case LegalityKind::kOpen:
        line += "any answer, the documents leave it open: " + legality.open_reason;
        break;
    }
    text += line + "\n";
    for (const Clause* clause : legality.breached) {
      text += "  " + clause->id + " (" + std::string(StrengthName(clause->strength)) +
              "): " + DemandText(*clause) + "\n";
    }
  }
  return text;
}

std::string DescribeCase(const Case& problem, const Materialized& data) {
  std::string text;
  for (std::size_t i = 0; i < problem.calls.size(); ++i) {
    const Call call = AsPassed(problem.calls[i]);
    const OperatorInfo& info = InfoOf(call.op);
    text += "call " + std::to_string(i + 1) + ": aclnn" + std::string(info.name) + "\n";
    for (const Role role : info.tensors) {
      const TensorSpec& tensor = call.tensor(role);
      text += "  " + Padded(RoleName(role), 12) + TensorText(tensor) + "\n";
      if (tensor.null || IsOutput(info, role)) continue;
      const std::string values =
          ValuesText(tensor, data.calls[i].storage[static_cast<std::size_t>(role)]);
      if (!values.empty()) text += "  " + Padded("", 12) + values + "\n";
    }
    for (const List list : info.lists) {
      const std::optional<Dims>& values = call.list(list);
      text +=
          "  " + Padded(ListName(list), 12) + (values ? DimsText(*values) : "null pointer") + "\n";
    }
    if (info.windows == WindowRule::kFixed) {
      text += "  " + Padded("ceilMode", 12) + (call.ceil_mode ? "true" : "false") + "\n";
    }
  }
  return text + PlanText(problem.plan);
}

std::string DescribeOutcome(const Case& problem, const Outcome& outcome) {
  std::string text = "ended: " + ShownEnd(EndText(outcome));
  if (outcome.end != End::kReturned) {
    text += " in " + std::string(PhaseName(outcome.ended_in)) + " of call " +
            std::to_string(outcome.ended_at_call + 1);
  }
  text += CrashText(outcome.crash) + "\n";
  // Another one in the next process.
  if (outcome.crash && outcome.crash->address != KeptCrash(*outcome.crash).address) {
    text += "  the address was 0x" + HexText(outcome.crash->address, 1) + "\n";
  }
  if (!outcome.detail.empty()) text += "  " + outcome.detail + "\n";
  // Repetitions and threads beyond the first round are in the findings.
  const std::size_t shown = std::min(outcome.calls.size(), problem.calls.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const CallOutcome& call = outcome.calls[i];
    const Call made = AsPassed(problem.calls[i]);
    std::array<char, 32> time = {};
    std::snprintf(time.data(), time.size(), "%.3f ms", static_cast<double>(call.nanoseconds) / 1e6);
    text += "call " + std::to_string(i + 1) + ": phase one " + StatusText(call.phase_one) +
            ", phase two " + StatusText(call.phase_two) + ", synchronise " +
            StatusText(call.synchronise);
    if (call.workspace_size_set) {
      text += ", workspace " + std::to_string(call.workspace_size) + " bytes";
    }
    text += ", " + std::string(time.data()) + "\n";
    if (!call.message.empty()) text += Indented("message: " + call.message, "  ") + "\n";
    for (const Role role : InfoOf(made.op).tensors) {
      if (!IsOutput(InfoOf(made.op), role) || made.tensor(role).null) continue;
      const std::string values =
          ValuesText(made.tensor(role), call.outputs[static_cast<std::size_t>(role)]);
      if (!values.empty()) text += "  " + Padded(RoleName(role), 12) + values + "\n";
    }
  }
  if (!outcome.output_tail.empty()) {
    text += "the library printed:\n" + Indented(outcome.output_tail, "  ") + "\n";
  }
  return text;
}

std::string DescribeVerdict(const JudgeContext& context, const Case& problem,
                            const Verdict& verdict) {
  std::string text;
  for (const Finding& finding : verdict.findings) {
    text += std::string(FindingKindName(finding.kind)) + ": " + finding.message + "\n";
    if (finding.mismatch) {
      text += "  " + MismatchText(problem, *finding.mismatch) + "\n";
      for (const Mismatch& more : finding.further) {
        text += "  " + MismatchText(problem, more) + "\n";
      }
    }
    for (const std::string& id : finding.clauses) {
      const Clause* clause = context.spec->Find(id);
      text += "  breaches " + id;
      if (clause != nullptr) {
        text += " (" + std::string(StrengthName(clause->strength)) + "): " + DemandText(*clause);
      }
      text += "\n";
    }
  }
  switch (verdict.relation) {
    case RelationState::kNone:
      break;
    case RelationState::kHeld:
      text += "relation: holds\n";
      break;
    case RelationState::kBroken:
      text += "relation: does not hold\n";
      break;
    case RelationState::kDiscarded:
      text += "relation: discarded, " + verdict.relation_note + "\n";
      break;
  }
  if (!verdict.note.empty()) text += "note: " + verdict.note + "\n";
  const auto add = [&](std::string_view what, const std::vector<std::string>& ids) {
    if (ids.empty()) return;
    text += what;
    for (const std::string& id : ids) text += " " + id;
    text += "\n";
  };
  add("evidence for:", verdict.evidence);
  add("evidence where the legal neighbour is accepted:", verdict.by_refusal);
  add("evidence where the neighbour's numbers are right:", verdict.by_acceptance);
  return text;
}

}  // namespace poolproof
