/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expect: broken abort, uncaught exception bank::overdrawn, under some
 * schedules
 */
#include <atomic>
#include <thread>

namespace bank
{
struct overdrawn {
};
} // namespace bank

static std::atomic<int> balance{ 100 };

static void take(int amount)
{
	if (balance < amount)
		return;
	balance -= amount;
	if (balance < 0)
		throw bank::overdrawn();
}

int main()
{
	std::thread first(take, 60), second(take, 60);

	first.join();
	second.join();
	return 0;
}
