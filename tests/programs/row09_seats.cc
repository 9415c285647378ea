/* SPDX-License-Identifier: Apache-2.0 */
/* Row 9 of LOCON's Table 1, Rx Wy / Ry Wx: of two seats that are side by side
 * one at most may be given away; each clerk has one of them, in three rows.
 * -DFIXED has a lock. */
#include <array>
#include <atomic>
#include <mutex>
#include <thread>

static std::array<std::array<std::atomic<bool>, 2>, 3> taken;
static std::mutex lock;

static void clerk(unsigned own)
{
	for (auto &row : taken) {
#ifdef FIXED
		std::lock_guard<std::mutex> held(lock);
#endif
		if (!row[1 - own].load())
			row[own].store(true);
	}
}

int main()
{
	std::thread left(clerk, 0), right(clerk, 1);
	int bad = 0;

	left.join();
	right.join();
	for (auto &row : taken)
		bad += row[0] && row[1];
	return bad != 0;
}
