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

a_directory() {
	rm -rf "${kept:?}/$1"
	mkdir "$kept/$1"
}
for part in output stdin expect; do
	damage a_directory $part
	has err "damaged: cannot read $kept/$part"
done

# What leads out of its directory, or makes a reader wait, is not followed.
echo mine > mine
replaced() {
	rm -f "$kept/output"
	"$@" "$kept/output"
}
damage replaced ln -s "$PWD/mine"
has err 'neither a file nor a directory'
run 2 "$HEDDLE" shrink prog-1
[[ $(cat mine) == mine ]] || fail "a file of the user was written"
damage replaced mkfifo
run 0 "$HEDDLE" list
rm -rf "$kept"
ln -s "$PWD/good" "$kept"
run 2 "$HEDDLE" replay prog-1
has err 'no repro prog-1'
run 1 "$HEDDLE" replay ./good

# It says what it runs, and where, and nothing to the terminal.
rm "$kept"
cp -r good "$kept"
mkdir elsewhere
cp prog elsewhere/prog
sed -i -e "s|^directory .*|directory \"$PWD/elsewhere\"|" "$kept/repro"
run 1 "$HEDDLE" replay prog-1
has err "replaying prog-1: ./prog (in $PWD/elsewhere)"
printf 'evil \033[31m\n  details \302\2332J\n' > "$kept/verdict"
sed -i -e 's|^strategy .*|strategy "a\\x1b[31m"|' "$kept/repro"
sed -i -e 's|^thread 1 .*|thread 1 "b\\x1b[31m"|' "$kept/plan"
run 0 "$HEDDLE" list
cp out shown
run 1 "$HEDDLE" show prog-1
cat out >> shown
! grep -q $'\033\|\302\233' shown || fail "a command to the terminal"
has shown 'a?[31m'
has shown 'b?[31m'

printf 'it said \033[31m\n' > "$kept/output"
run 1 "$HEDDLE" show prog-1
has out 'it said ?[31m'

# One that is damaged does not keep the others from being reported.
cp -r good .heddle/repros/prog-2
: > "$kept/plan"
run 0 "$HEDDLE" report
has err 'left out: the repro prog-1 is damaged'
has .heddle/report/index.html prog-2
rm -r .heddle/repros/prog-2

# A check that came with the failure is shown and not run.
rm -rf "$kept"
cp -r good "$kept"
sed -i '2i check "touch"\ncheck "ran"' "$kept/repro"
run 1 "$HEDDLE" replay prog-1
has err 'allow-check: touch ran'
[[ ! -e ran ]] || fail "a stranger's command was run"

# The fixed program does not fit the plan.
rm -rf "$kept"
cp -r good "$kept"
"$HEDDLE" cc -g -o prog "$SOURCE/tests/programs/bug_lost_update_fixed.c"
run 3 "$HEDDLE" replay prog-1
has out 'unknown: diverged at step'
has out 'built anew'
finish
