// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/error_text.h"

#include <gtest/gtest.h>

namespace poolproof {
namespace {

Call CallOf(Operator op) {
  Call call;
  call.op = op;
  return call;
}

TEST(ErrorText, IsOfTheCallWhereItNamesTheOperatorOrAnArgument) {
  const Call call = CallOf(Operator::kMaxPool3dWithArgmaxBackward);
  for (const char* text :
       {"aclnnMaxPool3dWithArgmaxBackwardGetWorkspaceSize: bad call", "MaxPool3DWithArgmax failed",
        "EZ1001: Expected a proper Tensor but got null for argument gradOutput.",
        "grad_input has rank 2", "kernel_size[0] is 0", "The ceilMode of executor is 0",
        "self is null"}) {
    EXPECT_EQ(DoubtOfErrorText(call, text), "") << text;
  }
}

TEST(ErrorText, IsDoubtedWhereItNamesNothingOfTheCall) {
  const Call call = CallOf(Operator::kAdaptiveMaxPool2dBackward);
  EXPECT_EQ(DoubtOfErrorText(call, ""), "gave no text");
  EXPECT_EQ(DoubtOfErrorText(call, " \n"), "gave no text");
  EXPECT_EQ(DoubtOfErrorText(call, "invalid parameter"),
            "names neither the operator nor an argument");
  // Of another operator, whatever else it names.
  for (const char* text :
       {"AdaptiveMaxPool3dBackward: self is null", "aclnnMaxPool2dWithIndices: self is null",
        "MaxPool3dWithArgmaxBackward beside AdaptiveMaxPool2dBackward"}) {
    EXPECT_NE(DoubtOfErrorText(call, text).find("is about another operator"), std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace poolproof
