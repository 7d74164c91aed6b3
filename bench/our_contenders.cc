// SPDX-License-Identifier: Apache-2.0
#include "bench/contender.h"
#include "optimized/max_pool.h"
#include "optimized/max_pool_backward.h"
#include "optimized/tiers.h"
#include "reference/reference_kernels.h"

namespace poolproof {
namespace {

class OnProblem : public Contender {
 public:
  explicit OnProblem(const Problem& problem) : problem_(problem) {}
  bool IsRight() override {
    const OperandSet& set = problem_.set(0);
    return problem_.pass() == Pass::kBackward
               ? problem_.PlaneSideIsRight(set.plane_side.data())
               : problem_.PooledIsRight(set.pooled.data(), set.indices.data());
  }

 protected:
  const Problem& problem_;
};

class Optimized : public OnProblem {
 public:
  Optimized(const Problem& problem, int threads, const Tier* tier) : OnProblem(problem) {
    tuning_.parallelism.threads = threads;
    tuning_.tier = tier;
  }
  void Run(int i) override {
    if (problem_.pass() == Pass::kBackward) {
      static_cast<void>(OptimizedMaxPoolBackward(problem_.Backward(i), tuning_));
    } else if (problem_.shape().adaptive) {
      OptimizedAdaptiveMaxPool(problem_.AdaptiveForward(i), tuning_);
    } else {
      OptimizedMaxPool(problem_.Forward(i), tuning_);
    }
  }

 private:
  Tuning tuning_;
};

class Reference : public OnProblem {
 public:
  explicit Reference(const Problem& problem) : OnProblem(problem) {}
  void Run(int i) override {
    const KernelTable& kernels = ReferenceKernels();
    if (problem_.pass() == Pass::kBackward) {
      static_cast<void>(kernels.max_pool3d_with_argmax_backward(problem_.Backward(i)));
    } else if (problem_.shape().adaptive) {
      kernels.adaptive_max_pool3d(problem_.AdaptiveForward(i));
    } else {
      kernels.max_pool3d_with_argmax(problem_.Forward(i));
    }
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
