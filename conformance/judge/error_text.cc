// SPDX-License-Identifier: Apache-2.0
#include "conformance/judge/error_text.h"

#include <algorithm>
#include <vector>

namespace poolproof {
namespace {

// Letters and digits alone, in one case.
std::string PlainLetters(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z') {
      plain += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      plain += c;
    }
  }
  return plain;
}

// The name of an operator and of its forward or backward begin alike.
std::string_view PairName(Operator op) {
  const OperatorInfo& info = InfoOf(op);
  return InfoOf(info.is_forward ? op : info.forward).name;
}

std::vector<std::string_view> ArgumentNames(const OperatorInfo& info) {
  std::vector<std::string_view> names = {"workspaceSize", "executor"};
  for (const Role role : info.tensors) names.push_back(RoleName(role));
  for (const List list : info.lists) names.push_back(ListName(list));
  return names;
}

}  // namespace

std::string DoubtOfErrorText(const Call& call, std::string_view text) {
  const std::string plain = PlainLetters(text);
  if (plain.empty()) return "gave no text";
  const auto is_named = [&](std::string_view name) {
    return plain.find(PlainLetters(name)) != std::string::npos;
  };
  for (const OperatorInfo& info : AllOperators()) {
    if (PairName(info.op) != PairName(call.op) && is_named(PairName(info.op))) {
      return "is about another operator, aclnn" + std::string(info.name);
    }
  }
  if (is_named(PairName(call.op))) return "";
  const std::vector<std::string_view> names = ArgumentNames(InfoOf(call.op));
  if (std::any_of(names.begin(), names.end(), is_named)) return "";
  return "names neither the operator nor an argument";
}

}  // namespace poolproof
