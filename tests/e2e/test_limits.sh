#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle test on a program that makes more accesses than a run may have points:
# it goes on with fewer points, in every way of searching, and a program that is
# well holds. One whose runs all end at the limit even so is unknown.

. "$(dirname "$0")/lib.sh"

build held "$SOURCE/tests/programs/story_free.c" -DFIXED
run 0 "$HEDDLE" test -b 4s --max-points 20000 -- ./held
has out 'held: nothing broke'
has out 'explore '
has out 'note: the program makes too many accesses for each to be a point'
hasnt out '--points'
run 3 "$HEDDLE" test -b 1s --max-points 4 -- ./held
has out 'unknown: limit reached: more points than allowed'
finish
