# SPDX-License-Identifier: Apache-2.0
# Fuzz targets. A target is a source with LLVMFuzzerTestOneInput. The engine `standalone` links a main that
# replays files and folders, in every build; `libfuzzer` (preset fuzz) explores.

option(POOLPROOF_BUILD_FUZZERS "Build the fuzz targets" ${PROJECT_IS_TOP_LEVEL})
set(POOLPROOF_FUZZ_ENGINE standalone CACHE STRING "standalone or libfuzzer")
set_property(CACHE POOLPROOF_FUZZ_ENGINE PROPERTY STRINGS standalone libfuzzer)
if(NOT POOLPROOF_FUZZ_ENGINE MATCHES "^(standalone|libfuzzer)$")
  message(FATAL_ERROR "POOLPROOF_FUZZ_ENGINE is '${POOLPROOF_FUZZ_ENGINE}'; wanted standalone or libfuzzer")
endif()
# Every fuzz target, for those who want no tests.
if(POOLPROOF_BUILD_FUZZERS)
  add_custom_target(fuzz-all)
endif()

# poolproof_add_fuzz_target(<name> SOURCES ... [DEPENDS ...] [SEEDS files or folders...])
#   bin/fuzz_<name>, and a test (label "fuzz") that replays regressions/<name>, seeds/<name> and SEEDS.
function(poolproof_add_fuzz_target name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;SEEDS")
  set(inputs ${arg_SEEDS})
  foreach(folder IN ITEMS regressions seeds)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${name}")
      list(APPEND inputs "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/${name}")
    endif()
  endforeach()
  if(NOT inputs)
    message(FATAL_ERROR "fuzz target ${name} has no input: wanted seeds/${name} or SEEDS")
  endif()
  add_executable(fuzz_${name} ${arg_SOURCES})
  set_target_properties(fuzz_${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(fuzz_${name} PRIVATE poolproof_options poolproof_warnings ${arg_DEPENDS})
  if(POOLPROOF_FUZZ_ENGINE STREQUAL "libfuzzer")
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set(command fuzz_${name} -runs=0)
  else()
    target_sources(fuzz_${name} PRIVATE "${PROJECT_SOURCE_DIR}/fuzz/replay_main.cc")
    set(command fuzz_${name})
  endif()
  add_dependencies(fuzz-all fuzz_${name})
  # libFuzzer takes folders alone and writes into the first; -runs=0 only reads.
  add_test(NAME fuzz.${name} COMMAND ${command} ${inputs})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 300)
endfunction()
