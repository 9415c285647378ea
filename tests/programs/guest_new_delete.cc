// SPDX-License-Identifier: Apache-2.0
//
// new and delete in all their forms, and new that fails.

#include "guest_check.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <thread>
#include <vector>

struct alignas(256) wide {
	char bytes[256];
};

static volatile std::size_t too_much = std::numeric_limits<std::ptrdiff_t>::max();
static int handled;

static void handle()
{
	handled++;
	std::set_new_handler(nullptr);
}

static void fail()
{
	std::set_new_handler(handle);
	try {
		::operator delete(::operator new(too_much));
		CHECK(!"thrown");
	} catch (const std::bad_alloc &) {
	}
	CHECK(handled == 1);
	CHECK(!::operator new(too_much, std::nothrow));
	CHECK(!::operator new[](too_much, std::align_val_t(64), std::nothrow));
}

static void work()
{
	for (int i = 0; i < 1000; i++) {
		std::unique_ptr<int> one(new int(i));
		std::unique_ptr<int[]> many(new int[i + 1]());
		std::unique_ptr<wide> w(new wide);
		std::unique_ptr<wide[]> ws(new wide[3]);
		std::vector<std::shared_ptr<int>> v(10, std::make_shared<int>(i));

		CHECK(*one == i && many[i] == 0 && *v[9] == i);
		CHECK(reinterpret_cast<std::uintptr_t>(w.get()) % 256 == 0);
		CHECK(reinterpret_cast<std::uintptr_t>(ws.get()) % 256 == 0);
	}
	delete static_cast<int *>(nullptr);
	::operator delete(::operator new(8, std::nothrow), std::nothrow);
	::operator delete[](::operator new[](8), std::nothrow);
}

int main()
{
	std::thread a(work), b(work);

	a.join();
	b.join();
	fail();
	return passed();
}
