// SPDX-License-Identifier: Apache-2.0
//
// Exceptions leave calls, also through functions without hooks, and are handed
// from thread to thread. Objects local to a thread are destroyed at its end.

#include "guest_check.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> destroyed;

struct local {
	std::string text;
	~local()
	{
		if (text == "used here")
			destroyed++;
	}
};

static thread_local local mine;

struct guard {
	int &count;
	explicit guard(int &c) : count(c) {}
	~guard() { count++; }
};

static int dive(int depth, int &left)
{
	guard g(left);

	if (!depth)
		throw std::runtime_error("deep");
	return dive(depth - 1, left) + 1;
}

static void throw_often()
{
	mine.text = "used here";
	for (int i = 0; i < 2000; i++) {
		int left = 0;

		try {
			dive(20, left);
			CHECK(!"thrown");
		} catch (const std::runtime_error &e) {
			CHECK(std::string(e.what()) == "deep");
		}
		CHECK(left == 21);
	}
}

static void throw_through_library()
{
	std::vector<int> v = { 3, 1, 2 };

	try {
		std::sort(v.begin(), v.end(), [](int a, int b) -> bool {
			throw a + b;
		});
		CHECK(!"thrown");
	} catch (int sum) {
		CHECK(sum > 0);
	}
}

int main()
{
	std::vector<std::thread> threads;
	std::promise<int> promise;

	for (int i = 0; i < 3; i++)
		threads.emplace_back(throw_often);
	for (auto &t : threads)
		t.join();
	CHECK(destroyed == 3);
	throw_through_library();
	std::thread setter([&] {
		try {
			throw std::out_of_range("far");
		} catch (...) {
			promise.set_exception(std::current_exception());
		}
	});
	try {
		promise.get_future().get();
		CHECK(!"thrown");
	} catch (const std::out_of_range &e) {
		CHECK(std::string(e.what()) == "far");
	}
	setter.join();
	return passed();
}
