#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# One subject for each row of LOCON's Table 1 is located: the first suspect is
# confirmed, at most five are told, and the row is the one that the subject is
# listed with. All runs are under control, so the answer is the same every time.

. "$(dirname "$0")/lib.sh"

names=(compressor event_loop late_state script_cache shared_counter
	string_buffer binlog_rotate hazard_pointer on_duty binlog_order
	mailbox_cancel table_log warehouse_audit rate_limit screen_mode)

export HEDDLE
"$SOURCE/subjects/build.sh" built -f heddle-gcc "${names[@]}" > /dev/null ||
	fail "the subjects do not build"

while IFS=$'\t' read -r name strategy budget row; do
	run 1 "$HEDDLE" run --strategy "$strategy" -n "$budget" -- \
		"built/heddle-gcc/$name" < /dev/null
	run 1 "$HEDDLE" locate --json --native 0 --delayed 0 "$name-1" \
		< /dev/null
	got=$(jq -r '"\(.suspects[0].confirmed) \(.suspects[0].row)"' out)
	[[ $got == "true $row" ]] ||
		fail "$name is of row $row, but: $got" \
			"$(jq -r '.suspects[0].sentence' out)"
	[[ $(jq '.suspects | length' out) -le 5 ]] || fail "$name: too many"
done < <("$SOURCE/subjects/list.sh" name strategy budget row -- "${names[@]}")

finish
