// SPDX-License-Identifier: Apache-2.0
//
// A stray read or write as a picture: the storage of the operand with its gaps and what lies in
// front of it and behind it. Inline SVG whose colours come from the page's style.
#ifndef POOLPROOF_REPORTS_STORAGE_PICTURE_H_
#define POOLPROOF_REPORTS_STORAGE_PICTURE_H_

#include <string>
#include <string_view>

#include "conformance/case/case.h"

namespace poolproof {

struct StoragePicture {
  std::string svg;  // empty where there is nothing to draw
  std::string caption;
  bool has_gaps = false;
  bool was_read = false;  // and not written
};

// Draws what the message of the case's failure tells. Nothing where it tells of no stray access, or
// the storage is very large.
StoragePicture DrawStorage(const Case& problem, std::string_view message);

}  // namespace poolproof

#endif  // POOLPROOF_REPORTS_STORAGE_PICTURE_H_
