// SPDX-License-Identifier: Apache-2.0
#include "conformance/session/table_classes.h"

#include "conformance/result/coverage.h"

namespace poolproof {

TableClasses TableClassesOf(const Call& call) {
  const OperatorInfo& info = InfoOf(call.op);
  const TensorSpec& self = call.tensor(Role::kSelf);
  return {DataTypeName(call.tensor(info.is_forward ? Role::kOut : Role::kGradOutput).type),
          DataTypeName(call.tensor(Role::kIndices).type), std::to_string(self.shape.size()),
          FormatName(self.format),
          std::string(CoverageClasses(CoverageAxis::kLayout)[LayoutClassOf(call).value_or(0)])};
}

}  // namespace poolproof
