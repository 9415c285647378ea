#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The doctor finds what is there, and misses what is not.

. "$(dirname "$0")/lib.sh"
mkdir tmp
export TMPDIR=$PWD/tmp

run 0 "$HEDDLE" doctor
has out 'This machine has what heddle needs.'
[[ $(grep -cE '^(ok|limited|missing) ' out) -ge 12 ]] || fail "few checks"
for part in gcc clang-14 clang-19 g++ libdw zstd; do
	grep -qE "^ok +${part//+/\\+} " out || fail "$part is not ok"
done
run 0 "$HEDDLE" doctor --json
jq -e '.format == "heddle-doctor" and .version == 1 and .fit' out > /dev/null ||
	fail "not fit"
jq -e 'all(.checks[]; .name and .state and .detail and .for)' out \
	> /dev/null || fail "a check without words"

touch .heddle
run 0 "$HEDDLE" doctor
grep -qE '^limited +store .*is not a directory' out || fail "no place to keep"
rm .heddle

mkdir empty
run 2 env PATH="$PWD/empty" "$HEDDLE" doctor
has out 'Something heddle needs is missing'
grep -qE '^missing +gcc +install gcc' out || fail "gcc is not missed"
grep -qE '^missing +gdb +install gdb' out || fail "gdb is not missed"

# A compiler that is there and does not work.
cat > empty/gcc <<'END'
#!/bin/sh
[ "$1" = --version ] && echo gcc 0 && exit 0
echo broken compiler >&2
exit 1
END
chmod +x empty/gcc
run 2 env PATH="$PWD/empty" "$HEDDLE" doctor
grep -qE '^missing +gcc +does not build' out || fail "gcc is trusted"
rmdir tmp || fail "the doctor left something behind"
finish
