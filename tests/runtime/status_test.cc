// SPDX-License-Identifier: Apache-2.0
//
// Every status, constraint and support clause against both libraries, by descriptors alone.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "core/data_type.h"
#include "tests/runtime/support/calls.h"

namespace poolproof {
namespace {

constexpr aclnnStatus kOk = 0;
constexpr aclnnStatus kNull = 161001;
constexpr aclnnStatus kInvalid = 161002;
constexpr aclnnStatus kInnerNull = 561103;

using Edit = std::function<void(BackwardCall&)>;

constexpr std::array kSupportedSocs = {kA2, kA3, k950};

std::string OperatorName(AbiOperator op) {
  constexpr std::array kNames = {"MP3", "MP2", "AMP3", "AMP2"};
  return kNames[static_cast<std::size_t>(op)];
}

constexpr std::array kOperators = {AbiOperator::kMaxPool3d, AbiOperator::kMaxPool2d,
                                   AbiOperator::kAdaptive3d, AbiOperator::kAdaptive2d};
constexpr std::array kFixed = {AbiOperator::kMaxPool3d, AbiOperator::kMaxPool2d};

// Backward MaxPool2d takes float alone, except on Ascend 950.
bool TakesFloat(const char* soc, AbiOperator op, aclDataType type) {
  if (type == ACL_FLOAT) return true;
  if (op == AbiOperator::kMaxPool2d && soc != k950) return false;
  return type == ACL_FLOAT16 || type == ACL_BF16;
}

class Status : public testing::TestWithParam<const char*> {
 protected:
  AbiLibrary library_{GetParam()};

  // The status of phase one after `edit`; a refusal leaves the out-parameters alone and a message
  // that names the clause.
  aclnnStatus StatusOf(const char* soc, AbiOperator op, const Edit& edit,
                       const std::string& clause) {
    SCOPED_TRACE(std::string(soc) + " " + OperatorName(op) + " " + clause);
    const SocScope scope(soc);
    BackwardCall call = LegalBackward(op);
    edit(call);
    Descriptors descriptors(library_);
    static_cast<void>(library_.Message());
    const PhaseOne phase_one = RunPhaseOne(library_, descriptors, call);
    const std::string message = library_.Message();
    if (phase_one.status == kOk) {
      EXPECT_EQ(message, "");
      EXPECT_NE(phase_one.executor, nullptr);
      EXPECT_EQ(phase_one.workspace_size, 0U);
      EXPECT_EQ(library_.aclDestroyAclOpExecutor(phase_one.executor), 0);
    } else {
      EXPECT_EQ(phase_one.executor, nullptr);
      EXPECT_EQ(phase_one.workspace_size, 0xdeadbeefU);
      EXPECT_NE(message.find(clause), std::string::npos) << message;
      EXPECT_NE(message.find("expected"), std::string::npos) << message;
    }
    return phase_one.status;
  }

