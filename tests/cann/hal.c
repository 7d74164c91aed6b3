// SPDX-License-Identifier: Apache-2.0
//
// Represents the driver's library.
int drvGetDevNum(unsigned* count) {
  *count = 0;
  return 0;
}
