# SPDX-License-Identifier: Apache-2.0
# Every option of the build (scripts/doc-pages writes them into docs/building.md), and the two INTERFACE targets through which every flag travels.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

option(POOLPROOF_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(POOLPROOF_BUILD_BENCHMARKS "Build the benchmarks if Google Benchmark is found" ${PROJECT_IS_TOP_LEVEL})
option(POOLPROOF_BENCH_PEERS "Measure libtorch and oneDNN too, if they are installed" ON)
option(POOLPROOF_BUILD_ADAPTERS "Build the adapters of the libraries that are installed" ${PROJECT_IS_TOP_LEVEL})
set(POOLPROOF_ONNXRUNTIME "" CACHE STRING "Judge ONNX Runtime: the folder node_modules/onnxruntime-node, as npm install --ignore-scripts onnxruntime-node writes it")
option(POOLPROOF_BUILD_FUZZERS "Build the fuzz targets" ${PROJECT_IS_TOP_LEVEL})
set(POOLPROOF_FUZZ_ENGINE standalone CACHE STRING "standalone replays inputs; libfuzzer (presets fuzz, asan) and afl (preset afl) explore")
set_property(CACHE POOLPROOF_FUZZ_ENGINE PROPERTY STRINGS standalone libfuzzer afl)
option(POOLPROOF_MUTANT_TESTS "Add the tests that judge faulty libraries (label: mutants; target: mutants-all)" OFF)
option(POOLPROOF_INSTALL "Create the install rules" ${PROJECT_IS_TOP_LEVEL})
option(POOLPROOF_FETCH_DEPENDENCIES "Download the libraries that the system lacks" OFF)
option(POOLPROOF_WERROR "Treat warnings as errors (the presets turn it on)" OFF)
option(POOLPROOF_UNITY "Compile sources in batches, with precompiled headers" ON)
set(POOLPROOF_SANITIZE "" CACHE STRING "Sanitizers, such as address;undefined or thread")
set(POOLPROOF_DISABLED_TIERS "" CACHE STRING "Tiers of the optimized kernels to leave out, such as avx512;avx512_bf16")

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

add_library(poolproof_options INTERFACE)
target_compile_features(poolproof_options INTERFACE cxx_std_20)
target_include_directories(poolproof_options INTERFACE "${PROJECT_SOURCE_DIR}")
# Contraction would fuse a*b+c and change the bits of sums.
target_compile_options(poolproof_options INTERFACE -ffp-contract=off -fvisibility=hidden
                       $<$<COMPILE_LANGUAGE:CXX>:-fvisibility-inlines-hidden>
                       # A tenth of g++'s time goes into collecting garbage, unless it may keep some: at most a tenth more
                       # memory for the largest batches.
                       $<$<COMPILE_LANG_AND_ID:CXX,GNU>:--param=ggc-min-heapsize=786432>)
if(POOLPROOF_SANITIZE)
  string(REPLACE ";" "," _poolproof_sanitizers "${POOLPROOF_SANITIZE}")
  target_compile_options(poolproof_options INTERFACE -fsanitize=${_poolproof_sanitizers}
                         -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(poolproof_options INTERFACE -fsanitize=${_poolproof_sanitizers})
endif()

add_library(poolproof_warnings INTERFACE)
target_compile_options(poolproof_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
                       -Wsign-conversion -Wcast-align -Wformat=2 -Wundef
                       $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast
                       -Wextra-semi>
                       # g++ 12 sees overlaps in std::string concatenation that cannot be; drop with g++ 13.
                       $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
                       # g++ 11 takes size() of an array that is yet to be filled for a use of its elements.
                       $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,12>>:-Wno-maybe-uninitialized>
                       # A batch of sources looks like a header to g++: types of anonymous namespaces are no fault there.
                       $<$<AND:$<COMPILE_LANG_AND_ID:CXX,GNU>,$<BOOL:${POOLPROOF_UNITY}>>:-Wno-subobject-linkage>
                       $<$<BOOL:${POOLPROOF_WERROR}>:-Werror>)
