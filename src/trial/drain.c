/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/drain.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "trace/event_bytes.h"

/* Memory files count against the limit of file sizes, and going beyond that
 * raises a signal which would end us. */
static int set_size(int fd, size_t size)
{
	void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
	int rc = ftruncate(fd, (off_t)size);

	signal(SIGXFSZ, before);
	return rc;
}

int drain_init(struct drain *d, enum region_mode mode, uint32_t flags,
	       struct err *err)
{
	size_t size = sizeof(struct region);

	*d = (struct drain){ .fd = memfd_create("heddle", MFD_CLOEXEC) };
	if (d->fd < 0)
		return err_set(err, "cannot make shared memory: %s",
			       strerror(errno));
	if (set_size(d->fd, size) < 0 ||
	    (d->region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
			      d->fd, 0)) == MAP_FAILED) {
		err_set(err,
			"cannot make %zu MiB of shared memory: %s; are there limits (ulimit -f, ulimit -v)?",
			size >> 20, strerror(errno));
		close(d->fd);
		return -1;
	}
	d->region->magic = REGION_MAGIC;
	d->region->version = REGION_VERSION;
	d->region->mode = mode;
	d->region->flags = flags;
	d->region->tool_pid = (uint32_t)getpid();
	return 0;
}

void drain_done(struct drain *d)
{
	munmap(d->region, sizeof(struct region));
	close(d->fd);
}

void drain_wait(struct drain *d, uint32_t seen)
{
	struct timespec tenth = { .tv_nsec = 100000000 };

	syscall(SYS_futex, &d->region->full_slots, FUTEX_WAIT, seen, &tenth,
		NULL, 0);
}

/* From here on everything is thrown away. */
static void give_up(struct drain *d)
{
	trace_abandon(d->writer);
	d->writer = NULL;
}

/* The guest counts the events of a slot when it hands it over; those of one
 * that was still open have to be counted here. */
static void write_slot(struct drain *d, uint32_t n)
{
	const struct region_slot *slot = &d->region->slots[n];
	const uint8_t *bytes = d->region->data[n];
	uint32_t state =
		atomic_load_explicit(&slot->state, memory_order_acquire);
	/* Pairs with the release by which the guest counts whole events. */
	uint32_t used = atomic_load_explicit(&slot->used, memory_order_acquire);
	uint32_t events = state == SLOT_FULL ? slot->events : 0;

	if (!d->writer || !used)
		return;
	if (used > REGION_SLOT_BYTES)
		used = REGION_SLOT_BYTES;
	if (!events)
		events = event_bytes_count(bytes, used);
	if (trace_write_counted(d->writer, slot->thread, slot->sequence,
				slot->first_stamp, bytes, used, events,
				&d->error) < 0)
		give_up(d);
}

static void free_slot(struct drain *d, uint32_t n)
{
	/* Pairs with the acquire of the thread that opens the slot next. */
	atomic_store_explicit(&d->region->slots[n].state, SLOT_FREE,
			      memory_order_release);
	atomic_fetch_add_explicit(&d->region->free_slots, 1,
				  memory_order_release);
	syscall(SYS_futex, &d->region->free_slots, FUTEX_WAKE, INT_MAX, NULL,
		NULL, 0);
}

static void write_tables(struct drain *d)
{
	if (d->writer &&
	    trace_write_tables(d->writer, d->region, &d->error) < 0)
		give_up(d);
}

/* Each thread's slots in the order they were filled: a chunk can wait for an
 * earlier one, but not hundreds can, and there are as many when the program is
 * faster than we are. */
static int by_time(const void *a, const void *b, void *slots)
{
	const struct region_slot *all = slots;
	const struct region_slot *x = &all[*(const uint32_t *)a];
	const struct region_slot *y = &all[*(const uint32_t *)b];

	if (x->first_stamp != y->first_stamp)
		return x->first_stamp < y->first_stamp ? -1 : 1;
	return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static void take_slots(struct drain *d, bool open_too)
{
	VEC(uint32_t) taken = { 0 };
	uint32_t made = atomic_load_explicit(&d->region->slots_made,
					     memory_order_acquire);

	for (uint32_t i = 0; i < made && i < REGION_SLOTS; i++) {
		/* Pairs with the release by which the guest hands over. */
		uint32_t state = atomic_load_explicit(
			&d->region->slots[i].state, memory_order_acquire);

		if (state == SLOT_FULL || (open_too && state == SLOT_OPEN))
			vec_push(&taken, i);
	}
	if (taken.count) {
		qsort_r(taken.at, taken.count, sizeof(*taken.at), by_time,
			d->region->slots);
		write_tables(d);
	}
	for (size_t i = 0; i < taken.count; i++) {
		write_slot(d, taken.at[i]);
		free_slot(d, taken.at[i]);
	}
	vec_free(&taken);
}

void drain_full(struct drain *d)
{
	take_slots(d, false);
}

void drain_rest(struct drain *d)
{
	take_slots(d, true);
	write_tables(d);
}

int drain_finish(struct drain *d, struct err *err)
{
	struct trace_end end = { .closed = 1 };
	int rc = -1;

	drain_rest(d);
	if (d->writer)
		rc = trace_finish(d->writer, &end, err);
	else
		*err = d->error;
	d->writer = NULL;
	return rc;
}
