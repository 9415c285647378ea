#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The page of heddle report in a real browser (tests/page/). Skipped where there
# is no browser, or where its driver cannot be fetched.

. "$(dirname "$0")/lib.sh"

skip() {
	echo "skipped: $*"
	cd / && rm -rf "$scratch"
	exit 77
}

chromium=$(command -v chromium) || skip "no chromium"
command -v node npm > found || skip "no node or no npm"

# Fetched once for a build.
modules=$BUILD/page-tests
mkdir -p "$modules"
if ! cmp -s "$SOURCE/tests/page/package-lock.json" "$modules/fetched"; then
	cp "$SOURCE"/tests/page/package*.json "$SOURCE/tests/page/.npmrc" \
		"$modules"
	PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 timeout 240 npm ci \
		--prefix "$modules" --no-progress --ignore-scripts \
		> npm.log 2>&1 || skip "npm ci: $(tail -n 3 npm.log)"
	cp "$modules/package-lock.json" "$modules/fetched"
fi

# A page whose program and source would like to be markup.
evil='</script><img src=x onerror=alert(1)>'
sed "s|^static int balance;|static int balance; /* $evil */|" \
	"$SOURCE/examples/bank.c" > bank.c
build bank bank.c
run 1 "$HEDDLE" run --strategy random -- ./bank "$evil"
run 0 "$HEDDLE" report -o page.html
build abba "$SOURCE/tests/programs/bug_abba.c"
run 1 "$HEDDLE" test --store locks -- ./abba
build held "$SOURCE/tests/programs/bug_lost_update_fixed.c"
run 0 "$HEDDLE" test --store locks -- ./held
run 0 "$HEDDLE" report --store locks -o locks.html
run 0 "$HEDDLE" report --store locks --json -o report.json
run 0 "$HEDDLE" report --sarif -o report.sarif
build map "$SOURCE/tests/programs/linear_map.c"
run 1 "$HEDDLE" linear --store requests -n 300 -- ./map split
run 0 "$HEDDLE" report --store requests -o requests.html
run 0 "$HEDDLE" report --store requests --json -o requests.json

HOME=$scratch timeout 240 node "$SOURCE/tests/page/page.mjs" "$scratch" \
	"$chromium" "$modules" > page.log 2>&1 || {
	fail "the page:"
	cat page.log
}
[[ ${SHOW_PAGE:-} ]] && cp ./*.png page.log "$SHOW_PAGE"
finish
