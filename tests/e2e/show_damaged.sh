#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A damaged trace is read as far as it is whole, and the rest is said to be
# missing; what is no trace, or a newer one, is refused in one sentence.

. "$(dirname "$0")/lib.sh"

build bank "$SOURCE/tests/programs/bank_in_turns.c"
run 0 "$HEDDLE" run --observe --trace whole -- ./bank
size=$(stat -c %s whole)

refused 'foreign' bash -c 'head -c 5000 "$HEDDLE" > foreign; \
	"$HEDDLE" show foreign'
refused 'empty' bash -c ': > empty; "$HEDDLE" show empty'
refused 'text' bash -c 'echo hello > text; "$HEDDLE" show text'
refused '/proc/self/mem' "$HEDDLE" show /proc/self/mem

# Byte 8 begins the version.
cp whole newer
printf '\xff' | dd of=newer bs=1 seek=8 conv=notrunc status=none
refused 'newer' "$HEDDLE" show newer

# reads FILE: it is no error, and says what is missing.
reads() {
	local status=0

	timeout 60 "$HEDDLE" show "$1" > out 2> err || status=$?
	[[ $status -eq 1 || $status -eq 3 ]] ||
		fail "$1: status $status: $(cat err)"
	grep -q '^missing: ' out || fail "$1: nothing is said to be missing"
	timeout 60 "$HEDDLE" show --dump --json "$1" > dump 2>> err ||
		[[ $? -ne 2 ]] || fail "$1: cannot be dumped: $(cat err)"
}

head -c 20 whole > header
reads header
for ((cut = 200; cut < size; cut += (size - 200) / 25)); do
	head -c "$cut" whole > "cut-at-$cut"
	reads "cut-at-$cut"
	cp whole "flipped-at-$cut"
	printf '\x55\xaa\x55\xaa' |
		dd of="flipped-at-$cut" bs=1 seek="$cut" conv=notrunc status=none
	reads "flipped-at-$cut"
done
finish
