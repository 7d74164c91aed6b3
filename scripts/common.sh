# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the scripts share: where the project is, how it is configured and built, how stages are
# announced, timed and counted. Sourced; talk goes to stderr. Leaves the shell in the project's root.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
cd "$root" || exit
exec </dev/null  # no step may wait for a person

say() { printf '%s\n' "$*" >&2; }
die() {
  say "${0##*/}: $*"
  exit 2
}

# Parallel jobs: one per core, and no more than one for each 1.5 GiB of memory.
if [[ -z "${CMAKE_BUILD_PARALLEL_LEVEL-}" ]]; then
  CMAKE_BUILD_PARALLEL_LEVEL="$(nproc)"
  memory_jobs="$(awk '/^MemAvailable:/ {print int($2 / 1572864)}' /proc/meminfo)"
  if ((memory_jobs < CMAKE_BUILD_PARALLEL_LEVEL)); then
    CMAKE_BUILD_PARALLEL_LEVEL=$((memory_jobs > 0 ? memory_jobs : 1))
  fi
fi
export CMAKE_BUILD_PARALLEL_LEVEL CTEST_PARALLEL_LEVEL="${CTEST_PARALLEL_LEVEL-$CMAKE_BUILD_PARALLEL_LEVEL}"

# --- What things cost (scripts/cost) -------------------------------------------------------------
# Compilers and tests of build/ run behind a launcher that writes what they cost where a log is kept.
cost_launcher="$root/build/cost/launcher"

# keep_cost <command>: from here on, in build/cost/<command>.log. Wants a compiler.
keep_cost() {
  POOLPROOF_COST_LOG="$root/build/cost/$1.log"
  rm -f "$POOLPROOF_COST_LOG"
  make_cost_launcher || return
  printf '%s 0 0 unit\n' "$(scripts/cost unit)" >"$POOLPROOF_COST_LOG" || return
  scripts/cost expect "$1" >&2
  export POOLPROOF_COST_LOG
}
make_cost_launcher() {
  if [[ ! -x "$cost_launcher" || "$cost_launcher" -ot scripts/cost_launcher.c ]]; then
    mkdir -p "${cost_launcher%/*}" && cc -O1 -o "$cost_launcher.new" scripts/cost_launcher.c && mv "$cost_launcher.new" "$cost_launcher"
  fi
}

# children_cpu: sets cpu to the CPU seconds of this shell's children that have ended. Not in a subshell, whose children
# are others.
children_cpu() {
  local file="$cost_launcher.times.$BASHPID" user system
  times >"$file"
  { read -r _ _ && read -r user system; } <"$file"
  rm -f "$file"
  cpu="$(awk -v a="$user" -v b="$system" 'function s(t, p) { split(t, p, /[ms]/); return p[1] * 60 + p[2] } BEGIN { print s(a) + s(b) }')"
}

# cost_stage <title> <command...>: the command, and a line of what its processes cost.
cost_stage() {
  local title="$1" status=0 before cpu
  shift
  if [[ -z "${POOLPROOF_COST_LOG-}" ]]; then "$@"; return; fi
  children_cpu
  before="$cpu"
  "$@" || status=$?
  children_cpu
  awk -v a="$cpu" -v b="$before" -v title="$title" 'BEGIN { printf "%.3f 0 0 stage %s\n", a - b, title }' >>"$POOLPROOF_COST_LOG"
  return "$status"
}

# The unit is measured before and behind: what else runs meanwhile makes everything slower.
tell_cost() {
  [[ -n "${POOLPROOF_COST_LOG-}" ]] || return 0
  printf '%s 0 0 unit\n' "$(scripts/cost unit)" >>"$POOLPROOF_COST_LOG" && scripts/cost summary "$1" >&2
}

# configure_release: the folder build/, Release, whatever generator the folder already has. A folder
# that was configured for another place is configured again.
configure_release() {
  local launcher=("$cost_launcher" -)
  make_cost_launcher || return
  if ccache --version >/dev/null 2>&1; then launcher+=(ccache); fi
  local list arguments
  list="$(IFS=';' && echo "${launcher[*]}")"
  arguments=(-S . -B build -DCMAKE_BUILD_TYPE=Release "-DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-$list}"
    "-DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-$list}" "-DCMAKE_CROSSCOMPILING_EMULATOR=$cost_launcher;-")
  if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" build/CMakeCache.txt; then
    arguments+=(--fresh -G Ninja)
  fi
  cmake "${arguments[@]}" >&2
}

