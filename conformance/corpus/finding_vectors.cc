// SPDX-License-Identifier: Apache-2.0
#include "conformance/corpus/finding_vectors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "conformance/case/case_text.h"
#include "conformance/case/materialize.h"
#include "conformance/case/windows.h"
#include "conformance/result/coverage.h"
#include "conformance/result/verdict.h"
#include "conformance/spec/spec.h"
#include "core/float_bits.h"
#include "core/sha256.h"

namespace poolproof {
namespace {

// --- What went wrong -----------------------------------------------------------------------------

struct Misbehaviour {
  std::string_view flag;
  std::string_view bug_type;
  std::string_view description;
};
constexpr Misbehaviour kWrongNumbers = {
    "FoundWrongNumbers", "accumulation",
    "A campaign found an implementation that returned wrong numbers here."};
constexpr Misbehaviour kWrongAnswer = {
    "FoundWrongAnswer", "support",
    "A campaign found an implementation that answered with the wrong status or out-parameter."};
constexpr Misbehaviour kWrongAccess = {
    "FoundWrongAccess", "layout",
    "A campaign found an implementation that read or wrote outside its operands."};
constexpr Misbehaviour kWrongEnd = {
    "FoundWrongEnd", "state",
    "A campaign found an implementation that did not return, or changed its process."};

const Misbehaviour& MisbehaviourOf(FindingKind kind) {
  switch (InfoOf(kind).field) {
    case Field::kNumbers:
      return kWrongNumbers;
    case Field::kStatuses:
      return kWrongAnswer;
    case Field::kMemory:
      return kWrongAccess;
    case Field::kProcess:
      return kWrongEnd;
  }
  return kWrongAnswer;
}

// --- What the case is like -----------------------------------------------------------------------

using Flags = std::set<std::string>;

void AddPlanFlags(const Case& problem, Flags& flags) {
  const CallPlan& plan = problem.plan;
  if (problem.calls.size() > 1 && plan.relation == Relation::kNone) flags.insert("CallHistory");
  if (plan.threads > 1 || plan.streams > 1) flags.insert("Concurrent");
  if (plan.deterministic) flags.insert("Deterministic");
  if (plan.output != Poison::kNan || plan.workspace != Poison::kNan) flags.insert("OldContents");
}

void AddPlaceFlags(const Case& problem, Flags& flags) {
  const std::optional<CoverageKey> place = CoverageOf(problem);
  if (!place) return;
  const auto is = [&](CoverageAxis axis, std::string_view name) {
    return CoverageClasses(axis)[place->ClassOn(axis)] == name;
  };
  if (is(CoverageAxis::kOverlap, "one-axis")) flags.insert("OneAxisOverlap");
  if (is(CoverageAxis::kOverlap, "one-axis") || is(CoverageAxis::kOverlap, "several-axes")) {
    flags.insert("Overlap");
  }
  if (is(CoverageAxis::kLayout, "offset")) flags.insert("Offset");
  if (is(CoverageAxis::kLayout, "strided")) flags.insert("Pitch");
  if (is(CoverageAxis::kLayout, "permuted")) flags.insert("Transposed");
  if (is(CoverageAxis::kLayout, "broadcast")) flags.insert("Broadcast");
  if (is(CoverageAxis::kRounding, "uneven")) flags.insert("AdaptiveUneven");
  if (is(CoverageAxis::kTail, "ragged")) flags.insert("LaneTail");
}

void AddGeometryFlags(const Call& call, Flags& flags) {
  const OperatorInfo& info = InfoOf(call.op);
  const TensorSpec& self = call.tensor(Role::kSelf);
  if (call.tensor(Role::kIndices).type == DataType::kInt64) flags.insert("Int64Indices");
  if (self.shape.size() == static_cast<std::size_t>(info.spatial_rank) + 1) {
    flags.insert("Unbatched");
  }
  if (info.windows == WindowRule::kAdaptive) return;
  if (call.ceil_mode) flags.insert("CeilMode");
  for (const List list : info.lists) {
    if (call.list(list) && call.list(list)->size() < 2) flags.insert("ListLength");
  }
  const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
  if (!attributes) return;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (attributes->stride[axis] > attributes->kernel[axis]) flags.insert("Gaps");
    if (attributes->padding[axis] > 0 &&
        2 * attributes->padding[axis] == attributes->kernel[axis]) {
      flags.insert("PaddingHalfKernel");
    }
  }
}

void AddDataFlags(const Case& problem, Flags& flags) {
  for (const Call& call : problem.calls) {
    const Result<MaterializedCall> data = MaterializeCall(call, problem.plan);
    if (!data.ok()) return;
    const DataType type = call.tensor(Role::kGradOutput).type;
    for (const std::uint32_t bits : data->grad_output) {
      const double value = DecodeFloat(bits, type);
      if (std::isnan(value)) flags.insert("NanGradient");
      if (std::isinf(value)) flags.insert("InfGradient");
      if (value == 0 && std::signbit(value)) flags.insert("NegativeZero");
      if (value != 0 && std::abs(value) < TraitsOf(type).min_normal) {
        flags.insert("SubnormalGradient");
      }
    }
  }
}

// --- Vectors -------------------------------------------------------------------------------------

constexpr std::size_t kMostComment = 400;

// Printable ASCII, as vector files want it.
std::string Plain(const std::string& text) {
  std::string plain = text.substr(0, kMostComment);
  for (char& c : plain) {
    if (c < ' ' || c > '~') c = '?';
  }
  return plain;
}

std::string NameOf(const std::string& line, const std::vector<FindingKind>& kinds) {
  std::string name = "found";
  for (const FindingKind kind : kinds) name += "_" + std::string(FindingKindName(kind));
  std::replace(name.begin(), name.end(), '-', '_');
  return name + "_" + Sha256Hex(line).substr(0, 12);
}

// Why the finding cannot be a vector; nullopt where it can.
std::optional<std::string> Obstacle(const std::string& line, const FindingNote& note) {
  for (const Vector& vector : Corpus()) {
    if (CaseLine(vector.problem.problem) == line) {
      return "the corpus holds it as " + vector.problem.name;
    }
  }
  if (!InfoOf(note.profile).supported) {
    return "vectors have no profile " + std::string(InfoOf(note.profile).name);
  }
  if (note.clauses.empty()) return "it breaches no clause";
  for (const std::string& id : note.clauses) {
    const Clause* clause = Spec::Embedded().Find(id);
    if (clause == nullptr || !clause->AppliesTo(note.profile)) {
      return "its profile has no clause '" + Plain(id) + "'";
    }
  }
  return std::nullopt;
}

// Of one case, as several campaigns on one profile may have found it.
Vector VectorOf(const std::string& line, const Case& problem,
                const std::vector<const FindingNote*>& notes) {
  Vector vector;
  std::set<FindingKind> kinds;
  std::set<std::string> clauses;
  Flags flags;
  for (const FindingNote* note : notes) {
    for (const FindingKind kind : KindsOf(note->signature)) {
      kinds.insert(kind);
      flags.emplace(MisbehaviourOf(kind).flag);
    }
    clauses.insert(note->clauses.begin(), note->clauses.end());
  }
  if (flags.empty()) flags.emplace(kWrongAnswer.flag);
  AddPlanFlags(problem, flags);
  AddPlaceFlags(problem, flags);
  AddGeometryFlags(problem.calls.front(), flags);
  AddDataFlags(problem, flags);
  vector.problem = {"corpus", NameOf(line, {kinds.begin(), kinds.end()}), problem};
  vector.comment =
      Plain("found on " + notes.front()->implementation + ": " + notes.front()->message);
  vector.flags.assign(flags.begin(), flags.end());
  vector.clauses.assign(clauses.begin(), clauses.end());
  vector.profiles = {notes.front()->profile};
  return vector;
}

FlagNote NoteOf(const std::string& flag) {
  for (const Misbehaviour* found : {&kWrongNumbers, &kWrongAnswer, &kWrongAccess, &kWrongEnd}) {
    if (found->flag == flag) {
      return {std::string(found->bug_type), std::string(found->description), {}};
    }
  }
  return CorpusFlags().at(flag);
}

}  // namespace

