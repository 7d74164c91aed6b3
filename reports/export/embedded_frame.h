// SPDX-License-Identifier: Apache-2.0
//
// The text of frame.cpp, which every exported program is made of. Private to the export.
#ifndef POOLPROOF_REPORTS_EXPORT_EMBEDDED_FRAME_H_
#define POOLPROOF_REPORTS_EXPORT_EMBEDDED_FRAME_H_

#include <string_view>

namespace poolproof {

std::string_view ExportFrame();

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_EXPORT_EMBEDDED_FRAME_H_
