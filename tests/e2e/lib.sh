# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Read by every test of heddle as a whole:
#
#	. "$(dirname "$0")/lib.sh"
#	run 1 "$HEDDLE" run --observe -- ./bank
#	has out 'race on global balance'
#	finish
#
# A test works in a scratch directory, which is kept when it fails, with a line
# that says how to repeat it. Every command has a minute.

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build}
HEDDLE=${HEDDLE:-$BUILD/heddle}
export HEDDLE BUILD SOURCE
# What the tester's own shell says must not matter.
unset HEDDLE_LOG HEDDLE_CC HEDDLE_TRIAL LD_PRELOAD
test_name=$(basename "$0" .sh)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/$test_name-XXXXXX") || exit 2
cd "$scratch" || exit 2
failed=0

fail() {
	echo "$test_name: $*"
	failed=1
}

# run STATUS COMMAND...: standard output and error go to the files out and err.
run() {
	local wanted=$1 got=0

	shift
	timeout 60 "$@" > out 2> err || got=$?
	[[ $got -eq $wanted ]] && return
	fail "status $got instead of $wanted: $*"
	head -n 5 out err
}

# has FILE WORDS: somewhere in the file.
has() {
	grep -qF -e "$2" "$1" && return
	fail "no '$2' in $1:"
	head -n 20 "$1"
}

hasnt() {
	grep -qF -e "$2" "$1" || return
	fail "'$2' in $1:"
	head -n 20 "$1"
}

# refused WORDS COMMAND...: status 2, nothing on standard output, one sentence
# on standard error that has the words.
refused() {
	local words=$1

	shift
	run 2 "$@"
	[[ ! -s out ]] || fail "output of a refused command: $*"
	[[ $(wc -l < err) -eq 1 ]] || fail "not one line: $(cat err)"
	[[ $(head -c 8 err) == "heddle: " ]] || fail "not from us: $(cat err)"
	has err "$words"
}

# is_like FILE PATTERN_FILE: line by line; a line "..." stands for any lines,
# "..." in a line for anything.
is_like() {
	local pattern

	pattern=$(sed 's/[][*?\\]/\\&/g; s/\.\.\./*/g' "$2")
	# shellcheck disable=SC2053
	[[ $(cat "$1") == $pattern ]]
}

# matches FILE PATTERN_FILE: or the test fails. HEDDLE_BLESS=1 writes the
# pattern anew.
matches() {
	if [[ ${HEDDLE_BLESS:-} ]]; then
		cp "$1" "$2"
		return
	fi
	is_like "$1" "$2" && return
	fail "$1 is not like $2:"
	diff "$2" "$1"
}

# build NAME SOURCE [OPTION...]: with heddle cc, as a test's program.
build() {
	local name=$1 source=$2

	shift 2
	timeout 60 "$HEDDLE" cc -g -O1 -pthread -o "$name" "$source" "$@" ||
		fail "cannot build $source"
}

# To be called last.
finish() {
	cd / || exit 2
	if [[ $failed -eq 0 ]]; then
		rm -rf "$scratch"
	else
		echo "kept: $scratch; again:" \
			"BUILD=$BUILD bash $SOURCE/tests/e2e/$test_name.sh"
	fi
	exit "$failed"
}
