#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Ends that the program brings about itself are told with the place where they
# happened, whatever the other threads do, and happen again when replayed.

. "$(dirname "$0")/lib.sh"

programs=$SOURCE/tests/programs

for name in assert segfault fault_places overflow exit_running handler_race; do
	build $name "$programs/control_$name.c"
done
build library.so "$programs/control_fault_places.c" -DLIBRARY -shared -fPIC
run 0 "$HEDDLE" c++ -g -O1 -pthread "$programs/control_terminate.cc" \
	-o terminate

# breaks WORDS PROGRAM ARGUMENT...: found, and replayed.
breaks() {
	local words=$1

	shift
	rm -rf .heddle
	run 1 "$HEDDLE" run --strategy random -n 400 --seed 1 -- "$@"
	has out "$words"
	run 1 "$HEDDLE" replay --times 20 "${1#./}-1"
	has out 'reproduced 20 of 20'
}

breaks "assertion \`balance == 60' failed (control_assert.c:41, main)" ./assert
breaks 'killed by SIGSEGV at address 0x0 in use (control_segfault.c:23)' \
	./segfault
breaks 'killed by SIGSEGV at address 0x0 in use (control_segfault.c:21)' \
	./segfault in-libc
breaks ' in count (control_fault_places.c:42)' ./fault_places mutex
breaks ' in length_of (control_fault_places.c:25)' \
	./fault_places library ./library.so
breaks 'killed by SIGSEGV at address 0x0 in ' ./fault_places nowhere
for words in "" "own-stack" "main stack"; do
	# shellcheck disable=SC2086
	breaks ', stack overflow, in deeper (control_overflow.c' \
		./overflow $words
done
breaks 'uncaught exception bank::overdrawn in take (control_terminate.cc' \
	./terminate
breaks 'exit status 3' ./exit_running
breaks "assertion \`total == 1 + handled' failed" ./handler_race
run 0 "$HEDDLE" run --strategy random -n 200 --seed 1 -- ./exit_running well

# What the program leaves behind is what it would have left without us.
run 1 "$HEDDLE" run --strategy random -n 400 --seed 1 -- ./assert
has out "main: Assertion \`balance == 60' failed."

# Looked at closely, with values, it is the same failure.
for words in mutex "library ./library.so"; do
	# shellcheck disable=SC2086
	run 1 "$HEDDLE" explore -n 20 -- ./fault_places $words
	has out 'broken: killed by SIGSEGV at address'
done

finish
