#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# resubmit.sh X PLAN DIR [sbatch options]: submits the shards of the plan that have no report in DIR,
# and a merge behind them. What their journals hold is not judged again.
set -euo pipefail
if [ $# -lt 3 ]; then
  echo "usage: resubmit.sh IMPLEMENTATION PLAN DIR [sbatch options]" >&2
  exit 2
fi
total=$(sed -n 's/^ *"shards": *\([0-9]*\).*/\1/p' "$2")
missing=()
for ((index = 0; index < total; ++index)); do
  [ -e "$3/shard-$index.json" ] || missing+=("$index")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "resubmit.sh: no shard is missing" >&2
  exit 0
fi
SHARDS=$(IFS=,; echo "${missing[*]}") exec "$(dirname "$0")/submit.sh" "$@"
