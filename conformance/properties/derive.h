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

// Likewise with one follower; nullopt where there is none.
std::optional<Case> WithFollower(const Case& base, Relation relation, std::optional<Call> follower);

// `call` in the place of the base's, its data stable under a change of layout, with what `follow`
// makes of it; nullopt where it makes nothing.
std::optional<Case> WithStableFollower(const Case& base, const Call& call, Relation relation,
                                       std::optional<Call> (*follow)(const Call&));

// A single backward call that is carried out once. What every derivation asks of its base.
bool IsPlainBackward(const Case& base);

// Row-major, from storage offset 0.
void MakePlainLayout(TensorSpec& tensor);

// The logical elements as they come out of the recipes; nullopt where they do not.
std::optional<MaterializedCall> DataOf(const Call& call, const Plan& plan);

void WriteValues(TensorSpec& tensor, std::span<const std::uint32_t> values);
void WriteIndices(TensorSpec& tensor, std::span<const std::int64_t> indices);

// The call with gradOutput and indices written out, so that edits leave them alone; nullopt where
// they are too many.
std::optional<Call> WithWrittenData(const Call& call, const Plan& plan);

// Recipes say the same of a copy only where no two elements of an input share storage: then the
// call as it is, otherwise with its data written out.
std::optional<Call> WithStableData(const Call& call, const Plan& plan);

// The calls without their data.
Call Skeleton(Call call);

// Why the second call is not `expected` with the data of the first; nullopt: it is.
std::optional<std::string> Unlike(std::span<const CallResult> results,
                                  const std::optional<Call>& expected);

// "<prefix>-<number>" of the operator.
std::string ClauseOf(Operator op, std::string_view number);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PROPERTIES_DERIVE_H_
