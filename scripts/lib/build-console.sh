#!/usr/bin/env bash
# build-console.sh [--check]: bundles the console (console/src to console/dist) when a source is newer, and fails when it grows too large.
# --check: the types as well.
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/common.sh"

check() { node_modules/.bin/tsc -p console; }
bundle() { node scripts/lib/console-bundle.mjs; }

if [ "${1:-}" = --check ]; then step console-types "checking the types of the console" check; fi
if [ ! -f console/dist/app.js ] || [ -n "$(find console/src package-lock.json scripts/lib/console-bundle.mjs -newer console/dist/app.js -print -quit)" ]; then
  step console "bundling the console" bundle
  tail -n 1 "$LOGS/console.log"
fi
