/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/offspring.h"

#include "format/put.h"
#include "runtime/control.h"
#include "runtime/process.h"
#include "runtime/sys.h"

#include <fcntl.h>

/*
 * The kernel lists the children of each thread. Asked only when nobody can go
 * on and something was started at all.
 */

enum { PATH_ROOM = 64, TEXT_ROOM = 1024 };

static long file_read(const char *path, char *room)
{
	long fd = SYS_3(SYS_open, path, O_RDONLY | O_CLOEXEC, 0), n;

	if (fd < 0)
		return 0;
	n = SYS_3(SYS_read, fd, room, TEXT_ROOM - 1);
	SYS_1(SYS_close, fd);
	room[n > 0 ? n : 0] = '\0';
	return n > 0 ? n : 0;
}

static bool process_runs(uint32_t pid)
{
	char path[PATH_ROOM], text[TEXT_ROOM];
	const char *end = NULL;

	put_text(put_number(put_text(path, "/proc/"), pid), "/stat");
	if (!file_read(path, text))
		return false;
	/* "pid (name) state", and the name may be anything. */
	for (const char *p = text; *p; p++)
		if (*p == ')')
			end = p;
	return end && end[1] && end[2] != 'Z' && end[2] != 'X';
}

static bool one_runs(const char *pids)
{
	uint32_t pid = 0;

	for (; *pids; pids++) {
		if (*pids >= '0' && *pids <= '9') {
			pid = pid * 10 + (uint32_t)(*pids - '0');
			continue;
		}
		if (pid && process_runs(pid))
			return true;
		pid = 0;
	}
	return false;
}

bool offspring_lives(void)
{
	char path[PATH_ROOM], text[TEXT_ROOM];

	if (!process_children())
		return false;
	for (uint32_t n = 0; n < control->run.thread_count; n++) {
		char *end = put_text(path, "/proc/self/task/");

		end = put_number(end, region->threads[n].kernel_tid);
		put_text(end, "/children");
		if (file_read(path, text) && one_runs(text))
			return true;
	}
	return false;
}
