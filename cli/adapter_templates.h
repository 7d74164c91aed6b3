// SPDX-License-Identifier: Apache-2.0
//
// adapters/templates/ as text, generated at build time by cmake/embed_files.cmake. Used by
// command_adapter.cc.
#ifndef POOLPROOF_CLI_ADAPTER_TEMPLATES_H_
#define POOLPROOF_CLI_ADAPTER_TEMPLATES_H_

#include <span>

#include "conformance/corpus/embedded_corpus.h"

namespace poolproof {

std::span<const EmbeddedFile> AdapterTemplates();

}  // namespace poolproof

#endif  // POOLPROOF_CLI_ADAPTER_TEMPLATES_H_
