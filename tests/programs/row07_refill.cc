/* SPDX-License-Identifier: Apache-2.0 */
/* Row 7 of LOCON's Table 1, W R W: a list is emptied and filled again, with the
 * lock for each; who asks meanwhile finds nothing. -DFIXED keeps the lock. */
#include <mutex>
#include <thread>

class list {
      public:
	void refill()
	{
		std::unique_lock<std::mutex> held(lock);
		size = 0;
#ifndef FIXED
		held.unlock();
		held.lock();
#endif
		size = 4;
	}
	bool is_empty()
	{
		std::lock_guard<std::mutex> held(lock);
		return size == 0;
	}

      private:
	std::mutex lock;
	int size = 4;
};

int main()
{
	auto *l = new list;
	bool was_empty = false;
	std::thread filler([l] { l->refill(); });
	std::thread asker([l, &was_empty] {
		for (int i = 0; i < 3; i++)
			was_empty |= l->is_empty();
	});

	filler.join();
	asker.join();
	delete l;
	return was_empty;
}
