/* SPDX-License-Identifier: Apache-2.0 */
/* Row 5 of LOCON's Table 1, R W W: numbers are given out by reading the last one
 * and writing the next. In the next round the switch that did harm does so
 * again. -DFIXED adds in one step. */
#include <atomic>
#include <set>
#include <thread>
#include <vector>

struct numbers {
	std::atomic<int> last{ 0 };

	int next()
	{
#ifdef FIXED
		return ++last;
#else
		int n = last.load() + 1;

		last.store(n);
		return n;
#endif
	}
};

int main()
{
	numbers given;
	std::vector<int> got[3];
	std::vector<std::thread> threads;
	std::set<int> all;

	for (auto &own : got)
		threads.emplace_back([&] {
			for (int i = 0; i < 2; i++)
				own.push_back(given.next());
		});
	for (auto &t : threads)
		t.join();
	for (auto &own : got)
		all.insert(own.begin(), own.end());
	return all.size() != 6;
}
