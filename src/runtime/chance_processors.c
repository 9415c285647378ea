/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/chance.h"
#include "runtime/real.h"

#include <errno.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/*
 * A run has one processor, since one thread runs at a time. What the program is
 * told is what the tool asked for, because programs choose by it how many
 * threads they make; some do so in constructors, before anybody asked.
 */

static uint32_t told(void)
{
	return control->ask.processors ? control->ask.processors :
					 CONTROL_PROCESSORS;
}

static bool is_told(void)
{
	if (controlled)
		return guest_self();
	return control && region->mode == MODE_CONTROL;
}

EXPORT int get_nprocs(void)
{
	return is_told() ? (int)told() : real.get_nprocs();
}

EXPORT int get_nprocs_conf(void)
{
	return is_told() ? (int)told() : real.get_nprocs_conf();
}

EXPORT long sysconf(int name)
{
	if ((name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF) &&
	    is_told())
		return (long)told();
	if (name == _SC_AVPHYS_PAGES)
		return get_avphys_pages();
	return real.sysconf(name);
}

static int set_fill(size_t size, cpu_set_t *set)
{
	if (size * 8 < told())
		return EINVAL;
	for (size_t i = 0; i < size; i++)
		((uint8_t *)set)[i] = 0;
	for (uint32_t n = 0; n < told(); n++)
		((uint8_t *)set)[n / 8] |= (uint8_t)(1 << n % 8);
	return 0;
}

EXPORT int sched_getaffinity(pid_t id, size_t size, cpu_set_t *set)
{
	int rc;

	if (!is_told())
		return real.sched_getaffinity(chance_pid_real(id), size, set);
	rc = set_fill(size, set);
	if (rc)
		errno = rc;
	return rc ? -1 : 0;
}

EXPORT int pthread_getaffinity_np(pthread_t id, size_t size, cpu_set_t *set)
{
	return is_told() ? set_fill(size, set) :
			   real.pthread_getaffinity_np(id, size, set);
}

EXPORT int sched_setaffinity(pid_t id, size_t size, const cpu_set_t *set)
{
	return is_told() ?
		       0 :
		       real.sched_setaffinity(chance_pid_real(id), size, set);
}

EXPORT int pthread_setaffinity_np(pthread_t id, size_t size,
				  const cpu_set_t *set)
{
	return is_told() ? 0 : real.pthread_setaffinity_np(id, size, set);
}

EXPORT int sched_getcpu(void)
{
	return is_told() ? 0 : real.sched_getcpu();
}

EXPORT int getcpu(unsigned int *processor, unsigned int *node)
{
	if (!is_told())
		return real.getcpu(processor, node);
	if (processor)
		*processor = 0;
	if (node)
		*node = 0;
	return 0;
}
