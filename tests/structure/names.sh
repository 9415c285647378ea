#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What every file owes the reader: a name that is unique and says something, a
# licence line, a guard after its name, 80 columns, and one idea (600 lines).

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$SOURCE" || exit 2
budget=600
failed=0

# Longer than the budget for a reason: "path lines why".
allowed_length() {
	cat <<-EOF
	EOF
}

fail() {
	echo "$*"
	failed=1
}

files() {
	find src include tests examples bench subjects \
		\( -path bench/cache -o -path bench/results \) -prune \
		-o -type f \( "$@" \) -print
}

check_unique() {
	local name

	while read -r name; do
		fail "more than one file is called $name:" \
			"$(files -name "$name" | xargs)"
	done < <(files -name '*.[chS]' -o -name '*.cc' -o -name '*.cpp' \
		-o -name '*.def' -o -name '*.sh' |
		grep -v '/lib\.sh$' | sed 's,.*/,,' | sort | uniq -d)
}

check_vague() {
	local file

	while read -r file; do
		fail "$file: a name that says nothing"
	done < <(files -name '*' | grep -iE \
		'(^|[/_-])(util|common|misc|core|helper|context|manager)s?([._-][^/]*)?$')
}

check_licence() {
	local file

	while read -r file; do
		head -n 2 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' ||
			fail "$file: no SPDX line at its head"
	done < <(files -name '*.[chS]' -o -name '*.def' -o -name '*.sh' \
		-o -name '*.cpp')
}

check_guard() {
	local file guard

	while read -r file; do
		guard=HEDDLE_$(basename "$file" .h | tr 'a-z-' 'A-Z_')_H
		[[ $file == include/heddle.h ]] && guard=HEDDLE_H
		grep -q "^#ifndef $guard\$" "$file" ||
			fail "$file: the guard should be $guard"
	done < <(files -name '*.h')
}

# Strings may be long, so that they can be searched for.
check_columns() {
	local file

	while read -r file; do
		expand "$file" | awk -v file="$file" '
			length > 80 && !/"/ { print file ":" NR ": " \
				length " columns"; bad = 1 }
			END { exit bad }' || failed=1
	done < <(files -name '*.[chS]' | grep -v '/programs/')
}

check_length() {
	local file lines limit

	while read -r file; do
		lines=$(wc -l < "$file")
		limit=$(allowed_length | awk -v f="$file" '$1 == f { print $2 }')
		[[ $lines -le ${limit:-$budget} ]] ||
			fail "$file: $lines lines, more than ${limit:-$budget}"
	done < <(files -name '*.[chS]' -o -name '*.def' -o -name '*.sh')
}

[[ $(files -name '*.c' | wc -l) -gt 5 ]] || fail "no files seen"
check_unique
check_vague
check_licence
check_guard
check_columns
check_length
exit $failed
