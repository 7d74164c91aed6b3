// SPDX-License-Identifier: Apache-2.0
#include "bench/contender.h"
#include "optimized/max_pool.h"
#include "optimized/max_pool_backward.h"
#include "optimized/tiers.h"
#include "reference/reference_kernels.h"

namespace poolproof {
namespace {

// Views are made beforehand, as the tensors of others are.
class OnProblem : public Contender {
 public:
  explicit OnProblem(const Problem& problem) : problem_(problem) {
    for (int i = 0; i < problem.sets(); ++i) {
      if (problem.pass() == Pass::kBackward) {
        backward_.push_back(problem.Backward(i));
      } else if (problem.shape().adaptive) {
        adaptive_forward_.push_back(problem.AdaptiveForward(i));
      } else {
        forward_.push_back(problem.Forward(i));
      }
    }
  }
  void Run(int i) override {
    const auto set = static_cast<std::size_t>(i);
    if (!backward_.empty()) {
      RunBackward(backward_[set]);
    } else if (!forward_.empty()) {
      RunForward(forward_[set]);
    } else {
      RunForward(adaptive_forward_[set]);
    }
  }
  bool IsRight() override {
    const OperandSet& set = problem_.set(0);
    return problem_.pass() == Pass::kBackward
               ? problem_.PlaneSideIsRight(set.plane_side.data())
               : problem_.PooledIsRight(set.pooled.data(), set.indices.data());
  }

 private:
  virtual void RunBackward(const BackwardArgs& args) = 0;
  virtual void RunForward(const MaxPoolArgs& args) = 0;
  virtual void RunForward(const AdaptiveMaxPoolArgs& args) = 0;

  const Problem& problem_;
  std::vector<BackwardArgs> backward_;
  std::vector<MaxPoolArgs> forward_;
  std::vector<AdaptiveMaxPoolArgs> adaptive_forward_;
};

class Optimized : public OnProblem {
 public:
  Optimized(const Problem& problem, int threads, const Tier* tier) : OnProblem(problem) {
    tuning_.parallelism.threads = threads;
    tuning_.tier = tier;
  }

 private:
  void RunBackward(const BackwardArgs& args) override {
    static_cast<void>(OptimizedMaxPoolBackward(args, tuning_));
  }
  void RunForward(const MaxPoolArgs& args) override { OptimizedMaxPool(args, tuning_); }
  void RunForward(const AdaptiveMaxPoolArgs& args) override {
    OptimizedAdaptiveMaxPool(args, tuning_);
  }

  Tuning tuning_;
};

class Reference : public OnProblem {
 public:
  using OnProblem::OnProblem;

 private:
  void RunBackward(const BackwardArgs& args) override {
    static_cast<void>(ReferenceKernels().max_pool3d_with_argmax_backward(args));
  }
  void RunForward(const MaxPoolArgs& args) override {
    ReferenceKernels().max_pool3d_with_argmax(args);
  }
  void RunForward(const AdaptiveMaxPoolArgs& args) override {
    ReferenceKernels().adaptive_max_pool3d(args);
  }
};

std::unique_ptr<Contender> MakeOptimized(const Problem& problem, int threads, const void* data) {
  return std::make_unique<Optimized>(problem, threads, static_cast<const Tier*>(data));
}

// Has one thread only.
std::unique_ptr<Contender> MakeReference(const Problem& problem, int threads, const void*) {
  if (threads > 1) return nullptr;
  return std::make_unique<Reference>(problem);
}

}  // namespace

void AddOurContenders(std::vector<ContenderEntry>& list) {
  list.push_back({"optimized", &MakeOptimized, &BestTier(CpuFeatures())});
  for (const Tier* tier : Tiers()) {
    if (tier == &BestTier(CpuFeatures()) || !tier->automatic) continue;
    if ((tier->needs & ~CpuFeatures()) != 0) continue;
    list.push_back({std::string("optimized_") + tier->name, &MakeOptimized, tier});
  }
  list.push_back({"reference", &MakeReference, nullptr});
}

}  // namespace poolproof
