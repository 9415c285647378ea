#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What is damaged, belongs to another program, or was made by a stranger is
# refused in one sentence; what was built anew diverges and says where.

. "$(dirname "$0")/lib.sh"

"$HEDDLE" cc -g -o prog "$SOURCE/tests/programs/bug_lost_update.c"
run 1 "$HEDDLE" run --strategy random -n 5000 -- ./prog
kept=.heddle/repros/prog-1
cp -r "$kept" good

damage() {
	rm -rf "$kept"
	cp -r good "$kept"
	"$@"
	run 2 "$HEDDLE" replay prog-1
	[[ $(wc -l < err) -le 2 ]] || fail "more than a sentence: $(cat err)"
}

damage truncate -s 100 "$kept/plan"
has err 'damaged'
damage rm "$kept/plan"
has err 'damaged'
damage sed -i 's/^thread 0/thread 7/' "$kept/plan"
has err 'damaged'
damage sed -i '2i variable "LD_PRELOAD=./evil.so"' "$kept/repro"
has err 'not taken from a repro'
damage sed -i '2i input "../../escape"' "$kept/repro"
has err 'plain name'
damage sed -i 's|^argument .*|argument "./no such program"|' "$kept/repro"
has err 'no such program'
damage sed -i 's|^argument .*|argument "/bin/true"|' "$kept/repro"
has err 'has not loaded'

# A check that came with the failure is shown and not run.
rm -rf "$kept"
cp -r good "$kept"
sed -i '2i check "touch"\ncheck "ran"' "$kept/repro"
run 1 "$HEDDLE" replay prog-1
has err 'allow-check: touch'
[[ ! -e ran ]] || fail "a stranger's command was run"

# The fixed program does not fit the plan.
rm -rf "$kept"
cp -r good "$kept"
"$HEDDLE" cc -g -o prog "$SOURCE/tests/programs/bug_lost_update_fixed.c"
run 3 "$HEDDLE" replay prog-1
has out 'unknown: diverged at step'
has out 'built anew'
finish
