// SPDX-License-Identifier: Apache-2.0
#include "tests/circumstance/trigger.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "conformance/circumstance/rule.h"

namespace poolproof {

struct Trigger::Node {
  enum class Kind { kAlways, kCompare, kNot, kAnd, kOr };
  Kind kind = Kind::kAlways;
  Literal term = {};  // what is compared
  std::string comparison = {};
  std::int64_t value = 0;
  std::shared_ptr<const Node> first = {};
  std::shared_ptr<const Node> second = {};
};

namespace {

using Node = Trigger::Node;
using Tree = std::shared_ptr<const Node>;

std::vector<std::string> Tokens(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
    } else if (text[at] == '(' || text[at] == ')') {
      tokens.emplace_back(1, text[at++]);
    } else {
      const std::size_t end = std::min(text.find_first_of(" ()", at), text.size());
      tokens.emplace_back(text.substr(at, end - at));
      at = end;
    }
  }
  return tokens;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(Tokens(text)) {}

  Tree Whole() {
    Tree tree = Either();
    if (tree != nullptr && at_ < tokens_.size()) return Wrong();
    return tree;
  }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  [[nodiscard]] std::string Next() const { return at_ < tokens_.size() ? tokens_[at_] : ""; }
  bool Take(std::string_view token) {
    if (Next() != token) return false;
    ++at_;
    return true;
  }
  Tree Wrong() {
    if (problem_.empty()) problem_ = "'" + Next() + "' is not understood";
    return nullptr;
  }
  Tree Either() {
    Tree left = Both();
    while (left != nullptr && Take("or")) {
      Tree right = Both();
      if (right == nullptr) return nullptr;
      left = std::make_shared<Node>(Node{Node::Kind::kOr, {}, "", 0, left, right});
    }
    return left;
  }
  Tree Both() {
    Tree left = One();
    while (left != nullptr && Take("and")) {
      Tree right = One();
      if (right == nullptr) return nullptr;
      left = std::make_shared<Node>(Node{Node::Kind::kAnd, {}, "", 0, left, right});
    }
    return left;
  }
  Tree One() {
    if (Take("not")) {
      Tree tree = One();
      if (tree == nullptr) return nullptr;
      return std::make_shared<Node>(Node{Node::Kind::kNot, {}, "", 0, tree, {}});
    }
    if (Take("(")) {
      Tree tree = Either();
      return tree != nullptr && Take(")") ? tree : Wrong();
    }
    if (Take("always")) return std::make_shared<Node>();
    return Comparison();
  }
  Tree Comparison() {
    std::string name = Next();
    const bool remainder = at_ + 2 < tokens_.size() && tokens_[at_ + 1] == "%";
    if (remainder) name += " % " + tokens_[at_ + 2];
    Literal term;
    if (!ParseTerm(name, term)) return Wrong();
    const Circumstance& row = AllCircumstances()[term.circumstance];
    at_ += remainder ? 3 : 1;
    Node node{Node::Kind::kCompare, term, "==", 1, {}, {}};
    if (row.kind == Circumstance::Kind::kFlag) return std::make_shared<Node>(node);
    node.comparison = Next();
    const std::vector<std::string> known = {"==", "!=", "<", "<=", ">", ">="};
    if (std::find(known.begin(), known.end(), node.comparison) == known.end()) return Wrong();
    ++at_;
    const std::string value = Next();
    if (row.kind == Circumstance::Kind::kWord) {
      const auto word = std::find(row.words.begin(), row.words.end(), value);
      if (word == row.words.end()) return Wrong();
      node.value = word - row.words.begin();
    } else {
      const auto [end, error] =
          std::from_chars(value.data(), value.data() + value.size(), node.value);
      if (error != std::errc() || end != value.data() + value.size()) return Wrong();
    }
    ++at_;
    return std::make_shared<Node>(node);
  }

  const std::vector<std::string> tokens_;
  std::size_t at_ = 0;
  std::string problem_;
};

bool HoldsAt(const Node& node, const CircumstanceValues& values) {
  switch (node.kind) {
    case Node::Kind::kAlways:
      return true;
    case Node::Kind::kNot:
      return !HoldsAt(*node.first, values);
    case Node::Kind::kAnd:
      return HoldsAt(*node.first, values) && HoldsAt(*node.second, values);
    case Node::Kind::kOr:
      return HoldsAt(*node.first, values) || HoldsAt(*node.second, values);
    case Node::Kind::kCompare:
      break;
  }
  const std::int64_t own = node.term.ValueIn(values);
  if (!IsValue(own)) return false;
  if (node.comparison == "==") return own == node.value;
  if (node.comparison == "!=") return own != node.value;
  if (node.comparison == "<") return own < node.value;
  if (node.comparison == "<=") return own <= node.value;
  return node.comparison == ">" ? own > node.value : own >= node.value;
}

}  // namespace

Result<Trigger> Trigger::Parse(std::string_view text) {
  Parser parser(text);
  Trigger trigger;
  trigger.root_ = parser.Whole();
  if (trigger.root_ == nullptr) {
    return InvalidArgument(std::string(text) + ": " + parser.problem());
  }
  return trigger;
}

bool Trigger::Holds(const CircumstanceValues& values) const { return HoldsAt(*root_, values); }

}  // namespace poolproof
