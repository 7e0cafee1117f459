#!/usr/bin/env bash
# build-sdk.sh: compiles the TypeScript package (sdk/typescript/src to dist) when a source is newer, and prints how large its core is.
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/common.sh"

cd sdk/typescript
if [ -f dist/.built ] && [ -z "$(find src package.json tsconfig.json ../../scripts/lib/sdk-size.mjs -newer dist/.built -print -quit)" ]; then exit 0; fi
compile() {
  rm -rf dist
  "$ROOT/node_modules/.bin/tsc" -p .
}
step sdk "compiling the TypeScript package" compile
node "$ROOT/scripts/lib/sdk-size.mjs"
touch dist/.built
