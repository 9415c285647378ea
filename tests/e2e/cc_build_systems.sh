#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# CMake and a configure script in autoconf's manner take heddle-cc and
# heddle-c++ for compilers: their probes come out as with the compiler behind,
# and what they build has hooks and runs.

set -eu
HEDDLE=${HEDDLE:?}
tools=$(cd "$(dirname "$HEDDLE")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

fail() {
	echo "$HEDDLE_CC: $*"
	failed=1
}

mkdir project
cat > project/CMakeLists.txt << 'END'
cmake_minimum_required(VERSION 3.20)
project(sample C CXX)
include(CheckFunctionExists)
include(CheckCSourceCompiles)
include(CheckCSourceRuns)
include(CheckCCompilerFlag)
include(CheckIPOSupported)
include(CheckTypeSize)
find_package(Threads REQUIRED)
check_function_exists(pthread_create HAVE_PTHREAD_CREATE)
check_function_exists(no_such_function HAVE_NO_SUCH_FUNCTION)
check_c_source_compiles("int main(void) { return nothing; }" HAVE_NOTHING)
check_c_source_runs("int main(void) { return 0; }" CAN_RUN)
check_c_compiler_flag(-Wall HAVE_WALL)
check_c_compiler_flag(-Wno-such-warning-at-all HAVE_NO_SUCH_WARNING)
check_type_size(long SIZE_OF_LONG)
file(WRITE ${CMAKE_BINARY_DIR}/found "${CMAKE_C_COMPILER_ID}\
 ${HAVE_PTHREAD_CREATE} ${HAVE_NO_SUCH_FUNCTION} ${HAVE_NOTHING} ${CAN_RUN}\
 ${HAVE_WALL} ${HAVE_NO_SUCH_WARNING} ${SIZE_OF_LONG}")
add_library(fixed STATIC part.c)
set_target_properties(fixed PROPERTIES POSITION_INDEPENDENT_CODE ON)
add_library(plugged SHARED part.cc)
target_precompile_headers(plugged PRIVATE <string>)
target_link_libraries(plugged PRIVATE fixed)
add_executable(sample main.c)
target_link_libraries(sample PRIVATE plugged Threads::Threads)
install(TARGETS sample plugged)
END
cat > project/part.c << 'END'
int part_count;
int part_c(void)
{
	return ++part_count;
}
END
cat > project/part.cc << 'END'
extern "C" int part_c(void);
static std::string word("abc");
extern "C" int part_cc(void)
{
	word += "de";
	return part_c() + (int)word.size();
}
END
cat > project/main.c << 'END'
#include <pthread.h>
#include <stdio.h>
int part_cc(void);
static int result;
static void *work(void *unused)
{
	result = part_cc();
	return unused;
}
int main(void)
{
	pthread_t t;
	if (pthread_create(&t, NULL, work, NULL))
		return 1;
	pthread_join(t, NULL);
	printf("%d\n", result);
	return 0;
}
END

# Configures the project in $1 with the compilers given.
configure_with_cmake() {
	cmake -S project -B "$1" -DCMAKE_C_COMPILER="$2" \
		-DCMAKE_CXX_COMPILER="$3" -DCMAKE_BUILD_TYPE=Release \
		-DCMAKE_INSTALL_PREFIX="$scratch/$1/installed" > said 2>&1 ||
		fail "cmake in $1: $(tail -5 said)"
}

build_with_cmake() {
	cmake --build "$1" > said 2>&1 && cmake --install "$1" >> said 2>&1 ||
		fail "building in $1: $(tail -5 said)"
}

cat > configure << 'END'
#!/bin/sh
# What scripts of autoconf do: compile, link, run, preprocess small programs.
CC=${CC:-cc}
answer() { echo "$1: $2"; }
try() {
	rm -f conftest conftest.o
	cat > conftest.c
	if eval "$1" > /dev/null 2> conftest.err; then answer "$2" yes
	else answer "$2" no; fi
}
compile='$CC -c $CFLAGS conftest.c'
link='$CC -o conftest $CFLAGS conftest.c $LIBS && test -x conftest'
preprocess='$CC -E conftest.c'
echo 'int main () { return 0; }' | try "$link" works
echo 'int main () { return 0; }' | try "$link && ./conftest" runs
echo 'int main () { FILE *f = fopen ("conftest.out", "w"); return !f; }' |
	sed '1i #include <stdio.h>' | try "$link && ./conftest" stdio
echo 'int main () { return wrong; }' | try "$compile" wrong
printf '#include <limits.h>\nSyntax error' | try "$preprocess" preprocesses
printf '#include <no_such.h>\n' | try "$preprocess" missing
printf '#ifdef __SANITIZE_THREAD__\n#error\n#endif\n' | try "$preprocess" shipped
for f in memcpy strlen pthread_create no_such_function; do
	printf 'char %s (); int main () { return %s (); }\n' $f $f |
		try "$link" "$f"
done
LIBS=-lm; printf 'char cos (); int main () { return cos (); }\n' |
	try "$link" cos; LIBS=
printf 'int main () { static int a[1 - 2 * !(sizeof (long) == 8)]; return a[0]; }' |
	try "$compile" size
CFLAGS=-Werror; printf 'int main (void) { return 0; }\n' | try "$link" Werror
CFLAGS="-Werror -Wunknown-thing"; printf 'int main (void) { return 0; }\n' |
	try "$compile" unknown
CFLAGS=; printf 'int x; int main (void) { return x; }\n' > conftest.c
$CC -c conftest.c && $CC conftest.o -o conftest && answer separate yes
$CC -print-prog-name=ld > /dev/null && answer ld yes
$CC -dumpmachine | grep -q linux && answer machine linux
echo 'one two' | $CC -E -P - | grep -c 'one two'
echo | $CC -dM -E - | grep -c '__SIZEOF_LONG__ 8'
END

for HEDDLE_CC in gcc clang-14 clang-19; do
	export HEDDLE_CC
	cxx=${HEDDLE_CC/gcc/g++} cxx=${cxx/clang/clang++}

	configure_with_cmake "plain-$HEDDLE_CC" "$HEDDLE_CC" "$cxx"
	configure_with_cmake "hooked-$HEDDLE_CC" "$tools/heddle-cc" \
		"$tools/heddle-c++"
	build_with_cmake "hooked-$HEDDLE_CC"
	cmp "plain-$HEDDLE_CC/found" "hooked-$HEDDLE_CC/found" ||
		fail "CMake found other things: $(cat "hooked-$HEDDLE_CC/found")"
	export LD_LIBRARY_PATH=$scratch/hooked-$HEDDLE_CC/installed/lib
	for place in "hooked-$HEDDLE_CC" "hooked-$HEDDLE_CC/installed/bin"; do
		nm -D "$place/sample" | grep -q __tsan_write4 ||
			fail "$place/sample has no hooks"
		out=$("$place/sample") || out="status $?"
		[[ $out == 6 ]] || fail "$place/sample says $out"
	done
	unset LD_LIBRARY_PATH
	nm -D "hooked-$HEDDLE_CC/libplugged.so" | grep -q __tsan_write4 ||
		fail "the archive inside libplugged.so has no hooks"

	CC=$HEDDLE_CC sh configure > plain 2>&1
	CC="$HEDDLE cc" sh configure > hooked 2>&1
	diff plain hooked || fail "configure found other things"
	[[ $(grep -c yes hooked) -ge 10 ]] || fail "hardly anything was found"
done
exit $failed
