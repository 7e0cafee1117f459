#!/usr/bin/env bash
# What cargo calls for our own crates in the test suites, instead of rustc: clippy's compiler, which lints and then compiles as
# rustc does. So one compilation serves lints and tests, on dependencies that the native binary has compiled already; `cargo
# clippy` checks every one of them once more, which is minutes. What trybuild compiles must not compile; its words are compared.
case ${CARGO_MANIFEST_DIR:-} in
  */tests/trybuild/*) exec "$@" ;;
  *) exec clippy-driver "$@" ;;
esac
