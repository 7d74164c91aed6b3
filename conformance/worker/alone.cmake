# SPDX-License-Identifier: Apache-2.0
# The worker and what it is made of, in C++17 and without any package: for boards with a compiler of their own, driven
# from elsewhere by `poolproof --worker-command`. The runner must be of the same sources.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
get_filename_component(root "${CMAKE_CURRENT_SOURCE_DIR}/../.." ABSOLUTE)
find_package(Threads REQUIRED)

set(sources)
foreach(name IN ITEMS core/data_type core/dims core/shape
                      conformance/spec/operators conformance/operators/registry
                      conformance/case/plan_members conformance/case/poison
                      conformance/wire/codec conformance/wire/crash_note conformance/wire/frame conformance/wire/process_watch
                      conformance/wire/progress conformance/wire/symbol_table
                      conformance/worker/call_runner conformance/worker/crash_handler conformance/worker/device_arena conformance/worker/edge_counts conformance/worker/edge_hooks
                      conformance/worker/guard_pages conformance/worker/heap_watch conformance/worker/kept_resources
                      conformance/worker/library conformance/worker/library_host conformance/worker/link
                      conformance/worker/main conformance/worker/meeting conformance/worker/operand_memory conformance/worker/operator_calls conformance/worker/process_state conformance/worker/remote_worker conformance/worker/stream_watch conformance/worker/timed_calls)
  list(APPEND sources "${root}/${name}.cc")
endforeach()
add_executable(poolproof-worker ${sources})
set_target_properties(poolproof-worker PROPERTIES
  CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
  LINK_FLAGS "-Wl,--dynamic-list=${CMAKE_CURRENT_SOURCE_DIR}/edge_hooks.list")
# What the library of C++17 lacks.
target_include_directories(poolproof-worker BEFORE PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/cxx17" "${root}")
target_compile_options(poolproof-worker PRIVATE -Wall -ffp-contract=off -fvisibility=hidden -fvisibility-inlines-hidden)
target_link_libraries(poolproof-worker PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
