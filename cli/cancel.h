// SPDX-License-Identifier: Apache-2.0
//
// Ctrl-C and SIGTERM as a flag; a second signal ends the program at once.
#ifndef POOLPROOF_CLI_CANCEL_H_
#define POOLPROOF_CLI_CANCEL_H_

#include <atomic>

namespace poolproof {

const std::atomic<bool>& WatchForCancel();

}  // namespace poolproof

#endif  // POOLPROOF_CLI_CANCEL_H_
