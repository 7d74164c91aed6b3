// SPDX-License-Identifier: Apache-2.0
//
// Loads and stores of tensor elements: the zoo's own FLOAT16 and BFLOAT16, with the rounding modes
// that its faults need.

#ifndef POOLPROOF_TESTS_MUTANTS_ELEMENT_H_
#define POOLPROOF_TESTS_MUTANTS_ELEMENT_H_

#include <cstddef>
#include <cstdint>

#include "abi.h"

namespace mutants {

enum class Rounding { kNearestEven, kTowardZero, kHalfAway, kTwice };

// Returns the size in bytes of an element, 0 for a type that the zoo never computes with.
std::size_t ElementSize(aclDataType dtype);

bool IsComputable(aclDataType dtype);

// Requires a computable type.
float LoadElement(aclDataType dtype, const unsigned char* address);
void StoreElement(aclDataType dtype, Rounding rounding, float value, unsigned char* address);

// Returns the value after a store and a load.
float RoundToType(aclDataType dtype, Rounding rounding, float value);

float LargestFinite(aclDataType dtype);
float SmallestNormal(aclDataType dtype);

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_ELEMENT_H_
