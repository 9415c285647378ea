#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# docs/formats.md gives each kind of event the number, the fields and the order
# it has in event.def, and the version that the code writes.

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$SOURCE" || exit 2
failed=0

# "| number | `text` | fields | order |" for each line of event.def.
rows() {
	sed -n 's/^EVENT([A-Z_0-9]*, *"\([a-z-]*\)", *\([ASXT|]*\), *\([A-Z]*\)).*/\1 \2 \3/p' \
		src/format/event.def | awk '{
			gsub(/\|/, " ", $2)
			$3 = $3 == "NONE" ? "" : tolower($3)
			print "| " NR - 1 " | `" $1 "` | " $2 " | " $3 " |"
		}'
}

while read -r row; do
	grep -qF -- "$row" docs/formats.md || {
		echo "docs/formats.md: no line \"$row\""
		failed=1
	}
done < <(rows)
[[ $(rows | wc -l) -eq $(grep -c '^EVENT(' src/format/event.def) ]] || {
	echo "event.def has lines that this check does not see"
	failed=1
}

version=$(sed -n 's/.*TRACE_VERSION = \([0-9]*\).*/\1/p' src/trace/trace.h)
grep -q "^| 8 | u32 | version: $version |" docs/formats.md || {
	echo "docs/formats.md: the version is $version"
	failed=1
}
exit $failed
