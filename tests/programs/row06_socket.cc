/* SPDX-License-Identifier: Apache-2.0 */
/* Row 6 of LOCON's Table 1, R W R: a connection is looked at, closed by the
 * other, and used. -DFIXED looks once. */
#include <cstdio>
#include <mutex>
#include <thread>

class connection {
      public:
	bool is_open()
	{
		std::lock_guard<std::mutex> held(lock);
		return fd >= 0;
	}
	int send(int bytes)
	{
		std::lock_guard<std::mutex> held(lock);
		return fd >= 0 ? bytes : -1;
	}
	int send_if_open(int bytes)
	{
		std::lock_guard<std::mutex> held(lock);
		return fd >= 0 ? bytes : 0;
	}
	void close()
	{
		std::lock_guard<std::mutex> held(lock);
		fd = -1;
	}

      private:
	std::mutex lock;
	int fd = 5;
};

int main()
{
	connection c;
	int sent = 0;
	std::thread talker([&] {
		for (int i = 0; i < 3 && sent >= 0; i++) {
#ifdef FIXED
			sent = c.send_if_open(8);
#else
			if (c.is_open())
				sent = c.send(8);
#endif
		}
	});
	std::thread closer([&] { c.close(); });

	talker.join();
	closer.join();
	return sent < 0;
}
