#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Twenty seconds of fuzzing on each visit, starting from all that was ever
# found; "make fuzz" takes ten minutes.

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
export BUILD=${BUILD:-$SOURCE/build}
exec bash "$SOURCE/tests/fuzz/run.sh" 20 clang-14
