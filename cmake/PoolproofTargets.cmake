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

# A build has few translation units: the sources of a target are compiled in batches (unity), and what most of them
# include is compiled once (precompiled headers). POOLPROOF_UNITY=OFF compiles each source by itself, which proves that
# it includes what it uses (`check headers`).

# poolproof_precompile(<name> [POSITION_INDEPENDENT] [DEPENDS ...] [OPTIONS ...] HEADERS ...): what targets of the same
# options take by poolproof_reuse(<target> <name>).
function(poolproof_precompile name)
  if(NOT POOLPROOF_UNITY)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 arg "POSITION_INDEPENDENT" "" "DEPENDS;OPTIONS;HEADERS")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${name}.cc" CONTENT "static int nothing [[maybe_unused]];\n")
  add_library(${name} STATIC EXCLUDE_FROM_ALL "${PROJECT_BINARY_DIR}/${name}.cc")
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ${arg_POSITION_INDEPENDENT})
  target_link_libraries(${name} PRIVATE poolproof_options poolproof_warnings ${arg_DEPENDS})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()
function(poolproof_reuse target name)
  if(POOLPROOF_UNITY)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# How much a release optimises: kernels as far as the compiler can (its default for Release), what runs for each element
# or call (HOT) plainly, the rest little, since compiling it costs more than running it. Sanitizers optimise what is hot
# alone.
set(poolproof_hot_options $<$<CONFIG:Release>:-O2>)
set(poolproof_cold_options $<$<CONFIG:Release>:-Og>)
if(POOLPROOF_SANITIZE)
  set(poolproof_hot_options -O1)
endif()
set(_headers <algorithm> <cstdint> <functional> <map> <memory> <optional> <set> <span> <string> <string_view> <variant>
             <vector> "${PROJECT_SOURCE_DIR}/conformance/json/precompiled_json.h" "${PROJECT_SOURCE_DIR}/conformance/case/case.h")
# Most of what is cold includes case.h. One for what is cold: g++ takes none that was made with another optimisation, and
# for the few hot sources a second one costs more than it saves. Whatever an inline function in it instantiates, each
# source that takes it pays for (the reason for precompiled_json.h).
poolproof_precompile(common_header POSITION_INDEPENDENT DEPENDS nlohmann_json::nlohmann_json
                     OPTIONS ${poolproof_cold_options} HEADERS ${_headers})

