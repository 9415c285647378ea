// SPDX-License-Identifier: Apache-2.0
//
// Static variables of functions under control: made once, by whoever comes
// first, and by the next when making it failed. Nobody waits with the turn.
// expect: held
#undef NDEBUG
#include <atomic>
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

static std::atomic<int> tries, thrown;

struct made {
	int value;

	made()
	{
		if (tries.fetch_add(1) == 0)
			throw std::runtime_error("not yet");
		std::this_thread::yield();
		value = 7;
	}
};

static int use()
{
	static made it;

	return it.value;
}

static void *use_it()
{
	try {
		assert(use() == 7);
	} catch (const std::runtime_error &) {
		thrown++;
	}
	return nullptr;
}

static std::once_flag flag;
static int flag_tries, flag_done;

static void use_flag()
{
	try {
		std::call_once(flag, [] {
			if (flag_tries++ == 0)
				throw 1;
			flag_done++;
		});
		assert(flag_done == 1);
	} catch (int) {
		assert(flag_tries >= 1);
	}
}

int main()
{
	std::vector<std::thread> threads;

	for (int i = 0; i < 3; i++)
		threads.emplace_back(use_it);
	for (auto &t : threads)
		t.join();
	assert(tries == 2 && thrown == 1);
	threads.clear();
	for (int i = 0; i < 3; i++)
		threads.emplace_back(use_flag);
	for (auto &t : threads)
		t.join();
	assert(flag_done == 1 && flag_tries == 2);
	return 0;
}
