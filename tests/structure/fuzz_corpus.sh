#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The fuzzer's harness builds, and the reader takes the inputs it starts from.

set -u
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
command -v clang-14 > /dev/null || exit 77
"$SOURCE/tests/fuzz/run.sh" 0 2>&1 | tail -n 30
exit "${PIPESTATUS[0]}"
