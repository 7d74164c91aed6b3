// SPDX-License-Identifier: Apache-2.0
//
// The probes of arithmetic against workers that add in a way of choice.
#include "conformance/session/probes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "core/float_bits.h"

namespace poolproof {
namespace {

using Terms = std::vector<double>;
// The sum of the terms of one destination, as bits of the type.
using Adder = std::function<std::uint32_t(const Terms&, DataType)>;

double Rounded(double value, DataType type) { return DecodeFloat(EncodeFloat(value, type), type); }

std::uint32_t Sequential(const Terms& terms, DataType type, DataType accumulator) {
  double sum = 0;
  for (const double term : terms) sum = Rounded(sum + term, accumulator);
  return EncodeFloat(sum, type);
}

double Tree(const Terms& terms, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return terms[begin];
  const std::size_t middle = begin + (end - begin) / 2;
  return Rounded(Tree(terms, begin, middle) + Tree(terms, middle, end), DataType::kFloat);
}

class AddingWorker : public Worker {
 public:
  explicit AddingWorker(Adder adder) : adder_(std::move(adder)) {}
  [[nodiscard]] const Probe& probe() const override { return probe_; }
  [[nodiscard]] bool alive() const override { return true; }
  Outcome Run(const Invocation& invocation) override {
    const CallArguments& call = invocation.calls.front();
    std::map<Role, const TensorArgument*> tensors;
    for (const TensorArgument& tensor : call.tensors) tensors[tensor.role] = &tensor;
    const TensorArgument& gradients = *tensors[Role::kGradOutput];
    const TensorArgument& output = *tensors[Role::kGradInput];
    const auto type = static_cast<DataType>(gradients.type);
    const auto width = static_cast<std::size_t>(StorageBytes(type));
    const std::size_t planes = static_cast<std::size_t>(gradients.shape[0] * gradients.shape[1]);
    const std::size_t outputs = gradients.bytes.size() / width / planes;
    const std::size_t size = output.bytes.size() / width / planes;
    std::vector<Terms> terms(planes * size);
    for (std::size_t i = 0; i < planes * outputs; ++i) {
      std::uint32_t bits = 0;
      std::int32_t index = 0;
      std::memcpy(&bits, gradients.bytes.data() + i * width, width);
      std::memcpy(&index, tensors[Role::kIndices]->bytes.data() + i * 4, 4);
      terms[i / outputs * size + static_cast<std::size_t>(index)].push_back(
          DecodeFloat(bits, type));
    }
    Outcome outcome;
    CallOutcome& done = outcome.calls.emplace_back();
    done.phase_one = done.phase_two = done.synchronise = 0;
    std::vector<std::byte>& bytes = done.outputs[static_cast<std::size_t>(Role::kGradInput)];
    bytes.resize(output.bytes.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const std::uint32_t bits = terms[i].empty() ? 0 : adder_(terms[i], type);
      std::memcpy(bytes.data() + i * width, &bits, width);
    }
    return outcome;
  }

