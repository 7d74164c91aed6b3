// SPDX-License-Identifier: Apache-2.0
//
// Names each function that CANN's headers declare beyond what the host libraries offer, as C11.
#include <stddef.h>

#include "acl/acl.h"

size_t NamesDeclaredInC(void);
size_t NamesDeclaredInC(void) {
  // sizeof names a function without calling for its definition.
#define DECLARED(name) (sizeof(&(name)) != 0) +
  return
#include "declared_names.inc"
      0U;
#undef DECLARED
}
