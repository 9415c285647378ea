#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs are kept, numbered, bounded and found again.

. "$(dirname "$0")/lib.sh"

cat > calm.c <<'END'
int main(void) { return 0; }
END
build calm calm.c
cp calm other

refused 'there is no run in .heddle/runs yet' "$HEDDLE" show
for i in 1 2 3; do
	run 0 "$HEDDLE" run --observe -- ./calm
	has out "see it again: heddle show calm-$i"
	for file in trace command verdict; do
		[[ -s .heddle/runs/calm-$i/$file ]] ||
			fail "no $file of run $i"
	done
done
run 0 "$HEDDLE" run --observe -- ./other "it's" 'two words'
has .heddle/runs/other-1/command "./other 'it'\''s' 'two words'"
run 0 "$HEDDLE" show
run 0 "$HEDDLE" show calm-2
run 0 "$HEDDLE" show .heddle/runs/calm-2/trace
refused 'neither a failure nor a run' "$HEDDLE" show calm-9

run 0 "$HEDDLE" run --observe --keep 2 -- ./calm
[[ $(echo .heddle/runs/*) == ".heddle/runs/calm-4 .heddle/runs/other-1" ]] ||
	fail "kept: $(ls .heddle/runs)"

run 0 "$HEDDLE" run --observe --store deep/er/store -- ./calm
has out 'heddle show --store deep/er/store calm-1'
run 0 "$HEDDLE" show --store deep/er/store calm-1
run 0 "$HEDDLE" run --observe --trace here -- ./calm
has out 'heddle show here'
run 0 "$HEDDLE" show here
[[ $(echo .heddle/runs/*) == ".heddle/runs/calm-4 .heddle/runs/other-1" ]] ||
	fail "--trace touched the store"
finish
