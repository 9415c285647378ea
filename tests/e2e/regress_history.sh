#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A project's life: a bug is found and its repro committed; a fix comes that is
# none, then one that is. heddle regress tells each, for all that is kept.

. "$(dirname "$0")/lib.sh"

command -v git > /dev/null || exit 77
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a
export GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_GLOBAL=/dev/null
git init -q .
printf 'till\nout\nerr\n*.json\n*.xml\n' > .gitignore

commit() {
	git add -A && git commit -qm "$1" || fail "cannot commit"
	run 0 "$HEDDLE" cc -g -O1 -pthread till.c -o till
}

cp "$SOURCE/tests/e2e/till.c" .
commit 'A till'
run 1 "$HEDDLE" run --strategy random -n 1000 -- ./till
commit 'What heddle found'

# Nothing changed: the kept schedule itself shows it.
run 1 "$HEDDLE" regress
has out 'still broken: same bug (certain)'
has out 'the build is the one that failed'

# A comment above, and the build is another one. With all, the kept schedule
# comes first, at its places of now; with a name, what is like it.
sed -i '1a /* Of the shop. */' till.c
commit 'Say whose it is'
run 1 "$HEDDLE" regress --no-keep --json
[[ $(jq -c '.. | .iterations? // empty | .[0] | [.kind, .broke]' out) == \
	'["replay",true]' ]] || fail "$(cat out)"
has out '"same-build": false'
has out '"sure": "certain"'
has out 'the kept schedule gives the kept failure'
run 1 "$HEDDLE" regress --no-keep --json till-1
[[ $(jq -r '.. | .iterations? // empty | .[0].kind' out) != replay ]] ||
	fail "$(cat out)"

# A fix with a lock around half of it, and a line more above.
sed -i 's/^static volatile/static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n&/
	s/^\tint before = cash;/\tint before;\n\n\tpthread_mutex_lock(\&lock);\n\tbefore = cash;\n\tpthread_mutex_unlock(\&lock);/' till.c
commit 'Lock it'
run 1 "$HEDDLE" regress --junit till.xml
has out 'still broken: same bug'
has out 'see it again: heddle replay till-2'
has till.xml '<failure'
run 1 "$HEDDLE" replay till-2
commit 'What heddle found'

# The real one. A fresh clone has all it needs.
sed -i 's/^\tpthread_mutex_unlock(&lock);//
	s/^\tcash = before + amount;/&\n\tpthread_mutex_unlock(\&lock);/' till.c
commit 'Lock all of it'
git clone -q . elsewhere
mv till elsewhere
cd elsewhere || exit 2
run 0 "$HEDDLE" regress -n 40 --json
[[ $(grep -c '"verdict": "not triggered"' out) -eq 2 ]] || fail "$(cat out)"
run 0 "$HEDDLE" regress -n 40
has out 'till-1  not triggered'
has out 'till-2  not triggered'

# One that cannot be tried is told of, and the others are tried.
: > .heddle/repros/till-1/plan
run 2 "$HEDDLE" regress -n 40 --junit till.xml
has err 'till-1 is damaged'
has out 'till-1  unknown'
has out 'till-2  not triggered'
has till.xml '<error'
refused 'no repros' "$HEDDLE" regress --store nowhere
refused 'name it' "$HEDDLE" regress --program ./till
refused 'there is no repro' "$HEDDLE" regress till-9
finish
