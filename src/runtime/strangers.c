/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/strangers.h"

#include "runtime/blocking.h"
#include "runtime/sys.h"

#include <dirent.h>
#include <fcntl.h>

static bool expected;

/* ---- the kernel's list of threads ---- */

static uint32_t number_of(const char *name)
{
	uint32_t n = 0;

	while (*name >= '0' && *name <= '9')
		n = n * 10 + (uint32_t)(*name++ - '0');
	return n;
}

bool strangers_any(bool (*look)(uint32_t tid))
{
	char text[2048] = "";
	long n, fd = SYS_3(SYS_open, "/proc/self/task",
			   O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	bool found = false;

	if (fd < 0)
		return false;
	while (!found &&
	       (n = SYS_3(SYS_getdents64, fd, text, sizeof(text))) > 0) {
		for (long at = 0; at < n && !found;) {
			const struct dirent64 *d =
				(const struct dirent64 *)(text + at);
			uint32_t tid = number_of(d->d_name);

			found = tid && look(tid);
			at += d->d_reclen;
		}
	}
	SYS_1(SYS_close, fd);
	return found;
}

/* ---- who they are ---- */

static bool is_another(uint32_t tid)
{
	return tid != (uint32_t)SYS_0(SYS_gettid);
}

bool strangers_are_none(void)
{
	return !strangers_any(is_another);
}

/* One that was met but has not come to a point is still unknown to the turn. */
static bool is_stranger(uint32_t tid)
{
	uint32_t count = atomic_load(&region->thread_count);

	for (uint32_t n = 0; n < count; n++)
		if (region->threads[n].kernel_tid == tid && turn_thread(n))
			return false;
	return true;
}

void strangers_expect(void)
{
	expected = true;
}

bool strangers_live(void)
{
	return expected && strangers_any(is_stranger);
}
