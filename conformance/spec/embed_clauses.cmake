# SPDX-License-Identifier: Apache-2.0
# cmake -DINPUT=clauses.json -DOUTPUT=embedded_clauses.cc -P embed_clauses.cmake
# Writes INPUT as an array of raw string literals. Chunks: compilers need not take a literal of more
# than 65536 characters.
cmake_minimum_required(VERSION 3.25)

set(_delimiter "poolproof")
set(_chunk 8000)
file(READ "${INPUT}" _text)
string(FIND "${_text}" ")${_delimiter}\"" _clash)
if(NOT _clash EQUAL -1)
  message(FATAL_ERROR "${INPUT} holds the delimiter of the raw strings")
endif()
string(LENGTH "${_text}" _length)
set(_body "")
set(_position 0)
while(_position LESS _length)
  string(SUBSTRING "${_text}" ${_position} ${_chunk} _part)
  string(APPEND _body "    R\"${_delimiter}(${_part})${_delimiter}\",\n")
  math(EXPR _position "${_position} + ${_chunk}")
endwhile()
file(WRITE "${OUTPUT}.new" "// Made of clauses.json by embed_clauses.cmake.
#include \"conformance/spec/embedded_clauses.h\"

namespace poolproof {
namespace {

constexpr std::string_view kChunks[] = {
${_body}};

}  // namespace

std::span<const std::string_view> EmbeddedClausesChunks() { return kChunks; }

}  // namespace poolproof
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
