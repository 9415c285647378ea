#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# linear_full.sh: all pairs of memcached's script, 100 schedules each, of the
# distribution's server and of one built by heddle cc. Prints its table in
# Markdown, as linear.sh does with fewer pairs. It takes some minutes and is no
# part of `make bench`; its table in docs/benchmarks.md is put in by hand.

set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=bench/linear/lib.sh
. "$here/linear/lib.sh"
prepare linear_full
memcached_build

cached_head
for way in distribution hooked; do
	program=memcached
	words='as the distribution has it, by preloading'
	if [[ $way == hooked ]]; then
		program=$built/heddle/memcached/memcached
		words='built by heddle cc'
	fi
	command -v "$program" > /dev/null || continue
	cached $way "$program" -n 100 --inputs 320
	cached_row $way "$words"
done
echo
for way in distribution hooked; do
	[[ ! -s $results/$way.json ]] || cached_flags $way $way
done
exit "$failed"
