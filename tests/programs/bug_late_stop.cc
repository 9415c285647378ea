/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool of threads is told to stop without its lock: a worker that has looked
 * and not yet waited misses the notification.
 *
 * expect: broken deadlock
 */
#include <condition_variable>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
#include <atomic>
#include <cstdio>

class ThreadPool
{
      public:
	explicit ThreadPool(int n)
	{
		for (int i = 0; i < n; i++)
			workers.emplace_back([this] { work(); });
	}
	~ThreadPool()
	{
		stopping = true;
		wake.notify_all();
		for (auto &w : workers)
			w.join();
	}
	void submit(std::function<void()> f)
	{
		{
			std::lock_guard<std::mutex> g(lock);
			jobs.push(std::move(f));
		}
		wake.notify_one();
	}

      private:
	void work()
	{
		for (;;) {
			std::function<void()> job;
			{
				std::unique_lock<std::mutex> g(lock);
				while (jobs.empty() && !stopping)
					wake.wait(g);
				if (jobs.empty())
					return;
				job = std::move(jobs.front());
				jobs.pop();
			}
			job();
		}
	}
	std::mutex lock;
	std::condition_variable wake;
	std::queue<std::function<void()>> jobs;
	std::atomic<bool> stopping{ false };
	std::vector<std::thread> workers;
};

int main()
{
	std::atomic<int> sum{ 0 };
	{
		ThreadPool pool(2);
		for (int i = 1; i <= 4; i++)
			pool.submit([&sum, i] { sum += i; });
	}
	std::printf("sum %d\n", sum.load());
	return sum == 10 ? 0 : 1;
}
