#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A test suite that somebody has already runs under heddle by one setting, as
# heddle-test(1) says: with CTest, and with Automake's make check.

. "$(dirname "$0")/lib.sh"

PATH=$(dirname "$HEDDLE"):$PATH
export PATH
cp "$SOURCE/examples/bank.c" .
cp "$SOURCE/tests/programs/bug_lost_update_fixed.c" fixed.c

cat > CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(suite C)
find_package(Threads REQUIRED)
enable_testing()
foreach(name bank fixed)
	add_executable(${name} ${name}.c)
	target_compile_options(${name} PRIVATE -g -O1)
	target_link_libraries(${name} Threads::Threads)
	add_test(NAME ${name} COMMAND ${name})
endforeach()
END
launcher=CMAKE_CROSSCOMPILING_EMULATOR
[[ $(printf '%s\n' 3.29 "$(cmake --version | grep -oE '[0-9]+\.[0-9]+' |
	head -n 1)" | sort -V | head -n 1) != 3.29 ]] ||
	launcher=CMAKE_TEST_LAUNCHER
run 0 env CC=heddle-cc cmake -B made "-D$launcher=heddle;test;--budget;1s;--"
run 0 cmake --build made
run 8 ctest --test-dir made --output-on-failure
has out "50% tests passed, 1 tests failed out of 2"
has out 'atomicity violation on `balance`'
has out "bank (Failed)"

if command -v automake > found; then
	mkdir auto && cd auto || exit 2
	cp ../bank.c ../fixed.c .
	cat > configure.ac <<-'END'
	AC_INIT([suite], [1])
	AM_INIT_AUTOMAKE([foreign])
	AC_PROG_CC
	AC_CONFIG_FILES([Makefile])
	AC_OUTPUT
	END
	cat > Makefile.am <<-'END'
	AM_CFLAGS = -g -O1 -pthread
	AM_LDFLAGS = -pthread
	check_PROGRAMS = bank fixed
	TESTS = bank fixed
	END
	run 0 autoreconf -i
	run 0 ./configure CC=heddle-cc
	run 2 make check "LOG_COMPILER=heddle test --budget 1s --"
	has out "FAIL: bank"
	has out "PASS: fixed"
	has bank.log 'atomicity violation on `balance`'
	cd .. || exit 2
fi
finish
