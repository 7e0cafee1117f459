#!/usr/bin/env bash
# Stands in for `wrangler` or `supabase` as far as those need an account: it tells the platform of the test what it was called with, prints what the
# platform answers, and ends with the exit code that the platform says. In bash, because a test calls it dozens of times.
answer=$(printf '%s\0' "$PWD" "${CI-}" "$@" | curl --silent --show-error --data-binary @- "$TEST_PLATFORM")
code=${answer%%$'\n'*}
says=${answer#"$code"}
says=${says#$'\n'}
if [ "$code" = 0 ]; then printf '%s' "${says:+$says$'\n'}"; else echo "$says" >&2; fi
exit "$code"
