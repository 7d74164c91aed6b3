// SPDX-License-Identifier: Apache-2.0
//
// What code built with clang's -fsanitize-coverage calls. For the programs that count edges: one
// with a fuzzing engine in it has the engine's own.
#include <cstdint>

#include "conformance/worker/edge_counts.h"

// The names are the compiler's.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
#define POOLPROOF_CALLBACK extern "C" __attribute__((visibility("default"), used)) void

POOLPROOF_CALLBACK __sanitizer_cov_8bit_counters_init(unsigned char* begin, unsigned char* end) {
  poolproof::AddCounters(begin, end);
}
POOLPROOF_CALLBACK __sanitizer_cov_bool_flag_init(unsigned char* begin, unsigned char* end) {
  poolproof::AddCounters(begin, end);
}
POOLPROOF_CALLBACK __sanitizer_cov_trace_pc_guard_init(std::uint32_t* begin, std::uint32_t* end) {
  poolproof::NumberGuards(begin, end);
}
POOLPROOF_CALLBACK __sanitizer_cov_trace_pc_guard(std::uint32_t* guard) {
  poolproof::ReportEdge(guard);
}
// What a library built with -fsanitize=fuzzer-no-link calls besides: it has to be there.
POOLPROOF_CALLBACK __sanitizer_cov_pcs_init(const std::uintptr_t* /*begin*/,
                                            const std::uintptr_t* /*end*/) {}
POOLPROOF_CALLBACK __sanitizer_cov_trace_pc_indir(std::uintptr_t /*callee*/) {}
POOLPROOF_CALLBACK __sanitizer_cov_trace_cmp1(std::uint8_t /*a*/, std::uint8_t /*b*/) {}
POOLPROOF_CALLBACK __sanitizer_cov_trace_cmp2(std::uint16_t /*a*/, std::uint16_t /*b*/) {}
POOLPROOF_CALLBACK __sanitizer_cov_trace_cmp4(std::uint32_t /*a*/, std::uint32_t /*b*/) {}
POOLPROOF_CALLBACK __sanitizer_cov_trace_cmp8(std::uint64_t /*a*/, std::uint64_t /*b*/) {}
POOLPROOF_CALLBACK __sanitizer_cov_trace_const_cmp1(std::uint8_t /*a*/, std::uint8_t /*b*/) {}
POOLPROOF_CALLBACK __sanitizer_cov_trace_const_cmp2(std::uint16_t /*a*/, std::uint16_t /*b*/) {}
POOLPROOF_CALLBACK __sanitizer_cov_trace_const_cmp4(std::uint32_t /*a*/, std::uint32_t /*b*/) {}
POOLPROOF_CALLBACK __sanitizer_cov_trace_const_cmp8(std::uint64_t /*a*/, std::uint64_t /*b*/) {}
POOLPROOF_CALLBACK __sanitizer_cov_trace_switch(std::uint64_t /*value*/, std::uint64_t* /*cases*/) {
}
POOLPROOF_CALLBACK __sanitizer_cov_trace_div4(std::uint32_t /*value*/) {}
POOLPROOF_CALLBACK __sanitizer_cov_trace_div8(std::uint64_t /*value*/) {}
POOLPROOF_CALLBACK __sanitizer_cov_trace_gep(std::uintptr_t /*index*/) {}
extern "C" {
__attribute__((visibility("default"), used)) __thread std::uintptr_t __sancov_lowest_stack;
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
