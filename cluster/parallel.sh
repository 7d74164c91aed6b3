#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# parallel.sh X PLAN DIR [jobs]: the shards of a plan on one machine by GNU parallel, then the merge.
# Run again, it judges the shards that have no report, from where their journals ended.
set -euo pipefail
if [ $# -lt 3 ]; then
  echo "usage: parallel.sh IMPLEMENTATION PLAN DIR [jobs]" >&2
  exit 2
fi
export POOLPROOF=${POOLPROOF:-poolproof} POOLPROOF_IMPLEMENTATION=$1 POOLPROOF_PLAN=$2 POOLPROOF_DIR=$3
mkdir -p "$POOLPROOF_DIR"
total=$(sed -n 's/^ *"shards": *\([0-9]*\).*/\1/p' "$POOLPROOF_PLAN")
judge() {
  local report=$POOLPROOF_DIR/shard-$1.json status=0
  [ -e "$report" ] && return 0
  "$POOLPROOF" run --implementation "$POOLPROOF_IMPLEMENTATION" --plan "$POOLPROOF_PLAN" --shard "$1" --jobs 1 \
    --journal "$POOLPROOF_DIR/journal-$1" --json "$report.new" || status=$?
  case $status in 0 | 1 | 4) mv "$report.new" "$report" ;; *) return $status ;; esac
}
export -f judge
# What ends badly is tried once more; a merge without it says so. A crash is in the log as Exitval
# 0 and Signal 11: whether a shard ended is known from its report alone.
seq 0 $((total - 1)) | parallel --jobs "${4:-100%}" --retries 2 --joblog "$POOLPROOF_DIR/joblog" \
  "judge {} > $POOLPROOF_DIR/shard-{}.log 2>&1" || true
exec "$POOLPROOF" merge "$POOLPROOF_DIR"/shard-*.json -o "$POOLPROOF_DIR/report.json"
