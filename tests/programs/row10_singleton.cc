/* SPDX-License-Identifier: Apache-2.0 */
/* Row 10 of LOCON's Table 1, Wx Wy / Rx Ry: an instance is published and then
 * set up; who finds it uses it. -DFIXED publishes last. */
#include <atomic>
#include <mutex>
#include <thread>

struct settings {
	std::atomic<int> port{ 0 };
};

static std::atomic<settings *> instance;
static std::mutex lock;

static settings *get()
{
	settings *s = instance.load();

	if (s)
		return s;
	std::lock_guard<std::mutex> held(lock);
	s = instance.load();
	if (!s) {
		s = new settings;
#ifdef FIXED
		s->port = 80;
		instance = s;
#else
		instance = s;
		s->port = 80;
#endif
	}
	return s;
}

static std::atomic<int> wrong;

static void serve()
{
	if (get()->port != 80)
		wrong = 1;
}

int main()
{
	std::thread one(serve), two(serve), three(serve);

	one.join();
	two.join();
	three.join();
	delete instance.load();
	return wrong;
}
