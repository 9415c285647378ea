#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every subject and every twin of it builds with gcc and with clang, natively
# and with heddle cc, without a word of the compiler, and every source in
# subjects/ is in the list, but for servers: a directory with a spec of heddle
# linear.

. "$(dirname "$0")/lib.sh"

[[ -e /usr/include/bzlib.h ]] || exit 77
subjects=$SOURCE/subjects

"$subjects/list.sh" name | sort > listed
servers=$(find "$subjects" -name '*.spec' -printf '%h\n' | sort -u)
find "$subjects" -mindepth 1 -maxdepth 1 \( -name '*.c' -o -type d \) |
	grep -vxF "$servers" | sed 's|.*/||; s/\.c$//' | sort > there
cmp listed there || fail "list.txt and subjects/ differ: $(diff listed there)"
[[ $(wc -l < listed) -ge 45 ]] || fail "only $(wc -l < listed) subjects"
[[ $("$subjects/list.sh" rare | grep -c yes) -ge 20 ]] || fail "too few rare"

# One subject for every row of the table of access pairs.
"$subjects/list.sh" row | grep -v -e - | sort -nu > rows
seq 15 | cmp - rows || fail "rows without a subject: $(cat rows)"

for flavour in gcc clang heddle-gcc heddle-clang; do
	timeout 250 "$subjects/build.sh" built -f $flavour > out 2>&1 ||
		fail "$flavour: cannot build"
	[[ ! -s out ]] || fail "$flavour: $(head -n 5 out)"
	"$subjects/list.sh" name twins | while read -r name twins; do
		for twin in '' ${twins//,/ }; do
			program=$flavour/$name${twin:+.$twin}
			[[ -x built/$program ]] || echo "$program"
		done
	done > missing
	[[ ! -s missing ]] || fail "not built: $(cat missing)"
done

[[ $servers ]] || fail "no server has a spec"
for server in $servers; do
	for compiler in gcc clang-19 "$HEDDLE cc"; do
		$compiler -g -O1 -Wall -Wextra -Werror -pthread \
			-I "$SOURCE/include" -o server \
			"$server"/*.c > out 2>&1 ||
			fail "$server: $compiler: $(head -n 5 out)"
	done
done

refused_list() {
	run 1 "$subjects/list.sh" "$@"
	[[ ! -s out ]] || fail "output of a refused list: $*"
}
refused_list colour
refused_list name -- no_such_subject

finish
