// SPDX-License-Identifier: Apache-2.0
//
// Materialize: the bytes of a case, equal on every machine. The judge reads the logical values, the
// worker gets the storages.
#ifndef POOLPROOF_CONFORMANCE_CASE_MATERIALIZE_H_
#define POOLPROOF_CONFORMANCE_CASE_MATERIALIZE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "conformance/case/case.h"
#include "core/status.h"

namespace poolproof {

// The operands of one call. Logical values are in row-major order of the view.
struct MaterializedCall {
  std::vector<std::uint32_t> grad_output;  // storage bits; empty unless it has a gradient type
  std::vector<std::int64_t> indices;       // empty unless indices are an input of an index type
  // Initial storage contents by Role; outputs hold the plan's poison. Empty for null tensors and
  // descriptor-only plans.
  std::array<std::vector<std::byte>, kRoleCount> storage;
};

struct Materialized {
  std::vector<MaterializedCall> calls;
};

// Bytes of storage above which a case is refused, so that a typing error cannot exhaust the
// machine.
inline constexpr std::int64_t kMaxStorageBytes = std::int64_t{8} << 30;

// The byte that what a view does not address of its storage holds, in inputs and outputs. A finite
// number in every type, so that whatever is added to it shows.
inline constexpr std::byte kGapByte{0xa5};

// Byte `position` of a storage or workspace that holds the poison.
std::byte PoisonByte(Poison poison, std::size_t position);
void FillWithPoison(Poison poison, std::span<std::byte> bytes);
// An output's storage before the call: poison in the elements of the view, kGapByte between them.
// Empty `strides` are contiguous ones.
void FillOutput(const Dims& shape, const Dims& strides, std::int64_t offset, std::size_t width,
                Poison poison, std::span<std::byte> bytes);

// The seed of the random numbers behind an operand's data: independent for the operands of one
// seed.
std::uint64_t StreamSeed(const Data& data, Role role);

// errors: kInvalidArgument where strides are not one for each extent, a storage is too large, a
// view leaves its storage, or a literal has the wrong number of elements.
Result<Materialized> Materialize(const Case& problem);
// The same of one call.
Result<MaterializedCall> MaterializeCall(const Call& call, const CallPlan& plan);

// Whether an index of a backward that will be carried out lies outside the plane: such a call may
// write anywhere, so it is given to a worker of its own.
bool IndicesLeavePlane(const Case& problem, const Materialized& data);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CASE_MATERIALIZE_H_
