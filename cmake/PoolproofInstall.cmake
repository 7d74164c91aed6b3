# SPDX-License-Identifier: Apache-2.0
# Install rules: programs in bin/, libraries in lib/, headers in include/. The folders are fixed, since
# poolproof finds its worker and the host libraries relative to its own place.

install(TARGETS poolproof poolproof-worker poolproof_reference_abi poolproof_optimized_abi
        RUNTIME DESTINATION bin
        LIBRARY DESTINATION lib)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION include
        FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION share/doc/poolproof)
