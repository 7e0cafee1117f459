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
# what takes longer says so, shows how far it is, and tells how long it took. A failure shows the
# end of the log. The command has a process group of its own, so that Ctrl-C ends all of it.
step() {
  local name=$1 message=$2 log=$LOGS/$1.log started=$SECONDS status=0 announced=false command i
  shift 2
  if [ "${GRISTMILL_STEPS:-}" = nested ]; then nested_step "$name" "$message" "$log" "$@"; return; fi
  set -m
  # Cargo draws its bar into the log, where progress.mjs reads it.
  (set -e; export CARGO_TERM_PROGRESS_WHEN=always CARGO_TERM_PROGRESS_WIDTH=100; "$@") >"$log" 2>&1 </dev/null &
  command=$!
  set +m
  # shellcheck disable=SC2064 # the id of now is meant
  trap "kill -- -$command 2>/dev/null; exit 130" HUP INT TERM
  for ((i = 0; ; i++)); do
    kill -0 "$command" 2>/dev/null || break
    if [ "$i" -lt 15 ]; then sleep 0.1; continue; fi
    if ! "$announced"; then
      printf '  %s%-10s%s %s …\n' "$bold" "$name" "$plain" "$message"
      announced=true
    elif [ -t 1 ]; then
      if [ $(((i - 15) % 2)) -eq 0 ]; then printf '\r\e[K  %-10s %s%s%s' "$name" "$dim" "$(how_far "$log" $((SECONDS - started)))" "$plain"; fi
    elif [ $(((i - 15) % 20)) -eq 0 ]; then
      printf '  %-10s %s\n' "$name" "$(how_far "$log" $((SECONDS - started)))"
    fi
    sleep 1
  done
  wait "$command" || status=$?
  trap - HUP INT TERM
  if [ -t 1 ] && "$announced"; then printf '\r\e[K'; fi
  [ "$status" -eq 0 ] || step_failed "$name" "$message" "$log" "$status"
  "$announced" || return 0
  printf '  %s%-10s%s %sdone in %d s%s\n' "$green" "$name" "$plain" "$dim" $((SECONDS - started)) "$plain"
}

# how_far LOG SECONDS: crates compiled of all, and a guess of the rest. Node may be missing while setup looks for it.
how_far() { node scripts/lib/dev/progress.mjs "$1" "$2" 2>/dev/null || printf 'still at it, %d s' "$2"; }

# A step below scripts/lib/dev/stages.mjs, which shows how far it is, and ends it with the group that it leads.
nested_step() {
  local name=$1 message=$2 log=$3 status=0 command
  shift 3
  (set -e; "$@") >"$log" 2>&1 </dev/null &
  command=$!
  wait "$command" || status=$?
  [ "$status" -eq 0 ] || step_failed "$name" "$message" "$log" "$status"
}

step_failed() {
  # Without the bars, which are drawn over each other in one line of the log.
  tr '\r' '\n' <"$3" | grep -v '^ *Building \[' | tail -n 25 | sed 's/^/    | /' >&2 || true
  fail "$1: '$2' failed (exit $4)" "whole log: $3"
}

# What a script has used of the processors, for the table at the end of a cold start.
if [ -n "${GRISTMILL_TIMES:-}" ]; then
  times_file=$GRISTMILL_TIMES
  unset GRISTMILL_TIMES # a script that this one calls is counted with it
  trap 'times >"$times_file"' EXIT
fi

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
  # The whole wasm-bindgen, where the tests have had it built, or the one that ./scripts/dev makes.
  local version
  version=$(locked_version wasm-bindgen)
  export PATH=$CACHE/wasm-bindgen-$version/bin:$CACHE/bindgen-$version/bin:$ROOT/node_modules/.bin:$PATH
}
