// SPDX-License-Identifier: Apache-2.0
/*
 * What C++ makes of it: mutexes, plain, timed and shared; conditions; static
 * locals and call_once with an exception; atomic wait and notify, which sleep
 * only if they come to it.
 * ignore: futex-wait futex-woken futex-wake
 *
 * mutex, timed_mutex, shared_mutex:
 * trace 0: mutex-lock mutex-unlock mutex-lock mutex-unlock
 * trace 0: rwlock-rdlock rwlock-unlock rwlock-wrlock rwlock-unlock
 * condition_variable::wait_for:
 * trace 0: mutex-lock cond-wait mutex-unlock cond-wake:ETIMEDOUT mutex-lock
 * trace 0: mutex-unlock cond-destroy
 * a static local whose first initialisation throws; once it is there compiled
 * code looks for itself:
 * trace 0: note-acquire note-release note-acquire once-done
 * call_once, whose first call throws:
 * trace 0: note-acquire note-release note-acquire once-done once-pass once-pass
 */
#undef NDEBUG
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

static int attempts;

static int attempt()
{
	if (++attempts == 1)
		throw 7;
	return attempts;
}

static int value()
{
	static int once = attempt();

	return once;
}

static void locks()
{
	std::mutex mutex;
	std::timed_mutex timed;
	std::shared_mutex shared;

	{
		std::lock_guard<std::mutex> hold(mutex);
	}
	assert(timed.try_lock_for(std::chrono::hours(1)));
	timed.unlock();
	shared.lock_shared();
	shared.unlock_shared();
	shared.lock();
	shared.unlock();
}

static void conditions()
{
	static std::mutex mutex;
	std::condition_variable condition;
	std::unique_lock<std::mutex> hold(mutex);

	assert(condition.wait_for(hold, std::chrono::seconds(-1)) ==
	       std::cv_status::timeout);
}

static void statics()
{
	bool thrown = false;

	try {
		value();
	} catch (int what) {
		thrown = what == 7;
	}
	assert(thrown && value() == 2 && value() == 2);
}

static void once()
{
	std::once_flag flag;
	bool thrown = false;

	attempts = 0;
	try {
		std::call_once(flag, attempt);
	} catch (int what) {
		thrown = what == 7;
	}
	std::call_once(flag, attempt);
	std::call_once(flag, attempt);
	assert(thrown && attempts == 2);
}

static void waits()
{
	std::atomic<int> turn{ 0 };
	std::thread other([&] {
		turn.wait(0);
		turn = 2;
		turn.notify_one();
	});

	turn = 1;
	turn.notify_one();
	turn.wait(1);
	other.join();
	assert(turn == 2);
}

int main()
{
	locks();
	conditions();
	statics();
	once();
	waits();
}