 private:
  Adder adder_;
  Probe probe_;
};

struct Answers {
  ProbeResults results;
  std::string Of(const std::string& what, Operator op, DataType type) const {
    const std::string key = what + "." + std::string(InfoOf(op).name) + "." + DataTypeName(type);
    for (const auto& [name, value] : results.observed) {
      if (name == key) return value;
    }
    return "";
  }
  bool RoundsOnce(DataType type) const {
    for (const SumProbe& probe : results.sums) {
      if (probe.type == type) return probe.rounds_once;
    }
    return false;
  }
};

Answers ProbeAdder(Adder adder) {
  Capabilities capabilities;
  for (const OperatorInfo& info : AllOperators()) capabilities.operators.push_back(info.op);
  AddingWorker worker(std::move(adder));
  return {ProbeArithmetic(capabilities, worker)};
}

constexpr DataType kTypes[] = {DataType::kFloat, DataType::kFloat16, DataType::kBf16};
constexpr Operator kOperators[] = {Operator::kMaxPool3dWithArgmaxBackward,
                                   Operator::kAdaptiveMaxPool3dBackward,
                                   Operator::kAdaptiveMaxPool2dBackward};

TEST(Probes, RecoverTheOrderOfSummation) {
  const std::pair<Adder, const char*> rows[] = {
      {[](const Terms& terms, DataType type) { return Sequential(terms, type, DataType::kFloat); },
       "ascending"},
      {[](const Terms& terms, DataType type) {
         return Sequential({terms.rbegin(), terms.rend()}, type, DataType::kFloat);
       },
       "descending"},
      {[](const Terms& terms, DataType type) {
         return EncodeFloat(Tree(terms, 0, terms.size()), type);
       },
       "pairwise"},
      {[](const Terms& terms, DataType type) {
         Terms lanes = terms;
         while (lanes.size() > 1) {
           const std::size_t half = (lanes.size() + 1) / 2;
           for (std::size_t i = half; i < lanes.size(); ++i) {
             lanes[i - half] = Rounded(lanes[i - half] + lanes[i], DataType::kFloat);
           }
           lanes.resize(half);
         }
         return EncodeFloat(lanes[0], type);
       },
       "halving"},
      {[](const Terms& terms, DataType type) {
         double even = 0;
         double odd = 0;
         for (std::size_t i = 0; i < terms.size(); ++i) {
           double& sum = i % 2 == 0 ? even : odd;
           sum = Rounded(sum + terms[i], DataType::kFloat);
         }
         return EncodeFloat(Rounded(even + odd, DataType::kFloat), type);
       },
       "other"},
  };
  for (const auto& [adder, word] : rows) {
    const Answers answers = ProbeAdder(adder);
    for (const DataType type : kTypes) {
      for (const Operator op : kOperators) {
        EXPECT_EQ(answers.Of("order", op, type), word) << DataTypeName(type);
        EXPECT_EQ(answers.Of("rounding", op, type), "nearest-even") << DataTypeName(type);
      }
      EXPECT_FALSE(answers.RoundsOnce(type)) << DataTypeName(type);
    }
  }
}

TEST(Probes, TellAccumulatorsApart) {
  const Answers storage =
      ProbeAdder([](const Terms& terms, DataType type) { return Sequential(terms, type, type); });
  const Answers single = ProbeAdder(
      [](const Terms& terms, DataType type) { return Sequential(terms, type, DataType::kFloat); });
  for (const Operator op : kOperators) {
    EXPECT_EQ(storage.Of("accumulation", op, DataType::kFloat16), "acc-storage");
    EXPECT_EQ(storage.Of("accumulation", op, DataType::kBf16), "acc-storage");
    EXPECT_EQ(storage.Of("accumulation", op, DataType::kFloat), "acc-storage");
    EXPECT_EQ(single.Of("accumulation", op, DataType::kFloat16), "acc32");
    EXPECT_EQ(single.Of("accumulation", op, DataType::kBf16), "acc32");
  }
}

// Doubles hold every sum of FLOAT16 numbers, and none of numbers 2^100 apart.
TEST(Probes, WideAccumulatorsHideTheirOrderWhereTheyRoundOnce) {
  const Answers wide = ProbeAdder([](const Terms& terms, DataType type) {
    double sum = 0;
    for (const double term : terms) sum += term;
    return EncodeFloat(sum, type);
  });
  const Operator op = Operator::kMaxPool3dWithArgmaxBackward;
  EXPECT_TRUE(wide.RoundsOnce(DataType::kFloat16));
  EXPECT_EQ(wide.Of("order", op, DataType::kFloat16), "hidden");
  EXPECT_FALSE(wide.RoundsOnce(DataType::kFloat));
  EXPECT_EQ(wide.Of("order", op, DataType::kFloat), "ascending");
  EXPECT_EQ(wide.Of("accumulation", op, DataType::kFloat), "wider");
}

TEST(Probes, NameTheRounding) {
  const auto with = [](const std::function<double(double)>& round) {
    return ProbeAdder([round](const Terms& terms, DataType type) {
      double sum = 0;
      for (const double term : terms) sum += term;
      if (sum == 0 || !std::isfinite(sum)) return EncodeFloat(sum, type);
      const double ulp = std::ldexp(1.0, std::ilogb(sum) + 1 - TraitsOf(type).precision);
      return EncodeFloat(round(sum / ulp) * ulp, type);
    });
  };
  const std::pair<Answers, const char*> rows[] = {
      {with([](double x) { return std::nearbyint(x); }), "nearest-even"},
      {with([](double x) { return std::round(x); }), "nearest-away"},
      {with([](double x) { return std::trunc(x); }), "toward-zero"},
      {with([](double x) { return std::floor(x); }), "downward"},
      {with([](double x) { return std::ceil(x); }), "upward"},
      {with(
           [turn = 0](double x) mutable { return ++turn % 2 == 0 ? std::floor(x) : std::ceil(x); }),
       "other"},
  };
  for (const auto& [answers, word] : rows) {
    for (const DataType type : kTypes) {
      EXPECT_EQ(answers.Of("rounding", Operator::kAdaptiveMaxPool2dBackward, type), word)
          << DataTypeName(type);
    }
  }
}

}  // namespace
}  // namespace poolproof
