# SPDX-License-Identifier: Apache-2.0
# One function per kind of target, so that a component's CMakeLists.txt lists sources and nothing else.

# poolproof_add_component(<name> SOURCES ... [DEPENDS ...] [PRIVATE_DEPENDS ...])
#   Static, position-independent library poolproof_<name> with the alias poolproof::<name>.
function(poolproof_add_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS")
  add_library(poolproof_${name} STATIC ${arg_SOURCES})
  add_library(poolproof::${name} ALIAS poolproof_${name})
  set_target_properties(poolproof_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_EXTENSIONS OFF)
  target_link_libraries(poolproof_${name} PUBLIC poolproof_options ${arg_DEPENDS}
                        PRIVATE poolproof_warnings ${arg_PRIVATE_DEPENDS})
endfunction()

# poolproof_add_program(<name> SOURCES ... [DEPENDS ...])   bin/<name>
function(poolproof_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${name} PRIVATE poolproof_options poolproof_warnings ${arg_DEPENDS})
endfunction()

# Seconds after which CTest ends a test: no test depends on time, so that these are many times what it takes.
if(POOLPROOF_SANITIZE)
  set(POOLPROOF_TIMEOUT 600)
  set(POOLPROOF_LONG_TIMEOUT 3000)
else()
  set(POOLPROOF_TIMEOUT 120)
  set(POOLPROOF_LONG_TIMEOUT 1200)
endif()

# poolproof_add_test(<name> SOURCES ... [DEPENDS ...] [LABELS ...] [TIMEOUT seconds] [DEFINITIONS ...])
#   GoogleTest program <name>_test, registered with CTest one test per program (label "unit" if none).
function(poolproof_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TIMEOUT" "SOURCES;DEPENDS;LABELS;DEFINITIONS")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT ${POOLPROOF_TIMEOUT})
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  add_executable(${name}_test ${arg_SOURCES})
  set_target_properties(${name}_test PROPERTIES CXX_EXTENSIONS OFF
                        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
  target_link_libraries(${name}_test PRIVATE poolproof_options poolproof_warnings ${arg_DEPENDS}
                        GTest::gmock GTest::gtest_main)
  target_compile_definitions(${name}_test PRIVATE ${arg_DEFINITIONS})
  add_test(NAME ${name} COMMAND ${name}_test)
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
