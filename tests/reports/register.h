// SPDX-License-Identifier: Apache-2.0
//
// docs/discrepancies.md: what the documents contradict or leave open, with the reading that the
// suite takes. A pure renderer of the spec; a test keeps the file up to date.
#ifndef POOLPROOF_TESTS_REPORTS_REGISTER_H_
#define POOLPROOF_TESTS_REPORTS_REGISTER_H_

#include <string>

#include "conformance/spec/spec.h"

namespace poolproof {

std::string RegisterMarkdown(const Spec& spec);

}  // namespace poolproof

#endif  // POOLPROOF_TESTS_REPORTS_REGISTER_H_
