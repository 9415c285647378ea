#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A failure that is kept as rules, obeyed in a run on all processors, is located
# from the pairs of that very run: the two accesses that the rules bring about
# are among them, in their order, and no passing run has them.

. "$(dirname "$0")/lib.sh"

# KIND: where the last call of that hook in deposit returns to.
returns() {
	objdump -d --no-show-raw-insn --disassemble=deposit bank |
		awk -v hook="__tsan_$1@plt" 'was { sub(":", "", $1); at = $1 }
			{ was = index($0, hook) } END { print "0x" at }'
}

run 0 "$HEDDLE" cc -g -O1 -o bank "$SOURCE/examples/bank.c" -pthread
run 1 "$HEDDLE" run --strategy random -n 1000 -- ./bank

# A read of one thread, the write of another, the write of the first.
plan=.heddle/repros/bank-1/plan
read=$(returns read4) write=$(returns write4)
grep -E '^(heddle-plan|seed|processors|module) ' "$plan" > rules
cat >> rules << END
force free window=1 flags=0 noise=0 noise-us=0
rule "read, write, write" hold-us=50000 holds=1
event read "" thread=0 module=0 address=$read hold=0
event write "" thread=1 module=0 address=$write hold=1
event write "" thread=0 module=0 address=$write hold=1
done
END
mv rules "$plan"

# How the threads begin is up to the machine: a thread may be through before the
# other is there.
for try in 1 2 3 4 5; do
	"$HEDDLE" locate --json --no-experiments -n 8 --native 2 --delayed 0 \
		--save runs bank-1 > out 2> err
	status=$?
	[[ $status -ne 2 ]] || ! grep -q 'did not fail' err || continue
	break
done
[[ $status -eq 1 ]] || fail "status $status at try $try: $(cat err)"
grep -qx 'exact 0' runs/fail/000.pairs || fail "the failing run was controlled"
[[ $(jq -r '[.suspects[].pairs[0] | "\(.head.kind) \(.tail.kind)"] | sort |
	join(", ")' out) == *'read write'* ]] || fail "$(head -n 60 out)"
[[ $(jq -r '[.suspects[].pairs[0].variable] | unique | join(" ")' out) == \
	*balance* ]] || fail "not of balance"

finish
