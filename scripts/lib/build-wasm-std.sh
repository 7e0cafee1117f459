#!/usr/bin/env bash
# build-wasm-std.sh DIR: makes a private toolchain in DIR out of Debian's rustc-web, with a standard
# library for wasm32-unknown-unknown built from rust-web-src. For machines where rustup has none.
set -euo pipefail

toolchain=$1
target=wasm32-unknown-unknown
host=x86_64-unknown-linux-gnu
lld=/usr/lib/llvm-22/bin/lld

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# An empty crate whose only purpose is to have -Zbuild-std compile its dependencies.
mkdir "$work/src"
echo '#![no_std]' >"$work/src/lib.rs"
cat >"$work/Cargo.toml" <<'TOML'
[package]
name = "stdbuild"
version = "0.0.0"
edition = "2021"
[workspace]
TOML

# RUSTC_BOOTSTRAP lets a stable compiler take -Z. Bitcode is embedded so that LTO reaches into std,
# and `test` is built because wasm-bindgen-test needs it.
(
  cd "$work"
  env -u RUSTUP_TOOLCHAIN -u CARGO_TARGET_DIR RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 \
    RUSTFLAGS="-Cembed-bitcode=yes -Cdebuginfo=0 -Clinker=$lld" \
    /usr/bin/cargo build --release --target "$target" -Zbuild-std=std,panic_abort,test,proc_macro
)

# A sysroot of links to Debian's files, plus the new library and the linker where rustc looks for it.
new=$toolchain.new
rm -rf "$new"
mkdir -p "$new/bin" "$new/lib/rustlib/$target/lib" "$new/lib/rustlib/$host/bin"
for tool in rustc rustdoc clippy-driver; do
  [ -x "/usr/bin/$tool" ] || continue
  printf '#!/bin/sh\nexec /usr/bin/%s "$@" --sysroot %s\n' "$tool" "$toolchain" >"$new/bin/$tool"
  chmod +x "$new/bin/$tool"
done
for tool in cargo cargo-clippy; do
  if [ -x "/usr/bin/$tool" ]; then ln -s "/usr/bin/$tool" "$new/bin/$tool"; fi
done
ln -s "/usr/lib/rustlib/$host/lib" "$new/lib/rustlib/$host/lib"
ln -s /usr/lib/rustlib/src "$new/lib/rustlib/src"
ln -s "$lld" "$new/lib/rustlib/$host/bin/rust-lld"
find "$work/target/$target/release/deps" -name 'lib*.rlib' ! -name 'libstdbuild*' \
  -exec cp {} "$new/lib/rustlib/$target/lib/" \;
rm -rf "$toolchain"
mv "$new" "$toolchain"
