/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/chance.h"
#include "runtime/real.h"
#include "runtime/timing.h"

#include "format/put.h"

#include <stdlib.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/*
 * How the machine is doing. Under control it has been up for as long as the
 * clock says, does nothing else, and half of its memory is free.
 *
 * What /proc tells is real: ids in its paths are those that the program knows,
 * and a note tells if the program reads what differs from run to run.
 */

static bool is_told(void)
{
	return controlled && guest_self();
}

EXPORT int sysinfo(struct sysinfo *info)
{
	int rc = real.sysinfo(info);

	if (rc != 0 || !is_told())
		return rc;
	info->uptime = timing_now(CLOCK_MONOTONIC).tv_sec;
	for (int i = 0; i < 3; i++)
		info->loads[i] = 0;
	info->freeram = info->totalram / 2;
	info->sharedram = info->bufferram = 0;
	info->freeswap = info->totalswap;
	info->freehigh = info->totalhigh;
	info->procs = 1;
	return 0;
}

EXPORT int getloadavg(double *loads, int count)
{
	if (!is_told())
		return real.getloadavg(loads, count);
	count = count < 3 ? count : 3;
	for (int i = 0; i < count; i++)
		loads[i] = 0;
	return count;
}

EXPORT long get_avphys_pages(void)
{
	return is_told() ? get_phys_pages() / 2 : real.get_avphys_pages();
}

/* ---- /proc ---- */

static bool begins(const char *s, const char *with)
{
	while (*with && *s == *with) {
		s++;
		with++;
	}
	return !*with;
}

static bool is_last(const char *path, const char *name)
{
	const char *at = real.strrchr(path, '/') + 1;

	return real.strcmp(at, name) == 0;
}

/* Numbers of processes and of the machine. */
static bool differs(const char *path)
{
	static const char *const names[] = {
		"stat",		"statm",     "status",	  "io",	    "smaps",
		"smaps_rollup", "schedstat", "sched",	  "uptime", "loadavg",
		"meminfo",	"vmstat",    "interrupts"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is_last(path, names[i]))
			return true;
	return false;
}

/* Copies what stands between slashes; an id as the kernel knows it, which has
 * no more digits. */
static const char *part_copy(char **to, const char *from)
{
	const char *end = from;
	uint64_t id = 0;

	for (; *end >= '0' && *end <= '9' && end - from < 9; end++)
		id = id * 10 + (uint64_t)(*end - '0');
	if (end > from && (*end == '/' || !*end)) {
		*to = put_number(*to, (uint64_t)chance_pid_real((pid_t)id));
		return end;
	}
	while (*from && *from != '/')
		*(*to)++ = *from++;
	return from;
}

const char *chance_path(const char *path, char room[CHANCE_PATH], uintptr_t pc)
{
	char *to = room;

	if (!is_told() || !begins(path, "/proc/") ||
	    real.strlen(path) > CHANCE_PATH - PUT_NUMBER)
		return path;
	if (differs(path) && module_is_instrumented(pc))
		guest_note("the program reads how processes and the machine "
			   "are doing (/proc), which differs from run to run");
	while (*path)
		if (*path == '/')
			*to++ = *path++;
		else
			path = part_copy(&to, path);
	*to = '\0';
	return room;
}
