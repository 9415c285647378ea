#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The session in the README happens as it stands there: its commands are run in
# order, and their output matches what is shown.

. "$(dirname "$0")/lib.sh"

cp "$SOURCE/examples/bank.c" .
PATH=$(dirname "$HEDDLE"):$PATH
export PATH
sed -n '/^```console$/,/^```$/p' "$SOURCE/README.md" | sed '1d;$d' > shown
commands=0
while read -r line; do
	[[ $line == '$ '* ]] || continue
	commands=$((commands + 1))
	echo "$line"
	timeout 60 bash -c "${line#'$ '}" 2>&1 || fail "status $?: $line"
done < shown > happened
[[ $commands -ge 3 ]] || fail "only $commands commands in the README"
matches happened shown

# And the eight lines at the top are those of the program.
sed -n '/^```c$/,/^```$/p' "$SOURCE/README.md" | sed '1d;$d' > excerpt
[[ $(cat bank.c) == *"$(cat excerpt)"* ]] ||
	fail "the lines at the top of the README are not in examples/bank.c"
finish
