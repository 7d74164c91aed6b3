#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The gate behind shards that poolproof-shard.sh judged: one report of all of them. Exit status as
# `poolproof merge`'s own: 0 conformant, 1 nonconformant, 2 usage, 3 harness error, 4 incomplete.
#
#   POOLPROOF_PLAN             the file of `poolproof plan`, for root causes and waivers; default: none
#   POOLPROOF_WAIVERS          a waiver file; needs POOLPROOF_PLAN
#   POOLPROOF_BASELINE         a JSON report: only what fails and did not fail there closes the gate
#   POOLPROOF_REPORTS          folder of shards/*.json, and for poolproof.{json,junit.xml,html,md,code-quality.json,sarif,github.txt};
#                              default poolproof-reports
#   POOLPROOF                  the program; default poolproof
set -euo pipefail

reports="${POOLPROOF_REPORTS:-poolproof-reports}"
mkdir -p "$reports"
rm -f "$reports"/poolproof.{json,junit.xml,html,md,code-quality.json,sarif,github.txt}  # nothing old may pass for a result
shopt -s nullglob
shards=("$reports"/shards/*.json)
if ((${#shards[@]} == 0)); then
  echo "poolproof-merge.sh: no report of a shard is in $reports/shards" >&2
  exit 2
fi
options=(--json "$reports/poolproof.json" --junit "$reports/poolproof.junit.xml" --html "$reports/poolproof.html"
  --markdown "$reports/poolproof.md" --code-quality "$reports/poolproof.code-quality.json"
  --sarif "$reports/poolproof.sarif" --github-annotations "$reports/poolproof.github.txt")
[[ -z "${POOLPROOF_PLAN:-}" ]] || options+=(--plan "$POOLPROOF_PLAN")
[[ -z "${POOLPROOF_WAIVERS:-}" ]] || options+=(--waivers "$POOLPROOF_WAIVERS")
[[ -z "${POOLPROOF_BASELINE:-}" ]] || options+=(--gate new --baseline "$POOLPROOF_BASELINE")

status=0
"${POOLPROOF:-poolproof}" merge "${shards[@]}" "${options[@]}" || status=$?
if [[ -n "${GITHUB_STEP_SUMMARY:-}" && -f "$reports/poolproof.md" ]]; then
  cat "$reports/poolproof.md" >>"$GITHUB_STEP_SUMMARY"
fi
if [[ -n "${GITHUB_ACTIONS:-}" && -f "$reports/poolproof.github.txt" ]]; then
  cat "$reports/poolproof.github.txt"
fi
exit "$status"
