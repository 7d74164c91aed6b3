// SPDX-License-Identifier: Apache-2.0
//
// The properties, each defined in the file of its name. Used by properties.cc alone.
#ifndef POOLPROOF_CONFORMANCE_PROPERTIES_PROPERTY_LIST_H_
#define POOLPROOF_CONFORMANCE_PROPERTIES_PROPERTY_LIST_H_

#include "conformance/properties/property.h"

namespace poolproof {

Property Linearity();
Property Scaling();
Property PlanePermutation();
Property Conservation();
Property SelfIrrelevant();
Property ViewCopy();
Property BatchAxis();
Property DepthOne();
Property AdaptiveFixed();
Property ListLength();
Property IndexType();

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_PROPERTIES_PROPERTY_LIST_H_
