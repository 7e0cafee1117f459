# shellcheck shell=bash
# From a compiled crate to a function that workerd and Deno run. scripts/build and scripts/lib/build-crate.sh source this.
# bundle WASM OUT HOW: from cargo's output to what is deployed. Skipped while cargo's output stays the same. Needs use_wasm_toolchain.
# HOW: deploy runs wasm-opt too; local leaves out the file for Deno; tests is neither.
bundle() {
  local wasm=$1 out=$2 how=$3 work stamp
  stamp="$(sha256sum "$wasm" shared/edge/js/*.js scripts/lib/bundle.sh | sha256sum | cut -c1-32)"
  [ "$(cat "$out/.stamp" 2>/dev/null)" = "$stamp" ] && return
  work=$(mktemp -d)
  wasm-bindgen --target module --no-typescript --out-name index --out-dir "$work" \
    --remove-name-section --remove-producers-section \
    --experimental-reset-state-function --force-enable-abort-handler "$wasm"
  if [ "$how" = deploy ]; then
    wasm-opt -Oz --enable-mutable-globals --enable-sign-ext --enable-nontrapping-float-to-int \
      --enable-bulk-memory --enable-multivalue --enable-reference-types --enable-exception-handling \
      "$work/index_bg.wasm" -o "$work/opt.wasm"
    mv "$work/opt.wasm" "$work/index_bg.wasm"
  fi
  # esbuild does not know source-phase imports yet; workerd imports a compiled module either way.
  sed -i 's/^import source /import /' "$work/index.js"
  cp shared/edge/js/entry.js shared/edge/js/deno.js "$work/"
  esbuild "$work/entry.js" --bundle --format=esm --minify-whitespace --keep-names --log-level=warning \
    --external:./index_bg.wasm --outfile="$work/worker.js"
  mkdir -p "$out"
  cp "$work/worker.js" "$out/index.js"
  cp "$work/index_bg.wasm" "$out/"
  # ./scripts/dev serves by workerd alone.
  if [ "$how" = local ]; then
    rm -rf "$work"
    echo "$stamp" >"$out/.stamp"
    return
  fi

  # For Deno the compiled module is made from bytes inside the file.
  echo 'import bytes from "./index_bg.wasm"; export default new WebAssembly.Module(bytes);' >"$work/module.js"
  sed -i 's#\./index_bg\.wasm#./module.js#' "$work/worker.js"
  esbuild "$work/deno.js" --bundle --format=esm --platform=neutral --minify-whitespace --keep-names \
    --log-level=warning --loader:.wasm=binary --outfile="$out/deno.js"
  rm -rf "$work"
  echo "$stamp" >"$out/.stamp"
}
