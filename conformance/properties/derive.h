// SPDX-License-Identifier: Apache-2.0
//
// What the properties share when they derive calls from calls.
#ifndef POOLPROOF_CONFORMANCE_PROPERTIES_DERIVE_H_
#define POOLPROOF_CONFORMANCE_PROPERTIES_DERIVE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/properties/property.h"

namespace poolproof {

// Elements that a case line may write out.
inline constexpr std::size_t kMaxWritten = 512;

// The base with followers and the relation. Requires a base of one call.
Case WithFollowers(const Case& base, Relation relation, std::vector<Call> followers);

// The same with one follower; nullopt where there is none.
std::optional<Case> WithFollower(const Case& base, Relation relation, std::optional<Call> follower);

// `call` in the place of the base's, its data stable under a change of layout, with what `follow`
// makes of it; nullopt where it makes nothing.
std::optional<Case> WithStableFollower(const Case& base, const Call& call, Relation relation,
                                       std::optional<Call> (*follow)(const Call&));

// A single backward call that is carried out once. What every derivation asks of its base.
bool IsPlainBackward(const Case& base);

void WriteValues(TensorSpec& tensor, std::span<const std::uint32_t> values);
void WriteIndices(TensorSpec& tensor, std::span<const std::int64_t> indices);

// The backward call with gradOutput and indices as literals of what they materialize to, so that
// edits leave them alone; nullopt where they do not materialize or are more than `most`.
std::optional<Call> WithLiteralData(const Call& call, const CallPlan& plan, std::size_t most);

// Recipes say the same of a copy only where no two elements of an input share storage: then the
// call as it is, otherwise with its data written out. nullopt where they are more than `most`.
std::optional<Call> WithStableData(const Call& call, const CallPlan& plan,
                                   std::size_t most = kMaxWritten);

// The calls without their data.
Call Skeleton(Call call);

// Why the second call is not `expected` with the data of the first; nullopt: it is.
std::optional<std::string> Unlike(std::span<const CallResult> results,
                                  const std::optional<Call>& expected);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PROPERTIES_DERIVE_H_
