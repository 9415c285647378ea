#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Two clerks deposit into one account without a lock. Running the program shows
# nothing; heddle test finds a schedule that loses money, repeats and explains
# it; and observing one free run shows the race behind it. Ends with 0 when all
# of that happened.

set -euo pipefail
examples=$(cd "$(dirname "$0")" && pwd)
heddle=${BUILD:-$examples/../build}/heddle
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

say() {
	printf '\n$ %s\n' "$*"
}

# Runs heddle with the arguments, which must show a bug.
shows() {
	local status=0

	say heddle "$@"
	"$heddle" "$@" || status=$?
	if [[ $status -ne 1 ]]; then
		echo "demo: status $status instead of 1" >&2
		exit 1
	fi
}

cp "$examples/bank.c" .
say cat bank.c
sed 1d bank.c

say heddle cc -g -o bank bank.c
"$heddle" cc -g -o bank bank.c

say "for i in \$(seq 200); do ./bank || echo wrong balance; done"
for i in $(seq 200); do
	./bank || echo "wrong balance in run $i"
done

shows test -- ./bank
shows show bank-1
shows replay --times 20 bank-1
shows run --observe --fail-on race -- ./bank
