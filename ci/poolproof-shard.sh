#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# One shard of a run that several jobs share. The job succeeds where the shard was judged, whatever
# the answer: poolproof-merge.sh is the gate, so that one job of a pipeline fails and not each of them.
#
#   POOLPROOF_IMPLEMENTATION   what to judge: a .so, a manifest, reference or optimized (needed)
#   POOLPROOF_SHARD            I/N, 0/N being the first; default auto: what the CI says (CI_NODE_INDEX, ...)
#   POOLPROOF_SET              smoke, ci (default) or nightly
#   POOLPROOF_PROFILE          product family; default: what the SoC name says
#   POOLPROOF_REPORTS          folder for shards/*.json; default poolproof-reports
#   POOLPROOF                  the program; default poolproof
set -euo pipefail

if [[ -z "${POOLPROOF_IMPLEMENTATION:-}" ]]; then
  echo "poolproof-shard.sh: set POOLPROOF_IMPLEMENTATION to what is judged: a .so, a manifest, reference or optimized" >&2
  exit 2
fi
shard="${POOLPROOF_SHARD:-auto}"
name="${shard//\//-of-}"
[[ "$shard" != auto ]] || name="${CI_NODE_INDEX:-auto}"
folder="${POOLPROOF_REPORTS:-poolproof-reports}/shards"
mkdir -p "$folder"
report="$folder/shard-$name.json"
rm -f "$report"  # nothing old may pass for a result
options=(--implementation "$POOLPROOF_IMPLEMENTATION" --set "${POOLPROOF_SET:-ci}" --shard "$shard" --json "$report")
[[ -z "${POOLPROOF_PROFILE:-}" ]] || options+=(--profile "$POOLPROOF_PROFILE")

status=0
env -u POOLPROOF_SHARD "${POOLPROOF:-poolproof}" run "${options[@]}" || status=$?
# 1: cases failed; 4: the run was cut off. The merge says both, and says what is missing.
if [[ ("$status" == 1 || "$status" == 4) && -s "$report" ]]; then
  echo "poolproof-shard.sh: the shard was judged (exit status $status); the merge is the gate" >&2
  status=0
fi
exit "$status"
