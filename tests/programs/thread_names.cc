// SPDX-License-Identifier: Apache-2.0
//
// Every way in which C++ starts a thread. Each thread is known by what it runs,
// and is made at a line of main, whatever the compiler inlined.
#include <functional>
#include <future>
#include <mutex>
#include <string>
#include <thread>

static int total;
static std::mutex lock;

static void reader(int n)
{
	std::lock_guard<std::mutex> guard(lock);
	total += n;
}

static void writer(int n)
{
	std::lock_guard<std::mutex> guard(lock);
	total -= n;
}

struct Task {
	void run(const std::string &text)
	{
		std::lock_guard<std::mutex> guard(lock);
		total += (int)text.size();
	}
	void operator()() const
	{
		std::lock_guard<std::mutex> guard(lock);
		total++;
	}
};

int main()
{
	Task task;
	std::function<void()> job = [] { reader(1); };
	std::packaged_task<void()> parcel([] { writer(1); });
	std::thread a(reader, 1); // 1
	std::thread b(writer, 2); // 2
	std::thread c(&Task::run, &task, "converted"); // 3
	std::thread d(task); // 4
	std::thread e(job); // 5
	std::thread f([&task] { task(); }); // 6
	std::thread g(std::bind(reader, 3)); // 7
	std::thread h(std::move(parcel)); // 8
	auto i = std::async(std::launch::async, writer, 4); // 9
	auto j = std::async(std::launch::async, [] { reader(5); }); // 10

	for (std::thread *t : { &a, &b, &c, &d, &e, &f, &g, &h })
		t->join();
	i.get();
	j.get();
	return 0;
}
