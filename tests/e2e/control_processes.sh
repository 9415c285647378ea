#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Processes that a program under control starts: they run free, the report says
# so, their answers are found again where a plan had them, and none is left
# behind. A program that was built for heddle is an ordinary one there. One that
# replaces itself has ended for us.

. "$(dirname "$0")/lib.sh"

programs=$SOURCE/tests/programs

for program in children child_pipe shared_lock orphans starts_another exec \
	pipes; do
	build "$program" "$programs/control_$program.c"
done

note='note: the program started processes of its own, which ran free'
for strategy in random pct; do
	for program in children child_pipe shared_lock; do
		run 0 "$HEDDLE" run --strategy $strategy -n 20 -- "./$program"
		has out "$note"
	done
done
run 0 "$HEDDLE" run --strategy random -n 5 -- ./starts_another ./pipes
run 0 "$HEDDLE" run --exec --strategy random -n 5 -- \
	"$PWD/starts_another" "$PWD/pipes"

run 0 "$HEDDLE" run --strategy random -n 1 -j 1 -- ./orphans "$PWD/pids"
[[ -s pids ]] || fail "nobody was left behind"
while read -r pid; do
	kill -0 "$pid" 2> kill.err && fail "process $pid is still there"
done < pids

run 3 "$HEDDLE" run --strategy random -n 5 -- ./exec
has out 'unknown: uncontrolled block: the program replaced itself by /bin/true (exec)'
has out 'run that itself'

# A fork that libc does not know of is told like any other.
build raw "$programs/guest_fork_raw.c"
run 0 "$HEDDLE" run --strategy random -n 5 -- ./raw
has out "$note"

# So is one by clone3; a thread by it is not controlled.
build clone "$programs/control_raw_clone.c"
run 0 "$HEDDLE" run --strategy random -n 5 -- ./clone
has out "$note"
hasnt out 'not controlled'
run 0 "$HEDDLE" run --strategy random -n 5 -- ./clone thread
has out 'calls clone by itself'

# Neither are random numbers of the processor, wherever the code is that draws.
for how in gcc:-O0 gcc:-O2 clang-14:-O2; do
	HEDDLE_CC=${how%:*} "$HEDDLE" cc "${how#*:}" -g -o draws \
		"$programs/control_draws.c" || fail "cannot build draws, $how"
	run 0 "$HEDDLE" run --strategy random -n 5 -- ./draws
	has out 'to draw random numbers from the processor'
done
run 0 "$HEDDLE" run --strategy random -n 5 -- ./clone
hasnt out 'draw random'

# A call back in a large program has the same bytes.
cat > far.c << 'EOF'
__asm__(".text\n.skip 0x4000, 0x90\n.byte 0xe8\n.long 0xffffc70f\n");
int main(void) { return 0; }
EOF
build far far.c
[[ $(od -An -v -tx1 far | tr -d ' \n') == *0fc7ff* ]] || fail "no such bytes"
run 0 "$HEDDLE" run --strategy random -n 5 -- ./far
hasnt out 'draw random'

finish
