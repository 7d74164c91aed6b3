// SPDX-License-Identifier: Apache-2.0
#include "conformance/result/predicate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "conformance/case/plan_members.h"
#include "conformance/result/coverage.h"
#include "core/text.h"

namespace poolproof {
namespace {

constexpr std::size_t kLongest = 2000;
constexpr int kDeepest = 32;

using NumberOf = std::optional<std::int64_t> (*)(const Call&, const Case&);
using WordOf = std::optional<std::string> (*)(const Call&, const Case&);
using IsWord = bool (*)(std::string_view);

// One row per parameter: a number, or a word of a closed list.
struct Parameter {
  std::string_view name;
  NumberOf number;
  WordOf word;
  IsWord is_word;
  std::string_view words;  // what is_word takes, for messages
  bool is_type = false;    // told by Told::kTypes
};

// gradOutput of a backward, out of a forward.
const TensorSpec& OutputSide(const Call& call) {
  return call.tensor(InfoOf(call.op).is_forward ? Role::kOut : Role::kGradOutput);
}

// Axis 0, 1, 2: d, h, w, counted from the end of the shape.
template <int kAxis>
std::optional<std::int64_t> Extent(const Call& call, const TensorSpec& tensor) {
  const std::size_t from_end = 3 - kAxis;
  const auto spatial = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  if (from_end > spatial || tensor.null || tensor.shape.size() < spatial) return std::nullopt;
  return tensor.shape[tensor.shape.size() - from_end];
}

template <int kAxis>
std::optional<std::int64_t> InputExtent(const Call& call, const Case&) {
  return Extent<kAxis>(call, call.tensor(Role::kSelf));
}

template <int kAxis>
std::optional<std::int64_t> OutputExtent(const Call& call, const Case&) {
  return Extent<kAxis>(call, OutputSide(call));
}

template <std::array<std::int64_t, 3> WindowAttributes::*kMember, int kAxis>
std::optional<std::int64_t> Attribute(const Call& call, const Case&) {
  if (InfoOf(call.op).windows == WindowRule::kAdaptive) return std::nullopt;
  const std::optional<WindowAttributes> attributes = ExpandAttributes(call);
  if (!attributes) return std::nullopt;
  return ((*attributes).*kMember)[kAxis];
}

std::optional<std::int64_t> Rank(const Call& call, const Case&) {
  const TensorSpec& self = call.tensor(Role::kSelf);
  if (self.null) return std::nullopt;
  return static_cast<std::int64_t>(self.shape.size());
}

// Product of the axes in front of the plane.
std::optional<std::int64_t> Planes(const Call& call, const Case&) {
  const TensorSpec& self = call.tensor(Role::kSelf);
  const auto spatial = static_cast<std::size_t>(InfoOf(call.op).spatial_rank);
  if (self.null || self.shape.size() < spatial) return std::nullopt;
  std::int64_t planes = 1;
  for (std::size_t i = 0; i + spatial < self.shape.size(); ++i) {
    if (__builtin_mul_overflow(planes, self.shape[i], &planes)) return std::nullopt;
  }
  return planes;
}

template <Role kRole>
std::optional<std::string> TypeName(const Call& call, const Case&) {
  const TensorSpec& tensor = call.tensor(kRole);
  if (tensor.null) return std::nullopt;
  return DataTypeName(tensor.type);
}

std::optional<std::string> GradientType(const Call& call, const Case&) {
  const TensorSpec& tensor = OutputSide(call);
  if (tensor.null) return std::nullopt;
  return DataTypeName(tensor.type);
}

bool IsDataType(std::string_view word) { return ParseDataType(word).has_value(); }
bool IsFormat(std::string_view word) { return ParseFormat(word).has_value(); }
bool IsOperator(std::string_view word) { return ParseOperator(word).has_value(); }

template <CoverageAxis kAxis>
std::optional<std::string> ClassOn(const Call& call, const Case& problem) {
  const std::optional<CoverageKey> key = CoverageOf(call, problem.plan);
  if (!key) return std::nullopt;
  return std::string(CoverageClasses(kAxis)[key->ClassOn(kAxis)]);
}

// Also of calls that have no place in coverage.
std::optional<std::string> LayoutOfCall(const Call& call, const Case&) {
  const std::optional<std::size_t> layout = LayoutClassOf(call);
  if (!layout) return std::nullopt;
  return std::string(CoverageClasses(CoverageAxis::kLayout)[*layout]);
}

std::optional<std::string> FormatOfSelf(const Call& call, const Case&) {
  const TensorSpec& self = call.tensor(Role::kSelf);
  if (self.null) return std::nullopt;
  return FormatName(self.format);
}

template <CoverageAxis kAxis>
bool IsClass(std::string_view word) {
  for (const std::string_view name : CoverageClasses(kAxis)) {
    if (word == name) return true;
  }
  return false;
}

constexpr Parameter Number(std::string_view name, NumberOf number) {
  return {name, number, nullptr, nullptr, ""};
}

template <CoverageAxis kAxis>
constexpr Parameter Class(std::string_view name, std::string_view words) {
  return {name, nullptr, &ClassOn<kAxis>, &IsClass<kAxis>, words};
}

using W = WindowAttributes;
constexpr std::array kParameters = {
    Parameter{"operator", nullptr,
              [](const Call& call, const Case&) {
                return std::optional(std::string(InfoOf(call.op).name));
              },
              &IsOperator, "the name of an operator", true},
    Parameter{"dtype", nullptr, &GradientType, &IsDataType, "a data type such as f32 or bf16",
              true},
    Parameter{"index_dtype", nullptr, &TypeName<Role::kIndices>, &IsDataType,
              "a data type such as i32 or i64", true},
    Parameter{"format", nullptr, &FormatOfSelf, &IsFormat, "a format such as ND or NCDHW"},
    Parameter{"layout", nullptr, &LayoutOfCall, &IsClass<CoverageAxis::kLayout>,
              "contiguous, offset, strided, permuted or broadcast"},
    Class<CoverageAxis::kOverlap>("overlap", "gapped, disjoint, one-axis or several-axes"),
    Class<CoverageAxis::kRounding>("ceil", "floor, ceil-idle, ceil-extra, even or uneven"),
    Class<CoverageAxis::kPadding>("padding", "none or padded"),
    Class<CoverageAxis::kTail>("tail", "short, whole or ragged"),
    Number("rank", &Rank),
    Number("planes", &Planes),
    Number("in_d", &InputExtent<0>),
    Number("in_h", &InputExtent<1>),
    Number("in_w", &InputExtent<2>),
    Number("out_d", &OutputExtent<0>),
    Number("out_h", &OutputExtent<1>),
    Number("out_w", &OutputExtent<2>),
    Number("kernel_d", &Attribute<&W::kernel, 0>),
    Number("kernel_h", &Attribute<&W::kernel, 1>),
    Number("kernel_w", &Attribute<&W::kernel, 2>),
    Number("stride_d", &Attribute<&W::stride, 0>),
    Number("stride_h", &Attribute<&W::stride, 1>),
    Number("stride_w", &Attribute<&W::stride, 2>),
    Number("padding_d", &Attribute<&W::padding, 0>),
    Number("padding_h", &Attribute<&W::padding, 1>),
    Number("padding_w", &Attribute<&W::padding, 2>),
    Number("dilation_d", &Attribute<&W::dilation, 0>),
    Number("dilation_h", &Attribute<&W::dilation, 1>),
    Number("dilation_w", &Attribute<&W::dilation, 2>),
    Number("ceil_mode",
           [](const Call& call, const Case&) -> std::optional<std::int64_t> {
             if (InfoOf(call.op).windows == WindowRule::kAdaptive) return std::nullopt;
             return call.ceil_mode ? 1 : 0;
           }),
    Number("calls", [](const Call&, const Case& problem) {
      return std::optional(static_cast<std::int64_t>(problem.calls.size()));
    })};

// A parameter of the table, or a member of the plan under its JSON name.
struct Meaning {
  const Parameter* parameter = nullptr;
  const PlanMember* member = nullptr;

