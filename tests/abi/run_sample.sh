#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run_sample.sh SAMPLE SEEDS SAMPLES COMPILER INCLUDE LIBRARY WORK [SANITIZERS]
# Takes the program out of the sample's document in SEEDS, or SAMPLES/SAMPLE.cpp where there is no
# such document, compiles it unmodified as C++17 and compares what it prints.
set -eu
sample=$1 seeds=$2 samples=$3 compiler=$4 include=$5 library=$6 work=$7 sanitizers=${8:-}
mkdir -p "$work"
unset ASCEND_SLOG_PRINT_TO_STDOUT POOLPROOF_SOC_NAME || true

case $sample in
  max_pool3d_with_argmax_backward) document=$seeds/003_b008121af9ffa125.txt ;;
  adaptive_max_pool2d_backward) document=$seeds/004_6060ce173aacf6a8.txt ;;
  *) echo "unknown sample $sample" >&2; exit 2 ;;
esac
if [ -f "$document" ]; then
  # The program is the fenced block that defines main.
  awk '/^```/ { if (inside) { if (text ~ /int main\(/) printf "%s", text; inside = 0 }
                else { inside = 1; text = "" } next }
       inside { text = text $0 "\n" }' "$document" >"$work/program.cpp"
  echo "program of the document"
else
  cp "$samples/$sample.cpp" "$work/program.cpp"
  echo "program of our own"
fi
test -s "$work/program.cpp"

folder=$(dirname "$library")
name=$(basename "$library" .so)
"$compiler" -std=c++17 ${sanitizers:+-fsanitize=$sanitizers} -I"$include" "$work/program.cpp" \
  -o "$work/program" -L"$folder" "-l${name#lib}" -Wl,-rpath,"$folder"

set +e
"$work/program" >"$work/plain.txt"
plain=$?
ASCEND_SLOG_PRINT_TO_STDOUT=1 "$work/program" >"$work/logged.txt"
set -e
cat "$work/plain.txt"

case $sample in
  max_pool3d_with_argmax_backward) # EX-D3
    test "$plain" -eq 0
    for i in 0 1 2 3 4 5 6 7; do
      value=0.000000
      test $i -ne 6 || value=0.475700
      echo "result[$i] is: $value"
    done | diff - "$work/plain.txt"
    diff "$work/plain.txt" "$work/logged.txt"
    ;;
  adaptive_max_pool2d_backward) # EX-D4
    test "$plain" -ne 0
    grep -q 'failed\. ERROR: 507015' "$work/plain.txt"
    if grep -q poolproof "$work/plain.txt"; then exit 1; fi
    grep 'index 6 is outside a plane of 4.*EX-D4' "$work/logged.txt"
    grep -q 'failed\. ERROR: 507015' "$work/logged.txt"
    ;;
esac
