#!/usr/bin/env bash
# build-tests.sh: compiles the gristmill binary, every native test and their lints, in one go and once.
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/common.sh"

# The binary carries the page of the console.
scripts/lib/build-console.sh
export RUSTC_WORKSPACE_WRAPPER=$ROOT/scripts/lib/linting-rustc.sh
step gristmill "compiling the native binary and its tests" cargo test --locked --profile quick --workspace --all-targets --no-run
