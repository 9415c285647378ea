#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Two clerks deposit into one account without a lock. Running the program shows
# nothing; observing it once shows the race. Ends with 0 when the race was
# found.

set -euo pipefail
examples=$(cd "$(dirname "$0")" && pwd)
heddle=${BUILD:-$examples/../build}/heddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

say() {
	printf '\n$ %s\n' "$*"
}

cp "$examples/bank.c" .
say cat bank.c
sed 1d bank.c

say heddle cc -o bank bank.c
"$heddle" cc -o bank bank.c

say "for i in \$(seq 200); do ./bank || echo wrong balance; done"
for i in $(seq 200); do
	./bank || echo "wrong balance in run $i"
done

say heddle run --observe --fail-on race -- ./bank
status=0
"$heddle" run --observe --fail-on race -- ./bank || status=$?
if [[ $status -ne 1 ]]; then
	echo "demo: the race was not found (status $status)" >&2
	exit 1
fi
