#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# check_declared.sh INCLUDE_FOLDER NAMES
# The list of names holds the functions that the headers only declare, all of them and no other.
set -eu
export LC_ALL=C
include=$1 names=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n 's/^DECLARED(\(.*\))$/\1/p' "$names" | sort >"$work/listed"
find "$include" -name '*.h' -exec cat {} + | grep -v -e '^ *//' -e '^ *#' | tr '\n' ' ' |
  grep -oE 'POOLPROOF_ACL_DECLARED [^(;]*\(' |
  sed 's/ *($//; s/.*[ *]//' | sort >"$work/declared"
diff "$work/declared" "$work/listed" >"$work/diff" || {
  echo "declared in the headers (<) against named by the test (>):" >&2
  cat "$work/diff" >&2
  exit 1
}
test "$(wc -l <"$work/listed")" -gt 300
echo "$(wc -l <"$work/listed") functions"
