// SPDX-License-Identifier: Apache-2.0
//
// The text of clauses.json, cut into pieces, as the build embeds it. Used by spec.cc.
#ifndef POOLPROOF_CONFORMANCE_SPEC_EMBEDDED_CLAUSES_H_
#define POOLPROOF_CONFORMANCE_SPEC_EMBEDDED_CLAUSES_H_

#include <span>
#include <string_view>

namespace poolproof {

// To be joined in order.
std::span<const std::string_view> EmbeddedClausesChunks();

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_SPEC_EMBEDDED_CLAUSES_H_
