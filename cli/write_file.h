// SPDX-License-Identifier: Apache-2.0
//
// Files written whole or not at all.
#ifndef POOLPROOF_CLI_WRITE_FILE_H_
#define POOLPROOF_CLI_WRITE_FILE_H_

#include <string>
#include <string_view>

#include "core/status.h"

namespace poolproof {

// Whether a file can be written there, told before the work and without leaving anything behind.
// errors: kInvalidArgument naming the path and what is wrong with it.
Status CheckWritable(const std::string& path);

// Writes beside the target and renames. Something that is no regular file (/dev/stdout, a pipe) is
// written to as it is. errors: kUnavailable naming the path.
Status WriteFileAtomically(const std::string& path, std::string_view bytes);

}  // namespace poolproof

#endif  // POOLPROOF_CLI_WRITE_FILE_H_
