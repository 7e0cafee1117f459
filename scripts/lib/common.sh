# shellcheck shell=bash
# What every script shares: where things are kept, and how a step tells what it does.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
CACHE=${GRISTMILL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gristmill}
LOGS=$CACHE/logs
export WASM_TARGET=wasm32-unknown-unknown
export ROOT CACHE
mkdir -p "$LOGS"
cd "$ROOT"

# shellcheck disable=SC2034 # the scripts that source this file use these
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
  bold='' dim='' red='' green='' plain=''
fi

say() { printf '%s\n' "$*"; }

# fail MESSAGE [HOW TO MEND IT...]: the one way a script ends on purpose with an error.
fail() {
  printf '%serror:%s %s\n' "$red" "$plain" "$1" >&2
  shift
  [ $# -eq 0 ] || printf '  %s\n' "$@" >&2
  exit 1
}

# step NAME MESSAGE COMMAND...: runs a command with its output in a log. What ends at once stays silent;
# what takes longer says so, shows that it is alive, and tells how long it took. A failure shows the
# end of the log. The command has a process group of its own, so that Ctrl-C ends all of it.
step() {
  local name=$1 message=$2 log=$LOGS/$1.log started=$SECONDS status=0 announced=false command i
  shift 2
  set -m
  (set -e; "$@") >"$log" 2>&1 </dev/null &
  command=$!
  set +m
  # shellcheck disable=SC2064 # the id of now is meant
  trap "kill -- -$command 2>/dev/null; exit 130" INT TERM
  for ((i = 0; ; i++)); do
    kill -0 "$command" 2>/dev/null || break
    if [ "$i" -lt 15 ]; then sleep 0.1; continue; fi
    if ! "$announced"; then
      printf '  %s%-10s%s %s …\n' "$bold" "$name" "$plain" "$message"
      announced=true
    elif [ $(((i - 15) % 20)) -eq 0 ]; then
      printf '  %-10s %sstill at it, %d s%s\n' "$name" "$dim" $((SECONDS - started)) "$plain"
    fi
    sleep 1
  done
  wait "$command" || status=$?
  trap - INT TERM
  if [ "$status" -ne 0 ]; then
    tail -n 25 "$log" | sed 's/^/    | /' >&2
    fail "$name: '$message' failed (exit $status)" "whole log: $log"
  fi
  "$announced" || return 0
  printf '  %s%-10s%s %sdone in %d s%s\n' "$green" "$name" "$plain" "$dim" $((SECONDS - started)) "$plain"
}

# locked_version CRATE: the version that Cargo.lock holds.
locked_version() {
  awk -v crate="\"$1\"" '$1 == "name" && $3 == crate { getline; gsub(/"/, "", $3); print $3; exit }' Cargo.lock
}

# apt_install PACKAGE...: as root or by passwordless sudo; otherwise says what to type.
apt_install() {
  command -v apt-get >/dev/null || fail "these packages are needed: $*" "install them with your system's package manager"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || fail "these Debian packages are needed: $*" "run: sudo apt-get install -y --no-install-recommends $*"
    as_root=(sudo -n)
  fi
  # Lists may be absent or old: fetch them only when the plain install does not work.
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@")
  "${install[@]}" || { "${as_root[@]}" apt-get update && "${install[@]}"; }
}

# The toolchain that builds for wasm32: the way there is chosen by scripts/setup.
use_wasm_toolchain() {
  [ -r "$CACHE/wasm-toolchain.sh" ] || fail "the wasm toolchain is not set up" "run: ./scripts/setup"
  # shellcheck source=/dev/null
  . "$CACHE/wasm-toolchain.sh"
  local bindgen
  bindgen=$CACHE/wasm-bindgen-$(locked_version wasm-bindgen)/bin
  export PATH=$bindgen:$ROOT/node_modules/.bin:$PATH
}
