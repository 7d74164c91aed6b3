// SPDX-License-Identifier: Apache-2.0
//
// The checks from which each operator's phase one is put together. A check returns what it objects
// to; the clause that it enforces, if any, is named by the caller and ends up in the message.
#ifndef POOLPROOF_RUNTIME_OPS_CHECKS_H_
#define POOLPROOF_RUNTIME_OPS_CHECKS_H_

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "runtime/handles.h"
#include "runtime/platform.h"
#include "runtime/refusal.h"

namespace poolproof {

// A tensor argument with the name that the ABI gives it.
struct Operand {
  const char* name;
  const aclTensor* tensor;
};

// Null pointers: 161001. Pointers to nothing that lives in this library: 561000.
Objection CheckPointer(const Operand& operand, const char* clause);
Objection CheckPointer(const char* name, const aclIntArray* array, const char* clause);
Objection CheckOutPointers(const std::uint64_t* workspace_size,
                           const aclOpExecutor* const* executor);

// Everything below: 161002. What the documents alone forbid (platforms, types, formats, limits) is
// let pass by a library that does not check them.

Objection CheckPlatform(std::initializer_list<Platform> supported, const char* clause);

Objection CheckType(const Operand& operand, std::initializer_list<DataType> supported,
                    const char* clause);
Objection CheckSameType(const Operand& operand, const Operand& other, const char* clause);

// Any public format.
Objection CheckFormat(const Operand& operand, const char* clause);
Objection CheckFormat(const Operand& operand, std::initializer_list<Format> supported,
                      const char* clause);
Objection CheckSameFormat(const Operand& operand, const Operand& other, const char* clause);

Objection CheckRank(const Operand& operand, std::size_t low, std::size_t high, const char* clause);
// No negative extent, and a number of elements that int64 holds.
Objection CheckExtents(const Operand& operand);
Objection CheckSameShape(const Operand& operand, const Operand& other, const char* clause);
Objection CheckShape(const Operand& operand, const Dims& wanted, const std::string& reason,
                     const char* clause);
// Rank, N and C of `operand` are those of `other`; the last `spatial_rank` extents are free.
Objection CheckSameBatch(const Operand& operand, const Operand& other, int spatial_rank,
                         const char* clause);
// The last `spatial_rank` extents of `operand` multiply to at most 2^31-1.
Objection CheckPlane(const Operand& operand, int spatial_rank, const char* clause);

// N alone may be 0: a row of the page, or its vendor, refuses any other axis without elements.
Objection CheckPlanesExist(const Operand& operand, int spatial_rank);
// A non-empty `operand` (gradients, pooled values) needs a plane with elements in `self`.
Objection CheckPlaneExists(const Operand& operand, const Operand& self, int spatial_rank);

Objection CheckLength(const char* name, const aclIntArray& array,
                      std::initializer_list<std::size_t> lengths, const char* clause);
Objection CheckAtLeast(const char* name, const aclIntArray& array, std::int64_t low,
                       const char* clause);
// One value for each of D, H, W: of length 3, repeated from length 1, or `none` for length 0. Of
// length 2 those of H and W.
std::array<std::int64_t, 3> PerAxis(const aclIntArray& array,
                                    const std::array<std::int64_t, 3>& none = {});

// A view that leaves its storage: 561103. A contiguous tensor without storage extents is its own
// storage.
Objection CheckView(const Operand& operand);
// The same for an output, whose elements must lie apart (161002).
Objection CheckOutputView(const Operand& operand);

// True where the tensor has no elements. Requires CheckExtents.
bool IsEmpty(const aclTensor& tensor);

// The tensor with its axes in the order N, C, H, W: one of format NHWC and four axes is passed with
// C last (DD-34, DD-36). Of operators over planes of two axes whose pages list that format.
aclTensor ChannelsFirst(const aclTensor& tensor);

// The last `spatial_rank` extents.
std::span<const std::int64_t> Plane(const aclTensor& tensor, int spatial_rank);

}  // namespace poolproof

#endif  // POOLPROOF_RUNTIME_OPS_CHECKS_H_
