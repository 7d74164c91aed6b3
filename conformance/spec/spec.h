// SPDX-License-Identifier: Apache-2.0
//
// Spec: the clauses of the documents as loaded from conformance/spec/clauses.json (embedded at
// build time, so that programs need no data file). Read by judge, generators, list, explain and
// reports.
#ifndef POOLPROOF_CONFORMANCE_SPEC_SPEC_H_
#define POOLPROOF_CONFORMANCE_SPEC_SPEC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// What a call that the clause covers must answer.
struct ExpectedStatus {
  bool any_error = false;   // any non-zero status of phase one, phase two or synchronise
  std::int32_t status = 0;  // otherwise this status from phase one
  friend bool operator==(const ExpectedStatus&, const ExpectedStatus&) = default;
};

struct Clause {
  std::string id;
  std::string operator_name;           // "MaxPool3dWithArgmaxBackward", "two-phase protocol", "any"
  std::vector<std::string> documents;  // "D0".."D4"
  ClauseKind kind = ClauseKind::kStatus;
  Strength strength = Strength::kRequired;
  std::string statement;
  std::optional<ExpectedStatus> expect;
  std::vector<Profile> profiles;  // empty: every profile
  [[nodiscard]] bool AppliesTo(Profile profile) const;
  friend bool operator==(const Clause&, const Clause&) = default;
};

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
  friend bool operator==(const RegisteredDiscrepancy&, const RegisteredDiscrepancy&) = default;
};

class Spec {
 public:
  // errors: kInvalidArgument naming the clause and the member that is wrong.
  static Result<Spec> Parse(std::string_view json);
  // The project's own copy. It is valid by test, so this cannot fail.
  static const Spec& Embedded();

  [[nodiscard]] const std::vector<Clause>& clauses() const { return clauses_; }
  [[nodiscard]] const std::vector<Document>& documents() const { return documents_; }
  [[nodiscard]] const std::vector<RegisteredDiscrepancy>& discrepancies() const {
    return discrepancies_;
  }
  [[nodiscard]] const std::string& sha256() const { return sha256_; }
  // nullptr for an unknown id.
  [[nodiscard]] const Clause* Find(std::string_view id) const;

 private:
  std::vector<Document> documents_;
  std::vector<Clause> clauses_;
  std::vector<RegisteredDiscrepancy> discrepancies_;
  std::string sha256_;
};

std::string_view StrengthName(Strength strength);
std::string_view ClauseKindName(ClauseKind kind);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SPEC_SPEC_H_
