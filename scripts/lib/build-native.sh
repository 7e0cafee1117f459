#!/usr/bin/env bash
# build-native.sh [PROFILE]: builds the gristmill binary. Dev and tests run the profile quick, benches
# the profile release, which is what is deployed.
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/common.sh"

step gristmill "compiling the native binary" cargo build --locked --profile "${1:-quick}" -p gristmill
