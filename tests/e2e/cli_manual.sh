#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The manual and the tool agree: each option of a verb's table is in its page
# and the reverse, and what the pages show as examples works.

. "$(dirname "$0")/lib.sh"

# "--long" for each option the help of a verb lists, with "-x " in front where
# it has a letter.
told() {
	"$HEDDLE" help "$1" |
		sed -nE 's/^  (-([a-z]), |    )--([a-z-]+).*/\2 \3/p' | sort
}

# The same from ".It Fl x , -long".
written() {
	sed -nE 's/^\.It Fl (([a-z]) , )?-([a-z-]+).*/\2 \3/p' "$1" | sort
}

for verb in test run show doctor replay report shrink regress list rm expose \
	explore locate linear help completion; do
	page=$SOURCE/man/heddle-$verb.1
	told "$verb" > told
	written "$page" > written
	[[ $(wc -l < told) -ge 2 ]] || fail "hardly any option of $verb"
	diff told written > differences ||
		fail "options of $verb (< told, > written): $(cat differences)"
done
for verb in $("$HEDDLE" help | sed -nE 's/^  ([a-z+]+)  +.*/\1/p'); do
	grep -qE "^\.It Cm (cc , )?${verb/+/\\+}" "$SOURCE/man/heddle.1" ||
		grep -qF "$verb" "$SOURCE/man/heddle.1" ||
		fail "heddle.1 has no word of $verb"
done

# Prints the commands of a page's EXAMPLES: lines after "$ ", and what follows
# them up to the next, for here-documents.
examples() {
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh [^E]/p' "$1" |
		sed -n '/^\.Bd/,/^\.Ed/p' | grep -v '^\.[BE]d' |
		sed 's/^\$ //; s/\\e/\\/g'
}

mkdir bin
ln -s "$HEDDLE" bin/heddle
PATH=$PWD/bin:$PATH
pages=0
for page in heddle heddle-run heddle-show heddle-doctor heddle-replay \
	heddle-shrink heddle-expose heddle-explore heddle-locate heddle-regress \
	heddle-list heddle-report heddle-test; do
	examples "$SOURCE/man/$page.1" > script
	[[ $(grep -c heddle script) -ge 1 ]] || fail "no examples in $page.1"
	run 0 bash -eu script
	pages=$((pages + 1))
	[[ $page != heddle ]] || has out 'race on global count'
done
[[ $pages -eq 13 && -s regress.xml && -s lost.sarif && -s seats.xml && -s report.json && -s machine.json && -s again.txt ]] ||
	fail "examples did not leave what they should"
finish
