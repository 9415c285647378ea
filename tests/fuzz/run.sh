#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes the reader of traces: run.sh [SECONDS [CLANG]]; 0 seconds: only what
# is in corpus/, which is where it starts from. What the fuzzer adds goes to a
# directory of its own below $BUILD (build/), and so does an input that breaks
# the reader.

set -eu
SOURCE=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$SOURCE/build}
seconds=${1:-600}
clang=${2:-clang-14}
work=$BUILD/fuzz

mkdir -p "$work/found"
cd "$SOURCE"
"$clang" -std=gnu17 -D_GNU_SOURCE -O1 -g -Isrc \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	tests/fuzz/fuzz_trace.c src/trace/trace_*.c src/trace/text_line.c \
	src/trace/event_bytes.c \
	src/base/err.c src/base/xalloc.c -lzstd -lxxhash -o "$work/fuzz_trace"
cd "$work"
if [[ $seconds -eq 0 ]]; then
	exec ./fuzz_trace -runs=0 "$SOURCE/tests/fuzz/corpus"
fi
exec ./fuzz_trace -max_total_time="$seconds" -max_len=20000 -timeout=20 \
	-rss_limit_mb=2048 -print_final_stats=1 \
	found "$SOURCE/tests/fuzz/corpus"
