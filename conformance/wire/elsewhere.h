// SPDX-License-Identifier: Apache-2.0
//
// What the runner says to the process that represents a worker elsewhere.
#ifndef POOLPROOF_CONFORMANCE_WIRE_ELSEWHERE_H_
#define POOLPROOF_CONFORMANCE_WIRE_ELSEWHERE_H_

namespace poolproof {

// Argument of the worker program that is started elsewhere.
inline constexpr const char* kElsewhereOption = "--elsewhere";

// Environment: names of the variables that the worker elsewhere gets, with commas between, and the
// bytes that it may take.
inline constexpr const char* kRemoteVariables = "POOLPROOF_REMOTE_VARIABLES";
inline constexpr const char* kRemoteMemory = "POOLPROOF_REMOTE_MEMORY";

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_WIRE_ELSEWHERE_H_
