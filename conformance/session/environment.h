// SPDX-License-Identifier: Apache-2.0
//
// The machine as a report may name it: no host, no user.
#ifndef POOLPROOF_CONFORMANCE_SESSION_ENVIRONMENT_H_
#define POOLPROOF_CONFORMANCE_SESSION_ENVIRONMENT_H_

#include <string>

#include "conformance/result/report.h"

namespace poolproof {

Environment DescribeEnvironment();
// Processors that this process may use; at least 1.
int AvailableProcessors();
// The present time, RFC 3339 in UTC, to the second.
std::string TimestampNow();

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SESSION_ENVIRONMENT_H_
