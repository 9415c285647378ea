/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/heap_area.h"
#include "runtime/spin.h"
#include "runtime/sys.h"

#include <fcntl.h>

/*
 * What a process remembers, apart from registers and stacks: the variables of
 * all modules and every other private mapping it can write to. Most of that is
 * told by hooks when it changes; libraries without hooks (libc's own random
 * numbers, the buffer of a stream) tell nothing.
 *
 * Read off /proc/self/maps, without allocating. Left out are the guest's
 * module, what guest_map gave (guest_owns), the stacks of threads, and mappings
 * that are shared, which the process does not have for itself. The heap under
 * control is larger than anybody could read; of it the parts in use count.
 */

enum {
	LINE_MOST = 512,
	MAPPING_MOST = 1 << 30,
	PAGE = 4096,
};

struct mapping {
	uintptr_t low, high;
	bool is_private_data; /* rw-p */
	bool is_guest;
};

static uint64_t hash_range(uint64_t h, uintptr_t low, uintptr_t high)
{
	const uint64_t *at = (const uint64_t *)low;
	const uint64_t *end = (const uint64_t *)high;
	uint64_t other = h;

	for (; at + 1 < end; at += 2) {
		h = (h ^ at[0]) * UINT64_C(0x9e3779b97f4a7c15) ^ h >> 29;
		other = (other ^ at[1]) * UINT64_C(0xbf58476d1ce4e5b9) ^
			other >> 31;
	}
	return h ^ other << 1;
}

/* Without the stacks of threads, living and dead, that lie in it. */
static uint64_t hash_mapping(uint64_t h, uintptr_t low, uintptr_t high)
{
	for (uint32_t n = 0; n < control->run.thread_count; n++) {
		const struct region_thread *t = &region->threads[n];

		if (t->stack_low >= high || t->stack_high <= low)
			continue;
		if (t->stack_low > low)
			h = hash_mapping(h, low, t->stack_low);
		if (t->stack_high < high)
			h = hash_mapping(h, t->stack_high, high);
		return h;
	}
	return hash_range(h, low, high);
}

static uint64_t hash_heap(uint64_t h)
{
	uint32_t count = control->run.thread_count;

	if (!heap_own_init())
		return h;
	for (uint32_t n = 0; n < count && n < AREA_COMMONS; n++) {
		const struct area *a = area_at(n);

		if (a->frontier > (uintptr_t)a)
			h = hash_range(h, (uintptr_t)a, a->frontier);
	}
	return h;
}

/* ---- /proc/self/maps ---- */

static const char *hex_read(const char *at, uintptr_t *value)
{
	for (*value = 0;; at++) {
		if (*at >= '0' && *at <= '9')
			*value = *value << 4 | (uintptr_t)(*at - '0');
		else if (*at >= 'a' && *at <= 'f')
			*value = *value << 4 | (uintptr_t)(*at - 'a' + 10);
		else
			return at;
	}
}

static struct mapping line_read(const char *line)
{
	struct mapping m = { 0 };
	const char *at = hex_read(line, &m.low);

	if (*at != '-')
		return m;
	at = hex_read(at + 1, &m.high);
	m.is_private_data = at[0] == ' ' && at[1] == 'r' && at[2] == 'w' &&
			    at[4] == 'p';
	m.is_guest = guest_owns(m.low);
	return m;
}

static bool is_stack_of_main(const struct mapping *m)
{
	return m->low <= spin_main_top && spin_main_top < m->high;
}

static uint64_t mapping_add(uint64_t h, const struct mapping *m)
{
	if (!m->is_private_data || m->is_guest || is_stack_of_main(m))
		return h;
	if (m->high - m->low > MAPPING_MOST)
		return h;
	return hash_mapping(h ^ m->low, m->low, m->high);
}

static uint64_t maps_read(uint64_t h, long fd)
{
	char text[PAGE], line[LINE_MOST];
	size_t length = 0;
	long got;

	while ((got = SYS_3(SYS_read, fd, text, sizeof(text))) > 0)
		for (long i = 0; i < got; i++) {
			struct mapping m;

			if (text[i] != '\n') {
				if (length < LINE_MOST - 1)
					line[length++] = text[i];
				continue;
			}
			line[length] = '\0';
			length = 0;
			m = line_read(line);
			h = mapping_add(h, &m);
		}
	return h;
}

/* A thread that is over for us still has libc's last steps to do, which leave
 * their traces. */
static void ends_wait(void)
{
	long pid = SYS_0(SYS_getpid);

	for (uint32_t n = 0; n < control->run.thread_count; n++)
		while (control->threads[n].state == THREAD_OVER &&
		       SYS_3(SYS_tgkill, pid, region->threads[n].kernel_tid,
			     0) == 0)
			SYS_0(SYS_sched_yield);
}

uint64_t spin_memory(void)
{
	long fd = SYS_3(SYS_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
	uint64_t h;

	/* Nothing is equal to what could not be read. */
	if (fd < 0)
		return control->run.points;
	ends_wait();
	h = maps_read(hash_heap(1), fd);
	SYS_1(SYS_close, fd);
	return h;
}
