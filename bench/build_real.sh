#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# build_real.sh [VARIANT[/PACKAGE]...]: builds pbzip2 (make, C++), memcached (configure)
# and c-blosc (CMake) as their users would, into bench/cache/build/VARIANT:
#
#   native   by the machine's compilers
#   tsan     by gcc with its thread sanitizer
#   heddle   by heddle-cc and heddle-c++ of the build directory $BUILD
#   clang    by the same with HEDDLE_CC=clang-19
#
# All of them if none is named. What is there already stays, but for programs
# of another heddle. The sources come from fetch.sh.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../build}
cache=$here/cache
# Patched sources look newer than what was generated from them.
frozen=(ACLOCAL=: AUTOCONF=: AUTOMAKE=: AUTOHEADER=:)

fail() {
	echo "build_real: $*" >&2
	exit 2
}

# Sets CC, CXX and flags for a variant, and mark, which tells builds apart.
choose() {
	CC=gcc CXX=g++ flags='-O2 -g' mark=gcc
	unset HEDDLE_CC
	case $1 in
	native) ;;
	tsan) flags+=' -fsanitize=thread' ;;
	heddle | clang)
		CC=$BUILD/heddle-cc CXX=$BUILD/heddle-c++
		mark="$BUILD $(stat -c %y "$BUILD/heddle")"
		;;
	*) fail "no variant is called $1" ;;
	esac
	[[ $1 != clang ]] || export HEDDLE_CC=clang-19
}

build_pbzip2() {
	cp -r "$cache/src/pbzip2/." .
	make CXX="$CXX $flags -std=gnu++98" pbzip2
}

build_memcached() {
	cp -r "$cache/src/memcached/." .
	./configure --disable-docs CC="$CC" CFLAGS="$flags"
	make -j "$(nproc)" "${frozen[@]}" memcached
}

# Of the compressors it knows, the one that is its own.
build_c-blosc() {
	cmake -S "$cache/src/c-blosc" -B . -DCMAKE_BUILD_TYPE=Release \
		-DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
		-DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
		-DDEACTIVATE_LZ4=ON -DDEACTIVATE_SNAPPY=ON \
		-DDEACTIVATE_ZLIB=ON -DDEACTIVATE_ZSTD=ON -DBUILD_FUZZERS=OFF
	cmake --build . -j "$(nproc)"
}

build() {
	local variant=$1 package=$2 tree=$cache/build/$1/$2 began=$SECONDS

	choose "$variant"
	mark+=" $(cat "$cache/src/$package/.version") $flags"
	[[ $(cat "$tree.built" 2>/dev/null) != "$mark" ]] || return 0
	rm -rf "$tree" "$tree.built"
	mkdir -p "$tree"
	(cd "$tree" && set -x && timeout 600 bash -c "
		set -e; $(declare -p cache frozen CC CXX flags)
		$(declare -f "build_$package"); build_$package") \
		> "$tree.log" 2>&1 ||
		fail "$package ($variant) does not build; see $tree.log"
	echo "$mark" > "$tree.built"
	echo "built $package ($variant) in $((SECONDS - began)) s" >&2
}

[[ $# -gt 0 ]] || set -- native tsan heddle clang
for word in "$@"; do
	packages=(pbzip2 memcached c-blosc)
	[[ $word != */* ]] || packages=("${word#*/}")
	for package in "${packages[@]}"; do
		[[ -d $cache/src/$package ]] ||
			fail "no source of $package: run bench/fetch.sh first"
		build "${word%%/*}" "$package"
	done
done
