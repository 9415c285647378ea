#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# control.sh [--quick]: how fast runs under control are, as tables in Markdown;
# see bench_control.c. The numbers of every round are in results/control.json.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../build}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/control-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
rounds=9
mkdir -p "$here/results"
[[ ${1:-} != --quick ]] || rounds=3

"$BUILD/heddle" cc -g -O2 -o "$scratch/turns" "$here/programs/turns.c"
gcc -O2 -D_GNU_SOURCE -o "$scratch/bare" "$here/programs/bare.c" -pthread
timeout 900 "$BUILD/bench/bench_control" -n $rounds "$scratch/turns" \
	"$scratch/bare" "$here/results/control.json"
