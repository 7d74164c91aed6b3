// SPDX-License-Identifier: Apache-2.0
//
// Spec: the clauses of one edition of the documents as loaded from conformance/spec/clauses.json
// (embedded at build time, so that programs need no data file). Read by judge, generators, list,
// explain and reports.
#ifndef POOLPROOF_CONFORMANCE_SPEC_SPEC_H_
#define POOLPROOF_CONFORMANCE_SPEC_SPEC_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/spec/condition.h"
#include "conformance/spec/operators.h"
#include "conformance/spec/profile.h"
#include "core/status.h"

namespace poolproof {

enum class Strength : std::uint8_t { kRequired, kAdvisory };
enum class ClauseKind : std::uint8_t {
  kStatus,
  kConstraint,
  kValue,
  kSupport,
  kProtocol,
  kSafety,
  kExample,
};

// Which editions of the pages a spec follows, where they differ.
enum class Edition : std::uint8_t {
  kSeeds,   // the five source documents as they are printed
  kNewest,  // the newest page of each operator
};
inline constexpr int kEditionCount = 2;

// "seeds", "newest".
std::string_view EditionName(Edition edition);
std::optional<Edition> ParseEdition(std::string_view name);

// ACLNN_ERR_PARAM_NULLPTR: a null is looked for before anything else.
inline constexpr std::int32_t kParamNullptr = 161001;

// What a call that the clause covers must answer.
struct ExpectedStatus {
  bool any_error = false;   // any non-zero status of phase one, phase two or synchronise
  std::int32_t status = 0;  // otherwise this status from phase one
  friend bool operator==(const ExpectedStatus&, const ExpectedStatus&) = default;
};

struct Clause {
  std::string id;
  std::string operator_name;           // an operator's, "two-phase protocol", "any"
  std::vector<std::string> documents;  // "D0".."D4"
  ClauseKind kind = ClauseKind::kStatus;
  bool derived = false;  // from pages that are not among the five documents
  Strength strength = Strength::kRequired;
  Condition condition = Condition::kNullSelf;
  std::string statement;
  std::optional<ExpectedStatus> expect;
  std::vector<Profile> profiles;  // empty: every profile
  // The edition that says it so; nullopt: all of them do.
  std::optional<Edition> edition;
  // Why no case of a run can show whether the clause holds; empty: cases do.
  std::string not_exercised;
  [[nodiscard]] bool AppliesTo(Profile profile) const;
  friend bool operator==(const Clause&, const Clause&) = default;
};

// The statement as a demand, with the edition that alone says so: "self is a null pointer -> 161001
// from phase one [newest edition]".
std::string DemandText(const Clause& clause);

struct Document {
  std::string id;
  std::string file;
  std::string title;
  std::vector<std::string> products;
  friend bool operator==(const Document&, const Document&) = default;
};

struct RegisteredDiscrepancy {
  std::string id;
  std::vector<std::string> documents;
  std::string statement;
  std::string reading;  // how the suite reads the pages there
  friend bool operator==(const RegisteredDiscrepancy&, const RegisteredDiscrepancy&) = default;
};

class Spec {
 public:
  // errors: kInvalidArgument naming the clause and the member that is wrong.
  static Result<Spec> Parse(std::string_view json, Edition edition = Edition::kNewest);
  // The project's own copy. It is valid by test, so this cannot fail.
  static const Spec& Embedded(Edition edition = Edition::kNewest);

  [[nodiscard]] Edition edition() const { return edition_; }

  [[nodiscard]] const std::vector<Clause>& clauses() const { return clauses_; }
  [[nodiscard]] const std::vector<Document>& documents() const { return documents_; }
  [[nodiscard]] const std::vector<RegisteredDiscrepancy>& discrepancies() const {
    return discrepancies_;
  }
  // Of the text and, except for the newest, the edition.
  [[nodiscard]] const std::string& sha256() const { return sha256_; }
  // nullptr for an unknown id.
  [[nodiscard]] const Clause* Find(std::string_view id) const;
  // The clause of the operator's pair that is about the condition; nullptr: there is none.
  [[nodiscard]] const Clause* Of(Operator op, Condition condition) const;
  // As if the pages did not have the clause, for those who ask Of.
  [[nodiscard]] Spec Without(const Clause& clause) const;

 private:
  Edition edition_ = Edition::kNewest;
  std::vector<Document> documents_;
  std::vector<Clause> clauses_;
  std::vector<RegisteredDiscrepancy> discrepancies_;
  std::string sha256_;
  std::vector<std::uint16_t> by_id_;  // positions in clauses_, in the order of their ids
  // Position in clauses_ plus one, by backward operator and condition.
  std::array<std::array<std::uint16_t, kConditionCount>, kOperatorCount> positions_{};
};

// "status"; "derived status" where it does not come from the five documents.
std::string KindText(const Clause& clause);
// Clause::not_exercised of the embedded spec; nullopt: none.
std::optional<std::string> ReasonNotExercised(std::string_view id);

std::string_view StrengthName(Strength strength);
std::string_view ClauseKindName(ClauseKind kind);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SPEC_SPEC_H_
