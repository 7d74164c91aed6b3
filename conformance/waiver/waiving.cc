// SPDX-License-Identifier: Apache-2.0
#include "conformance/waiver/waiving.h"

#include <fnmatch.h>

#include <algorithm>
#include <utility>

namespace poolproof {
namespace {

bool Matches(const std::string& glob, const std::string& text) {
  return fnmatch(glob.c_str(), text.c_str(), 0) == 0;
}

template <typename T>
bool Contains(const std::vector<T>& items, const T& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

bool InScope(const WaiverScope& scope, const ImplementationIdentity& implementation,
             Profile profile) {
  if (!scope.implementation.empty() && !Matches(scope.implementation, implementation.name)) {
    return false;
  }
  if (!scope.profiles.empty() && !Contains(scope.profiles, profile)) return false;
  return scope.sha256.empty() ||
         std::any_of(
             implementation.libraries.begin(), implementation.libraries.end(),
             [&](const LibraryIdentity& library) { return library.sha256 == scope.sha256; });
}

}  // namespace

Waiving::Waiving(std::vector<Waiver> waivers, std::string_view today,
                 const ImplementationIdentity& implementation, Profile profile) {
  for (Waiver& waiver : waivers) {
    WaiverResult& terms = waiver.terms;
    if (!InScope(terms.scope, implementation, profile)) {
      terms.state = WaiverState::kOutOfScope;
    } else if (today > terms.expires) {  // the form of a date sorts as days do
      terms.state = WaiverState::kExpired;
    }
    const bool active = terms.state == WaiverState::kUnmatched;
    waivers_.push_back({std::move(waiver), active});
  }
}

bool Waiving::HoldsFor(const Waiver& waiver, const std::string& clause) {
  const std::vector<std::string>& clauses = waiver.terms.scope.clauses;
  return clauses.empty() || Contains(clauses, clause);
}

bool Waiving::IsAbout(const Waiver& waiver, const Case& problem,
                      const std::vector<std::string>& clauses) {
  const bool by_clause =
      waiver.terms.scope.clauses.empty() ||
      std::any_of(clauses.begin(), clauses.end(),
                  [&](const std::string& clause) { return HoldsFor(waiver, clause); });
  return by_clause && (!waiver.cases || waiver.cases->Holds(problem));
}

std::vector<std::string> Waiving::Failed(const Case& problem, const Failure& failure,
                                         const std::vector<std::string>& required) {
  std::vector<Entry*> about;
  std::vector<Entry*> fitting;
  for (Entry& entry : waivers_) {
    if (!entry.active || !IsAbout(entry.waiver, problem, failure.clauses)) continue;
    about.push_back(&entry);
    if (Matches(entry.waiver.terms.signature, failure.signature)) fitting.push_back(&entry);
  }
  const std::vector<std::string>& decisive = required.empty() ? failure.clauses : required;
  const bool waived = !fitting.empty() &&
                      std::all_of(decisive.begin(), decisive.end(), [&](const std::string& clause) {
                        return std::any_of(fitting.begin(), fitting.end(), [&](const Entry* entry) {
                          return HoldsFor(entry->waiver, clause);
                        });
                      });
  std::vector<std::string> ids;
  for (Entry* entry : about) {
    WaiverResult& terms = entry->waiver.terms;
    if (waived && std::find(fitting.begin(), fitting.end(), entry) != fitting.end()) {
      ids.push_back(terms.id);
      ++terms.waived;
    } else if (!waived) {
      ++terms.failed_otherwise;
    }
  }
  return ids;
}

void Waiving::Passed(const Case& problem, const std::vector<std::string>& evidence, bool fixed) {
  for (Entry& entry : waivers_) {
    if (!entry.active || !IsAbout(entry.waiver, problem, evidence)) continue;
    ++(fixed ? entry.waiver.terms.passed_fixed : entry.waiver.terms.passed_random);
  }
}

std::vector<WaiverResult> Waiving::Results(bool partial) const {
  std::vector<WaiverResult> results;
  for (const Entry& entry : waivers_) {
    results.push_back(entry.waiver.terms);
    if (entry.active) results.back().state = StateOf(entry.waiver.terms, partial);
  }
  return results;
}

}  // namespace poolproof