std::vector<FindingKind> KindsOf(const std::string& signature) {
  std::vector<FindingKind> kinds;
  const std::size_t begin = signature.find(':');
  if (begin == std::string::npos) return kinds;
  std::string_view words = std::string_view(signature).substr(begin + 1);
  words = words.substr(0, words.find(':'));
  for (std::size_t i = 0; i < kFindingKindCount; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    for (std::string_view rest = words; !rest.empty();) {
      const std::size_t end = rest.find('+');
      if (rest.substr(0, end) == FindingKindName(kind)) kinds.push_back(kind);
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }
  return kinds;
}

FindingVectors VectorsOfFindings(const std::vector<CaseFileEntry>& entries) {
  FindingVectors result;
  struct Found {
    const Case* problem;
    std::vector<const FindingNote*> notes;
  };
  std::map<std::string, Found> cases;
  for (const CaseFileEntry& entry : entries) {
    if (!entry.finding) continue;
    const std::string line = CaseLine(entry.problem);
    if (const std::optional<std::string> why = Obstacle(line, *entry.finding)) {
      result.left_out.push_back(line + ": " + *why);
      continue;
    }
    Found& found = cases[line];
    found.problem = &entry.problem;
    found.notes.push_back(&*entry.finding);
  }
  for (auto& [line, found] : cases) {
    std::sort(found.notes.begin(), found.notes.end(),
              [](const FindingNote* a, const FindingNote* b) { return *a < *b; });
    // Clauses differ by profile: the vector is of the first one.
    std::erase_if(found.notes, [profile = found.notes.front()->profile](const FindingNote* note) {
      return note->profile != profile;
    });
    result.vectors.push_back(VectorOf(line, *found.problem, found.notes));
    for (const std::string& flag : result.vectors.back().flags) {
      result.notes.emplace(flag, NoteOf(flag));
    }
  }
  return result;
}

}  // namespace poolproof
