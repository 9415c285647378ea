#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What a run costs beside the program's own work: a forked run of two threads
# touches few pages first, and what was done once for all runs is the same in
# those that are not forked.

. "$(dirname "$0")/lib.sh"

programs=$SOURCE/tests/programs

# A bare process that forks and starts two threads has some forty. There were
# sixty with each table of the guest on pages of its own.
build turns "$SOURCE/bench/programs/turns.c"
gcc -o count_faults "$programs/count_faults.c" || fail "cannot build"
few=$(./count_faults "$HEDDLE" run --strategy random -n 100 -j 1 -- ./turns)
many=$(./count_faults "$HEDDLE" run --strategy random -n 1100 -j 1 -- ./turns)
((many - few < 42 * 1000)) ||
	fail "$(((many - few) / 1000)) page faults in a run"

build single "$programs/control_single.c"
run 0 "$HEDDLE" run --strategy random -n 3 -- ./single "$scratch/seen"
run 0 "$HEDDLE" run --exec --strategy random -n 3 -- ./single "$scratch/seen"
[[ $(wc -l < seen) -ge 6 ]] || fail "not every run told"
[[ $(sort -u seen) == "0 0" ]] || fail "libc says something else: $(cat seen)"

# Neither is libc less prepared for threads there.
build all_threads "$programs/control_all_threads.c"
for how in "" --exec; do
	# shellcheck disable=SC2086
	run 0 "$HEDDLE" run $how --strategy random -n 20 --hang 5s -- \
		./all_threads
done

# The end of a program is complete: handlers of all modules in their order, and
# destructors.
export PARTING=$scratch/parted

# parts WORDS OPTION...: of a program with the library built so
parts() {
	local words=$1 how

	shift
	gcc -shared -fPIC "$@" -o libparting.so \
		"$programs/control_parting_library.c" || fail "cannot build"
	build parting "$programs/control_parting.c" -L. -lparting \
		-Wl,-rpath,"$PWD"
	for how in "" --exec; do
		rm -f "$PARTING"
		# shellcheck disable=SC2086
		run 0 "$HEDDLE" run $how --strategy random -n 3 -- ./parting
		[[ $(wc -l < "$PARTING") -ge 3 ]] || fail "a run did not end"
		[[ $(sed 1d "$PARTING" | sort -u) == "$words" ]] ||
			fail "the end was $(cat "$PARTING")"
	done
}

parts 'program library'
parts 'program destructor library' -DDESTRUCTOR
parts 'program alone' -DBARE -nostartfiles

finish
