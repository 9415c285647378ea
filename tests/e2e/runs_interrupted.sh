#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What a function is recorded to have written is what it did write, however
# often a signal comes between the guest's look and its record.

. "$(dirname "$0")/lib.sh"

build runs "$SOURCE/tests/programs/runs_interrupted.c"
run 0 "$HEDDLE" run --observe --output report -- ./runs
cp out places
hasnt report missing:
timeout 60 "$HEDDLE" show --dump > dump || fail "cannot be dumped"
# Addresses have as many digits as each other. Lines 22 and 39 are the loops.
awk 'NR == FNR { low[$1] = $2; high[$1] = $3; next }
	$2 == "write" && ($7 in low && /:(22|39):/) {
		seen[$7]++
		if ($3 "" < low[$7] "" || $3 "" >= high[$7] "")
			wrong[$7]++
	}
	END {
		for (f in low)
			print f, (seen[f] > 1000 ? "seen" : "not seen"), \
				wrong[f] + 0
	}' places dump | sort > verdict
printf '%s\n' 'fill seen 0' 'handle seen 0' > wanted
diff wanted verdict > differences ||
	fail "places that were not written: $(cat differences)"
finish
