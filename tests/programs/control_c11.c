/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mutexes and conditions of C11 under control, with the results of C11.
 * expect: held
 */
#undef NDEBUG
#include <assert.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

static const struct timespec past = { 1, 0 };
static mtx_t mutex;
static cnd_t cond;
static int ready, seen;

static int wait_for_it(void *unused)
{
	(void)unused;
	assert(mtx_lock(&mutex) == thrd_success);
	while (!ready)
		assert(cnd_wait(&cond, &mutex) == thrd_success);
	seen++;
	assert(mtx_unlock(&mutex) == thrd_success);
	return 3;
}

static int try_it(void *unused)
{
	int rc = mtx_trylock(&mutex);

	(void)unused;
	assert(rc == thrd_success || rc == thrd_busy);
	if (rc == thrd_success)
		assert(mtx_unlock(&mutex) == thrd_success);
	rc = mtx_timedlock(&mutex, &past);
	assert(rc == thrd_success || rc == thrd_timedout);
	if (rc == thrd_success)
		assert(mtx_unlock(&mutex) == thrd_success);
	return 0;
}

int main(void)
{
	thrd_t threads[3];
	mtx_t again;
	int result;

	assert(mtx_init(&mutex, mtx_timed) == thrd_success);
	assert(cnd_init(&cond) == thrd_success);
	for (int i = 0; i < 2; i++)
		assert(thrd_create(&threads[i], wait_for_it, NULL) ==
		       thrd_success);
	assert(thrd_create(&threads[2], try_it, NULL) == thrd_success);
	assert(mtx_lock(&mutex) == thrd_success);
	while (cnd_timedwait(&cond, &mutex, &past) != thrd_timedout)
		;
	ready = 1;
	assert(cnd_signal(&cond) == thrd_success);
	assert(cnd_broadcast(&cond) == thrd_success);
	assert(mtx_unlock(&mutex) == thrd_success);
	for (int i = 0; i < 2; i++)
		assert(thrd_join(threads[i], &result) == thrd_success &&
		       result == 3);
	assert(thrd_join(threads[2], NULL) == thrd_success);
	assert(seen == 2);
	cnd_destroy(&cond);
	mtx_destroy(&mutex);

	assert(mtx_init(&again, mtx_plain | mtx_recursive) == thrd_success);
	assert(mtx_lock(&again) == thrd_success);
	assert(mtx_trylock(&again) == thrd_success);
	assert(mtx_unlock(&again) == thrd_success);
	assert(mtx_unlock(&again) == thrd_success);
	mtx_destroy(&again);
	return 0;
}
