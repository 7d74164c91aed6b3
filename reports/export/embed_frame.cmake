# SPDX-License-Identifier: Apache-2.0
# cmake "-DINPUTS=frame.cpp;..." -DOUTPUT=embedded_frame.cc -P embed_frame.cmake
# Writes INPUTS, joined and without the SPDX line that each begins with, as an array of characters.
cmake_minimum_required(VERSION 3.25)

set(_text "")
string(HEX "// SPDX-License-Identifier: Apache-2.0\n" _license)
foreach(_input IN LISTS INPUTS)
  file(READ "${_input}" _part HEX)
  string(REGEX REPLACE "^${_license}" "" _part "${_part}")
  string(APPEND _text "${_part}")
endforeach()
string(LENGTH "${_text}" _digits)
set(_body "")
set(_position 0)
while(_position LESS _digits)
  string(SUBSTRING "${_text}" ${_position} 64 _part)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," _part "${_part}")
  string(APPEND _body "    ${_part}\n")
  math(EXPR _position "${_position} + 64")
endwhile()
file(WRITE "${OUTPUT}.new" "// Made of frame*.cpp by embed_frame.cmake.
#include \"reports/export/embedded_frame.h\"

namespace poolproof {
namespace {

constexpr char kFrame[] = {
${_body}};

}  // namespace

std::string_view ExportFrame() { return {kFrame, sizeof kFrame}; }

}  // namespace poolproof
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
