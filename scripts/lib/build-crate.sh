#!/usr/bin/env bash
# build-crate.sh FOLDER CRATE OUT: compiles a crate outside the workspace, as a user's would be, to WebAssembly, and writes OUT/index.js and
# OUT/index_bg.wasm. Stands for worker-build, which takes minutes to install. Cargo's settings come from the environment.
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=scripts/lib/bundle.sh
. scripts/lib/bundle.sh

folder=$1 crate=$2 out=$3
use_wasm_toolchain
(cd "$folder" && cargo build --lib --release --target "$WASM_TARGET")
bundle "${CARGO_TARGET_DIR:-$folder/target}/$WASM_TARGET/release/$crate.wasm" "$out" local
