#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The session in the README happens as it stands there: its commands are run in
# order, and their output matches what is shown.

. "$(dirname "$0")/lib.sh"

cp "$SOURCE/examples/bank.c" .
PATH=$(dirname "$HEDDLE"):$PATH
export PATH
sed -n '/^```console$/,/^```$/p' "$SOURCE/README.md" | grep -v '^```' > shown
[[ $(grep -c '^\$ ' shown) -ge 3 ]] || fail "too few commands in the README"

session() {
	local line

	rm -rf .heddle bank
	while read -r line; do
		[[ $line == '$ '* ]] || continue
		echo "$line"
		# A bug that was shown is what is wanted here.
		timeout 60 bash -c "${line#'$ '}" 2>&1 < /dev/null ||
			[[ $? -eq 1 ]] || echo "failed"
	done < shown > happened
}

# The clerks may come in the other order, or lose money: that is what the
# example is about. Both are rare, so a few tries are enough for the usual.
for _ in 1 2 3 4 5; do
	session
	is_like happened shown && break
done
matches happened shown

# And the eight lines at the top are those of the program.
sed -n '/^```c$/,/^```$/p' "$SOURCE/README.md" | sed '1d;$d' > excerpt
[[ $(cat bank.c) == *"$(cat excerpt)"* ]] ||
	fail "the lines at the top of the README are not in examples/bank.c"
finish