  [[nodiscard]] bool IsToldBy(Told told) const {
    return told != Told::kTypes || member != nullptr || parameter->is_type;
  }
  [[nodiscard]] bool IsWord() const {
    return member != nullptr ? member->kind == PlanMember::Kind::kWord
                             : parameter->is_word != nullptr;
  }
  [[nodiscard]] bool Takes(std::string_view word) const {
    if (member == nullptr) return parameter->is_word(word);
    return std::find(member->words.begin(), member->words.end(), word) != member->words.end();
  }
  [[nodiscard]] std::string Words() const {
    return member != nullptr ? member->Wanted() : std::string(parameter->words);
  }
  [[nodiscard]] std::optional<std::string> Word(const Call& call, const Case& problem) const {
    if (member == nullptr) return parameter->word(call, problem);
    return member->ValueText(member->get(problem.plan));
  }
  [[nodiscard]] std::optional<std::int64_t> Number(const Call& call, const Case& problem) const {
    if (member == nullptr) return parameter->number(call, problem);
    return member->get(problem.plan);
  }
};

// By the places of the terms.
Meaning MeaningOf(int place) {
  const auto at = static_cast<std::size_t>(place);
  if (at < kParameters.size()) return {&kParameters[at], nullptr};
  return {nullptr, &PlanMembers()[at - kParameters.size()]};
}

// -1: no such parameter.
int PlaceOf(std::string_view name) {
  int place = 0;
  for (const Parameter& parameter : kParameters) {
    if (parameter.name == name) return place;
    ++place;
  }
  for (const PlanMember& member : PlanMembers()) {
    if (member.json_name == name) return place;
    ++place;
  }
  return -1;
}

std::string ParameterNames() {
  std::vector<std::string_view> names;
  names.reserve(kParameters.size() + PlanMembers().size());
  for (const Parameter& parameter : kParameters) names.push_back(parameter.name);
  for (const PlanMember& member : PlanMembers()) names.push_back(member.json_name);
  return Joined(names);
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

}  // namespace

class PredicateParser {
 public:
  explicit PredicateParser(std::string_view text) : text_(text) {}

