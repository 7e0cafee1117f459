#!/usr/bin/env bash
# Builds the gristmill binary that dev, tests and benches run.
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/common.sh"

step gristmill "compiling the native binary" cargo build --locked --profile quick -p gristmill-worker
