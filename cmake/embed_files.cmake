# SPDX-License-Identifier: Apache-2.0
# cmake "-DINPUTS=a.json|b.json" -DOUTPUT=embedded_corpus.cc -DHEADER=<of the function> -DFUNCTION=<name> -P embed_files.cmake
# Writes each input as an array of raw string literals, and a function that gives them all. Chunks: compilers need not take a literal of
# more than 65536 characters.
cmake_minimum_required(VERSION 3.25)

set(_delimiter "poolproof")
set(_chunk 8000)
set(_arrays "")
set(_table "")
set(_number 0)
string(REPLACE "|" ";" _inputs "${INPUTS}")
foreach(_input IN LISTS _inputs)
  get_filename_component(_name "${_input}" NAME)
  file(READ "${_input}" _text)
  string(FIND "${_text}" ")${_delimiter}\"" _clash)
  if(NOT _clash EQUAL -1)
    message(FATAL_ERROR "${_input} holds the delimiter of the raw strings")
  endif()
  string(LENGTH "${_text}" _length)
  set(_position 0)
  string(APPEND _arrays "constexpr std::string_view kFile${_number}[] = {\n")
  while(_position LESS _length)
    string(SUBSTRING "${_text}" ${_position} ${_chunk} _part)
    string(APPEND _arrays "    R\"${_delimiter}(${_part})${_delimiter}\",\n")
    math(EXPR _position "${_position} + ${_chunk}")
  endwhile()
  string(APPEND _arrays "};\n")
  string(APPEND _table "    {\"${_name}\", kFile${_number}},\n")
  math(EXPR _number "${_number} + 1")
endforeach()
file(WRITE "${OUTPUT}.new" "// Made by embed_files.cmake.
#include \"${HEADER}\"

namespace poolproof {
namespace {

${_arrays}
constexpr EmbeddedFile kFiles[] = {
${_table}};

}  // namespace

std::span<const EmbeddedFile> ${FUNCTION}() { return kFiles; }

}  // namespace poolproof
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
