// SPDX-License-Identifier: Apache-2.0
//
// The waits of C++20 under control: on atomics, latches, barriers, semaphores.
// expect: held
#undef NDEBUG
#include <atomic>
#include <barrier>
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

static std::atomic<int> turn;
static std::latch start(3);
static std::counting_semaphore<2> room(2);
static std::atomic<int> inside, rounds;

static void run(int me)
{
	start.arrive_and_wait();
	for (int seen; (seen = turn.load()) != me;)
		turn.wait(seen);
	turn.store(me + 1);
	turn.notify_all();
	room.acquire();
	assert(inside.fetch_add(1) < 2);
	inside.fetch_sub(1);
	room.release();
}

int main()
{
	std::vector<std::thread> threads;
	auto done = []() noexcept { rounds++; };
	std::barrier barrier(2, done);

	for (int i = 0; i < 3; i++)
		threads.emplace_back(run, i);
	for (auto &t : threads)
		t.join();
	assert(turn == 3);
	std::thread other([&] {
		barrier.arrive_and_wait();
		barrier.arrive_and_wait();
	});
	barrier.arrive_and_wait();
	assert(rounds >= 1);
	barrier.arrive_and_wait();
	other.join();
	assert(rounds == 2);
	return 0;
}
