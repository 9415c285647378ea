/* SPDX-License-Identifier: Apache-2.0 */
/* Row 5 of LOCON's Table 1, R W W: a registry is searched, and what is not there
 * is put in, each under the lock; so it can come in twice. -DFIXED searches
 * again. */
#include <cstring>
#include <mutex>
#include <thread>

struct registry {
	std::mutex lock;
	int count = 0;
	int keys[8];

	bool has(int key)
	{
		std::lock_guard<std::mutex> held(lock);
		return find(key);
	}
	void add(int key)
	{
		std::lock_guard<std::mutex> held(lock);
#ifdef FIXED
		if (find(key))
			return;
#endif
		keys[count++] = key;
	}

      private:
	bool find(int key)
	{
		for (int i = 0; i < count; i++)
			if (keys[i] == key)
				return true;
		return false;
	}
};

static registry known;

static void meet(int key)
{
	if (!known.has(key))
		known.add(key);
}

int main()
{
	std::thread one([] { meet(7); meet(8); });
	std::thread two([] { meet(8); });

	one.join();
	two.join();
	return known.count != 2;
}
