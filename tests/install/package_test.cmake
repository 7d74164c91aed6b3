# SPDX-License-Identifier: Apache-2.0
# cmake -Dbuild= -Dsource= -Dfolder= -P package_test.cmake: the tarball of scripts/package runs from a folder that
# it was not made in, and holds what it should.
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
file(MAKE_DIRECTORY "${folder}/elsewhere/deep")
# Of a system, not of the project: such a machine cannot make a tarball, and says what it lacks.
execute_process(COMMAND "${source}/scripts/package" --build "${build}" -o p.tar.gz WORKING_DIRECTORY "${folder}"
                RESULT_VARIABLE result OUTPUT_VARIABLE made ERROR_VARIABLE errors OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT result EQUAL 0)
  if(errors MATCHES "package: (no licence of [^\n]*|objdump was not found[^\n]*)")
    message("package: skipped: ${CMAKE_MATCH_1}")
    return()
  endif()
  message(FATAL_ERROR "scripts/package ended with ${result}\n${made}\n${errors}")
endif()
if(NOT made STREQUAL "${folder}/p.tar.gz")
  message(FATAL_ERROR "scripts/package printed \"${made}\", wanted ${folder}/p.tar.gz")
endif()
run(again "${source}/scripts/package" --build "${build}" -o q.tar.gz)
run(text "${CMAKE_COMMAND}" -E compare_files p.tar.gz q.tar.gz)

file(ARCHIVE_EXTRACT INPUT "${made}" DESTINATION "${folder}/elsewhere/deep")
file(GLOB tops "${folder}/elsewhere/deep/*")
list(LENGTH tops count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "the tarball holds ${tops}, wanted one folder")
endif()
# A blank in the path, as users have it.
set(prefix "${folder}/elsewhere/my tools")
file(RENAME "${tops}" "${prefix}")
file(GLOB_RECURSE headers RELATIVE "${source}" "${source}/include/*.h")
set(wanted README.txt bin/poolproof bin/poolproof-worker lib/libpoolproof_reference.so lib/libpoolproof_optimized.so
    share/doc/poolproof/LICENSE share/doc/poolproof/LICENSE.cli11 share/doc/poolproof/LICENSE.nlohmann_json
    share/doc/poolproof/LICENSE.rapidcheck share/man/man1/poolproof.1 share/bash-completion/completions/poolproof
    share/fish/vendor_completions.d/poolproof.fish share/zsh/site-functions/_poolproof include/poolproof/kit.h
    include/poolproof/opencl.h
    lib/cmake/PoolproofKit/PoolproofKitConfig.cmake lib/cmake/PoolproofKit/kit.map lib/libpoolproof_kit.a
    lib/libpoolproof_python.so lib/poolproof/python/poolproof/__init__.py lib/poolproof/python/poolproof/foreign.py
    lib/poolproof/python/poolproof/host.py lib/poolproof/python/poolproof/pytest.py ${headers})
file(GLOB_RECURSE found RELATIVE "${prefix}" "${prefix}/*")
list(SORT wanted)
list(SORT found)
if(NOT found STREQUAL wanted)
  message(FATAL_ERROR "in the tarball: ${found}\nwanted: ${wanted}")
endif()
file(READ "${prefix}/README.txt" readme)
if(NOT readme MATCHES "GLIBC_[0-9.]+ and GLIBCXX_[0-9.]+ ")
  message(FATAL_ERROR "README.txt does not say what it wants: ${readme}")
endif()

foreach(library IN ITEMS reference optimized)
  run(text "${prefix}/bin/poolproof" doctor --implementation ${library})
endforeach()
run(text "${prefix}/bin/poolproof" run --implementation reference --cases 200)
if(NOT text MATCHES "^PASSED \\(200 ")
  message(FATAL_ERROR "a run from the tarball: ${text}")
endif()

# The same as a Debian package.
find_program(dpkg_deb dpkg-deb)
if(NOT dpkg_deb)
  return()
endif()
foreach(name IN ITEMS p q)
  run(text "${source}/scripts/package" --deb --build "${build}" -o ${name}.deb)
endforeach()
run(text "${CMAKE_COMMAND}" -E compare_files p.deb q.deb)
run(text "${dpkg_deb}" --field p.deb Package Architecture Depends)
if(NOT text MATCHES "^Package: poolproof\nArchitecture: [a-z0-9]+\nDepends: libc6 \\(>= [0-9.]+\\), ")
  message(FATAL_ERROR "fields of the package: ${text}")
endif()
run(text "${dpkg_deb}" -x p.deb unpacked)
file(GLOB_RECURSE found RELATIVE "${folder}/unpacked/usr" "${folder}/unpacked/usr/*")
list(REMOVE_ITEM wanted README.txt)
list(SORT found)
if(NOT found STREQUAL wanted)
  message(FATAL_ERROR "in the package: ${found}\nwanted: ${wanted}")
endif()
run(text "${folder}/unpacked/usr/bin/poolproof" doctor --implementation reference)