# build_release [target...]: configured and built in build/.
build_release() {
  configure_release && cmake --build build ${1:+--target "$@"} >&2
}

# build_preset <preset>: configured and built in build-<preset>/.
build_preset() {
  local fresh=()
  grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "build-$1/CMakeCache.txt" || fresh=(--fresh)
  cmake --preset "$1" "${fresh[@]}" >&2 && cmake --build --preset "$1" >&2
}

# Sources of the project by name, headers included; arguments are the folders to look in.
project_sources() {
  local folders=() folder
  for folder in "$@"; do [[ -d "$folder" ]] && folders+=("$folder"); done
  find "${folders[@]}" \( -name '*.h' -o -name '*.cc' -o -name '*.c' \) -type f | LC_ALL=C sort
}
project_folders=(bench cli conformance core fuzz include optimized reference reports runtime tests)

# tool <name>: the program of LLVM 14, to which format and lint are pinned (versions differ in taste).
tool() {
  local name
  for name in "$1-14" "$1"; do
    if command -v "$name" >/dev/null && [[ "$("$name" --version)" == *"version 14."* ]]; then
      echo "$name"
      return
    fi
  done
  say "$1 14 was not found (Debian 12: apt-get install $1)"
  return 1
}

format() {
  local program
  program="$(tool clang-format)" || return
  project_sources "${project_folders[@]}" | xargs -r "$program" "$@"
}
check_format() { format --dry-run --Werror >&2; }

# lint [argument...]: scripts/tidy over the sources that the project compiles by clang, tests apart (they
# take longest and say least), within a time limit.
lint() {
  local program
  program="$(tool clang-tidy)" || return
  # Each source by itself, which shows too that it includes what it uses.
  cmake --preset clang -B build-lint -DPOOLPROOF_UNITY=OFF >&2 || return
  scripts/tidy --program "$program" --build build-lint --seconds "${POOLPROOF_LINT_SECONDS:-900}" \
    --jobs "$CMAKE_BUILD_PARALLEL_LEVEL" "$@" "${lint_folders[@]}" >&2
}
lint_folders=(bench cli conformance core optimized reference reports runtime)
# least <a> <b>
least() { echo $(($1 < $2 ? $1 : $2)); }

# lint_changed <seconds>: as much of what changed as fits into a third of them, and into four minutes.
lint_changed() { POOLPROOF_LINT_SECONDS="$(least 240 $(($1 / 3)))" lint --changed; }

# --- Exploring fuzz targets: what is found lands among the regressions, where it stays once it is fixed

# build_target <preset> <name>: the fuzz target and what it starts from, in build-<preset>/.
build_target() {
  [[ -f "fuzz/fuzz_$2.cc" ]] || die "'$2' is no fuzz target; there are: $(fuzz_names)"
  cmake --preset "$1" >&2 && cmake --build "build-$1" --target "fuzz_$2" fuzz_seeds >&2 &&
    "build-$1/bin/fuzz_seeds" "build-$1/fuzz-seeds" . >&2 && mkdir -p "fuzz/regressions/$2"
}

# inputs_of <preset> <name>: what the target starts from, a folder to a line.
inputs_of() {
  local folder
  for folder in "fuzz/regressions/$2" "fuzz/seeds/$2" "build-$1/fuzz-seeds/$2"; do
    if [[ -d "$folder" ]]; then echo "$folder"; fi
  done
  if [[ "$2" == report || "$2" == performance ]]; then echo tests/reports/golden; fi
}

fuzz_names() { (cd fuzz && echo fuzz_*.cc | sed 's/fuzz_//g; s/\.cc//g'); }

# explore_libfuzzer <name> <seconds>
explore_libfuzzer() {
  local words=() folders
  build_target fuzz "$1" || return
  mkdir -p "build-fuzz/corpus/$1"
  mapfile -t folders < <(inputs_of fuzz "$1")
  if [[ -f "build-fuzz/fuzz-seeds/$1.dict" ]]; then words=("-dict=build-fuzz/fuzz-seeds/$1.dict"); fi
  "${fixed_addresses[@]}" "build-fuzz/bin/fuzz_$1" "-max_total_time=$2" -timeout=20 -print_final_stats=1 \
    "-artifact_prefix=fuzz/regressions/$1/" "${words[@]}" "build-fuzz/corpus/$1" "${folders[@]}"
}

