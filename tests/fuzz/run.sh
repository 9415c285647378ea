#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Fuzzes the reader of traces, or with "linear" what heddle linear reads, with
# "signature" that of signatures, with "pairs" that of access pairs:
# run.sh [SECONDS [CLANG [linear|signature|pairs]]]; 0 seconds: only what is in
# corpus/, which is where it starts from. What the fuzzer adds goes to a
# directory of its own below $BUILD (build/), and so does an input that breaks
# the reader.

set -eu
SOURCE=$(cd "$(dirname "$0")/../.." && pwd)
BUILD=${BUILD:-$SOURCE/build}
cd "$SOURCE"
seconds=${1:-600}
clang=${2:-clang-14}
target=${3:-trace}
work=$BUILD/fuzz
corpus=$SOURCE/tests/fuzz/corpus
sources=(src/trace/trace_*.c src/trace/text_line.c src/trace/event_bytes.c
	src/base/err.c src/base/xalloc.c)
libraries=(-lzstd -lxxhash)
if [[ $target == linear ]]; then
	work=$BUILD/fuzz_linear
	corpus=$SOURCE/tests/fuzz/corpus_linear
	sources=(src/linear/*.c src/store/*.c src/trial/*.c src/analysis/*.c
		src/plan/*.c src/trace/*.c src/base/*.c)
	libraries+=(-ljansson -lcapstone -ldw -lelf -lm -lstdc++ -pthread)
fi

if [[ $target == signature ]]; then
	work=$BUILD/fuzz_signature
	corpus=$SOURCE/tests/fuzz/corpus_signature
	sources=(src/regress/signature.c src/regress/signature_text.c
		src/trace/text_*.c src/base/err.c src/base/xalloc.c
		src/base/file.c)
fi

if [[ $target == pairs ]]; then
	work=$BUILD/fuzz_pairs
	corpus=$SOURCE/tests/fuzz/corpus_pairs
	sources=(src/locate/pair_run.c src/locate/pair_text.c
		src/locate/spectrum.c src/locate/together.c
		src/locate/procedure_*.c src/trial/*.c src/analysis/*.c
		src/plan/*.c src/trace/*.c src/base/*.c)
	libraries+=(-lcapstone -ldw -lelf -lm -lstdc++ -pthread)
fi

mkdir -p "$work/found"
"$clang" -std=gnu17 -D_GNU_SOURCE -O1 -g -Isrc -Iinclude \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	"tests/fuzz/fuzz_$target.c" "${sources[@]}" "${libraries[@]}" \
	-o "$work/fuzz_$target"
cd "$work"
if [[ $seconds -eq 0 ]]; then
	exec "./fuzz_$target" -runs=0 "$corpus"
fi
exec "./fuzz_$target" -max_total_time="$seconds" -max_len=20000 -timeout=20 \
	-rss_limit_mb=2048 -print_final_stats=1 \
	found "$corpus"
