#!/usr/bin/env bash
# build-sdk.sh [--image]: compiles the TypeScript package (sdk/typescript/src to dist) when a source is newer, and prints how large its core is.
# --image: also the image of the engine for gristmill/testing, when the engine's SQL has changed. The native binary writes that SQL, and must be there.
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/common.sh"

cd sdk/typescript
compile() {
  rm -rf dist
  "$ROOT/node_modules/.bin/tsc" -p .
}
if [ ! -f dist/.built ] || [ -n "$(find src package.json tsconfig.json ../../scripts/lib/sdk-size.mjs -newer dist/.built -print -quit)" ]; then
  step sdk "compiling the TypeScript package" compile
  node "$ROOT/scripts/lib/sdk-size.mjs"
  touch dist/.built
fi
if [ "${1:-}" = --image ]; then step sdk-image "making the image of the engine for gristmill/testing" node "$ROOT/scripts/lib/testing-image.mjs"; fi
