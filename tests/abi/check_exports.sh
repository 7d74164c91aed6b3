#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_exports.sh NM LIBRARY EXPORTS_MAP INCLUDE_FOLDER
# The library shows the functions of the map, all of them and nothing else, none of them unique;
# and the map holds what the headers declare.
set -eu
export LC_ALL=C
nm=$1 library=$2 map=$3 include=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$nm" -D --defined-only "$library" >"$work/symbols"
if awk '$2 != "T"' "$work/symbols" | grep .; then
  echo "these are not plain functions (u: unique, V/W: weak, B/D: data)" >&2
  exit 1
fi
awk '{ print $3 }' "$work/symbols" | sort >"$work/shown"
sed -n 's/^ *\(acl[A-Za-z0-9]*\);$/\1/p' "$map" | sort >"$work/listed"
# A declaration's name is before its bracket, at the start of a line or after a type.
find "$include" -name '*.h' -exec cat {} + | grep -v -e '^ *//' -e '^ *#' | tr '\n' ' ' |
  grep -oE '(ACL_FUNC_VISIBILITY|ACLNN_API) [^(;]*\(' |
  sed 's/ *($//; s/.*[ *]//' | sort >"$work/declared"

diff "$work/listed" "$work/shown" >"$work/diff" || {
  echo "listed in the map (<) against shown by the library (>):" >&2
  cat "$work/diff" >&2
  exit 1
}
diff "$work/declared" "$work/listed" >"$work/diff" || {
  echo "declared in the headers (<) against listed in the map (>):" >&2
  cat "$work/diff" >&2
  exit 1
}
test "$(wc -l <"$work/shown")" -gt 90
echo "$(wc -l <"$work/shown") functions"
