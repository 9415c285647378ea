#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every subject breaks, as its list says, by the strategy and within the number
# of schedules that are listed, and again when it is replayed; so do partial
# fixes. Fixed twins hold. The bench asks for more schedules.

. "$(dirname "$0")/lib.sh"

[[ -e /usr/include/bzlib.h ]] || exit 77
subjects=$SOURCE/subjects
columns=(name twins failure arguments strategy budget)

# PROGRAM: broken in a listed way, and in the same way again.
is_found() {
	local kind

	run 1 "$HEDDLE" run --strategy "$strategy" -n "$budget" --json \
		-- "$@"
	kind=$(sed -n 's/.*"kind": "\(.*\)".*/\1/p' out | head -n 1)
	[[ ", $failure, " == *", $kind, "* ]] ||
		fail "$1: '$kind' instead of '$failure'"
	run 1 "$HEDDLE" replay --times 5 "$(basename "$1")-1"
	has out "5 of 5"
}

holds() {
	local each

	for each in random pct pos; do
		run 0 "$HEDDLE" run --strategy $each -n 200 -- "$@"
		has out 'held: 200 schedules'
	done
}

timeout 250 "$subjects/build.sh" . -f heddle-gcc || fail "cannot build"
# The list comes through a descriptor of its own: heddle reads standard input.
seen=0
while IFS=$'\t' read -r -u 3 "${columns[@]}"; do
	seen=$((seen + 1))
	[[ $arguments != - ]] || arguments=
	for twin in buggy ${twins//,/ }; do
		program=heddle-gcc/$name
		[[ $twin == buggy ]] || program+=.$twin
		# shellcheck disable=SC2086
		if [[ $twin == fixed ]]; then
			holds "$program" $arguments
		else
			is_found "$program" $arguments
		fi
	done
done 3< <("$subjects/list.sh" "${columns[@]}")
[[ $seen -eq $("$subjects/list.sh" name | wc -l) ]] || fail "only $seen seen"

finish
