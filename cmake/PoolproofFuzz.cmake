# SPDX-License-Identifier: Apache-2.0
# Fuzz targets. A target is a source with LLVMFuzzerTestOneInput. The engine `standalone` links a main that
# replays files and folders, in every build; `libfuzzer` (preset fuzz) and `afl` (preset afl) explore.

if(NOT POOLPROOF_FUZZ_ENGINE MATCHES "^(standalone|libfuzzer|afl)$")
  message(FATAL_ERROR "POOLPROOF_FUZZ_ENGINE is '${POOLPROOF_FUZZ_ENGINE}'; wanted standalone, libfuzzer or afl")
endif()
if(POOLPROOF_FUZZ_ENGINE STREQUAL "afl" AND NOT CMAKE_CXX_COMPILER MATCHES "afl-[^/]*$")
  message(FATAL_ERROR "POOLPROOF_FUZZ_ENGINE is 'afl' and CMAKE_CXX_COMPILER is '${CMAKE_CXX_COMPILER}'; "
                      "wanted afl-clang-fast++ (Debian: apt-get install afl++)")
endif()
# Every fuzz target, for those who want no tests.
if(POOLPROOF_BUILD_FUZZERS)
  add_custom_target(fuzz-all)
  if(POOLPROOF_FUZZ_ENGINE STREQUAL "standalone")
    add_library(poolproof_fuzz_replay OBJECT "${PROJECT_SOURCE_DIR}/fuzz/replay_main.cc")
    set_target_properties(poolproof_fuzz_replay PROPERTIES CXX_EXTENSIONS OFF)
    target_link_libraries(poolproof_fuzz_replay PRIVATE poolproof_options poolproof_warnings)
    target_compile_options(poolproof_fuzz_replay PRIVATE ${poolproof_cold_options})
  endif()
endif()

# poolproof_make_fuzz_seeds(<program>)
#   The program writes the seeds of the targets that are GENERATED into fuzz-seeds/<name>, dictionaries beside.
function(poolproof_make_fuzz_seeds program)
  add_dependencies(fuzz-all ${program})
  add_test(NAME fuzz.seeds COMMAND ${program} "${PROJECT_BINARY_DIR}/fuzz-seeds" "${PROJECT_SOURCE_DIR}")
  set_tests_properties(fuzz.seeds PROPERTIES LABELS fuzz FIXTURES_SETUP fuzz_seeds TIMEOUT ${POOLPROOF_LONG_TIMEOUT})
endfunction()

# poolproof_add_fuzz_target(<name> [GENERATED] SOURCES ... [DEPENDS ...] [SEEDS files or folders...])
#   bin/fuzz_<name>, and a test (label "fuzz") that replays regressions/<name>, seeds/<name>, SEEDS and
#   what was GENERATED.
function(poolproof_add_fuzz_target name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "GENERATED" "" "SOURCES;DEPENDS;SEEDS")
  set(inputs ${arg_SEEDS})
  foreach(folder IN ITEMS regressions seeds)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${name}")
      list(APPEND inputs "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${name}")
    endif()
  endforeach()
  if(arg_GENERATED)
    list(APPEND inputs "${PROJECT_BINARY_DIR}/fuzz-seeds/${name}")
  endif()
  if(NOT inputs)
    message(FATAL_ERROR "fuzz target ${name} has no input: wanted seeds/${name}, SEEDS or GENERATED")
  endif()
  poolproof_add_program(fuzz_${name} SOURCES ${arg_SOURCES} DEPENDS ${arg_DEPENDS})
  add_dependencies(fuzz-all fuzz_${name})
  if(POOLPROOF_FUZZ_ENGINE STREQUAL "standalone")
    target_link_libraries(fuzz_${name} PRIVATE poolproof_fuzz_replay)
    set(command fuzz_${name})
  else()
    # AFL++'s compiler puts its own driver in place of libFuzzer, which takes single files.
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    if(POOLPROOF_FUZZ_ENGINE STREQUAL "afl")
      return()
    endif()
    # libFuzzer takes folders alone and writes into the first; -runs=0 only reads.
    set(command fuzz_${name} -runs=0)
  endif()
  add_test(NAME fuzz.${name} COMMAND ${command} ${inputs})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT ${POOLPROOF_LONG_TIMEOUT})
  if(arg_GENERATED)
    set_tests_properties(fuzz.${name} PROPERTIES FIXTURES_REQUIRED fuzz_seeds)
  endif()
endfunction()
