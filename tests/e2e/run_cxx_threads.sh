#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Threads of C++ are named after what the program runs in them, made where the
# program makes them, joined and notified where it says so; and stacks have the
# program's functions, without what lies between in the headers of libraries.

. "$(dirname "$0")/lib.sh"

source=$SOURCE/tests/programs/thread_names.cc
names=(reader writer Task::run 'Task::operator()' 'main::(lambda)'
	'main::(lambda)' reader 'main::(lambda)' writer 'main::(lambda)')

# named FILE: each thread by its function and the line it is made at.
named() {
	local i line

	for i in "${!names[@]}"; do
		line=$(grep -n "// $((i + 1))\$" "$source" | cut -d: -f1)
		grep -qE "^  thread $((i + 1)) \($(sed 's/[()]/\\&/g' \
			<<< "${names[i]}")\), created by thread 0 at main thread_names.cc:$line:" \
			"$1" || fail "thread $((i + 1)) is not ${names[i]}:" \
			"$(grep "^  thread $((i + 1))[ ,]" "$1")"
	done
}

for way in "gcc -O0" "gcc -O1" "gcc -O2" "clang-14 -O1"; do
	HEDDLE_CC=${way% *} run 0 "$HEDDLE" c++ -std=c++17 -g "${way#* }" \
		-pthread -o names "$source"
	run 0 ./names
	run 0 "$HEDDLE" run --observe -- ./names
	named out
	run 0 "$HEDDLE" run --strategy random -n 50 -- ./names
done

# What blocks under control is named, too, and stands at a line of its own.
cat > pool.cc <<'END'
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
struct Pool {
	std::vector<std::thread> workers;
	std::mutex lock;
	std::condition_variable wake;
	std::atomic<bool> stop{false};
	int rounds = 0;
	Pool()
	{
		workers.emplace_back([this] { loop(); });
	}
	void loop()
	{
		std::unique_lock<std::mutex> guard(lock);
		while (!stop)
			wake.wait(guard); // waits
	}
	~Pool()
	{
		stop = true;
		wake.notify_all(); // notifies
		for (auto &w : workers)
			w.join(); // joins
	}
};
int main()
{
	Pool pool;
}
END
line_of() {
	grep -n "// $1\$" pool.cc | cut -d: -f1
}
run 0 "$HEDDLE" c++ -std=c++17 -g -O1 -pthread -o pool pool.cc
run 1 "$HEDDLE" test -- ./pool
has out "thread 1 (Pool::Pool::(lambda)) waits for condition"
has out "      at Pool::loop (pool.cc:$(line_of waits))"
has out "      at Pool::~Pool (pool.cc:$(line_of joins))"
has out "for a signal that came before, at pool.cc:$(line_of notifies) (thread 0 (main))"
hasnt out "std::"

# A race between lambdas: their functions alone.
cat > race.cc <<'END'
#include <future>
#include <utility>
static int last;
static void add(int n) { std::swap(last, n); }
int main()
{
	auto a = std::async(std::launch::async, [] { add(1); });
	auto b = std::async(std::launch::async, [] { add(2); });
	a.get();
	b.get();
}
END
run 0 "$HEDDLE" c++ -std=c++17 -g -pthread -o race race.cc
run 0 "$HEDDLE" run --observe -- ./race
has out "#0 std::swap<int> move.h:"
has out "#1 add race.cc:4"
has out "#2 main::(lambda)::operator() race.cc:"
hasnt out "std::thread::"
hasnt out "std::__invoke"
run 0 "$HEDDLE" run --observe --json -- ./race
has out '"std::__invoke'

# A thread cannot be joined twice: the runtime throws, and goes through us.
cat > twice.cc <<'END'
#include <system_error>
#include <thread>
int main()
{
	std::thread t([] {});

	t.join();
	try {
		t.join();
	} catch (const std::system_error &) {
		return 0;
	}
	return 1;
}
END
run 0 "$HEDDLE" c++ -std=c++17 -g -pthread -o twice twice.cc
run 0 ./twice
run 0 "$HEDDLE" run --strategy random -n 20 -- ./twice

# The same with the runtime linked in, but for what the guest has.
run 0 "$HEDDLE" c++ -std=c++17 -g -pthread -static-libstdc++ -static-libgcc \
	-o twice twice.cc
run 0 ./twice
run 0 "$HEDDLE" run --strategy random -n 20 -- ./twice
finish
