// SPDX-License-Identifier: Apache-2.0
//
// Edits of cases that leave the rest as it was: the vocabulary of contrasts and of shrinking.
#ifndef POOLPROOF_CONFORMANCE_BLAME_EDIT_H_
#define POOLPROOF_CONFORMANCE_BLAME_EDIT_H_

#include <cstddef>
#include <optional>

#include "conformance/case/case.h"
#include "conformance/properties/derive.h"

namespace poolproof {

// Whether the operand is contiguous from storage offset 0, as MakeContiguous leaves it.
bool IsPlain(const TensorSpec& tensor);

// The call with self's (and all shapes that follow from it) extents replaced: gradOutput (out),
// indices and gradInput get the shapes that go with `self`, keeping their strides where all axes
// only get shorter, contiguous otherwise; types, formats and data recipes stay. `output` is the
// spatial output of adaptive operators, ignored elsewhere. nullopt where no output shape follows.
std::optional<Call> Reshape(const Call& call, const Dims& self, const Dims& output);

// Gives the operand another type, with its data by ConvertData.
void SetValueType(TensorSpec& tensor, DataType type);
// The same values in another type: NaN, infinities and subnormal numbers stay such. What bits say
// of a type that no gradient has becomes plain.
void ConvertData(Data& data, DataType from, DataType to);

// Spatial output extents of the call: of gradOutput, or out of a forward.
Dims SpatialOutput(const Call& call);

// The call with one leading axis of extent 1 put in front of every operand, or taken away.
// nullopt where the rank does not allow it.
std::optional<Call> WithBatchAxis(const Call& call);
std::optional<Call> WithoutBatchAxis(const Call& call);

// Elements that are few enough to be written down.
inline constexpr std::size_t kMaxLiteral = std::size_t{1} << 16;

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_BLAME_EDIT_H_
