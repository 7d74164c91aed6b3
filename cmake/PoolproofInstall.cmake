# SPDX-License-Identifier: Apache-2.0
# Install rules: programs in bin/, libraries in lib/, headers in include/. The folders are fixed, since
# poolproof finds its worker and the host libraries relative to its own place.

install(TARGETS poolproof poolproof-worker poolproof_reference_abi poolproof_optimized_abi poolproof_python
        RUNTIME DESTINATION bin
        LIBRARY DESTINATION lib)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION include
        FILES_MATCHING PATTERN "*.h")
# The adapter kit, which `poolproof adapter new` looks for beside the program.
install(TARGETS poolproof_kit ARCHIVE DESTINATION lib)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/adapters/kit/include/" DESTINATION include FILES_MATCHING PATTERN "*.h")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/adapters/python/poolproof" DESTINATION lib/poolproof/python
        FILES_MATCHING PATTERN "*.py")
install(FILES "${PROJECT_BINARY_DIR}/adapters/kit/PoolproofKitConfig.cmake"
              "${PROJECT_SOURCE_DIR}/adapters/kit/kit.map" DESTINATION lib/cmake/PoolproofKit)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/doc/poolproof)

# Completion scripts and the manual page come from the program, which runs here unless it is built for
# another machine.
if(CMAKE_CROSSCOMPILING)
  return()
endif()
set(poolproof_share "${PROJECT_BINARY_DIR}/share")
set(poolproof_shared_files "")
# poolproof_print(<file> <folder of the installation> <arguments...>)
function(poolproof_print file folder)
  add_custom_command(OUTPUT "${poolproof_share}/${file}"
                     COMMAND "${CMAKE_COMMAND}" -E make_directory "${poolproof_share}"
                     COMMAND poolproof ${ARGN} > "${poolproof_share}/${file}"
                     DEPENDS poolproof VERBATIM)
  install(FILES "${poolproof_share}/${file}" DESTINATION "${folder}")
  list(APPEND poolproof_shared_files "${poolproof_share}/${file}")
  set(poolproof_shared_files "${poolproof_shared_files}" PARENT_SCOPE)
endfunction()
poolproof_print(poolproof share/bash-completion/completions completion bash)
poolproof_print(_poolproof share/zsh/site-functions completion zsh)
poolproof_print(poolproof.fish share/fish/vendor_completions.d completion fish)
poolproof_print(poolproof.1 share/man/man1 man)
add_custom_target(poolproof_shared ALL DEPENDS ${poolproof_shared_files})