# explore_afl <name> <seconds>: a campaign that is taken up again by the same command.
explore_afl() {
  local words=() folders out="build-afl/findings/$1" inputs="build-afl/inputs/$1" found
  if ! command -v afl-clang-fast++ >/dev/null || ! command -v afl-fuzz >/dev/null; then
    die "afl: afl-clang-fast++ and afl-fuzz were not found (Debian: apt-get install afl++)"
  fi
  build_target afl "$1" || return
  mkdir -p "$inputs" "$out"
  mapfile -t folders < <(inputs_of afl "$1")
  if [[ -f "build-afl/fuzz-seeds/$1.dict" ]]; then words=(-x "build-afl/fuzz-seeds/$1.dict"); fi
  # AFL++ takes one folder of files.
  find "${folders[@]}" -type f -exec cp -t "$inputs" {} +
  AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_AUTORESUME=1 AFL_NO_UI=1 \
    AFL_SKIP_CRASHES=1 "${fixed_addresses[@]}" afl-fuzz -V "$2" -t 20000 -m none -i "$inputs" -o "$out" \
    "${words[@]}" -- "build-afl/bin/fuzz_$1" >&2 || return
  found="$(find "$out/default/crashes" "$out/default/hangs" -name 'id:*' 2>/dev/null)"
  [[ -n "$found" ]] || return 0
  # Names without the characters that some systems refuse.
  while IFS= read -r file; do
    cp "$file" "fuzz/regressions/$1/afl-$(sha256sum <"$file" | head -c 16)"
  done <<<"$found"
  say "afl: findings are in fuzz/regressions/$1"
  return 1
}

# --- Stages and their counts ---------------------------------------------------------------------
passed=0
failed=0
failed_stages=()
failed_tests=()
passed_again=()

# tell_failed: what failed, a line each, for the end of a log of which often the end alone is kept.
tell_failed() {
  local title
  for title in "${failed_stages[@]}"; do say "FAILED: $title"; done
  for title in "${failed_tests[@]}"; do say "FAILED: test $title"; done
  for title in "${passed_again[@]}"; do say "FAILED AT FIRST, passed alone: test $title"; done
}

# stage <title> <command...>: heading, command, time. A command that fails without having counted
# a failed test is a failure itself.
stage() {
  local title="$1" started=$SECONDS failed_before=$failed status=0 outcome="done"
  shift
  say "== $title"
  cost_stage "$title" "$@" || status=$?
  if ((status != 0)); then
    outcome=FAILED
    failed_stages+=("$title")
    if ((failed == failed_before)); then failed=$((failed + 1)); fi
  fi
  say "== $title: ${outcome} in $((SECONDS - started)) s"
  return "$status"
}

# check_stage <title> <command...>: a stage that is one check of its own, without CTest tests.
check_stage() {
  if stage "$@"; then passed=$((passed + 1)); else return 1; fi
}

# The sanitizers of LLVM 14 cannot run where the kernel randomises more address bits than they know.
fixed_addresses=()
if (($(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0) > 28)) && setarch -R true 2>/dev/null; then
  fixed_addresses=(setarch -R)
fi

