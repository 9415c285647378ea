#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# heddle c++: what the language and its library need of the compiler still
# works (constant expressions, exceptions, coroutines, precompiled headers),
# the library's own copying has hooks, and programs with threads run.

set -eu
HEDDLE=${HEDDLE:?}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0

fail() {
	echo "$HEDDLE_CC: $*"
	failed=1
}

cxx() {
	"$HEDDLE" c++ -Wall -Wextra -Werror "$@" > said 2>&1 ||
		fail "status $?: heddle c++ $*: $(head -3 said)"
	[[ ! -s said ]] || fail "noise: heddle c++ $*: $(head -3 said)"
}

cat > constants.cc << 'END'
#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>
constexpr size_t three = __builtin_strlen("abc");
constexpr int zero = __builtin_memcmp("abc", "abc", 3);
#if __cplusplus >= 201703L
constexpr std::string_view word = "hello";
static_assert(word.find('l') == 2 && word == "hello");
#endif
#if __cplusplus >= 202002L
constexpr bool grow()
{
	std::string s("abc");
	s += std::string(20, 'x');
	std::vector<int> v(3, 1);
	std::vector<int> w = v;
	return s.size() == 23 && w[2] == 1;
}
#if __GNUC__ >= 12 && !defined(__clang__)
static_assert(grow());
#endif
#endif
static_assert(three == 3 && zero == 0, "folded");
END
cat > folded.c << 'END'
#include <string.h>
static const size_t three = strlen("abc");
_Static_assert(__builtin_strlen("abc") == 3, "folded");
static char room[sizeof("abc")];
int main(void)
{
	return three == 3 && strcmp("a", "a") == 0 && sizeof(room) == 4 ? 0 : 1;
}
END
cat > library.cc << 'END'
#include <algorithm>
#include <string>
#include <vector>
void f_copy(char *to, const char *from) { std::copy(from, from + 9, to); }
void f_fill(char *to) { std::fill(to, to + 9, '\0'); }
bool f_equal(char *a, char *b) { return std::equal(a, a + 8, b); }
void f_assign(std::string &to, const char *from) { to.assign(from, 3); }
void f_append(std::string &to, char c) { to += c; }
void f_vector(std::vector<char> &to, char *from) { to.assign(from, from + 9); }
END
cat > threads.cc << 'END'
#include <atomic>
#include <condition_variable>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>
struct shape {
	virtual ~shape() {}
	virtual int sides() const = 0;
};
struct square : shape {
	int sides() const override { return 4; }
};
thread_local int own = 1;
static std::atomic<int> total;
static std::mutex lock;
static int guarded;
int main()
{
	std::vector<std::thread> all;
	for (int i = 0; i < 4; i++)
		all.emplace_back([i] {
			try {
				std::unique_ptr<shape> s(new square);
				own += s->sides();
				if (i % 2)
					throw std::runtime_error("odd");
			} catch (const std::exception &) {
				std::lock_guard<std::mutex> hold(lock);
				guarded++;
			}
			total += own;
		});
	for (auto &t : all)
		t.join();
	std::cout << total << ' ' << guarded << ' ' << own << '\n';
	return 3;
}
END
cat > coroutines.cc << 'END'
#include <coroutine>
struct task {
	struct promise_type {
		std::coroutine_handle<> next;
		task get_return_object()
		{
			return { std::coroutine_handle<
				promise_type>::from_promise(*this) };
		}
		std::suspend_always initial_suspend() noexcept { return {}; }
		struct pass {
			bool await_ready() noexcept { return false; }
			std::coroutine_handle<> await_suspend(
				std::coroutine_handle<promise_type> h) noexcept
			{
				auto n = h.promise().next;
				return n ? n : std::noop_coroutine();
			}
			void await_resume() noexcept {}
		};
		pass final_suspend() noexcept { return {}; }
		void return_void() {}
		void unhandled_exception() {}
	};
	std::coroutine_handle<promise_type> handle;
	bool await_ready() { return false; }
	auto await_suspend(std::coroutine_handle<> next)
	{
		handle.promise().next = next;
		return handle;
	}
	void await_resume() {}
};
task inner() { co_return; }
task outer()
{
	for (int i = 0; i < 10; i++)
		co_await inner();
}
int main()
{
	task t = outer();
	t.handle.resume();
	return t.handle.done() ? 0 : 1;
}
END
cat > fences.cc << 'END'
#include <atomic>
#include <cstdlib>
int data;
std::atomic<int> ready;
int main()
{
	data = 1;
	std::atomic_thread_fence(std::memory_order_release);
	ready.store(1, std::memory_order_relaxed);
	return data - 1;
}
END

for HEDDLE_CC in gcc clang-14 clang-19; do
	export HEDDLE_CC
	cxx -O2 -std=c++98 -pedantic-errors -Wshadow -c library.cc -o c.o
	for standard in 11 14 17 20; do
		cxx -O1 -pedantic-errors -std=c++$standard -c constants.cc -o c.o
	done
	for level in -O0 -O2; do
		"$HEDDLE" cc $level -w folded.c -o p && ./p || fail "folded $level"

		cxx $level -pthread threads.cc -o p
		out=$(env -i ./p) && status=0 || status=$?
		[[ $status -eq 3 && $out == "20 2 1" ]] ||
			fail "threads $level: status $status, $out"
		cxx $level -std=c++20 coroutines.cc -o p
		./p || fail "coroutines $level"
		cxx $level fences.cc -o p
		./p || fail "fences $level"
	done

	"$(dirname "$HEDDLE")/heddle-c++" fences.cc -o p
	./p || fail "fences by heddle-c++"

	# No plain store or comparison of memory is left where the headers
	# have builtins: each function calls a hook or a function of libc, or
	# takes the address of one in order to call it.
	for level in -O0 -O2; do
		cxx $level -fPIC -shared library.cc -o library.so
		objdump -d -C --no-show-raw-insn library.so | awk '
			/^[0-9a-f]+ <.*>:$/ {
				in_f = /<f_/ && !/clone/
				if (in_f)
					name = $2
			}
			in_f && /(call|lea) .*(mem|bcmp|str|std::|__tsan_(read|write))/ {
				hooked[name] = 1
			}
			in_f { seen[name] = 1 }
			END {
				for (f in seen)
					if (!hooked[f]) { print f; bad = 1 }
				if (length(seen) != 6) { print "not 6"; bad = 1 }
				exit bad
			}' > said || fail "$level: no hooks: $(cat said)"
	done

	echo '#include <string>' > pre.hh
	if [[ $HEDDLE_CC == gcc ]]; then
		cxx -x c++-header pre.hh -o pre.hh.gch
		mv pre.hh gone.hh
		cxx -Winvalid-pch -include pre.hh fences.cc -o p
		mv gone.hh pre.hh
	else
		cxx -x c++-header pre.hh -o pre.pch
		cxx -include-pch pre.pch fences.cc -o p
	fi
	./p || fail "precompiled header"
	rm -f pre*
done
exit $failed
