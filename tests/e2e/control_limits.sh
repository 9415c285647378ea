#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Where control does not reach: a thread that sleeps by a system call of its own
# does not stop the others, and makes the verdict unknown; OpenMP is refused in
# a sentence; threads that run before main are told of. Every run has standard
# input from its beginning.

. "$(dirname "$0")/lib.sh"

programs=$SOURCE/tests/programs

for program in uncontrolled constructor input; do
	build "$program" "$programs/control_$program.c"
done

for how in --strategy=random --exec; do
	run 3 "$HEDDLE" run --strategy random $how -n 5 -- ./uncontrolled
	has out 'unknown: uncontrolled block: a thread slept where control'
	has out 'in sleeper (control_uncontrolled.c:'
done

build openmp "$programs/control_openmp.c" -fopenmp
run 3 "$HEDDLE" run --strategy random -n 5 -- ./openmp
has out "OpenMP's threads cannot be controlled; observe works"
run 0 "$HEDDLE" run --observe -- ./openmp

run 0 "$HEDDLE" run --strategy random -n 20 -- ./constructor
has err 'each run is started afresh'
has out 'note: threads were running before main'

printf 'one\ntwo\n' > words
run 0 "$HEDDLE" run --strategy random -n 50 -- ./input < words
finish
