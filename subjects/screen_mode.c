/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two programs set the mode of a screen: one writes the width and then the
 * height, the other one the height first. Each register is safe on its own.
 *
 * bug:      LOCON Table 1, row 15
 * kind:     atomicity violation, two variables (Wx Wy / Wy Wx)
 * threads:  main, 2 programs
 * failure:  wrong result (exit status 1): a mode that nobody has set
 * accesses: write of width, write of height and write of width by the other,
 *           write of height
 * natively: rare, a store and the next one
 * twins:    -DFIXED sets both under the screen's lock
 * sizes:    settings of each program
 */
#include <stdatomic.h>

#include "subject.h"

struct mode {
	unsigned width;
	unsigned height;
};

struct screen {
	pthread_mutex_t lock;
	_Atomic unsigned width;
	_Atomic unsigned height;
	_Atomic unsigned settings;
};

static struct screen screen = { .lock = PTHREAD_MUTEX_INITIALIZER };
static const struct mode modes[] = {
	{ 640, 480 }, { 800, 600 }, { 1024, 768 }, { 1280, 1024 }
};
static int settings;

static void screen_enter(void)
{
#ifdef FIXED
	pthread_mutex_lock(&screen.lock);
#endif
}

static void screen_leave(void)
{
	atomic_fetch_add(&screen.settings, 1);
#ifdef FIXED
	pthread_mutex_unlock(&screen.lock);
#endif
}

static const struct mode *mode_choose(int player, int i)
{
	unsigned taste = subject_work((unsigned)(player * 5 + i), 3000);

	return &modes[taste % (sizeof(modes) / sizeof(*modes))];
}

static void *player_run(void *arg)
{
	for (int i = 0; i < settings; i++) {
		const struct mode *mode = mode_choose(1, i);

		screen_enter();
		atomic_store(&screen.width, mode->width);
		atomic_store(&screen.height, mode->height);
		screen_leave();
	}
	return arg;
}

static void *desktop_run(void *arg)
{
	for (int i = 0; i < settings; i++) {
		const struct mode *mode = mode_choose(2, i);

		screen_enter();
		atomic_store(&screen.height, mode->height);
		atomic_store(&screen.width, mode->width);
		screen_leave();
	}
	return arg;
}

static int mode_exists(unsigned width, unsigned height)
{
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (modes[i].width == width && modes[i].height == height)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t player, desktop;
	unsigned width, height;

	settings = subject_size(argc, argv, 1, 2);
	subject_start(&player, player_run, NULL);
	subject_start(&desktop, desktop_run, NULL);
	pthread_join(player, NULL);
	pthread_join(desktop, NULL);
	width = atomic_load(&screen.width);
	height = atomic_load(&screen.height);
	if (!mode_exists(width, height))
		subject_wrong("no screen has %u by %u", width, height);
	printf("%u by %u after %u settings\n", width, height,
	       atomic_load(&screen.settings));
	return 0;
}