  Result<Predicate> Parse() {
    if (text_.size() > kLongest) {
      return InvalidArgument(std::to_string(text_.size()) + " characters; expected at most " +
                             std::to_string(kLongest));
    }
    predicate_.root_ = Or(0);
    Skip();
    if (at_ < text_.size()) Fail("the end, `and` or `or`");
    if (!error_.ok()) return error_;
    return std::move(predicate_);
  }

 private:
  using Kind = Predicate::Kind;
  using Comparison = Predicate::Comparison;
  using Node = Predicate::Node;
  using Term = Predicate::Term;

  void Fail(const std::string& wanted) {
    if (!error_.ok()) return;
    std::string here = "the end";
    if (at_ < text_.size()) {
      here = "'";
      for (const char c : text_.substr(at_, 30)) here += c >= ' ' && c <= '~' ? c : '?';
      here += "'";
    }
    error_ = InvalidArgument("character " + std::to_string(at_ + 1) + ": " + here + "; expected " +
                             wanted);
  }
  void Skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool Take(std::string_view token) {
    Skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    const std::size_t end = at_ + token.size();
    if (IsLetter(token.back()) && end < text_.size() && IsLetter(text_[end])) return false;
    at_ = end;
    return true;
  }
  std::size_t Add(Node node) {
    predicate_.nodes_.push_back(std::move(node));
    return predicate_.nodes_.size() - 1;
  }
  std::size_t Join(Kind kind, std::size_t first, std::size_t second) {
    Node node;
    node.kind = kind;
    node.first = first;
    node.second = second;
    return Add(std::move(node));
  }

  std::size_t Or(int depth) {
    std::size_t left = And(depth);
    while (error_.ok() && Take("or")) left = Join(Kind::kOr, left, And(depth));
    return left;
  }
  std::size_t And(int depth) {
    std::size_t left = Not(depth);
    while (error_.ok() && Take("and")) left = Join(Kind::kAnd, left, Not(depth));
    return left;
  }
  std::size_t Not(int depth) {
    if (depth > kDeepest) {
      Fail("at most " + std::to_string(kDeepest) + " levels of `not` and parentheses");
      return 0;
    }
    if (Take("not")) return Join(Kind::kNot, Not(depth + 1), 0);
    if (!Take("(")) return Compare();
    const std::size_t inner = Or(depth + 1);
    if (error_.ok() && !Take(")")) Fail("`)`");
    return inner;
  }

  std::size_t Compare() {
    static constexpr std::array<std::pair<std::string_view, Comparison>, 6> kComparisons = {
        {{"==", Comparison::kEqual},
         {"!=", Comparison::kNotEqual},
         {"<=", Comparison::kLessOrEqual},
         {">=", Comparison::kGreaterOrEqual},
         {"<", Comparison::kLess},
         {">", Comparison::kGreater}}};
    Node node;
    Skip();
    const std::size_t begin = at_;
    node.left = TermHere("", -1);
    if (!error_.ok()) return 0;
    const std::string_view name = text_.substr(begin, at_ - begin);
    Skip();
    bool found = false;
    const std::size_t sign = at_;
    for (const auto& [token, comparison] : kComparisons) {
      if (!(found = Take(token))) continue;
      node.comparison = comparison;
      break;
    }
    if (!found) {
      Fail("==, !=, <, <=, > or >=");
      return 0;
    }
    if (MeaningOf(node.left.parameter).IsWord() && node.comparison != Comparison::kEqual &&
        node.comparison != Comparison::kNotEqual) {
      at_ = sign;
      Fail("== or !=, since " + std::string(name) + " is a word");
      return 0;
    }
    node.right = TermHere(name, node.left.parameter);
    return Add(std::move(node));
  }

