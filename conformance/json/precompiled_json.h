// SPDX-License-Identifier: Apache-2.0
//
// <nlohmann/json.hpp> for what is precompiled. Its literal "..."_json, which nobody uses, parses:
// each source would make the whole parser of what is precompiled. Here it is declared alone; what
// it does becomes a template that nobody asks for.
#ifndef POOLPROOF_CONFORMANCE_JSON_PRECOMPILED_JSON_H_
#define POOLPROOF_CONFORMANCE_JSON_PRECOMPILED_JSON_H_

#define _json(text, length) \
  _json(text, length);      \
  template <typename T>     \
  nlohmann::json ParsedLiteral(T s, T n)
#include <nlohmann/json.hpp>
#undef _json

#endif  // POOLPROOF_CONFORMANCE_JSON_PRECOMPILED_JSON_H_
