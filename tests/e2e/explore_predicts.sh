#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What a run implies although it held is predicted, and the next run shows it:
# null pointers, freed blocks, failed checks, races. The fixed twins are
# explored to the end and predict nothing that is confirmed.

. "$(dirname "$0")/lib.sh"

for name in null freed race check; do
	build "$name" "$SOURCE/tests/programs/predict_$name.c"
	build "$name.fixed" "$SOURCE/tests/programs/predict_$name.c" -DFIXED
done

run 1 "$HEDDLE" explore -j 1 -- ./null
has out "predicted: null pointer, read at predict_null.c:36, used at predict_null.c:36, from schedule 1: confirmed by schedule 2"
has out "1 prediction: 1 confirmed, 0 refuted, 0 not confirmed"
run 1 "$HEDDLE" replay null-1
has out "SIGSEGV"

# Nobody ever reads anything else: there is nothing to ask but the order.
run 1 "$HEDDLE" explore -j 1 --json -- ./freed
has out '"kind": "use after free"'
has out '"state": "confirmed"'
run 1 "$HEDDLE" replay freed-1
has out "use after free"

# Six counters are read before the check; its own values are tried first.
run 1 "$HEDDLE" explore -j 1 -- ./check
has out "predicted: failed check, read at predict_check.c:36, from schedule 1: confirmed by schedule"
has out "assertion"

for name in null freed; do
	run 0 "$HEDDLE" explore -- "./$name.fixed"
	has out "held: complete: "
	hasnt out "predicted"
done
run 0 "$HEDDLE" explore -- ./check.fixed
hasnt out " by schedule"

# A race is a failure only where that is wanted.
run 0 "$HEDDLE" explore -j 1 -- ./race
hasnt out "predicted"
run 0 "$HEDDLE" explore -j 1 --races -- ./race
has out "held: complete: "
has out "predicted: data race, predict_race.c:18 and predict_race.c:30, from schedule 1: confirmed by schedule 2"
run 1 "$HEDDLE" explore -j 1 --fail-on race -- ./race
has out "broken: data race on global flag"
run 1 "$HEDDLE" replay race-1
has out "reproduced 1 of 1"
for option in --races --fail-on=race; do
	run 0 "$HEDDLE" explore -j 1 "$option" -- ./race.fixed
	has out "held: complete: "
	hasnt out "predicted"
done
refused "--races goes with --search mcm" "$HEDDLE" explore --races \
	--search dfs -- ./race
finish