  // A parameter, or a value that can be compared with the parameter `beside` of that name; -1: a
  // parameter.
  Term TermHere(std::string_view name, int beside) {
    Skip();
    std::size_t end = at_;
    while (end < text_.size() && IsLetter(text_[end])) ++end;
    const std::string_view token = text_.substr(at_, end - at_);
    Term term;
    // `padding` and `ceil` are words of no axis: a name is always the parameter.
    term.parameter = PlaceOf(token);
    if (beside < 0) {
      if (term.parameter < 0) Fail("a parameter: " + ParameterNames());
    } else if (const Meaning other = MeaningOf(beside); other.IsWord()) {
      if (!other.Takes(token)) Fail(other.Words());
      term.parameter = -1;
      term.word = token;
    } else if (term.parameter >= 0) {
      if (MeaningOf(term.parameter).IsWord()) {
        Fail("a number or a parameter that is one, since " + std::string(name) + " is one");
      }
    } else {
      const auto [stop, error] =
          std::from_chars(token.data(), token.data() + token.size(), term.number);
      if (error != std::errc() || stop != token.data() + token.size()) {
        Fail("a whole number or a parameter that is one");
      }
    }
    if (error_.ok()) at_ = end;
    return term;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Status error_;
  Predicate predicate_;
};

Result<Predicate> Predicate::Parse(std::string_view text) { return PredicateParser(text).Parse(); }

Predicate::Truth Predicate::Compare(const Node& node, const Call& call, const Case& problem,
                                    Told told) {
  const Truth untold = told == Told::kAll ? Truth::kNo : Truth::kMaybe;
  const Meaning left = MeaningOf(node.left.parameter);
  if (!left.IsToldBy(told)) return untold;
  const auto truth = [](bool holds) { return holds ? Truth::kYes : Truth::kNo; };
  if (left.IsWord()) {
    const std::optional<std::string> word = left.Word(call, problem);
    if (!word) return untold;
    return truth((*word == node.right.word) == (node.comparison == Comparison::kEqual));
  }
  const std::optional<std::int64_t> a = left.Number(call, problem);
  std::optional<std::int64_t> b = node.right.number;
  if (node.right.parameter >= 0) {
    const Meaning right = MeaningOf(node.right.parameter);
    if (!right.IsToldBy(told)) return untold;
    b = right.Number(call, problem);
  }
  if (!a || !b) return untold;
  switch (node.comparison) {
    case Comparison::kEqual:
      return truth(*a == *b);
    case Comparison::kNotEqual:
      return truth(*a != *b);
    case Comparison::kLess:
      return truth(*a < *b);
    case Comparison::kLessOrEqual:
      return truth(*a <= *b);
    case Comparison::kGreater:
      return truth(*a > *b);
    case Comparison::kGreaterOrEqual:
      break;
  }
  return truth(*a >= *b);
}

Predicate::Truth Predicate::TruthAt(std::size_t node, const Call& call, const Case& problem,
                                    Told told) const {
  const Node& at = nodes_[node];
  if (at.kind == Kind::kCompare) return Compare(at, call, problem, told);
  const Truth first = TruthAt(at.first, call, problem, told);
  if (at.kind == Kind::kNot) {
    if (first == Truth::kMaybe) return first;
    return first == Truth::kYes ? Truth::kNo : Truth::kYes;
  }
  const bool decided = first == (at.kind == Kind::kAnd ? Truth::kNo : Truth::kYes);
  if (decided) return first;
  const Truth second = TruthAt(at.second, call, problem, told);
  return at.kind == Kind::kAnd ? std::min(first, second) : std::max(first, second);
}

bool Predicate::Holds(const Case& problem) const {
  return MayHold(problem.calls.front(), problem, Told::kAll);
}

bool Predicate::MayHold(const Call& call, const Case& problem, Told told) const {
  return !nodes_.empty() && TruthAt(root_, call, problem, told) != Truth::kNo;
}

std::vector<std::string> WordComparisons(const Case& problem) {
  std::vector<std::string> comparisons;
  for (const Parameter& parameter : kParameters) {
    if (parameter.word == nullptr) continue;
    const std::optional<std::string> word = parameter.word(problem.calls.front(), problem);
    if (!word || !parameter.is_word(*word)) continue;
    comparisons.push_back(std::string(parameter.name) + " == " + *word);
  }
  return comparisons;
}

}  // namespace poolproof
