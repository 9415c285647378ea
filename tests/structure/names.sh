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
		fail "$file: no SPDX line at its head"
	done < <(files -name '*.[chS]' -o -name '*.def' -o -name '*.sh' \
		-o -name '*.cpp' | xargs awk '
		FNR == 1 { seen = 0 }
		FNR <= 2 && /SPDX-License-Identifier: Apache-2.0/ { seen = 1 }
		FNR == 2 && !seen { print FILENAME }')
}

check_guard() {
	local file

	while read -r file; do
		fail "$file: its guard should be named after it"
	done < <(files -name '*.h' | xargs awk '
		function finish() {
			if (file && !seen)
				print file
		}
		FNR == 1 {
			finish()
			file = FILENAME
			seen = 0
			guard = file
			sub(/.*\//, "", guard)
			sub(/\.h$/, "", guard)
			gsub(/-/, "_", guard)
			guard = "HEDDLE_" toupper(guard) "_H"
			if (file == "include/heddle.h")
				guard = "HEDDLE_H"
		}
		$0 == "#ifndef " guard { seen = 1 }
		END { finish() }')
}

# Strings may be long, so that they can be searched for.
check_columns() {
	files -name '*.[chS]' | grep -v '/programs/' | xargs awk '
		length * 8 > 80 && !/"/ {
			line = $0
			while (match(line, /\t/))
				line = substr(line, 1, RSTART - 1) \
					sprintf("%*s", 8 - (RSTART - 1) % 8, "") \
					substr(line, RSTART + 1)
			if (length(line) > 80) {
				print FILENAME ":" FNR ": " length(line) \
					" columns"
				bad = 1
			}
		}
		END { exit bad }' || failed=1
}

check_length() {
	local lines file

	while read -r lines file; do
		fail "$file: $lines lines, more than $budget"
	done < <(files -name '*.[chS]' -o -name '*.def' -o -name '*.sh' |
		xargs -n 1000 wc -l |
		awk -v most=$budget '$1 > most && $2 != "total"')
}

[[ $(files -name '*.c' | wc -l) -gt 5 ]] || fail "no files seen"
check_unique
check_vague
check_licence
check_guard
check_columns
check_length
exit $failed
