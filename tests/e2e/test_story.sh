#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle test: one command finds, shrinks, replays, explains and reports; many
# commands make a table; known failures do not count.

. "$(dirname "$0")/lib.sh"

cp "$SOURCE/examples/bank.c" .
build bank bank.c
refused "say what to test" "$HEDDLE" test
refused "goes with --each" "$HEDDLE" test --fail-fast -- ./bank
refused "cannot run ./nobody" "$HEDDLE" test -- ./nobody

# Experiments have little time, and a busy machine may take it: what they
# confirm is confirmed in one of a few tries.
confirmed() { # ARGUMENT...
	for _ in 1 2 3 4 5; do
		run 1 "$HEDDLE" test "$@"
		grep -q '^confirmed' out && break
	done
}

confirmed -- ./bank
cat > story <<'END'
broken: exit status 1 ... s, ... schedule...
atomicity violation on `balance` (bank.c:8)
    thread 1 (deposit)                   thread 2 (deposit)
...bank.c:8  read balance...
...bank.c:8  write balance...
...bank.c:8  write balance...  <- overwrites
the read and the write of balance at bank.c:8 must be atomic with the write at deposit (bank.c:8)
confirmed: the other way round it holds
replayed 20 of 20   heddle replay bank-1   heddle replay bank-1 --gdb   .heddle/report/index.html
END
is_like out story || { fail "not the story:"; diff story out; }
hasnt out $'\033'
[[ -s .heddle/report/index.html ]] || fail "no page"
run 1 "$HEDDLE" replay bank-1
run 1 "$HEDDLE" test --colour always -- ./bank
has out $'\033[1;31mbroken:'

# What experiments confirmed is what is told, here and in the page; what they
# did not is no fact.
confirmed -- ./bank
has .heddle/repros/bank-1/located 'confirmed'
run 0 "$HEDDLE" report --json bank-1
jq -e '.bugs[0] | .located.confirmed and (.suspect.advice |
	test("must be atomic with the write at deposit"))' out > truth ||
	fail "not what was confirmed"
sed -i 's/"confirmed": true/"confirmed": false/' \
	.heddle/repros/bank-1/located.json
run 0 "$HEDDLE" report --json bank-1
jq -e '.bugs[0].suspect.advice | test("with the write at deposit") | not' \
	out > truth || fail "a suspect that nobody confirmed is told as fact"

# A file that the first run leaves behind breaks the next one, and no replay of
# a schedule brings that back once the file is gone. In a directory of its own
# each run holds.
cat > leaves.c <<'END'
#include <stdio.h>
int main(void)
{
	int seen = 0;
	FILE *f = fopen("left", "r");

	if (f && fscanf(f, "%d", &seen) == 1)
		fclose(f);
	f = fopen("left", "w");
	fprintf(f, "%d", seen + 1);
	fclose(f);
	return seen == 3;
}
END
build leaves leaves.c
run 3 "$HEDDLE" test --store other --budget 5s -j 1 -- ./leaves
has out "exit status 1, once, and not again in 3 replays of its schedule"
run 0 "$HEDDLE" test --store other --budget 2s --exec -- ./leaves

# An object that is used after the last reference was dropped: the guess from
# the switches would be the initialisation.
build drop "$SOURCE/tests/programs/story_drop.c"
confirmed --store drops -- ./drop
has out 'broken: use after free of a block of 8 bytes'
has out 'violation on `heap block of 8 bytes'
has out 'confirmed: the other way round it holds'
hasnt out 'memory at 0x'
build kept "$SOURCE/tests/programs/story_drop_fixed.c"
run 0 "$HEDDLE" test --store drops --budget 500ms -- ./kept

# What is kept of a test, and printed as JSON.
run 1 "$HEDDLE" test --json -- ./bank
jq -e '.verdict == "broken" and .bugs == ["bank-1"] and .first >= 1 and
	(.ways | length) >= 1' out > truth ||
	fail "JSON: $(cat out)"
run 0 "$HEDDLE" report --json
jq -e '(.tests | length) == 1 and .tests[0].command == ["./bank"]' out \
	> truth || fail "no test on record"

