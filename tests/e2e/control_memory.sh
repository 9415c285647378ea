#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A run that takes more memory than it may is ended, forked or fresh, and the
# verdict says so.

. "$(dirname "$0")/lib.sh"

"$HEDDLE" cc -g -o eater "$SOURCE/tests/programs/control_memory.c"
for how in '' --exec; do
	# shellcheck disable=SC2086
	run 3 "$HEDDLE" run --strategy random -n 2 --memory 64M $how -- ./eater
	has out 'more memory than a run may use (--memory)'
done
finish
