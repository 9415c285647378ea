// SPDX-License-Identifier: Apache-2.0
//
// Two static variables whose makers need each other: two threads that begin at
// different ends wait for each other.
// expect: deadlock
#include <thread>

static int second();

static int make_first(bool deep)
{
	return deep ? 1 + second() : 1;
}

static int first(bool deep)
{
	static int it = make_first(deep);

	return it;
}

static int make_second()
{
#ifdef FIXED
	return 2;
#else
	return 1 + first(false);
#endif
}

static int second()
{
	static int it = make_second();

	return it;
}

int main()
{
	std::thread one([] { first(true); });
	std::thread two([] { second(); });

	one.join();
	two.join();
	return 0;
}
