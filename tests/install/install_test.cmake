# SPDX-License-Identifier: Apache-2.0
# cmake -Dbuild= -Dconfig= -Dcompiler= -Dversion= -Dsource= -Dfolder= -P install_test.cmake
cmake_minimum_required(VERSION 3.25)

# run(<variable for stdout> <command...>): a failure ends the test with what was printed.
function(run output)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${folder}" RESULT_VARIABLE result
                  OUTPUT_VARIABLE text ERROR_VARIABLE errors OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}\n${text}\n${errors}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${folder}")
file(MAKE_DIRECTORY "${folder}")
# A moved prefix, so that nothing can point to where it was installed.
run(text "${CMAKE_COMMAND}" --install "${build}" --config "${config}" --prefix "${folder}/first")
file(RENAME "${folder}/first" "${folder}/prefix")
set(prefix "${folder}/prefix")

# What is there: the programs, the libraries, every header of include/, the licence, what shells and
# man(1) read; nothing else.
file(GLOB_RECURSE headers RELATIVE "${source}" "${source}/include/*.h")
set(wanted bin/poolproof bin/poolproof-worker lib/libpoolproof_reference.so
    lib/libpoolproof_optimized.so lib/libpoolproof_kit.a lib/libpoolproof_python.so
    lib/cmake/PoolproofKit/PoolproofKitConfig.cmake lib/cmake/PoolproofKit/kit.map include/poolproof/kit.h include/poolproof/opencl.h
    lib/poolproof/python/poolproof/__init__.py lib/poolproof/python/poolproof/foreign.py
    lib/poolproof/python/poolproof/host.py lib/poolproof/python/poolproof/pytest.py share/doc/poolproof/LICENSE share/man/man1/poolproof.1
    share/bash-completion/completions/poolproof share/zsh/site-functions/_poolproof
    share/fish/vendor_completions.d/poolproof.fish ${headers})
file(GLOB_RECURSE found RELATIVE "${prefix}" "${prefix}/*")
list(SORT wanted)
list(SORT found)
if(NOT headers OR NOT found STREQUAL wanted)
  message(FATAL_ERROR "installed: ${found}\nwanted: ${wanted}")
endif()

# The examples, as someone else's project, against either library.
foreach(library IN ITEMS reference optimized)
  run(text "${CMAKE_COMMAND}" -S "${source}/examples" -B "${folder}/examples_${library}"
      "-DCMAKE_PREFIX_PATH=${prefix}" "-DHOST_LIBRARY=${library}"
      "-DCMAKE_CXX_COMPILER=${compiler}" "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
  run(text "${CMAKE_COMMAND}" --build "${folder}/examples_${library}")
  foreach(expected IN ITEMS "adaptive_max_pool2d_backward=0 0 0 5" "max_pool3d_with_argmax_backward=0 3 0")
    string(REGEX MATCH "^[^=]*" program "${expected}")
    run(text "${folder}/examples_${library}/${program}")
    if(NOT "${program}=${text}" STREQUAL expected)
      message(FATAL_ERROR "${library}: ${program} printed \"${text}\", expected ${expected}")
    endif()
  endforeach()
endforeach()

# The installed program finds its worker and the libraries beside itself.
run(text "${prefix}/bin/poolproof" --version)
string(REPLACE "." "\\." version_pattern "${version}")
if(NOT text MATCHES "(^|[^0-9.])${version_pattern}($|[^0-9.])")
  message(FATAL_ERROR "--version printed \"${text}\", wanted ${version} in it")
endif()
foreach(library IN ITEMS reference optimized)
  run(text "${prefix}/bin/poolproof" probe --implementation ${library})
endforeach()

# The installed kit: what `adapter new` writes builds, and has the ABI.
run(text "${prefix}/bin/poolproof" adapter new mine)
run(text "${CMAKE_COMMAND}" -S "${folder}/mine" -B "${folder}/mine/build" "-DCMAKE_CXX_COMPILER=${compiler}"
    "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
run(text "${CMAKE_COMMAND}" --build "${folder}/mine/build")
run(text "${prefix}/bin/poolproof" probe --implementation mine/mine.json)
if(NOT text MATCHES "offered  aclnnMaxPool3dWithArgmaxBackward")
  message(FATAL_ERROR "the adapter's probe printed \"${text}\"")
endif()
