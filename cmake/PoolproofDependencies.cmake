# SPDX-License-Identifier: Apache-2.0
# Third-party libraries: Debian's packages by find_package; downloads only where asked for.

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 QUIET)
find_package(CLI11 2.1 QUIET)
find_package(rapidcheck QUIET)
if(POOLPROOF_BUILD_TESTS)
  find_package(GTest 1.12 QUIET)
endif()
if(POOLPROOF_BUILD_BENCHMARKS)
  find_package(benchmark 1.7 QUIET)
endif()

function(poolproof_require found name package)
  if(found)
    return()
  endif()
  if(POOLPROOF_FETCH_DEPENDENCIES)
    return()
  endif()
  message(FATAL_ERROR "${name} was not found. Install it (Debian: ${package}) or configure with "
                      "-DPOOLPROOF_FETCH_DEPENDENCIES=ON.")
endfunction()

poolproof_require("${nlohmann_json_FOUND}" "nlohmann-json" nlohmann-json3-dev)
poolproof_require("${CLI11_FOUND}" "CLI11" libcli11-dev)
poolproof_require("${rapidcheck_FOUND}" "rapidcheck" librapidcheck-dev)
if(POOLPROOF_BUILD_TESTS)
  poolproof_require("${GTest_FOUND}" "GoogleTest" "libgtest-dev libgmock-dev")
  include(GoogleTest)
endif()

if(POOLPROOF_FETCH_DEPENDENCIES)
  include(FetchContent)
  # Subprojects must not inherit our flags nor install themselves with us.
  function(poolproof_fetch)
    set(BUILD_TESTING OFF)
    set(JSON_BuildTests OFF)
    set(CLI11_BUILD_TESTS OFF)
    set(CLI11_BUILD_EXAMPLES OFF)
    if(NOT nlohmann_json_FOUND)
      FetchContent_Declare(nlohmann_json GIT_REPOSITORY https://github.com/nlohmann/json.git
                           GIT_TAG bc889afb4c5bf1c0d8ee29ef35eaaf4c8bef8a5d)  # v3.11.2
      FetchContent_MakeAvailable(nlohmann_json)
    endif()
    if(NOT CLI11_FOUND)
      FetchContent_Declare(CLI11 GIT_REPOSITORY https://github.com/CLIUtils/CLI11.git
                           GIT_TAG 13becaddb657eacd090537719a669d66d393b8b2)  # v2.1.2
      FetchContent_MakeAvailable(CLI11)
    endif()
    if(NOT rapidcheck_FOUND)
      FetchContent_Declare(rapidcheck GIT_REPOSITORY https://github.com/emil-e/rapidcheck.git
                           GIT_TAG ff6af6fc683159deb51c543b065eba14dfcf329b)
      FetchContent_MakeAvailable(rapidcheck)
    endif()
    if(POOLPROOF_BUILD_TESTS AND NOT GTest_FOUND)
      FetchContent_Declare(googletest GIT_REPOSITORY https://github.com/google/googletest.git
                           GIT_TAG 58d77fa8070e8cec2dc1ed015d66b454c8d78850)  # v1.12.1
      FetchContent_MakeAvailable(googletest)
    endif()
  endfunction()
  poolproof_fetch()
endif()
