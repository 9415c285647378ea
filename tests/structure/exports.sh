#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The guest exports what exports.map names as global: all of it, and nothing
# else. It needs libc alone (and libgcc, for unwinding).

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build}
map=$SOURCE/src/runtime/exports.map
guest=$BUILD/libheddle.so
failed=0

# The names between "global:" and "local:", in any version node.
named() {
	sed -z 's,/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/,,g' "$map" |
		tr '{};:' '\n\n\n\n' |
		awk '$1 == "global" { on = 1; next }
		     $1 == "local" { on = 0 }
		     on && NF { print $1 }' | sort -u
}

exported() {
	nm -D --defined-only "$guest" | awk '$2 != "A" { print $3 }' |
		sed 's/@.*//' | sort -u
}

[[ -f $map && -f $guest ]] || { echo "no $map or no $guest"; exit 1; }
if ! difference=$(diff <(named) <(exported)); then
	echo "< named in exports.map only, > exported only:"
	echo "$difference"
	failed=1
fi
[[ $(exported | wc -l) -gt 50 ]] || { echo "hardly any exports"; failed=1; }

needed=$(readelf -d "$guest" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
	grep -vE '^(libc\.so\.6|ld-linux-x86-64\.so\.2|libgcc_s\.so\.1)$')
if [[ $needed ]]; then
	echo "the guest drags into the program:" $needed
	failed=1
fi
exit $failed
