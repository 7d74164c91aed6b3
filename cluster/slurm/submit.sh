#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# submit.sh X PLAN DIR [sbatch options]: an array with one task for each shard of the plan, and a
# merge behind it. DIR is on a file system that every node sees. Prints the two job numbers.
# SHARDS="3,5" submits these alone (see resubmit.sh).
set -euo pipefail
if [ $# -lt 3 ]; then
  echo "usage: submit.sh IMPLEMENTATION PLAN DIR [sbatch options]" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
export POOLPROOF_IMPLEMENTATION=$1 POOLPROOF_PLAN POOLPROOF_DIR
POOLPROOF_PLAN=$(realpath "$2")
mkdir -p "$3"
POOLPROOF_DIR=$(realpath "$3")
shift 3
total=$(sed -n 's/^ *"shards": *\([0-9]*\).*/\1/p' "$POOLPROOF_PLAN")
array=${SHARDS:-0-$((total - 1))}
# Arrays beyond MaxArraySize are refused by sbatch: plan fewer shards, or submit ranges by SHARDS.
job=$(sbatch --parsable --array="$array" --output="$POOLPROOF_DIR/shard-%a.log" "$@" "$here/shard.sbatch")
# afterany: afterok would wait for ever for a task that failed.
merge=$(sbatch --parsable --dependency="afterany:${job%%;*}" --output="$POOLPROOF_DIR/merge.log" "$@" \
  "$here/merge.sbatch")
echo "${job%%;*} ${merge%%;*}"