  void Expect(aclnnStatus status, AbiOperator op, const std::string& clause, const Edit& edit) {
    for (const char* soc : kSupportedSocs) ExpectOn(soc, status, op, clause, edit);
  }
  void ExpectOn(const char* soc, aclnnStatus status, AbiOperator op, const std::string& clause,
                const Edit& edit) {
    EXPECT_EQ(StatusOf(soc, op, edit, clause), status) << soc << " " << clause;
  }
};

INSTANTIATE_TEST_SUITE_P(, Status,
                         testing::Values(POOLPROOF_REFERENCE_LIBRARY, POOLPROOF_OPTIMIZED_LIBRARY),
                         [](const auto& test) {
                           return test.index == 0 ? "Reference" : "Optimized";
                         });

const Edit kNothing = [](BackwardCall&) {};

TEST_P(Status, LegalCallsAreAccepted) {
  for (const AbiOperator op : kOperators) Expect(kOk, op, "legal", kNothing);
}

TEST_P(Status, NullPointers) {
  struct Row {
    const char* fixed;  // behind MP2/MP3
    const char* amp;    // behind AMP2/AMP3
    TensorSpec BackwardCall::*tensor;
  };
  const Row rows[] = {{"S01", "S02", &BackwardCall::self},
                      {"S02", "S03", &BackwardCall::indices},
                      {"S03", "S01", &BackwardCall::grad_output},
                      {"S04", "S04", &BackwardCall::grad_input}};
  for (const Row& row : rows) {
    const Edit edit = [&](BackwardCall& call) { (call.*row.tensor).null = true; };
    for (const AbiOperator op : kOperators) {
      const std::string clause =
          OperatorName(op) + "-" + (HasFixedWindows(op) ? row.fixed : row.amp);
      Expect(kNull, op, clause, edit);
      ExpectOn(kInference, kNull, op, clause, edit);  // before the platform
    }
  }
  for (ListSpec BackwardCall::*list : {&BackwardCall::kernel_size, &BackwardCall::stride,
                                       &BackwardCall::padding, &BackwardCall::dilation}) {
    for (const AbiOperator op : kFixed) {
      Expect(kNull, op, OperatorName(op) + "-S05",
             [&](BackwardCall& call) { (call.*list).null = true; });
    }
  }
  for (const AbiOperator op : kOperators) {
    Expect(kNull, op, "2P-05", [](BackwardCall& call) { call.null_workspace_size = true; });
    Expect(kNull, op, "2P-05", [](BackwardCall& call) { call.null_executor = true; });
  }
}

TEST_P(Status, Platforms) {
  for (const char* soc :
       {k200i, kInference, kTraining, "Ascend910A", "Ascend910ProA", "Nonsense"}) {
    for (const AbiOperator op : kOperators) {
      ExpectOn(soc, kInvalid, op, OperatorName(op) + "-S49", kNothing);
    }
  }
  for (const AbiOperator op : kOperators) ExpectOn(k950, kOk, op, "", kNothing);
  {
    const EditionScope older("seeds");
    ExpectOn(k950, kInvalid, AbiOperator::kAdaptive2d, "AMP2-S49", kNothing);
    ExpectOn(k950, kOk, AbiOperator::kAdaptive3d, "", kNothing);
  }
  for (const char* soc : {"Ascend910B1", "Ascend910B2C", "Ascend910B4-1", "Ascend910_9362"}) {
    for (const AbiOperator op : kOperators) ExpectOn(soc, kOk, op, "", kNothing);
  }
}

TEST_P(Status, FloatTypes) {
  for (int value = -1; value <= 45; ++value) {
    const auto type = static_cast<aclDataType>(value);
    for (const AbiOperator op : kOperators) {
      const std::string clause = OperatorName(op) + "-S10";
      for (const char* soc : kSupportedSocs) {
        const bool supported = TakesFloat(soc, op, type);
        for (TensorSpec BackwardCall::*tensor :
             {&BackwardCall::grad_output, &BackwardCall::self, &BackwardCall::grad_input}) {
          if (supported) continue;
          ExpectOn(soc, kInvalid, op, clause,
                   [&](BackwardCall& call) { (call.*tensor).type = type; });
        }
        ExpectOn(soc, supported ? kOk : kInvalid, op, clause, [&](BackwardCall& call) {
          call.grad_output.type = call.self.type = call.grad_input.type = type;
        });
      }
    }
  }
}

TEST_P(Status, MixedFloatTypes) {
  for (const AbiOperator op : kOperators) {
    const std::string prefix = OperatorName(op);
    for (const char* soc : kSupportedSocs) {
      const std::string clause = prefix + (TakesFloat(soc, op, ACL_FLOAT16) ? "-S14" : "-S10");
      ExpectOn(soc, kInvalid, op, clause,
               [](BackwardCall& call) { call.grad_output.type = ACL_FLOAT16; });
      ExpectOn(soc, kInvalid, op, clause, [](BackwardCall& call) { call.self.type = ACL_BF16; });
      const Edit narrow_result = [](BackwardCall& call) { call.grad_input.type = ACL_FLOAT16; };
      const bool adaptive = !HasFixedWindows(op);
      ExpectOn(soc, kInvalid, op, adaptive ? prefix + "-S15" : clause, narrow_result);
      const EditionScope older("seeds");
      if (op == AbiOperator::kAdaptive3d) ExpectOn(soc, kInvalid, op, "AMP3-S14", narrow_result);
    }
  }
}

TEST_P(Status, IndexTypes) {
  for (int value = -1; value <= 45; ++value) {
    const auto type = static_cast<aclDataType>(value);
    const Edit edit = [&](BackwardCall& call) { call.indices.type = type; };
    for (const char* soc : {kA2, kA3}) {
      const bool is_int64 = type == ACL_INT64;
      for (const AbiOperator op :
           {AbiOperator::kMaxPool3d, AbiOperator::kMaxPool2d, AbiOperator::kAdaptive3d}) {
        ExpectOn(soc, type == ACL_INT32 ? kOk : kInvalid, op,
                 OperatorName(op) + (is_int64 ? "-S12" : "-S11"), edit);
      }
      ExpectOn(soc, type == ACL_INT32 || is_int64 ? kOk : kInvalid, AbiOperator::kAdaptive2d,
               "AMP2-S11", edit);
    }
    const bool on_950 = type == ACL_INT32 || type == ACL_INT64;
    for (const AbiOperator op : kFixed) {
      ExpectOn(k950, on_950 ? kOk : kInvalid, op, OperatorName(op) + "-S11", edit);
    }
    ExpectOn(k950, on_950 ? kOk : kInvalid, AbiOperator::kAdaptive3d, "", edit);
  }
}

TEST_P(Status, Formats) {
  constexpr std::array kTensors = {&BackwardCall::grad_output, &BackwardCall::self,
                                   &BackwardCall::indices, &BackwardCall::grad_input};
  const std::vector<int> values = {-1, 0, 1, 2, 3, 4, 12, 16, 27, 29, 30, 32, 33, 35, 47, 50, 77};
  for (const int value : values) {
    const auto format = static_cast<aclFormat>(value);
    bool is_public = false;
    for (const FormatInfo& info : AllFormats()) {
      if (info.format == static_cast<Format>(value)) is_public = value >= 0 && !info.is_private;
    }
    for (const AbiOperator op : kOperators) {
      const std::string prefix = OperatorName(op);
      Expect(is_public ? kOk : kInvalid, op, prefix + "-S20", [&](BackwardCall& call) {
        const bool channels_last = op == AbiOperator::kMaxPool2d && format == ACL_FORMAT_NHWC;
        for (const auto tensor : kTensors) {
          if (channels_last) PassChannelsLast(call.*tensor);
          (call.*tensor).format = format;
        }
      });
      for (const auto tensor : kTensors) {
        if (format == ACL_FORMAT_ND) continue;
        const bool indices = tensor == &BackwardCall::indices;
        std::string clause = prefix + "-S20";
        if (is_public) {
          clause = op == AbiOperator::kMaxPool3d && indices ? "MP3-S22" : prefix + "-S21";
        }
        Expect(kInvalid, op, clause, [&](BackwardCall& call) { (call.*tensor).format = format; });
      }
    }
  }
}

TEST_P(Status, Ranks) {
  for (const AbiOperator op : kOperators) {
    const std::string rank_clause = OperatorName(op) + (HasFixedWindows(op) ? "-S32" : "-S30");
    const std::size_t lowest = LegalBackward(op).self.shape.size() - 1;
    for (const std::size_t rank : {0U, 1U, 2U, 3U, 5U, 6U, 8U, 25U}) {
      if (rank == lowest || rank == lowest + 1) continue;
      const Dims shape(rank, 2);
      for (TensorSpec BackwardCall::*tensor : {&BackwardCall::grad_output, &BackwardCall::self,
                                               &BackwardCall::indices, &BackwardCall::grad_input}) {
        Expect(kInvalid, op, rank_clause,
               [&](BackwardCall& call) { (call.*tensor).shape = shape; });
      }
    }
    // The lower rank of all four is legal, mixed ranks are not.
    const Edit lower = [](BackwardCall& call) {
      for (TensorSpec BackwardCall::*tensor : {&BackwardCall::grad_output, &BackwardCall::self,
                                               &BackwardCall::indices, &BackwardCall::grad_input}) {
        (call.*tensor).shape.erase((call.*tensor).shape.begin());
      }
    };
    Expect(kOk, op, "lower rank", lower);
    Expect(kInvalid, op, OperatorName(op) + (HasFixedWindows(op) ? "-S33" : "-S34"),
           [](BackwardCall& call) {
             call.grad_output.shape.erase(call.grad_output.shape.begin());
             call.indices.shape = call.grad_output.shape;
           });
  }
}

TEST_P(Status, UnequalShapes) {
  for (const AbiOperator op : kOperators) {
    const bool fixed = HasFixedWindows(op);
    const std::string prefix = OperatorName(op);
    const std::size_t rank = LegalBackward(op).self.shape.size();
    for (std::size_t axis = 0; axis < rank; ++axis) {
      Expect(kInvalid, op, prefix + (fixed ? "-S30" : "-S31"),
             [&](BackwardCall& call) { ++call.indices.shape[axis]; });
      Expect(kInvalid, op, prefix + (fixed ? "-S31" : "-S32"),
             [&](BackwardCall& call) { ++call.grad_input.shape[axis]; });
    }
    for (const std::size_t axis : {0U, 1U}) {
      Expect(kInvalid, op, prefix + (fixed ? "-S33" : "-S34"), [&](BackwardCall& call) {
        ++call.grad_output.shape[axis];
        call.indices.shape = call.grad_output.shape;
      });
    }
    for (std::size_t axis = 2; fixed && axis < rank; ++axis) {
      for (const std::int64_t change : {-1, 1}) {
        Expect(kInvalid, op, prefix + "-S33", [&](BackwardCall& call) {
          call.grad_output.shape[axis] += change;
          call.indices.shape = call.grad_output.shape;
        });
      }
    }
  }
}

TEST_P(Status, WindowLists) {
  struct Row {
    const char* clause;
    ListSpec BackwardCall::*list;
    std::vector<std::int64_t> values;
  };
  const std::vector<Row> rows = {
      {"MP3-S40", &BackwardCall::kernel_size, {}},
      {"MP3-S40", &BackwardCall::kernel_size, {2, 2}},
      {"MP3-S40", &BackwardCall::kernel_size, {2, 2, 2, 2}},
      {"MP3-S41", &BackwardCall::kernel_size, {0}},
      {"MP3-S41", &BackwardCall::kernel_size, {2, 0, 2}},
      {"MP3-S41", &BackwardCall::kernel_size, {2, 3, -2}},
      {"MP3-S42", &BackwardCall::stride, {2, 2}},
      {"MP3-S42", &BackwardCall::stride, {2, 2, 2, 2}},
      {"MP3-S43", &BackwardCall::stride, {0}},
      {"MP3-S43", &BackwardCall::stride, {2, 0, 2}},
      {"MP3-S43", &BackwardCall::stride, {2, 3, -1}},
      {"MP3-S44", &BackwardCall::padding, {}},
      {"MP3-S44", &BackwardCall::padding, {0, 0}},
      {"MP3-S44", &BackwardCall::padding, {0, 0, 0, 0}},
      {"MP3-S45", &BackwardCall::padding, {-1}},
      {"MP3-S45", &BackwardCall::padding, {0, 0, -1}},
      {"MP3-S46", &BackwardCall::padding, {2}},
      {"MP3-S46", &BackwardCall::padding, {0, 2, 0}},
      {"MP3-S46", &BackwardCall::padding, {0, 0, INT64_MAX}},
      {"MP3-S47", &BackwardCall::dilation, {}},
      {"MP3-S47", &BackwardCall::dilation, {1, 1}},
      {"MP3-S47", &BackwardCall::dilation, {1, 1, 1, 1}},
      {"MP3-S48", &BackwardCall::dilation, {2}},
      {"MP3-S48", &BackwardCall::dilation, {1, 1, 0}},
      {"MP3-S48", &BackwardCall::dilation, {1, -1, 1}},
      {"MP3-S33", &BackwardCall::kernel_size, {5, 3, 2}},
      {"MP3-S33", &BackwardCall::kernel_size, {INT64_MAX, 3, 2}},
      {"MP3-S33", &BackwardCall::stride, {INT64_MAX}},
      {"MP2-S40", &BackwardCall::kernel_size, {}},
      {"MP2-S40", &BackwardCall::kernel_size, {1, 3, 2}},
      {"MP2-S41", &BackwardCall::kernel_size, {0}},
      {"MP2-S41", &BackwardCall::kernel_size, {-3, 2}},
      {"MP2-S42", &BackwardCall::stride, {1, 3, 2}},
      {"MP2-S43", &BackwardCall::stride, {3, 0}},
      {"MP2-S43", &BackwardCall::stride, {-3, 2}},
      {"MP2-S44", &BackwardCall::padding, {}},
      {"MP2-S44", &BackwardCall::padding, {0, 0, 0}},
      {"MP2-S45", &BackwardCall::padding, {0, -1}},
      {"MP2-S46", &BackwardCall::padding, {2}},
      {"MP2-S46", &BackwardCall::padding, {2, 0}},
      {"MP2-S46", &BackwardCall::padding, {0, INT64_MAX}},
      {"MP2-S47", &BackwardCall::dilation, {}},
      {"MP2-S47", &BackwardCall::dilation, {1, 1, 1}},
      {"MP2-S33", &BackwardCall::kernel_size, {7, 2}},
      {"MP2-S33", &BackwardCall::kernel_size, {2, 3}},
      {"MP2-S33", &BackwardCall::stride, {INT64_MAX}},
  };
  for (const Row& row : rows) {
    const AbiOperator op = std::string(row.clause).starts_with("MP3") ? AbiOperator::kMaxPool3d
                                                                      : AbiOperator::kMaxPool2d;
    Expect(kInvalid, op, row.clause,
           [&](BackwardCall& call) { (call.*row.list).values = row.values; });
  }
  const auto dilated = [](const std::vector<std::int64_t>& values) {
    return [=](BackwardCall& call) { call.dilation.values = values; };
  };
  for (const std::vector<std::int64_t>& values :
       {std::vector<std::int64_t>{2}, {1, 2}, {0}, {1, -1}}) {
    for (const char* soc : {kA2, kA3}) {
      ExpectOn(soc, kInvalid, AbiOperator::kMaxPool2d, "MP2-S48", dilated(values));
    }
    const bool positive = values.back() > 0;
    ExpectOn(k950, kInvalid, AbiOperator::kMaxPool2d, positive ? "MP2-S33" : "MP2-S53",
             dilated(values));
  }
}

TEST_P(Status, WindowListsThatAreLegal) {
  Expect(kOk, AbiOperator::kMaxPool3d, "MP3-B10", [](BackwardCall& call) {
    call.kernel_size.values = {2};
    call.stride.values = {2};
    SetGradOutputShape(call, {2, 3, 2, 3, 4});
  });
  Expect(kOk, AbiOperator::kMaxPool3d, "MP3-B11",
         [](BackwardCall& call) { call.stride.values.clear(); });
  Expect(kOk, AbiOperator::kMaxPool3d, "MP3-B12", [](BackwardCall& call) {
    call.stride.values = {1};
    SetGradOutputShape(call, {2, 3, 3, 4, 7});
  });
  Expect(kOk, AbiOperator::kMaxPool3d, "MP3-B13", [](BackwardCall& call) {
    call.padding.values = {1};
    SetGradOutputShape(call, {2, 3, 3, 2, 5});
  });
  Expect(kOk, AbiOperator::kMaxPool3d, "MP3-B13", [](BackwardCall& call) {
    call.padding.values = {1, 0, 1};
    SetGradOutputShape(call, {2, 3, 3, 2, 5});
  });
  Expect(kOk, AbiOperator::kMaxPool3d, "MP3-B14",
         [](BackwardCall& call) { call.dilation.values = {1}; });
  // MP3-B15: extents (7 - 2) / 3 + 1 by floor and ceil; and a last window that begins in the right
  // padding is dropped (5, k 2, s 2, p 1: 3, not 4).
  for (const bool ceil_mode : {false, true}) {
    Expect(kOk, AbiOperator::kMaxPool3d, "MP3-B15", [&](BackwardCall& call) {
      SetSelfShape(call, {1, 7, 7, 7});
      call.kernel_size.values = {2};
      call.stride.values = {3};
      call.padding.values = {0};
      call.ceil_mode = ceil_mode;
      const std::int64_t extent = ceil_mode ? 3 : 2;
      SetGradOutputShape(call, {1, extent, extent, extent});
    });
  }
  Expect(kOk, AbiOperator::kMaxPool3d, "MP3-B15", [](BackwardCall& call) {
    SetSelfShape(call, {1, 5, 5, 5});
    call.kernel_size.values = {2};
    call.stride.values = {2};
    call.padding.values = {1};
    call.ceil_mode = true;
    SetGradOutputShape(call, {1, 3, 3, 3});
  });
}

TEST_P(Status, WindowListsOfPlanesThatAreLegal) {
  struct Row {
    const char* clause;
    std::array<std::vector<std::int64_t>, 4> lists;
    bool ceil_mode;
    Dims self;
    Dims pooled;
  };
  const std::vector<Row> rows = {
      {"MP2-B10", {{{3}, {3, 2}, {0, 0}, {1, 1}}}, false, {2, 3, 6, 8}, {2, 3, 2, 3}},
      {"MP2-B11", {{{3, 2}, {}, {0, 0}, {1, 1}}}, false, {2, 3, 6, 8}, {2, 3, 2, 4}},
      {"MP2-B12", {{{3, 2}, {1}, {0, 0}, {1, 1}}}, false, {2, 3, 6, 8}, {2, 3, 4, 7}},
      {"MP2-B13", {{{3, 2}, {3, 2}, {1}, {1, 1}}}, false, {2, 3, 6, 8}, {2, 3, 2, 5}},
      {"MP2-B13", {{{3, 2}, {3, 2}, {0, 1}, {1, 1}}}, false, {2, 3, 6, 8}, {2, 3, 2, 5}},
      {"MP2-B14", {{{3, 2}, {3, 2}, {0, 0}, {1}}}, false, {2, 3, 6, 8}, {2, 3, 2, 4}},
      {"MP2-B15", {{{2}, {3}, {0}, {1}}}, false, {1, 7, 7}, {1, 2, 2}},
      {"MP2-B15", {{{2}, {3}, {0}, {1}}}, true, {1, 7, 7}, {1, 3, 3}},
      {"MP2-B15", {{{2}, {2}, {1}, {1}}}, true, {1, 5, 5}, {1, 3, 3}},
      {"MP2-B17", {{{3, 2}, {1}, {0}, {2, 3}}}, false, {1, 6, 8}, {1, 2, 5}},
  };
  for (const Row& row : rows) {
    for (const char* soc : {kA2, kA3, k950}) {
      if (std::string(row.clause) == "MP2-B17" && soc != k950) continue;
      ExpectOn(soc, kOk, AbiOperator::kMaxPool2d, row.clause, [&](BackwardCall& call) {
        call.kernel_size.values = row.lists[0];
        call.stride.values = row.lists[1];
        call.padding.values = row.lists[2];
        call.dilation.values = row.lists[3];
        call.ceil_mode = row.ceil_mode;
        SetSelfShape(call, row.self);
        SetGradOutputShape(call, row.pooled);
      });
    }
  }
}

TEST_P(Status, PlaneLimits) {
  constexpr std::int64_t kLargest = INT32_MAX;
  const auto one_window = [](BackwardCall& call, const Dims& self) {
    SetSelfShape(call, self);
    Dims pooled = self;
    for (std::size_t axis = self.size() - 3; axis < self.size(); ++axis) pooled[axis] = 1;
    SetGradOutputShape(call, pooled);
    call.kernel_size.values = {self[self.size() - 3], self[self.size() - 2], self.back()};
    call.stride.values.clear();
    call.padding.values = {0};
  };
  const std::vector<Dims> legal = {{1, 1, 1, 1, kLargest}, {1, kLargest, 1, 1}};
  const std::vector<Dims> above = {{1, 1, 1, 1, kLargest + 1},
                                   {1, 1, 2, 32768, 32768},
                                   {1, std::int64_t{1} << 62, 1, 1},
                                   {1, std::int64_t{1} << 31, std::int64_t{1} << 31, 1}};
  const std::vector<Dims> overflowing = {
      {1, 1, std::int64_t{1} << 62, std::int64_t{1} << 62, std::int64_t{1} << 62},
      {1, 1, std::int64_t{1} << 62, 4, 1},
      {1, INT64_MAX, INT64_MAX, 2}};
  for (const AbiOperator op : {AbiOperator::kMaxPool3d, AbiOperator::kAdaptive3d}) {
    const std::string clause = op == AbiOperator::kMaxPool3d ? "MP3-S50" : "AMP3-S33";
    for (const Dims& shape : legal) {
      Expect(kOk, op, clause, [&](BackwardCall& call) { one_window(call, shape); });
    }
    for (const Dims& shape : above) {
      for (const char* soc : {kA2, kA3}) {
        ExpectOn(soc, kInvalid, op, clause, [&](BackwardCall& call) { one_window(call, shape); });
      }
      ExpectOn(k950, kInvalid, op, "2147483647",
               [&](BackwardCall& call) { one_window(call, shape); });
      ExpectOn(k950, kOk, op, "MP3-B25", [&](BackwardCall& call) {
        one_window(call, shape);
        call.indices.type = ACL_INT64;
      });
    }
    for (const Dims& shape : overflowing) {
      Expect(kInvalid, op, "", [&](BackwardCall& call) { one_window(call, shape); });
      ExpectOn(k950, kInvalid, op, "2^63", [&](BackwardCall& call) {
        one_window(call, shape);
        call.indices.type = ACL_INT64;
      });
    }
  }
  const auto one_row = [](std::int64_t width, aclDataType type) {
    return [=](BackwardCall& call) {
      SetSelfShape(call, {1, 1, 1, width});
      SetGradOutputShape(call, {1, 1, 1, 1});
      call.kernel_size.values = {1, width};
      call.stride.values.clear();
      call.indices.type = type;
    };
  };
  Expect(kOk, AbiOperator::kMaxPool2d, "", one_row(kLargest, ACL_INT32));
  Expect(kInvalid, AbiOperator::kMaxPool2d, "2147483647", one_row(kLargest + 1, ACL_INT32));
  ExpectOn(k950, kOk, AbiOperator::kMaxPool2d, "", one_row(kLargest + 1, ACL_INT64));
  for (const aclDataType type : {ACL_INT32, ACL_INT64}) {
    const auto with = [&](std::int64_t h, std::int64_t w) {
      return [=](BackwardCall& call) {
        call.indices.type = type;
        SetSelfShape(call, {1, 1, h, w});
        SetGradOutputShape(call, {1, 1, 1, 1});
      };
    };
    Expect(kOk, AbiOperator::kAdaptive2d, "AMP2-S33", with(1, kLargest));
    Expect(kInvalid, AbiOperator::kAdaptive2d, "AMP2-S33", with(1, kLargest + 1));
    Expect(kInvalid, AbiOperator::kAdaptive2d, "AMP2-S33", with(65536, 32768));
    Expect(kInvalid, AbiOperator::kAdaptive2d, "AMP2-S33",
           with(std::int64_t{1} << 62, std::int64_t{1} << 62));
    Expect(kOk, AbiOperator::kAdaptive2d, "AMP2-C01", [&](BackwardCall& call) {
      call.indices.type = type;
      SetSelfShape(call, {1, 1, 4097, 4097});
      SetGradOutputShape(call, {1, 1, 3, 3});
    });
    Expect(kOk, AbiOperator::kAdaptive2d, "AMP2-C02", [&](BackwardCall& call) {
      call.indices.type = type;
      SetSelfShape(call, {1, 1, 8192, 8192});
      SetGradOutputShape(call, {1, 1, 2, 2});
    });
  }
}

TEST_P(Status, TotalsThatOverflow) {
  for (const AbiOperator op : kOperators) {
    Expect(kInvalid, op, "2^63", [](BackwardCall& call) {
      call.self.shape[0] = call.self.shape[1] = std::int64_t{1} << 31;
      call.grad_output.shape[0] = call.grad_output.shape[1] = std::int64_t{1} << 31;
      call.indices.shape = call.grad_output.shape;
      call.grad_input.shape = call.self.shape;
    });
    Expect(kInvalid, op, "negative", [](BackwardCall& call) {
      call.self.shape[0] = call.grad_input.shape[0] = -2;
      call.grad_output.shape[0] = call.indices.shape[0] = -2;
    });
  }
}

TEST_P(Status, EmptyTensors) {
  for (const AbiOperator op : kOperators) {
    for (const std::size_t axis : {0U, 1U}) {
      const bool refused = op == AbiOperator::kMaxPool2d && axis == 1;  // by its vendor
      Expect(refused ? kInvalid : kOk, op, "", [&](BackwardCall& call) {
        call.self.shape[axis] = call.grad_input.shape[axis] = 0;
        call.grad_output.shape[axis] = call.indices.shape[axis] = 0;
      });
    }
    // The other conditions still hold.
    Expect(kInvalid, op, "", [](BackwardCall& call) {
      call.self.shape[0] = call.grad_input.shape[0] = 0;
      call.grad_output.shape[0] = call.indices.shape[0] = 0;
      call.indices.type = ACL_FLOAT;
    });
    // Gradients without a plane to go to.
    Expect(kInvalid, op, "",
           [](BackwardCall& call) { call.self.shape.back() = call.grad_input.shape.back() = 0; });
  }
  // An empty pooled side beside a full input.
  for (const AbiOperator op : {AbiOperator::kAdaptive3d, AbiOperator::kAdaptive2d}) {
    Expect(kOk, op, "", [](BackwardCall& call) {
      call.grad_output.shape.back() = call.indices.shape.back() = 0;
    });
  }
  Expect(kOk, AbiOperator::kMaxPool3d, "huge and empty", [](BackwardCall& call) {
    constexpr std::int64_t kHuge = std::int64_t{1} << 62;
    SetSelfShape(call, {kHuge, kHuge, 0, 6, 8});
    SetGradOutputShape(call, {kHuge, kHuge, 0, 2, 4});
  });
}

TEST_P(Status, Views) {
  for (const AbiOperator op : kOperators) {
    for (TensorSpec BackwardCall::*tensor : {&BackwardCall::grad_output, &BackwardCall::self,
                                             &BackwardCall::indices, &BackwardCall::grad_input}) {
      const bool is_output = tensor == &BackwardCall::grad_input;
      const auto with = [&](const std::function<void(TensorSpec&, Dims&, std::int64_t)>& edit) {
        return [&, edit](BackwardCall& call) {
          TensorSpec& spec = call.*tensor;
          Dims strides = ContiguousStrides(spec.shape);
          edit(spec, strides, CheckedNumel(spec.shape).value());
          spec.strides = strides;
        };
      };
      // Gaps, a transposed layout, an offset and a reversed axis inside the storage.
      Expect(kOk, op, "gaps", with([](TensorSpec& spec, Dims& strides, std::int64_t numel) {
               for (std::int64_t& stride : strides) stride *= 2;
               spec.offset = 3;
               spec.storage = Dims{2 * numel + 3};
             }));
      Expect(kOk, op, "reversed", with([](TensorSpec& spec, Dims& strides, std::int64_t numel) {
               spec.offset = strides[0] * (spec.shape[0] - 1);
               strides[0] = -strides[0];
               spec.storage = Dims{numel};
             }));
      Expect(kInnerNull, op, "storage",
             with([](TensorSpec& spec, Dims& strides, std::int64_t numel) {
               for (std::int64_t& stride : strides) stride *= 2;
               spec.storage = Dims{2 * numel - 2};
             }));
      Expect(kInnerNull, op, "storage", with([](TensorSpec& spec, Dims&, std::int64_t numel) {
               spec.offset = 1;
               spec.storage = Dims{numel};
             }));
      Expect(kInnerNull, op, "storage", with([](TensorSpec& spec, Dims&, std::int64_t numel) {
               spec.offset = -1;
               spec.storage = Dims{numel};
             }));
      Expect(kInnerNull, op, "storage", with([](TensorSpec& spec, Dims& strides, std::int64_t) {
               strides[0] = -strides[0];
               spec.storage = Dims{1000000};
             }));
      Expect(kInnerNull, op, "storage", with([](TensorSpec& spec, Dims& strides, std::int64_t) {
               strides[0] = INT64_MAX;
               spec.offset = INT64_MAX;
             }));
      // One element for many: fine to read, not to write.
      Expect(is_output ? kInvalid : kOk, op, "place of its own",
             with([](TensorSpec& spec, Dims& strides, std::int64_t) {
               for (std::int64_t& stride : strides) stride = 0;
               spec.storage = Dims{1};
             }));
      Expect(is_output ? kInvalid : kOk, op, "place of its own",
             with([](TensorSpec& spec, Dims& strides, std::int64_t numel) {
               strides[0] = strides[1];
               spec.storage = Dims{numel};
             }));
      // Contiguous without storage extents is its own storage.
      Expect(kOk, op, "",
             with([](TensorSpec& spec, Dims&, std::int64_t) { spec.storage = Dims{}; }));
    }
  }
}

// Interleaved by strides 2 and 3: no two elements meet, which the quick test cannot see.
TEST_P(Status, OddlyInterleavedOutputsAreAccepted) {
  Expect(kOk, AbiOperator::kAdaptive2d, "", [](BackwardCall& call) {
    SetSelfShape(call, {1, 3, 2});
    SetGradOutputShape(call, {1, 1, 1});
    call.grad_input.strides = Dims{0, 2, 3};
    call.grad_input.storage = Dims{8};
  });
}

TEST_P(Status, StaleDescriptorsAreRefused) {
  const SocScope scope(kA2);
  BackwardCall call = LegalBackward(AbiOperator::kAdaptive2d);
  Descriptors descriptors(library_);
  aclTensor* grad_output = descriptors.Make(call.grad_output);
  aclTensor* self = descriptors.Make(call.self);
  aclTensor* grad_input = descriptors.Make(call.grad_input);
  const TensorSpec& spec = call.indices;
  aclTensor* stale =
      library_.aclCreateTensor(spec.shape.data(), spec.shape.size(), spec.type, nullptr, 0,
                               spec.format, spec.shape.data(), spec.shape.size(), nullptr);
  ASSERT_EQ(library_.aclDestroyTensor(stale), 0);
  EXPECT_EQ(library_.aclDestroyTensor(stale), 561000);
  std::uint64_t workspace_size = 0;
  aclOpExecutor* executor = nullptr;
  int foreign = 0;
  for (aclTensor* indices : {stale, reinterpret_cast<aclTensor*>(&foreign)}) {
    EXPECT_EQ(library_.aclnnAdaptiveMaxPool2dBackwardGetWorkspaceSize(
                  grad_output, self, indices, grad_input, &workspace_size, &executor),
              561000);
    EXPECT_NE(library_.Message().find("indices"), std::string::npos);
  }
}

// --- Forwards
// -------------------------------------------------------------------------------------

using ForwardEdit = std::function<void(ForwardCall&)>;

class ForwardStatus : public Status {
 protected:
  aclnnStatus ForwardStatusOf(const char* soc, AbiOperator op, const ForwardEdit& edit) {
    const SocScope scope(soc);
    ForwardCall call = LegalForward(op);
    edit(call);
    Descriptors descriptors(library_);
    const PhaseOne phase_one = RunPhaseOne(library_, descriptors, call);
    if (phase_one.status == kOk) {
      EXPECT_EQ(library_.aclDestroyAclOpExecutor(phase_one.executor), 0);
    } else {
      EXPECT_EQ(phase_one.executor, nullptr);
      EXPECT_NE(library_.Message(), "");
    }
    return phase_one.status;
  }
};

INSTANTIATE_TEST_SUITE_P(, ForwardStatus,
                         testing::Values(POOLPROOF_REFERENCE_LIBRARY, POOLPROOF_OPTIMIZED_LIBRARY),
                         [](const auto& test) {
                           return test.index == 0 ? "Reference" : "Optimized";
                         });

TEST_P(ForwardStatus, Platforms) {
  const ForwardEdit nothing = [](ForwardCall&) {};
  for (const AbiOperator op : kOperators) {
    for (const char* soc : {kA2, kA3, k950}) EXPECT_EQ(ForwardStatusOf(soc, op, nothing), kOk);
    for (const char* soc : {k200i, kInference}) {
      EXPECT_EQ(ForwardStatusOf(soc, op, nothing), kInvalid);
    }
    EXPECT_EQ(ForwardStatusOf(kTraining, op, nothing),
              op == AbiOperator::kAdaptive2d ? kOk : kInvalid);
  }
}

TEST_P(ForwardStatus, FixedWindows) {
  for (const AbiOperator op : kFixed) {
    const std::vector<std::int64_t> wrong_length(op == AbiOperator::kMaxPool3d ? 2 : 3, 1);
    for (const char* soc : {kA2, kA3, k950}) {
      const auto status = [&](const ForwardEdit& edit) { return ForwardStatusOf(soc, op, edit); };
      for (TensorSpec ForwardCall::*tensor :
           {&ForwardCall::self, &ForwardCall::out, &ForwardCall::indices}) {
        EXPECT_EQ(status([&](ForwardCall& c) { (c.*tensor).null = true; }), kNull);
        EXPECT_EQ(status([&](ForwardCall& c) { (c.*tensor).type = ACL_DOUBLE; }), kInvalid);
        EXPECT_EQ(status([&](ForwardCall& c) { (c.*tensor).format = ACL_FORMAT_NC1HWC0; }),
                  kInvalid);
        EXPECT_EQ(status([&](ForwardCall& c) { ++(c.*tensor).shape[1]; }), kInvalid);
      }
      for (ListSpec ForwardCall::*list : {&ForwardCall::kernel_size, &ForwardCall::stride,
                                          &ForwardCall::padding, &ForwardCall::dilation}) {
        EXPECT_EQ(status([&](ForwardCall& c) { (c.*list).null = true; }), kNull);
        EXPECT_EQ(status([&](ForwardCall& c) { (c.*list).values = wrong_length; }), kInvalid);
        EXPECT_EQ(status([&](ForwardCall& c) { (c.*list).values = {-1}; }), kInvalid);
      }
      EXPECT_EQ(status([](ForwardCall& c) { c.padding.values = {2}; }), kInvalid);
      EXPECT_EQ(status([](ForwardCall& c) {
                  c.self.shape = {2, 3};
                  c.out.shape = c.indices.shape = {2, 3};
                }),
                kInvalid);
      EXPECT_EQ(
          status([](ForwardCall& c) { c.self.shape[0] = c.out.shape[0] = c.indices.shape[0] = 0; }),
          kOk);
    }
  }
}

TEST_P(ForwardStatus, MaxPool3d) {
  const auto status = [&](const char* soc, const ForwardEdit& edit) {
    return ForwardStatusOf(soc, AbiOperator::kMaxPool3d, edit);
  };
  const ForwardEdit dilated = [](ForwardCall& c) {
    c.dilation.values = {2};
    c.out.shape = c.indices.shape = {2, 3, 1, 1, 3};
  };
  EXPECT_EQ(status(kA2, dilated), kInvalid);
  EXPECT_EQ(status(k950, dilated), kOk);
  const ForwardEdit far = [](ForwardCall& c) { c.dilation.values = {INT64_MAX}; };
  EXPECT_EQ(status(k950, far), kInvalid);
  const ForwardEdit int64 = [](ForwardCall& c) { c.indices.type = ACL_INT64; };
  EXPECT_EQ(status(kA2, int64), kInvalid);
  EXPECT_EQ(status(k950, int64), kOk);
  const ForwardEdit ncl = [](ForwardCall& c) {
    c.self.format = c.out.format = c.indices.format = ACL_FORMAT_NCL;
  };
  EXPECT_EQ(status(kA2, ncl), kOk);
  EXPECT_EQ(status(k950, ncl), kInvalid);
  // The platform comes before null pointers.
  EXPECT_EQ(status(kInference, [](ForwardCall& c) { c.self.null = true; }), kInvalid);
}

TEST_P(ForwardStatus, MaxPool2d) {
  const auto status = [&](const char* soc, const ForwardEdit& edit) {
    return ForwardStatusOf(soc, AbiOperator::kMaxPool2d, edit);
  };
  const ForwardEdit dilated = [](ForwardCall& c) {
    c.dilation.values = {2};
    c.out.shape = c.indices.shape = {2, 3, 1, 3};
  };
  EXPECT_EQ(status(kA2, dilated), kInvalid);
  EXPECT_EQ(status(k950, dilated), kOk);
  for (const char* soc : {kA2, kA3, k950}) {
    EXPECT_EQ(status(soc, [](ForwardCall& c) { c.indices.type = ACL_INT64; }), kOk);
    for (const aclDataType type : {ACL_FLOAT16, ACL_BF16}) {
      EXPECT_EQ(status(soc, [&](ForwardCall& c) { c.self.type = c.out.type = type; }), kOk);
    }
    EXPECT_EQ(status(soc,
                     [](ForwardCall& c) {
                       for (TensorSpec* tensor : {&c.self, &c.out, &c.indices}) {
                         PassChannelsLast(*tensor);
                       }
                     }),
              kOk);
    // C is the last axis.
    EXPECT_EQ(status(soc,
                     [](ForwardCall& c) {
                       c.self.format = c.out.format = c.indices.format = ACL_FORMAT_NHWC;
                     }),
              kInvalid);
    EXPECT_EQ(
        status(soc,
               [](ForwardCall& c) { c.self.shape[2] = c.out.shape[2] = c.indices.shape[2] = 0; }),
        kInvalid);
    EXPECT_EQ(
        status(soc,
               [](ForwardCall& c) { c.self.shape[1] = c.out.shape[1] = c.indices.shape[1] = 0; }),
        kInvalid);
  }
}

TEST_P(ForwardStatus, AdaptiveMaxPool3d) {
  const auto status = [&](const char* soc, const ForwardEdit& edit) {
    return ForwardStatusOf(soc, AbiOperator::kAdaptive3d, edit);
  };
  const auto all_formats = [](aclFormat format) {
    return [=](ForwardCall& c) { c.self.format = c.out.format = c.indices.format = format; };
  };
  EXPECT_EQ(status(kA2, all_formats(ACL_FORMAT_ND)), kInvalid);
  EXPECT_EQ(status(k950, all_formats(ACL_FORMAT_ND)), kOk);
  EXPECT_EQ(status(kA2, all_formats(ACL_FORMAT_NCHW)), kOk);
  const ForwardEdit one_value = [](ForwardCall& c) {
    c.output_size.values = {2};
    c.out.shape = c.indices.shape = {2, 3, 2, 2, 2};
  };
  EXPECT_EQ(status(kA2, one_value), kInvalid);
  EXPECT_EQ(status(k950, one_value), kOk);
  const ForwardEdit no_value = [](ForwardCall& c) { c.output_size.values.clear(); };
  EXPECT_EQ(status(kA2, no_value), kInvalid);
  EXPECT_EQ(status(k950, no_value), kOk);
  for (const char* soc : {kA2, k950}) {
    EXPECT_EQ(status(soc, [](ForwardCall& c) { c.output_size.null = true; }), kNull);
    EXPECT_EQ(status(soc, [](ForwardCall& c) { c.output_size.values = {2, 0, 4}; }), kInvalid);
    EXPECT_EQ(status(soc, [](ForwardCall& c) { c.output_size.values = {2, 3, 5}; }), kInvalid);
    EXPECT_EQ(status(soc, [](ForwardCall& c) { c.out.shape[1] = c.indices.shape[1] = 4; }),
              kInvalid);
  }
  const ForwardEdit int64 = [](ForwardCall& c) { c.indices.type = ACL_INT64; };
  EXPECT_EQ(status(kA2, int64), kInvalid);
  EXPECT_EQ(status(k950, int64), kOk);
}

TEST_P(ForwardStatus, AdaptiveMaxPool2d) {
  const auto status = [&](const ForwardEdit& edit) {
    return ForwardStatusOf(kA2, AbiOperator::kAdaptive2d, edit);
  };
  EXPECT_EQ(status([](ForwardCall& c) { c.self.type = c.out.type = ACL_DOUBLE; }), kOk);
  EXPECT_EQ(status([](ForwardCall& c) {
              c.self.format = c.out.format = c.indices.format = ACL_FORMAT_NCHW;
            }),
            kOk);
  EXPECT_EQ(status([](ForwardCall& c) {
              for (TensorSpec* tensor : {&c.self, &c.out, &c.indices}) PassChannelsLast(*tensor);
            }),
            kOk);
  EXPECT_EQ(status([](ForwardCall& c) {
              for (TensorSpec* tensor : {&c.self, &c.out, &c.indices}) PassChannelsLast(*tensor);
              c.out.shape = c.indices.shape = {2, 3, 3, 4};  // N, C, H, W
            }),
            kInvalid);
  EXPECT_EQ(status([](ForwardCall& c) { c.indices.type = ACL_INT32; }), kInvalid);
  EXPECT_EQ(status([](ForwardCall& c) { c.output_size.values = {3}; }), kInvalid);
  EXPECT_EQ(status([](ForwardCall& c) { c.output_size.values = {3, -4}; }), kInvalid);
  EXPECT_EQ(status([](ForwardCall& c) { c.out.shape[2] = c.indices.shape[2] = 4; }), kInvalid);
}

// Calls that the vendor's own suite makes.
TEST_P(ForwardStatus, ChannelsLastCallOfTheVendor) {
  EXPECT_EQ(ForwardStatusOf(kA2, AbiOperator::kAdaptive2d,
                            [](ForwardCall& c) {
                              c.self.shape = {1, 5, 5, 1};
                              c.out.shape = c.indices.shape = {1, 2, 2, 1};
                              c.self.format = c.out.format = c.indices.format = ACL_FORMAT_NHWC;
                              c.output_size.values = {2, 2};
                            }),
            kOk);
}

TEST_P(ForwardStatus, MaxPool2dWithoutChannelsIsRefused) {
  EXPECT_EQ(ForwardStatusOf(
                kA2, AbiOperator::kMaxPool2d,
                [](ForwardCall& c) { c.self.shape[1] = c.out.shape[1] = c.indices.shape[1] = 0; }),
            kInvalid);
  Expect(kInvalid, AbiOperator::kMaxPool2d, "elements", [](BackwardCall& call) {
    call.self.shape[1] = call.grad_input.shape[1] = 0;
    call.grad_output.shape[1] = call.indices.shape[1] = 0;
  });
}

}  // namespace
}  // namespace poolproof
