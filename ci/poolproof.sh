#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# A gate on an implementation, for any CI that runs a shell. Exit status as `poolproof run`'s own:
# 0 conformant, 1 nonconformant, 2 usage, 3 harness error, 4 incomplete.
#
#   POOLPROOF_IMPLEMENTATION   what to judge: a .so, a manifest, reference or optimized (needed)
#   POOLPROOF_SET              smoke, ci (default) or nightly
#   POOLPROOF_PROFILE          product family; default: what the SoC name says
#   POOLPROOF_WAIVERS          a waiver file
#   POOLPROOF_BASELINE         a JSON report: only what fails and did not fail there closes the gate
#   POOLPROOF_REPORTS          folder for poolproof.{json,junit.xml,html,md,code-quality.json,sarif,github.txt}; default poolproof-reports
#   POOLPROOF                  the program; default poolproof
set -euo pipefail

reports="${POOLPROOF_REPORTS:-poolproof-reports}"
mkdir -p "$reports"
rm -f "$reports"/poolproof.{json,junit.xml,html,md,code-quality.json,sarif,github.txt}  # nothing old may pass for a result
if [[ -z "${POOLPROOF_IMPLEMENTATION:-}" ]]; then
  echo "poolproof.sh: set POOLPROOF_IMPLEMENTATION to what is judged: a .so, a manifest, reference or optimized" >&2
  exit 2
fi
options=(--implementation "$POOLPROOF_IMPLEMENTATION" --set "${POOLPROOF_SET:-ci}"
  --json "$reports/poolproof.json" --junit "$reports/poolproof.junit.xml"
  --html "$reports/poolproof.html" --markdown "$reports/poolproof.md"
  --code-quality "$reports/poolproof.code-quality.json"
  --sarif "$reports/poolproof.sarif" --github-annotations "$reports/poolproof.github.txt")
[[ -z "${POOLPROOF_PROFILE:-}" ]] || options+=(--profile "$POOLPROOF_PROFILE")
[[ -z "${POOLPROOF_WAIVERS:-}" ]] || options+=(--waivers "$POOLPROOF_WAIVERS")
[[ -z "${POOLPROOF_BASELINE:-}" ]] || options+=(--gate new --baseline "$POOLPROOF_BASELINE")

status=0
"${POOLPROOF:-poolproof}" run "${options[@]}" || status=$?
if [[ -n "${GITHUB_STEP_SUMMARY:-}" && -f "$reports/poolproof.md" ]]; then
  cat "$reports/poolproof.md" >>"$GITHUB_STEP_SUMMARY"
fi
if [[ -n "${GITHUB_ACTIONS:-}" && -f "$reports/poolproof.github.txt" ]]; then
  cat "$reports/poolproof.github.txt"
fi
exit "$status"
