#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Output that nobody got is a failure; conversation stays on standard error.

. "$(dirname "$0")/lib.sh"

refused 'cannot write standard output' \
	bash -c '"$HEDDLE" help > /dev/full'
refused 'cannot write standard output' \
	bash -c '"$HEDDLE" completion zsh > /dev/full'

refused 'cannot write standard output' bash -c '"$HEDDLE" help >&-'

build bank "$SOURCE/tests/programs/bank_in_turns.c"
run 2 bash -c '"$HEDDLE" run --observe -- ./bank > /dev/full'
has err 'cannot write standard output'
for how in --observe '--strategy random'; do
	run 2 bash -c "\"\$HEDDLE\" run $how -- ./bank <&- >&-"
	has err 'cannot write standard output'
	run 2 bash -c "\"\$HEDDLE\" run $how -- ./bank <&- >&- 2>&-"
done
run 2 "$HEDDLE" show --output /no/such/place/file
has err '/no/such/place/file'
run 2 "$HEDDLE" show --output /dev/full
has err '/dev/full'

run 0 "$HEDDLE" run --observe --output report -- ./bank
[[ ! -s out ]] || fail "output besides the report: $(head -n 3 out)"
has report 'race on global balance'
run 0 "$HEDDLE" run --observe --output - -- ./bank
has out 'race on global balance'
run 0 "$HEDDLE" show --text --output -
has out ' write '
[[ ! -e - ]] || fail "a file called -"
run 0 "$HEDDLE" run --observe -v -- ./bank
has err 'exited with status 0'
run 0 env HEDDLE_LOG=cli:info "$HEDDLE" run --observe -- ./bank
has err 'exited with status 0'
run 0 "$HEDDLE" run --observe -- ./bank
[[ ! -s err ]] || fail "said without need: $(cat err)"

escape=$(printf '\033')
hasnt out "$escape"
run 0 "$HEDDLE" show --colour always
has out "$escape"
finish
