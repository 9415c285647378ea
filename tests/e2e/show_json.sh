#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What --json prints is JSON, has the members heddle-run(1) names, and says the
# same as the text.

. "$(dirname "$0")/lib.sh"

build bank "$SOURCE/tests/programs/bank_in_turns.c"
run 0 "$HEDDLE" run --observe --json --output report -- ./bank 'a "b"'

# is FILTER: true of the report.
is() {
	jq -e "$1" report > /dev/null || fail "not so: $1"
}

is '.format == "heddle-run" and .version == 1'
is '.verdict == "held" and .exit_status == 0 and .signal == null'
is '.command == ["./bank", "a \"b\""] and .run == "bank-1"'
is '.recorded_all == false and .started > 1600000000'
is '.threads | length == 3'
is '.threads[1] | .parent == 0 and .function == "deposit"'
is '.threads[1].created[0] | .function == "main"'
is '.modules | any(.instrumented and (.path | endswith("/bank")))'
is '.modules | any((.instrumented | not) and (.path | contains("libc.so")))'
is '.summary | .events > 0 and .locks == 0'
is '.races | length > 0'
is 'all(.races[]; .location.name == "global balance" and .size == 4)'
is 'all(.races[]; .first.write or .second.write)'
is 'all(.races[]; .first.thread != .second.thread)'
is '.races[0].second.stack[0] | .function == "deposit" and .line == 15'
is '.lock_cycles == [] and .suppressed == 0 and .missing == []'

# Every member the page names is there, and the reverse.
sed -n '/^\.Ss JSON/,/^A stack is/p' "$SOURCE/man/heddle-run.1" |
	sed -n 's/^\.It Va //p' | tr -d ' ' | tr ',' '\n' | sort > written
jq -r 'keys[]' report | sort > members
diff written members > differences ||
	fail "members (< written, > there): $(cat differences)"

run 0 "$HEDDLE" show
races=$(jq '.races | length' report)
[[ $(grep -c '^race on \|^  also ' out) -eq $races ]] || fail "other races in the text"

run 0 "$HEDDLE" show --dump --json
jq -es 'length > 10 and all(.[]; .thread >= 0 and .kind != "")' out \
	> /dev/null || fail "events are not JSON"
events=$(jq '.summary.events' report)
[[ $(wc -l < out) -eq $events ]] || fail "$(wc -l < out) of $events events"
run 0 "$HEDDLE" show --dump
[[ $(wc -l < out) -eq $events ]] || fail "--dump: $(wc -l < out) lines"
has out '# deposit bank_in_turns.c:15'

# The text form is a trace, too.
run 0 "$HEDDLE" show --text
cp out text
run 0 "$HEDDLE" show --json --output again text
for member in races summary threads lock_cycles; do
	[[ $(jq -S ".$member" report) == "$(jq -S ".$member" again)" ]] ||
		fail "$member differ after going through text"
done
finish
