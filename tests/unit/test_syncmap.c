/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/syncmap.h"

static uint32_t ended[16];
static size_t ended_count;

static void over(void *self, uint32_t number)
{
	(void)self;
	ended[ended_count++] = number;
}

static void feed(struct syncmap *m, unsigned int kind, uint64_t addr,
		 uint64_t size)
{
	syncmap_feed(m, &(struct event){ .kind = (uint8_t)kind,
					 .addr = addr,
					 .size = size });
}

static void one_address_may_be_an_object_of_each_class(void **state)
{
	struct syncmap m;

	(void)state;
	syncmap_init(&m, NULL, NULL);
	*syncmap_at(&m, 0x100, SYNC_MUTEX) = 1;
	*syncmap_at(&m, 0x100, SYNC_ATOMIC) = 2;
	*syncmap_at(&m, 0x104, SYNC_ATOMIC) = 3;
	assert_int_equal(syncmap_find(&m, 0x100, SYNC_MUTEX), 1);
	assert_int_equal(syncmap_find(&m, 0x100, SYNC_ATOMIC), 2);
	assert_int_equal(syncmap_find(&m, 0x104, SYNC_ATOMIC), 3);
	assert_int_equal(syncmap_find(&m, 0x104, SYNC_MUTEX), 0);
	feed(&m, EVENT_MUTEX_DESTROY, 0x100, 0);
	assert_int_equal(syncmap_find(&m, 0x100, SYNC_MUTEX), 0);
	assert_int_equal(syncmap_find(&m, 0x100, SYNC_ATOMIC), 2);
	syncmap_done(&m);
}

static void objects_end_with_their_memory_to_the_byte(void **state)
{
	struct syncmap m;

	(void)state;
	ended_count = 0;
	syncmap_init(&m, over, NULL);
	for (uint32_t i = 0; i < 8; i++)
		*syncmap_at(&m, 0x1000 + 4 * i, SYNC_ATOMIC) = i + 1;
	feed(&m, EVENT_FREE, 0x1004, 8);
	assert_int_equal(ended_count, 2);
	assert_int_equal(ended[0] + ended[1], 2 + 3);
	assert_int_equal(syncmap_find(&m, 0x1000, SYNC_ATOMIC), 1);
	assert_int_equal(syncmap_find(&m, 0x1004, SYNC_ATOMIC), 0);
	assert_int_equal(syncmap_find(&m, 0x100c, SYNC_ATOMIC), 4);
	feed(&m, EVENT_UNMAP, 0, UINT64_MAX);
	assert_int_equal(ended_count, 8);
	syncmap_done(&m);
}

static void every_kind_of_a_sync_object_has_its_class(void **state)
{
	(void)state;
	assert_int_equal(sync_class_of(EVENT_SPIN_LOCK), SYNC_MUTEX);
	assert_int_equal(sync_class_of(EVENT_RWLOCK_UNLOCK), SYNC_RWLOCK);
	assert_int_equal(sync_class_of(EVENT_COND_WAKE), SYNC_COND);
	assert_int_equal(sync_class_of(EVENT_SEM_POST), SYNC_SEM);
	assert_int_equal(sync_class_of(EVENT_BARRIER_LEAVE), SYNC_BARRIER);
	assert_int_equal(sync_class_of(EVENT_ONCE_PASS), SYNC_ONCE);
	assert_int_equal(sync_class_of(EVENT_ATOMIC_RMW), SYNC_ATOMIC);
	assert_int_equal(sync_class_of(EVENT_NOTE_ACQUIRE), SYNC_NOTE);
	assert_int_equal(sync_class_of(EVENT_FENCE), SYNC_NONE);
	assert_int_equal(sync_class_of(EVENT_READ), SYNC_NONE);
	assert_int_equal(sync_class_of(EVENT_FUTEX_WAKE), SYNC_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_address_may_be_an_object_of_each_class),
		cmocka_unit_test(objects_end_with_their_memory_to_the_byte),
		cmocka_unit_test(every_kind_of_a_sync_object_has_its_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
