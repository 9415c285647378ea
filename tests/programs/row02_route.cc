/* SPDX-License-Identifier: Apache-2.0 */
/* Row 2 of LOCON's Table 1, order R-W: a worker takes the route from a table
 * that another thread has yet to fill. -DFIXED starts it afterwards. */
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

struct route {
	int hops;
};

static std::vector<std::atomic<route *>> table(4);

static void fill()
{
	for (auto &entry : table)
		entry.store(new route{ 3 });
}

static int hops_of(unsigned n)
{
	return table[n % table.size()].load()->hops;
}

int main()
{
	int hops = 0;
	std::thread filler(fill);
#ifdef FIXED
	filler.join();
#endif
	std::thread worker([&] { hops = hops_of(7); });

	worker.join();
#ifndef FIXED
	filler.join();
#endif
	for (auto &entry : table)
		delete entry.load();
	return hops == 3 ? 0 : 1;
}
