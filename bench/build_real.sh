#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# build_real.sh [VARIANT[/PACKAGE[+BUG]]...]: builds pbzip2 (make, C++),
# memcached (configure) and c-blosc (CMake) as their users would, with a bug put
# back by patches/PACKAGE+BUG.patch or as released, into bench/cache/build/VARIANT:
#
#   native   by the machine's compilers
#   tsan     by gcc with its thread sanitizer
#   heddle   by heddle-cc and heddle-c++ of the build directory $BUILD
#   clang    by the same with HEDDLE_CC=clang-19
#   loops    by the same with --loops
#
# All of them if none is named, those with bugs native and by heddle-cc. What is
# there already stays, but for programs of another heddle. The sources come from
# fetch.sh. Beside memcached and c-blosc stands a program of drivers/ that uses
# them and looks at what they do.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../build}
cache=$here/cache
# Sources that were patched look newer than what was generated from them.
bugs=(pbzip2+join pbzip2+broadcast memcached+incr c-blosc+lock)
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
	heddle | clang | loops)
		CC=$BUILD/heddle-cc CXX=$BUILD/heddle-c++
		mark="$BUILD $(stat -c %y "$BUILD/heddle")"
		;;
	*) fail "no variant is called $1" ;;
	esac
	[[ $1 != clang ]] || export HEDDLE_CC=clang-19
	[[ $1 != loops ]] || flags+=' --loops'
}

build_pbzip2() {
	make CXX="$CXX $flags -std=gnu++98" pbzip2
}

# With clients in its own process: its main() is renamed and linked to another.
build_memcached() {
	./configure --disable-docs CC="$CC" CFLAGS="$flags"
	make -j "$(nproc)" "${frozen[@]}" memcached
	objcopy --redefine-sym main=memcached_main memcached-memcached.o server.o
	rm memcached-memcached.o
	$CC $flags -o driven "$here/drivers/memcached_incr.c" server.o \
		memcached-*.o -levent -pthread
}

# Of the compressors it knows, the one that is its own. Its tests are made of
# what was released alone.
build_c-blosc() {
	local target=all

	[[ $PWD != *+* ]] || target=blosc_static
	cmake -S . -B . -DCMAKE_BUILD_TYPE=Release \
		-DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
		-DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" \
		-DDEACTIVATE_LZ4=ON -DDEACTIVATE_SNAPPY=ON \
		-DDEACTIVATE_ZLIB=ON -DDEACTIVATE_ZSTD=ON -DBUILD_FUZZERS=OFF
	cmake --build . -j "$(nproc)" --target $target
	$CC $flags -o driven -I blosc "$here/drivers/blosc_both.c" \
		blosc/libblosc.a -pthread
}

build() {
	local variant=$1 package=${2%+*} tree=$cache/build/$1/$2 began=$SECONDS

	choose "$variant"
	mark+=" $(cat "$cache/src/$package/.version") $flags $(
		{
			declare -f "build_$package"
			cat "$here"/drivers/*.c
			[[ $2 != *+* ]] || cat "$here/patches/$2.patch"
		} | cksum)"
	[[ $(cat "$tree.built" 2>/dev/null) != "$mark" ]] || return 0
	rm -rf "$tree" "$tree.built"
	mkdir -p "$tree"
	cp -r "$cache/src/$package/." "$tree"
	[[ $2 != *+* ]] || patch -s -p 1 -d "$tree" < "$here/patches/$2.patch" ||
		fail "$2.patch does not fit $(cat "$cache/src/$package/.version")"
	(cd "$tree" && set -x && timeout 600 bash -c "
		set -e; $(declare -p here cache frozen CC CXX flags)
		$(declare -f "build_$package"); build_$package") \
		> "$tree.log" 2>&1 ||
		fail "$2 ($variant) does not build; see $tree.log"
	echo "$mark" > "$tree.built"
	echo "built $2 ($variant) in $((SECONDS - began)) s" >&2
}

[[ $# -gt 0 ]] || set -- native tsan heddle clang
for word in "$@"; do
	packages=(pbzip2 memcached c-blosc)
	[[ $word != native && $word != heddle ]] || packages+=("${bugs[@]}")
	[[ $word != */* ]] || packages=("${word#*/}")
	for package in "${packages[@]}"; do
		[[ -d $cache/src/${package%+*} ]] ||
			fail "no source of ${package%+*}: run bench/fetch.sh first"
		build "${word%%/*}" "$package"
	done
done
