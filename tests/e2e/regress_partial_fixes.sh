#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A bug is found, then a fix that is none is recognised as such within 20 runs,
# and a fix that is one is never called broken; whether the lock is the wrong
# one, code moved, a function has another name, a structure another shape, or
# another compiler compiled it at another level.

. "$(dirname "$0")/lib.sh"

[[ -e /usr/include/bzlib.h ]] || exit 77
subjects=$SOURCE/subjects
names=(shared_counter table_log compressor bank_account httpd_log account
	server_fields late_state lock_order city_totals)

timeout 250 "$subjects/build.sh" . -f heddle-gcc "${names[@]}" ||
	fail "cannot build"
for name in "${names[@]}"; do
	run 1 "$HEDDLE" run --strategy pos -n 5000 -- "heddle-gcc/$name"
	[[ -s .heddle/repros/$name-1/signature ]] ||
		fail "$name has no signature"
	run 1 "$HEDDLE" regress -n 20 --program "heddle-gcc/$name.partial" \
		"$name-1"
	grep -qE '^(still broken: same bug|broken: another bug)' out ||
		fail "$name: no verdict: $(cat out)"
	has out "see it again: heddle replay $name.partial-1"
	run 0 "$HEDDLE" regress -n 40 --program "heddle-gcc/$name.fixed" \
		"$name-1"
	has out 'not triggered in 40 runs'
done

# What was kept leads back, and replays.
has .heddle/repros/account.partial-1/repro 'origin "account-1"'
run 1 "$HEDDLE" replay --times 3 account.partial-1
has out 'reproduced 3 of 3'

# Another compiler, another level: the same signature.
for name in shared_counter account lock_order; do
	for level in -O0 -O2; do
		for compiler in gcc clang-14; do
			run 0 env HEDDLE_CC=$compiler "$HEDDLE" cc -g $level \
				-pthread -I "$subjects" -DPARTIAL \
				"$subjects/$name.c" -o other
			run 1 "$HEDDLE" regress -n 20 --no-keep \
				--program ./other "$name-1"
			has out 'still broken: same bug'
		done
	done
done
finish
