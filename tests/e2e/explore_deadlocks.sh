#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# States in which every thread waits are worked out and not waited for: the run
# after the first one deadlocks, where any run can. The fixed twins are
# explored to the end and never do.

. "$(dirname "$0")/lib.sh"

for name in abba lost_wakeup missing_post barrier_count; do
	build "$name" "$SOURCE/tests/programs/bug_$name.c"
	run 1 "$HEDDLE" explore -j 1 -- "./$name"
	has out "broken: deadlock"
	run 1 "$HEDDLE" replay "$name-1"
	has out "broken: deadlock"
done
for name in lost_wakeup missing_post; do
	build "$name.fixed" "$SOURCE/tests/programs/bug_${name}_fixed.c"
	run 0 "$HEDDLE" explore -- "./$name.fixed"
	has out "held: complete: "
done

# Without the question the deadlock of two locks is not among what threads read.
run 0 "$HEDDLE" explore --no-deadlocks -- ./abba
finish
