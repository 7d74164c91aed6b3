#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the Debian packages that the build needs and that are missing. Nothing to install: no
# network, no privileges. `--all` adds clang and its tools, and, where they can be had, the engines of
# clusters that tests start; `--hosts` the compilers of scripts/hosts. Called by the other scripts.
set -euo pipefail

packages=(binutils cmake g++ ninja-build libgtest-dev libgmock-dev libbenchmark-dev librapidcheck-dev
  nlohmann-json3-dev libcli11-dev python3 python3-jsonschema)
engines=()  # their tests are skipped without them
case "${1-}" in
  '') ;;
  --all)
    packages+=(clang clang-tidy clang-format libclang-rt-14-dev)
    engines=(slurm-wlm munge parallel)
    ;;
  --hosts) packages+=(g++-11 g++-aarch64-linux-gnu qemu-user-static) ;;
  *)
    echo "usage: scripts/setup.sh [--all | --hosts]" >&2
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
      fail "$program is missing, and this is no Debian system; needed: what ${packages[*]} hold"
  done
  exit 0
fi

missing_of() {
  local package
  for package in "$@"; do
    [[ "$(dpkg-query -W -f '${db:Status-Status} ' "$package" 2>/dev/null)" == *"installed "* ]] ||
      echo "$package"
  done
}
mapfile -t missing < <(missing_of "${packages[@]}")
mapfile -t missing_engines < <(missing_of "${engines[@]}")
((${#missing[@]} + ${#missing_engines[@]})) || exit 0

# What cannot be installed ends the set-up, unless only engines are missing.
cannot() {
  if ((${#missing[@]})); then fail "$1 (needed: ${missing[*]})"; fi
  echo "setup: $1; without ${missing_engines[*]} their tests are skipped" >&2
  exit 0
}

as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null || cannot "need root or sudo to install packages"
  as_root=(sudo)
  if ! [[ -t 0 ]]; then  # no terminal to type a password at
    as_root=(sudo -n)
    sudo -n true 2>/dev/null || cannot "need root, or sudo without a password, to install packages"
  fi
fi

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o Acquire::Retries=3 \
    -o DPkg::Lock::Timeout=120 "$@" >"$log" 2>&1
}
# The first try may meet an old package list or a network that stumbles.
install() {
  local attempt
  echo "setup: installing $*" >&2
  for attempt in 1 2; do
    if apt update && apt install --no-install-recommends "$@"; then return 0; fi
    ((attempt == 1)) && sleep "${POOLPROOF_SETUP_PAUSE:-3}"
  done
  reason="$(grep -m 1 '^E:' "$log" || tail -n 1 "$log")"
  return 1
}
if ((${#missing[@]})); then
  install "${missing[@]}" || cannot "apt-get failed: ${reason:-no message}"
  missing=()
fi
if ((${#missing_engines[@]})); then
  install "${missing_engines[@]}" || cannot "apt-get failed: ${reason:-no message}"
fi
