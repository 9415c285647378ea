# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
#
# What the scripts about heddle linear have in common: sourced, with `here` the
# directory of the bench. A work directory that goes away, reports as JSON in
# results/NAME/.

BUILD=${BUILD:-$here/../build}
HEDDLE=$BUILD/heddle
tabled=$here/../subjects/tabled
built=$here/cache/build
failed=0

# NAME: where reports are kept. Goes to a work directory.
prepare() {
	results=$here/results/$1
	mkdir -p "$results"
	results=$(cd "$results" && pwd)
	rm -f "$results"/*
	work=$(mktemp -d "${TMPDIR:-/tmp}/linear-XXXXXX") || exit 2
	trap 'rm -rf "$work"' EXIT
	cd "$work" || exit 2
}

wrong() {
	echo "linear: $*" >&2
	failed=1
}

# NAME SPEC OPTION...: a report as JSON.
linear() {
	local name=$1 spec=$2

	shift 2
	timeout 1200 "$HEDDLE" linear --json -o "$results/$name.json" "$@" \
		"$spec" 2> "$name.err"
	[[ $? -le 1 ]] || wrong "$name: $(cat "$name.err")"
}

of() {
	jq -r "$2" "$results/$1.json"
}

# PROGRAM LINE...: its spec.
spec() {
	sed "s,{here}/tabled,$work/$1," "$tabled/tabled.spec"
	shift
	[[ $# -eq 0 ]] || printf '%s\n' "$@"
}

# What is there will do, and its sources may be missing.
memcached_build() {
	local tree

	[[ -d $here/cache/src/memcached ]] || return
	for tree in heddle/memcached heddle/memcached+incr \
		native/memcached+incr; do
		[[ -x $built/$tree/memcached ]] ||
			BUILD=$BUILD "$here/build_real.sh" $tree >&2
	done
}

# NAME PROGRAM OPTION...: pairs of the script of memcached.
cached() {
	local name=$1

	sed "s,MEMCACHED,$2,; s,USER,$(id -un)," \
		"$here/linear/memcached.spec" > "$name.spec"
	shift 2
	linear "$name" "$name.spec" --from-tests "$here/linear/memcached.txt" "$@"
}

cached_head() {
	cat <<-END
	| memcached | inputs | executions | flagged | seconds | runs/s |
	|---|---|---|---|---|---|
	END
}

# NAME WORDS
cached_row() {
	of "$1" "\"| $2 | \(.inputs) | \(.executions) | \(.flagged) | \(.seconds | floor) | \(.runs / .seconds | floor) |\""
}

# NAME WORDS: what was flagged; docs/methods.md says what these are.
cached_flags() {
	# shellcheck disable=SC2016
	of "$1" '.findings[] | "- '"$2"': \([.requests[].request] |
		map("`" + . + "`") | join(" with ")), \(.schedules) schedules, \(.kind)"'
}
