// SPDX-License-Identifier: Apache-2.0
//
// The vector files as text, generated at build time by cmake/embed_files.cmake. Used by corpus.cc.
#ifndef POOLPROOF_CONFORMANCE_CORPUS_EMBEDDED_CORPUS_H_
#define POOLPROOF_CONFORMANCE_CORPUS_EMBEDDED_CORPUS_H_

#include <span>
#include <string_view>

namespace poolproof {

struct EmbeddedFile {
  std::string_view name;
  std::span<const std::string_view> chunks;  // the text, in pieces
};

std::span<const EmbeddedFile> EmbeddedCorpus();

}  // namespace poolproof

#endif  // POOLPROOF_CONFORMANCE_CORPUS_EMBEDDED_CORPUS_H_
