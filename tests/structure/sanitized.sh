#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The unit tests again, and the verbs, with the tool under ASan and UBSan.

set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build}
sanitized=$BUILD/other/sanitized
cmake -S "$SOURCE" -B "$sanitized" -G Ninja -DHEDDLE_SANITIZE=ON > /dev/null
cmake --build "$sanitized" -j 2 -- --quiet
nm "$sanitized/heddle" | grep -q __asan_init ||
	{ echo "the tool was built without ASan"; exit 1; }
if nm -D "$sanitized/libheddle.so" | grep -qE '__(a|ub)san'; then
	echo "the guest was built with a sanitizer"
	exit 1
fi
export HEDDLE_FEW_SEEDS=yes
# A tool under ASan cannot run where memory is limited (run_unseen).
ctest --test-dir "$sanitized" -R '^(test|run|show|cli)_' -E '^run_unseen$' \
	-j 2 --output-on-failure --no-tests=error
