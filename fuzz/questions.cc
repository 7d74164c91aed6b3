// SPDX-License-Identifier: Apache-2.0
#include "fuzz/questions.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "conformance/properties/properties.h"
#include "conformance/session/build_invocation.h"
#include "fuzz/expect.h"

namespace poolproof {
namespace {

// Two planes of few cells, whose windows overlap where they are fixed ones.
Call Backward(Operator op, DataType type, DataKind gradients) {
  const bool flat = InfoOf(op).spatial_rank == 2;
  const std::vector<SupportedType>& index_types = InfoOf(op).index_types;
  Call call = MakeBackward(op, type, flat ? index_types.back().type : DataType::kInt32,
                           {.self = flat ? Dims{1, 2, 4, 4} : Dims{1, 2, 1, 4, 4},
                            .kernel = flat ? Dims{2, 2} : Dims{1, 2, 2},
                            .stride = {1},
                            .padding = {0},
                            .dilation = {1},
                            .output = flat ? Dims{2, 2} : Dims{1, 2, 2}});
  call.tensor(Role::kGradOutput).data.kind = gradients;
  return call;
}

class Builder {
 public:
  std::vector<Question> Take() {
    for (const DataKind gradients : {DataKind::kZero, DataKind::kExact}) {
      for (const OperatorInfo& info : AllOperators()) {
        if (!info.is_forward) OfOperator(info.op, gradients);
      }
    }
    return std::move(questions_);
  }

 private:
  void OfOperator(Operator op, DataKind gradients) {
    for (const DataType type : {DataType::kFloat, DataType::kFloat16, DataType::kBf16}) {
      Add({{Backward(op, type, gradients)}, {}});
    }
    const Case plain = {{Backward(op, DataType::kFloat, gradients)}, {}};
    Add({{MakeForward(plain.calls.front())}, {}});
    Case invalid = plain;
    invalid.calls.front().tensor(Role::kSelf).null = true;
    Add(invalid);
    Case outside = plain;
    outside.calls.front().tensor(Role::kIndices).data.patches = {{0, 1000}};
    Add(outside);
    Case view = plain;
    TensorSpec& result = view.calls.front().tensor(Role::kGradInput);
    result.strides = StridesOf(result);
    for (std::int64_t& stride : result.strides) stride *= 2;
    result.offset = 3;
    Add(view);
    Plans(plain);
    for (std::size_t i = 1; i < kRelationCount; ++i) {
      Case related = plain;
      related.plan.relation = static_cast<Relation>(i);
      const std::optional<Case> derived = DeriveRelated(related.plan.relation, plain);
      if (derived) Add(*derived);
    }
  }

  void Plans(const Case& plain) {
    Add(plain, [](CallPlan& plan) { plan.descriptors_only = true; });
    Add(plain, [](CallPlan& plan) { plan.phase_two_alone = true; });
    Add(plain, [](CallPlan& plan) { plan.null_workspace_size = true; });
    Add(plain, [](CallPlan& plan) { plan.null_executor_out = true; });
    Add(plain, [](CallPlan& plan) { plan.growth_calls = 10; });
    Add(plain, [](CallPlan& plan) { plan.guard = Guard::kAfter; });
    Add(plain, [](CallPlan& plan) { plan.guard = Guard::kBefore; });
    Add(plain, [](CallPlan& plan) { plan.threads = 2; });
    Add(plain, [](CallPlan& plan) {
      plan.deterministic = true;
      plan.repeat = 3;
    });
    Add(plain, [](CallPlan& plan) {
      plan.reuse_executor = true;
      plan.repeat = 3;
      plan.vary_contents = true;
    });
    Case several = plain;
    several.calls.resize(3, plain.calls.front());
    Add(several, [](CallPlan& plan) {
      plan.order = Order::kLifo;
      plan.streams = 2;
    });
  }

  template <typename Set>
  void Add(Case problem, Set set) {
    set(problem.plan);
    Add(std::move(problem));
  }
  void Add(Case problem) {
    Result<PreparedCase> prepared =
        Prepare({Spec::Embedded(), Profile::kAtlasA2}, std::move(problem));
    Expect(prepared.ok(), "a question cannot be asked", prepared.status().message());
    Invocation invocation = BuildInvocation(prepared->problem, prepared->data);
    questions_.push_back({std::move(prepared).value(), std::move(invocation)});
  }

  std::vector<Question> questions_;
};

CallOutcome HonestCall(const CallArguments& call, const CallPlan& plan) {
  CallOutcome outcome;
  outcome.reached = Phase::kDone;
  if (!plan.phase_two_alone) {
    outcome.phase_one = 0;
    outcome.workspace_size_set = !plan.null_workspace_size;
    outcome.executor_set = !plan.null_executor_out;
    for (const TensorArgument& tensor : call.tensors) {
      if (!tensor.is_output || tensor.null) continue;
      outcome.outputs[static_cast<std::size_t>(tensor.role)].resize(tensor.bytes.size());
    }
  }
  const bool goes_on = outcome.workspace_size_set && outcome.executor_set && !plan.descriptors_only;
  if (goes_on || plan.phase_two_alone) {
    outcome.phase_two = 0;
    outcome.synchronise = 0;
  }
  outcome.guarded = plan.guard != Guard::kNone;
  return outcome;
}

}  // namespace

const std::vector<Question>& Questions() {
  static const std::vector<Question> questions = Builder().Take();
  return questions;
}

Outcome HonestAnswer(const Question& question) {
  Outcome outcome;
  const CallPlan& plan = question.prepared.problem.plan;
  for (int run = 0; run < plan.repeat * plan.threads; ++run) {
    for (const CallArguments& call : question.invocation.calls) {
      outcome.calls.push_back(HonestCall(call, plan));
    }
  }
  return outcome;
}

}  // namespace poolproof
