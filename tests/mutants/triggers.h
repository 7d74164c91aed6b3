// SPDX-License-Identifier: Apache-2.0
//
// Triggers: when a fault of the table may show, written by hand from its code, as an expression on
// what can be said of a call (conformance/circumstance has the names). What the suite learns of a
// faulty library is compared with them.

#ifndef POOLPROOF_TESTS_MUTANTS_TRIGGERS_H_
#define POOLPROOF_TESTS_MUTANTS_TRIGGERS_H_

#include <string_view>

#include "fault_table.h"

namespace mutants {

// "always": of every call. Empty: what a call has cannot say it, as where a fault follows from
// earlier calls, from addresses, or from which window an index was taken from.
std::string_view TriggerOf(Fault fault);

}  // namespace mutants

#endif  // POOLPROOF_TESTS_MUTANTS_TRIGGERS_H_