# One that holds, and one that reads what it is given.
build fixed "$SOURCE/tests/programs/bug_lost_update_fixed.c"
run 0 "$HEDDLE" test -- ./fixed
has out "held: nothing broke on any schedule"
has out "tried: surw"
has out "causal classes, complete"
has out "watched: 0 data races, 0 lock cycles; "

# A deadlock is told by who waits for whom, and a signal that came too early.
build lost "$SOURCE/tests/programs/bug_lost_wakeup.c"
run 1 "$HEDDLE" test --store lost.store -- ./lost
has out "broken: deadlock of 1 thread"
has out "for a signal that came before, at bug_lost_wakeup.c:"

# The last signal woke the very thread that waits again, and none came since.
at() { # PROGRAM WORD: of the line that says so
	echo "$1:$(grep -n "/\* $2 \*/" "$SOURCE/tests/programs/$1" |
		cut -d: -f1)"
}
again=$SOURCE/tests/programs/story_not_again.c
build again "$again"
run 1 "$HEDDLE" test --store again.store -- ./again
has out "thread 1 (consume) waits at $(at story_not_again.c waits) for a signal that nobody gave again: the last, at $(at story_not_again.c signals) (thread 0 (main)), woke it before"
build given "$again" -DFIXED
run 0 "$HEDDLE" test --store again.store --budget 500ms -- ./given

# A race is its own cause: its accesses and locks are told, no guess about what
# else there is. A read and a write of one statement race as one.
race=$SOURCE/tests/programs/story_race.c
build race "$race"
run 1 "$HEDDLE" test --store race.store --fail-on race -- ./race
has out "broken: data race on global filled: "
has out "in fill ($(at story_race.c updates))"
has out "      at reset ($(at story_race.c resets))"
has out "      holds mutex mutex, taken in fill ($(at story_race.c locks))"
has out "  nothing orders the two: no lock is held by both"
hasnt out is_ready
[[ $(ls race.store/repros) == race-1 ]] || fail "one race is kept several times"
run 0 "$HEDDLE" report --store race.store --json
jq -e '.bugs[0].suspect == null' out > truth || fail "a race has a suspect"
run 1 "$HEDDLE" run --strategy random -n 50 --all-failures --fail-on race \
	--store races.store -- ./race
[[ $(ls races.store/repros) == race-1 ]] || fail "one race is many: $(cat out)"
run 1 "$HEDDLE" replay --times 3 --store races.store race-1
has out "reproduced 3 of 3"
build guarded "$race" -DFIXED
run 0 "$HEDDLE" test --store race.store --budget 500ms --fail-on race \
	-- ./guarded

# Many: a table, JUnit, a baseline.
printf '%s\n' '# first' './fixed' './bank "a b"' './nobody' > commands
run 1 "$HEDDLE" test --budget 500ms --each commands --junit out.xml
has out "3 tested: 1 held, 1 broken, 0 unknown, 1 failed"
python3 -c '
import xml.dom.minidom as dom
suite = dom.parse("out.xml").getElementsByTagName("testsuite")[0]
got = [suite.getAttribute(a) for a in ("tests", "failures", "errors")]
assert got == ["3", "1", "1"], got' || fail "JUnit: $(cat out.xml)"
printf '%s\n' './bank' './fixed' > commands
run 1 "$HEDDLE" test --budget 500ms --fail-fast --each commands
has out "1 tested"
run 0 "$HEDDLE" test --baseline known --bless -- ./bank
has known "bank exit status"
run 0 "$HEDDLE" test --budget 500ms --baseline known --each commands \
	--junit out.xml
has out.xml '<skipped'
has out "known: it is in the baseline"
echo "./bank 'open" > commands
refused "a quotation has no end" "$HEDDLE" test --each commands

# Without hooks only calls are seen: nobody may call that every schedule.
gcc -g -pthread -o plain "$SOURCE/examples/bank.c" || fail "cannot build plain"
run 0 "$HEDDLE" test --budget 2s -- ./plain
has out "was not built by heddle cc"
grep -q complete out && fail "complete, without hooks: $(cat out)"

# What standard input holds is what every run reads.
build reader "$SOURCE/tests/programs/control_input.c"
echo 7 > input
"$HEDDLE" test --budget 300ms -- ./reader < input > out 2>&1
[[ $? -le 1 ]] || fail "a program that reads: $(cat out)"
finish