# run_ctest <name> <ctest arguments...>: runs the tests and adds up their results. Where up to three of them fail, those
# run once more, alone: what passes then is counted as passed, and named in the last lines, since it depends on what else
# the machine did.
run_ctest() {
  local name="$1" status=0 report="$root/build/test-results/$1.xml" again="$root/build/test-results/$1-again.xml" bad title
  local failing=() still=()
  shift
  mkdir -p "${report%/*}"
  rm -f "$report" "$again"
  "${fixed_addresses[@]}" ctest --output-on-failure --no-tests=error --output-junit "$report" "$@" >&2 || status=$?
  if [[ ! -f "$report" ]]; then
    say "ctest left no report"
    return 1
  fi
  # Texts in the report are escaped: a line that starts with <testcase is a test.
  local good absent skipped
  good="$(grep -c '^[[:space:]]*<testcase .*status="run"' "$report" || true)"
  # A test that did not run although it did not ask to be skipped (no such program) has failed.
  absent="$(grep -c '^[[:space:]]*<testcase .*status="notrun"' "$report" || true)"
  skipped="$(grep -c '^[[:space:]]*<skipped message="SKIP_' "$report" || true)"
  mapfile -t failing < <(tests_that_failed "$report")
  if ((status != 0 && ${#failing[@]} > 0 && ${#failing[@]} <= 3 && absent == skipped)); then
    say "-- again, alone: ${failing[*]}"
    status=0
    CTEST_PARALLEL_LEVEL=1 "${fixed_addresses[@]}" ctest --output-on-failure --no-tests=error --output-junit "$again" "$@" \
      --rerun-failed >&2 || status=$?
    if [[ -f "$again" ]]; then mapfile -t still < <(tests_that_failed "$again"); fi
    if ((status != 0 && ${#still[@]} == 0)); then still=("${failing[@]}"); fi
    good=$((good + ${#failing[@]} - ${#still[@]}))
    for title in "${failing[@]}"; do
      [[ " ${still[*]} " == *" $title "* ]] || passed_again+=("$title ($name)")
    done
    failing=("${still[@]}")
  fi
  bad=$((${#failing[@]} + absent - skipped))
  passed=$((passed + good))
  failed=$((failed + bad))
  failed_tests+=("${failing[@]/%/ ($name)}")
  ((good + bad > 0)) || say "no test ran"
  ((status == 0 && bad == 0 && good > 0))
}

# tests_that_failed <report>: their names, which have no spaces.
tests_that_failed() {
  sed -nE 's/^[[:space:]]*<testcase name="([^"]*)".* status="fail".*/\1/p' "$1"
}

# test_folder <folder>: the test programs of tests/<its name>, or, where there is no such folder, those that link its
# component. Nothing else is built.
test_folder() {
  local component="${1##*/}" lists names=()
  lists=(tests/"$component"/CMakeLists.txt)
  [[ -f "${lists[0]}" ]] || mapfile -t lists < <(grep -lE "poolproof(_|::)$component\\b" tests/*/CMakeLists.txt)
  ((${#lists[@]})) || die "no test folder is named $component, and none links poolproof_$component"
  mapfile -t names < <(sed -nE 's/.*poolproof_add_test\(([a-z0-9_]+).*/\1/p' "${lists[@]}")
  ((${#names[@]})) || die "${lists[*]} has no test program"
  build_release "${names[@]/%/_test}" &&
    run_ctest "${component}" --test-dir build --tests-regex "^($(IFS='|' && echo "${names[*]}"))\."
}

# Mutants are built on request only: each must fail on its own clause, and every legal variant pass.
# The kill matrix is left in build/reports/ and printed.
test_mutants() {
  local status=0
  cmake -S . -B build -DPOOLPROOF_MUTANT_TESTS=ON >&2 &&
    cmake --build build --target mutants-all >&2 || return
  run_ctest mutants --test-dir build --label-regex '^mutants$' --timeout 2400 || status=$?
  cmake -S . -B build -DPOOLPROOF_MUTANT_TESTS=OFF >&2
  if ((status == 0)); then cat build/reports/{kill-matrix,root-causes}.txt >&2; fi
  return "$status"
}

# Ten mutants, others on another day, each counted as a test.
sample_mutants() {
  local log=build/reports/mutants-of-the-day.txt status=0 good bad
  local left=$((SECONDS + $1))
  configure_release && cmake --build build --target mutants-all poolproof >&2 || return
  left="$(least 300 $((left - SECONDS)))"
  timeout "$((left > 0 ? left : 1))" python3 tests/mutants/kill_matrix.py --build build --set ci --sample 10 --text "$log" >&2 || status=$?
  if ((status == 124)); then  # a slow machine judges fewer
    say "time is up after $left s"
    status=0
  fi
  good="$(grep -c '^ok  ' "$log" 2>/dev/null || true)"
  bad="$(grep -c '^BAD ' "$log" 2>/dev/null || true)"
  passed=$((passed + good))
  failed=$((failed + bad))
  return "$status"
}

# Libraries with several faults, with legal calls that they refuse, and with no sense at all: each
# counted as a test. The tables are left in build/reports/.
judge_compounds() {
  local name status=0
  configure_release && cmake --build build --target mutants-all poolproof >&2 || return
  judge_zoo compounds --draw 60x2,30x4,15x8 --seed "${POOLPROOF_COMPOUND_SEED:-today}" || status=1
  for name in partials wild; do judge_zoo "$name" || status=1; done
  return "$status"
}

# Answers in files: each library counts as a test.
judge_files() {
  local log=build/reports/emit.txt status=0 bad
  configure_release && cmake --build build --target mutants-all poolproof emit_answer emit_agreement >&2 || return
  mkdir -p build/reports
  python3 tests/emit/agree.py --build build >"$log" || status=$?
  passed=$((passed + $(grep -c '^agrees ' "$log" || true)))
  bad="$(grep -c '^DIFFERS ' "$log" || true)"
  failed=$((failed + bad))
  cat "$log" >&2
  return "$status"
}

# judge_zoo <script> [argument...]
judge_zoo() {
  local log="build/reports/$1.txt" status=0 bad
  rm -f "$log"
  python3 "tests/mutants/$1.py" --build build --set ci --json "${log%.txt}.json" --text "$log" "${@:2}" >&2 ||
    status=$?
  passed=$((passed + $(grep -c '^ok  ' "$log" 2>/dev/null || true)))
  bad="$(grep -c '^BAD ' "$log" 2>/dev/null || true)"
  # Of compounds, some may be bad: the totals decide.
  if ((status != 0)); then failed=$((failed + bad)); fi
  return "$status"
}

# measure_root_causes [option...]: how often the leading rule is right, and of how many faults it tells. The table is
# left in build/reports/.
measure_root_causes() {
  configure_release && cmake --build build --target mutants-all poolproof >&2 || return
  python3 tests/mutants/root_causes.py --build build --json build/reports/root-causes.json \
    --text build/reports/root-causes.txt "$@"
}

# measure_random_faults [option...]: what is said of libraries whose faults are drawn. The table is left in
# build/reports/.
measure_random_faults() {
  build_release poolproof poolproof-worker random_faults || return
  python3 tests/mutants/random_faults.py --build build --json build/reports/random-faults.json \
    --text build/reports/random-faults.txt "$@"
}

# judge_source_mutants [option...]: small faults of the host libraries' sources, each judged. The table is left in
# build/reports/.
judge_source_mutants() {
  build_release && python3 tests/mutate/mutate.py --build build --json build/reports/mutate.json "$@" >&2
}

# What runs cost on the stand-in for a device, by the bounds of docs/workers.md: on one, on eight with
# cores enough, and exploring.
bench_device() {
  local bench=(python3 tests/device/bench.py build/bin/poolproof build/tests/device/libpoolproof_device.so)
  build_release poolproof poolproof-worker poolproof_device || return
  "${bench[@]}" --set smoke --most 40 --starts && "${bench[@]}" --set ci --most 90 --starts &&
    "${bench[@]}" --campaign 20000 --most 66 || return
  if (($(nproc) >= 16)); then "${bench[@]}" --set ci --devices 8 --most 30; fi
}

# Half a minute of each fuzz target, each counted as a test.
smoke_fuzzers() {
  local name bad=0
  for name in $(fuzz_names); do
    if explore_libfuzzer "$name" 30 >&2; then
      passed=$((passed + 1))
    else
      say "fuzz target $name failed"
      bad=$((bad + 1))
    fi
  done
  failed=$((failed + bad))
  ((bad == 0))
}

# Lines that the tests run, a figure per folder; the tests are those that the sanitizers run too.
measure_coverage() {
  build_preset coverage || return
  find build-coverage -name '*.gcda' -delete
  run_ctest coverage --preset coverage || say "what failed is not counted"
  scripts/coverage build-coverage
}

# Writes the golden files again. What they say is then for the reviewer of the difference.
write_golden() {
  build_release poolproof reports_test session_test case_text_test && POOLPROOF_UPDATE_GOLDEN=1 build/tests/reports_test >&2 &&
    POOLPROOF_UPDATE_GOLDEN=1 build/tests/session_test --gtest_filter='Classes.TableIsUpToDate' >&2 &&
    POOLPROOF_UPDATE_GOLDEN=1 build/tests/case_text_test --gtest_filter='PlanMembers.TheDocumentListsThem' >&2 &&
    scripts/doc-pages
  git status --short tests/reports/golden docs >&2
}
