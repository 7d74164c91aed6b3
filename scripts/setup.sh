#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian packages that the build needs and that are missing. Nothing to install: no
# network, no privileges. `--all` adds clang and its tools. Called by the other scripts.
set -euo pipefail

packages=(cmake g++ ninja-build libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev
  nlohmann-json3-dev libcli11-dev python3 python3-jsonschema)
case "${1-}" in
  '') ;;
  --all) packages+=(clang clang-tidy clang-format libclang-rt-14-dev) ;;
  *)
    echo "usage: scripts/setup.sh [--all]" >&2
    exit 2
    ;;
esac

fail() {
  echo "setup: $*" >&2
  exit 1
}

if ! command -v dpkg-query >/dev/null; then
  for program in cmake c++ ninja python3; do
    command -v "$program" >/dev/null ||
      fail "$program is missing, and this is no Debian system; wanted: what ${packages[*]} hold"
  done
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  [[ "$(dpkg-query -W -f '${db:Status-Status} ' "$package" 2>/dev/null)" == *"installed "* ]] ||
    missing+=("$package")
done
((${#missing[@]})) || exit 0

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || fail "need root or sudo to install: ${missing[*]}"
  as_root=(sudo)
  if ! [[ -t 0 ]]; then  # nobody there to type a password
    as_root=(sudo -n)
    sudo -n true 2>/dev/null ||
      fail "need root, or sudo without a password, to install: ${missing[*]}"
  fi
fi

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o Acquire::Retries=3 \
    -o DPkg::Lock::Timeout=120 "$@" >"$log" 2>&1
}
# The first try may meet an old package list or a network that stumbles.
echo "setup: installing ${missing[*]}" >&2
for attempt in 1 2; do
  if apt update && apt install --no-install-recommends "${missing[@]}"; then
    exit 0
  fi
  ((attempt == 1)) && sleep "${POOLPROOF_SETUP_PAUSE:-3}"
done
reason="$(grep -m 1 '^E:' "$log" || tail -n 1 "$log")"
fail "apt-get failed: ${reason:-no message} (wanted: ${missing[*]})"
