#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The Debian package holds what it should, names what it depends on, and works
# from wherever its tree lies: here unpacked into a scratch directory.

set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cpack -G DEB --config "$BUILD/CPackConfig.cmake" -B "$scratch/cpack" > /dev/null
package=$(echo "$scratch"/cpack/heddle_*_amd64.deb)

depends=$(dpkg-deb -f "$package" Depends)
for part in libc6 libdw1 libzstd1 libxxhash0 libjansson4 gcc; do
	[[ $depends == *$part* ]] ||
		{ echo "the package does not depend on $part: $depends"; exit 1; }
done

dpkg-deb -x "$package" "$scratch/root"
usr=$scratch/root/usr
for file in bin/heddle bin/heddle-cc bin/heddle-c++ lib/heddle/libheddle.so \
	lib/heddle/gcc/libtsan.so include/heddle.h share/man/man1/heddle.1 \
	share/doc/heddle/copyright; do
	[[ -e $usr/$file ]] || { echo "the package lacks $file"; exit 1; }
done

cd "$scratch"
export PATH=$usr/bin:$PATH
heddle --version
heddle-cc -o bank "$SOURCE/examples/bank.c"
readelf -d bank | grep -q "$usr/lib/heddle" ||
	{ echo "bank does not look for the packaged guest"; exit 1; }
./bank
status=0
timeout 60 heddle run --observe --fail-on race -- ./bank > out || status=$?
[[ $status -eq 1 ]] && grep -q balance out ||
	{ echo "status $status instead of 1, or no word of balance:"; cat out; exit 1; }
