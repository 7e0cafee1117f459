#!/usr/bin/env bash
# build-native.sh [PROFILE [--first]]: builds the gristmill binary. Tests run the profile quick, ./scripts/dev the profile local,
# benches the profile release, which is what is deployed. --first: without `gristmill work`, which has most of the crates.
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/common.sh"

# The binary that tests run carries the page of the console. ./scripts/dev serves it from its folder, and compiles while npm still installs.
if [ "${1:-quick}" = quick ]; then scripts/lib/build-console.sh; fi
features=()
if [ "${2:-}" = --first ]; then features=(--no-default-features); fi
step gristmill "compiling the native binary" cargo build --locked --profile "${1:-quick}" -p gristmill-command "${features[@]}"
