#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# list.sh COLUMN... [-- NAME...]: these columns of list.txt, of all subjects or
# of those named, with tabs in between. The columns are named in its first
# line. Fails when a name is not in the list.

set -euo pipefail
list=$(dirname "$0")/list.txt
columns=()
while [[ $# -gt 0 && $1 != -- ]]; do
	columns+=("$1")
	shift
done
shift || true

awk -F ' *[|] *' -v columns="${columns[*]}" -v names="$*" '
	function trimmed(text) {
		gsub(/^[ \t#]+|[ \t]+$/, "", text)
		return text
	}
	BEGIN {
		wanted = split(columns, want, " ")
		chosen = split(names, name, " ")
		for (i = 1; i <= chosen; i++)
			missing[name[i]] = 1
	}
	NR == 1 {
		for (i = 1; i <= NF; i++)
			at[trimmed($i)] = i
		for (i = 1; i <= wanted; i++)
			if (!(want[i] in at)) {
				print "no column " want[i] > "/dev/stderr"
				exit failed = 1
			}
		next
	}
	/^#/ || !NF { next }
	chosen && !(trimmed($1) in missing) { next }
	{
		delete missing[trimmed($1)]
		for (i = 1; i <= wanted; i++)
			printf "%s%s", trimmed($at[want[i]]),
				i < wanted ? "\t" : "\n"
	}
	END {
		for (n in missing) {
			print "no subject " n > "/dev/stderr"
			failed = 1
		}
		exit failed
	}' "$list"
