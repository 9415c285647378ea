#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# build.sh DIRECTORY [-f FLAVOUR]... [NAME...]: builds the subjects that
# list.txt names, or these of them, into DIRECTORY/FLAVOUR/NAME, their twins
# into NAME.fixed and NAME.partial. Flavours are gcc, clang, heddle-gcc and
# heddle-clang; without any it builds these all. tsan-gcc and tsan-clang are with
# ThreadSanitizer, native is gcc's with -O2 in place of -O1. A warning is an
# error. CLANG says which clang to take, if not clang-19.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
HEDDLE=${HEDDLE:-${BUILD:-$here/../build}/heddle}
export HEDDLE here
directory=${1:?where to}
shift
flavours=()
while [[ ${1:-} == -f ]]; do
	flavours+=("$2")
	shift 2
done
[[ ${#flavours[@]} -gt 0 ]] || flavours=(gcc clang heddle-gcc heddle-clang)

# FLAVOUR NAME TWIN: one program; its sources are NAME.c or all of NAME/.
build_one() {
	local out=$directory/$1/$2 switch=() compiler sources=("$here/$2".c)
	local options=(-std=gnu17 -g -O1 -Wall -Wextra -Werror -pthread)

	[[ -d $here/$2 ]] && sources=("$here/$2"/*.c)
	if [[ $3 != buggy ]]; then
		switch=("-D${3^^}")
		out+=.$3
	fi
	compiler=("${1#*-}")
	[[ $1 != native ]] || compiler=(gcc) options+=(-O2)
	[[ ${compiler[*]} != clang ]] || compiler=("${CLANG:-clang-19}")
	[[ $1 != tsan-* ]] || options+=(-fsanitize=thread)
	[[ $1 != heddle-* ]] ||
		compiler=(env "HEDDLE_CC=${compiler[*]}" "$HEDDLE" cc)
	"${compiler[@]}" "${options[@]}" "${switch[@]}" -I "$here" \
		"${sources[@]}" -o "$out" -lbz2 -lm
}
export -f build_one
export directory

for flavour in "${flavours[@]}"; do
	mkdir -p "$directory/$flavour"
	"$here/list.sh" name twins -- "$@" | while read -r name twins; do
		for twin in buggy ${twins//,/ }; do
			echo "$flavour $name $twin"
		done
	done
done | xargs -P "$(nproc)" -L 1 bash -c 'build_one "$@"' build_one
