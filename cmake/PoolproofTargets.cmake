# SPDX-License-Identifier: Apache-2.0
# One function per kind of target, so that a component's CMakeLists.txt lists sources and nothing else.

# The target check-headers compiles each header of the components alone.
add_custom_target(check-headers)

# poolproof_own_headers(<target>): the headers of this folder and those within are the target's.
function(poolproof_own_headers target)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.h")
  if(headers)
    target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}" FILES ${headers})
    set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
    add_dependencies(check-headers ${target}_verify_interface_header_sets)
  endif()
endfunction()

# What most components include, compiled once for all of them where sanitizers make compiling slow. Elsewhere each source
# proves that it includes what it uses.
if(POOLPROOF_SANITIZE)
  file(CONFIGURE OUTPUT component_header.cc CONTENT "static int nothing [[maybe_unused]];\n")
  add_library(component_header STATIC EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/component_header.cc")
  set_target_properties(component_header PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  target_link_libraries(component_header PRIVATE poolproof_options poolproof_warnings nlohmann_json::nlohmann_json)
  target_precompile_headers(component_header PRIVATE <nlohmann/json.hpp> <algorithm> <functional> <map> <optional> <set>
                            <string> <vector>)
endif()

# poolproof_add_component(<name> [HOT] SOURCES ... [DEPENDS ...] [PRIVATE_DEPENDS ...])
#   Static, position-independent library poolproof_<name> with the alias poolproof::<name>. HOT: optimised with
#   sanitizers too, where the rest is not, since that takes twice as long to compile.
function(poolproof_add_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOT" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS")
  add_library(poolproof_${name} STATIC ${arg_SOURCES})
  add_library(poolproof::${name} ALIAS poolproof_${name})
  set_target_properties(poolproof_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  target_link_libraries(poolproof_${name} PUBLIC poolproof_options ${arg_DEPENDS}
                        PRIVATE poolproof_warnings ${arg_PRIVATE_DEPENDS})
  if(POOLPROOF_SANITIZE AND arg_HOT)
    target_compile_options(poolproof_${name} PRIVATE -O1)
  elseif(POOLPROOF_SANITIZE)
    target_precompile_headers(poolproof_${name} REUSE_FROM component_header)
  endif()
  poolproof_own_headers(poolproof_${name})
endfunction()

# poolproof_add_program(<name> SOURCES ... [DEPENDS ...])   bin/<name>
function(poolproof_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE poolproof_options poolproof_warnings ${arg_DEPENDS})
endfunction()

# Seconds after which CTest ends a test: no test depends on time, so that these are many times what it takes.
if(POOLPROOF_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(POOLPROOF_TIMEOUT 600)
  set(POOLPROOF_LONG_TIMEOUT 3000)
else()
  set(POOLPROOF_TIMEOUT 120)
  set(POOLPROOF_LONG_TIMEOUT 1200)
endif()

# Tests whose code, or the program they start, has several threads. The thread sanitizer's stage of scripts/test builds
# these alone; the preset tsan runs them by name, since tests that are discovered take one label.
add_custom_target(threads-all)

# poolproof_add_test(<name> SOURCES ... [DEPENDS ...] [LABEL label] [THREADS] [TIMEOUT seconds] [DEFINITIONS ...]
#                    [PROPERTIES ...])
#   GoogleTest program <name>_test. Each of its cases is a CTest test <name>.<suite>.<case> (label "unit" if none).
function(poolproof_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "THREADS" "LABEL;TIMEOUT" "SOURCES;DEPENDS;DEFINITIONS;PROPERTIES")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${POOLPROOF_TIMEOUT})
  endif()
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(arg_THREADS)
    add_dependencies(threads-all ${name}_test)
  endif()
  add_executable(${name}_test ${arg_SOURCES})
  set_target_properties(${name}_test PROPERTIES CXX_EXTENSIONS OFF
                        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  target_link_libraries(${name}_test PRIVATE poolproof_options poolproof_warnings ${arg_DEPENDS}
                        GTest::gmock GTest::gtest_main)
  if(POOLPROOF_SANITIZE AND NOT "${arg_SOURCES}" MATCHES "\\.c(;|$)")
    target_precompile_headers(${name}_test REUSE_FROM test_header)
  elseif(CMAKE_BUILD_TYPE STREQUAL Release)
    target_compile_options(${name}_test PRIVATE -O1)  # compiled in a third less of the time
  endif()
  target_compile_definitions(${name}_test PRIVATE ${arg_DEFINITIONS})
  # Parameters stay numbers: printed, they may be bytes of any kind.
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}. NO_PRETTY_TYPES NO_PRETTY_VALUES
                       DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT ${POOLPROOF_TIMEOUT}
                       PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} ${arg_PROPERTIES})
endfunction()
