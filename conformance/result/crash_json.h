// SPDX-License-Identifier: Apache-2.0
//
// The place of a crash in files.
#ifndef POOLPROOF_CONFORMANCE_RESULT_CRASH_JSON_H_
#define POOLPROOF_CONFORMANCE_RESULT_CRASH_JSON_H_

#include <nlohmann/json_fwd.hpp>

#include "conformance/json/json_reader.h"
#include "conformance/result/outcome.h"

namespace poolproof {

// Members: cause, access (of causes about memory), address (of null pointers), executing (where
// what is there is no code), module and offset, symbol and symbol_offset. Numbers as "0x1a3f".
nlohmann::ordered_json CrashToJson(const CrashSite& crash);
// As KeptCrash leaves one. A document that holds no such object fails at `at`.
CrashSite ReadCrash(const JsonReader& at);

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_RESULT_CRASH_JSON_H_
