// SPDX-License-Identifier: Apache-2.0
//
// What every exported program is made of, in this order: frame.cpp (what a case is written with,
// helpers), frame_calls.cpp (the calls and the checks of their results) and frame_process.cpp (the
// process that carries them out, and its watcher). Private to the export.
#ifndef POOLPROOF_REPORTS_EXPORT_EMBEDDED_FRAME_H_
#define POOLPROOF_REPORTS_EXPORT_EMBEDDED_FRAME_H_

#include <string_view>

namespace poolproof {

std::string_view ExportFrame();

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_EXPORT_EMBEDDED_FRAME_H_
