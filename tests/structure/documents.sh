#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What the documents say is there: links lead somewhere, files named exist,
# every kind of event is in the description of the format, every exit status in
# the manual, and the manual pages have no fault mandoc knows of.

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
cd "$SOURCE" || exit 2
failed=0

fail() {
	echo "$*"
	failed=1
}

# Prints what stands in the markdown file $1 and matches $2, once each.
named_in() {
	grep -oP "$2" "$1" | sort -u
}

pages=0
for page in *.md docs/*.md; do
	pages=$((pages + 1))
	while read -r link; do
		[[ -e $(dirname "$page")/$link ]] ||
			fail "$page: a link to $link, which is not there"
	done < <(named_in "$page" '\]\(\K[^)#:]+(?=[)#])')
	while read -r file; do
		[[ -e $file ]] || fail "$page: speaks of $file, which is not there"
	done < <(named_in "$page" \
		'`\K(src|tests|docs|include|cmake|examples|man)/[\w./-]+(?=`)')
done
[[ $pages -ge 4 ]] || fail "only $pages documents seen"

for room in src/*/; do
	grep -q "^    $room " docs/architecture.md ||
		fail "docs/architecture.md: no word of $room"
done

while read -r event; do
	grep -qw -- "$event" docs/formats.md ||
		fail "docs/formats.md: no word of the event $event"
done < <(sed -n 's/^EVENT([A-Z_0-9]*, *"\([a-z-]*\)".*/\1/p' \
	src/format/event.def)

while read -r text; do
	grep -q -- "$text" man/heddle.1 ||
		fail "man/heddle.1: no word of the exit status \"$text\""
done < <(sed -n 's/^EXIT(.*"\([^"]*\)")$/\1/p' src/format/verdict.def)

# Help sends the reader to pages that exist.
HEDDLE=${HEDDLE:-${BUILD:-build}/heddle}
for verb in $("$HEDDLE" help | sed -nE 's/^  ([a-z+]+)  +.*/\1/p'); do
	while read -r name; do
		[[ -e man/$name.1 ]] ||
			fail "heddle help $verb: there is no man/$name.1"
	done < <("$HEDDLE" help "$verb" | sed -nE 's/^More in (.*)\(1\)\./\1/p')
done

mandoc -T lint -W warning man/*.[13] || fail "man: see above"
exit $failed