# poolproof_add_component(<name> [HOT | KERNELS] [BATCH <sources>] SOURCES ... [HOT_SOURCES ...] [DEPENDS ...]
#                         [PRIVATE_DEPENDS ...])
#   Static, position-independent library poolproof_<name> with the alias poolproof::<name>, compiled in batches of 12
#   sources: larger ones compile the same templates less often, smaller ones spread over cores and change alone.
#   HOT_SOURCES are a batch of their own: what is optimised plainly takes twice as long to compile.
function(poolproof_add_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOT;KERNELS" "BATCH" "SOURCES;HOT_SOURCES;DEPENDS;PRIVATE_DEPENDS")
  if(arg_HOT_SOURCES AND POOLPROOF_SANITIZE)
    # What is not optimised at all takes ten times as long.
    list(APPEND arg_SOURCES ${arg_HOT_SOURCES})
    set(arg_HOT ON)
    unset(arg_HOT_SOURCES)
  endif()
  add_library(poolproof_${name} STATIC ${arg_SOURCES})
  add_library(poolproof::${name} ALIAS poolproof_${name})
  target_link_libraries(poolproof_${name} PUBLIC poolproof_options ${arg_DEPENDS}
                        PRIVATE poolproof_warnings ${arg_PRIVATE_DEPENDS})
  if(arg_KERNELS)
    if(POOLPROOF_SANITIZE)
      target_compile_options(poolproof_${name} PRIVATE -O1)
    endif()
  elseif(arg_HOT)
    target_compile_options(poolproof_${name} PRIVATE ${poolproof_hot_options})
  else()
    target_compile_options(poolproof_${name} PRIVATE ${poolproof_cold_options})
    poolproof_reuse(poolproof_${name} common_header)
  endif()
  if(NOT arg_BATCH)
    set(arg_BATCH 12)
  endif()
  set(compiled poolproof_${name})
  if(arg_HOT_SOURCES)
    add_library(poolproof_${name}_hot OBJECT ${arg_HOT_SOURCES})
    target_link_libraries(poolproof_${name}_hot PRIVATE poolproof_options poolproof_warnings ${arg_DEPENDS})
    target_compile_options(poolproof_${name}_hot PRIVATE ${poolproof_hot_options})
    target_sources(poolproof_${name} PRIVATE $<TARGET_OBJECTS:poolproof_${name}_hot>)
    list(APPEND compiled poolproof_${name}_hot)
  endif()
  set_target_properties(${compiled} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF
                                               UNITY_BUILD ${POOLPROOF_UNITY} UNITY_BUILD_BATCH_SIZE ${arg_BATCH})
  poolproof_own_headers(poolproof_${name})
endfunction()

# poolproof_join_component(<name> <component> SOURCES ... [DEPENDS ...])
#   poolproof_<name> and its alias for sources that are compiled in the batches of another component: a batch of a few
#   small files costs four times what they cost in a larger one.
function(poolproof_join_component name component)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "SOURCES;DEPENDS")
  list(TRANSFORM arg_SOURCES PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_sources(poolproof_${component} PRIVATE ${arg_SOURCES})
  target_link_libraries(poolproof_${component} PUBLIC ${arg_DEPENDS})
  add_library(poolproof_${name} INTERFACE)
  add_library(poolproof::${name} ALIAS poolproof_${name})
  target_link_libraries(poolproof_${name} INTERFACE poolproof_${component})
  poolproof_own_headers(poolproof_${component})
endfunction()

# poolproof_add_program(<name> SOURCES ... [DEPENDS ...])   bin/<name>
function(poolproof_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF UNITY_BUILD ${POOLPROOF_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  target_link_libraries(${name} PRIVATE poolproof_options poolproof_warnings ${arg_DEPENDS})
  target_compile_options(${name} PRIVATE ${poolproof_cold_options})
  if(POOLPROOF_UNITY)
    target_compile_options(${name} PRIVATE -fPIC)  # as what is precompiled
  endif()
  poolproof_reuse(${name} common_header)
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
#                    [PROPERTIES ...] [TEXTS filters...])
#   GoogleTest program <name>_test. Each of its cases is a CTest test <name>.<suite>.<case> (label "unit" if none).
#   TEXTS: those cases, by GoogleTest filters, that are about what is written or counted and run no code that others do not:
#   label "texts", which is left out under sanitizers.
function(poolproof_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "THREADS" "LABEL;TIMEOUT" "SOURCES;DEPENDS;DEFINITIONS;PROPERTIES;TEXTS")
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
  target_compile_options(${name}_test PRIVATE ${poolproof_cold_options})
  if(NOT "${arg_SOURCES}" MATCHES "\\.c(;|$)")
    poolproof_reuse(${name}_test test_header)
    set_target_properties(${name}_test PROPERTIES UNITY_BUILD ${POOLPROOF_UNITY} UNITY_BUILD_BATCH_SIZE 20)
  endif()
  target_compile_definitions(${name}_test PRIVATE ${arg_DEFINITIONS})
  # Parameters stay numbers: printed, they may be bytes of any kind.
  set(discover TEST_PREFIX ${name}. NO_PRETTY_TYPES NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST
               DISCOVERY_TIMEOUT ${POOLPROOF_TIMEOUT})
  set(others)
  if(arg_TEXTS)
    string(REPLACE ";" ":" texts "${arg_TEXTS}")
    set(others TEST_FILTER "-${texts}")
    gtest_discover_tests(${name}_test ${discover} TEST_FILTER "${texts}" TEST_LIST ${name}_test_TEXTS
                         PROPERTIES LABELS texts TIMEOUT ${arg_TIMEOUT} ${arg_PROPERTIES})
  endif()
  gtest_discover_tests(${name}_test ${discover} ${others}
                       PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT} ${arg_PROPERTIES})
endfunction()
