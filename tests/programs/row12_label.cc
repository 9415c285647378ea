/* SPDX-License-Identifier: Apache-2.0 */
/* Row 12 of LOCON's Table 1, Wx Wy / Wx Wy: two threads set colour and text of
 * a label. -DFIXED has a lock around both. */
#include <atomic>
#include <mutex>
#include <thread>

struct label {
	std::atomic<int> colour{ 0 };
	std::atomic<int> text{ 0 };
	std::mutex lock;

	void set(int value)
	{
#ifdef FIXED
		std::lock_guard<std::mutex> held(lock);
#endif
		colour = value;
		text = value;
	}
};

int main()
{
	label *l = new label;
	std::thread red([l] { l->set(1); }), green([l] { l->set(2); });
	int bad;

	red.join();
	green.join();
	bad = l->colour != l->text;
	delete l;
	return bad;
}
