/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a search may easily take for all there is although it is not, by the
 * argument. Each has a schedule that breaks it, except where it is said.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

static int number, other;
static atomic_int done;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock;
static sem_t sem;
static pthread_t first, second;

/* ---- an access that is atomic beside one that is not ---- */

static void *store_plainly(void *arg)
{
	number = 1;
	return arg;
}

static void *store_atomically(void *arg)
{
	__atomic_store_n(&number, 2, __ATOMIC_SEQ_CST);
	return arg;
}

static void check_mixed(void)
{
	pthread_create(&first, NULL, store_plainly, NULL);
	pthread_create(&second, NULL, store_atomically, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	assert(number == 2);
}

/* ---- a deadlock when the main thread has gone ---- */

static void *lock_both(void *arg)
{
	pthread_mutex_lock(arg ? &a : &b);
	pthread_mutex_lock(arg ? &b : &a);
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
	return arg;
}

static void check_left(void)
{
	pthread_create(&first, NULL, lock_both, &a);
	pthread_create(&second, NULL, lock_both, NULL);
	pthread_exit(NULL);
}

/* ---- a thread that waits for ever beside a deadlock ---- */

static void *wait_for_ever(void *arg)
{
	sem_wait(&sem);
	return arg;
}

static void check_beside(void)
{
	pthread_t idle;

	pthread_create(&idle, NULL, wait_for_ever, NULL);
	pthread_create(&first, NULL, lock_both, &a);
	lock_both(NULL);
	pthread_join(first, NULL);
}

/* ---- threads that wait when the program ends, and need not ---- */

static void *wait_and_look(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_cond_wait(&cond, &a);
	assert(!number);
	pthread_mutex_unlock(&a);
	return arg;
}

static void check_waiting(void)
{
	pthread_create(&first, NULL, wait_and_look, NULL);
	pthread_cond_signal(&cond);
	number = 1;
}

/* ---- a wait that time may end, though a token comes as well ---- */

static void *post(void *arg)
{
	sem_post(&sem);
	return arg;
}

static void check_timed(void)
{
	static const struct timespec late = { .tv_sec = (time_t)1 << 40 };

	pthread_create(&first, NULL, post, NULL);
	assert(sem_timedwait(&sem, &late) == 0);
	pthread_join(first, NULL);
}

/* ---- a thread that yields, and goes on all the same ---- */

static void *yield_and_look(void *arg)
{
	number = 1;
	sched_yield();
	assert(!other);
	number = 0;
	return arg;
}

static void *look(void *arg)
{
	other = number;
	return arg;
}

static void *yield_before(void *arg)
{
	sched_yield();
	atomic_store(&done, atomic_load(&done) * 2 + 1);
	return arg;
}

static void *add(void *arg)
{
	atomic_store(&done, atomic_load(&done) * 2);
	return arg;
}

static void check_yields(void)
{
	pthread_create(&first, NULL, yield_and_look, NULL);
	pthread_create(&second, NULL, look, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
}

static void check_goes_on(void)
{
	atomic_store(&done, 1);
	pthread_create(&first, NULL, yield_before, NULL);
	pthread_create(&second, NULL, add, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	assert(atomic_load(&done) != 6);
}

/* ---- readers that stand behind a writer ---- */

static void *read_twice(void *arg)
{
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	return arg;
}

static void *write_once(void *arg)
{
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	return arg;
}

static void check_writers(void)
{
	pthread_rwlockattr_t attr;

	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(
		&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&rwlock, &attr);
	pthread_create(&first, NULL, read_twice, NULL);
	pthread_create(&second, NULL, write_once, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
}

/* ---- locks and the like that are made or destroyed in others' hands ---- */

static void *lock_once(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_unlock(&a);
	return arg;
}

static void check_destroyed(void)
{
	pthread_create(&first, NULL, lock_once, NULL);
	assert(pthread_mutex_destroy(&a) == 0);
	pthread_join(first, NULL);
}

static void *try_once(void *arg)
{
	number = sem_trywait(&sem) == 0;
	return arg;
}

static void check_remade(void)
{
	pthread_create(&first, NULL, try_once, NULL);
	sem_init(&sem, 0, 1);
	pthread_join(first, NULL);
	assert(!number);
}

/* ---- neighbours in one word ---- */

static struct {
	unsigned int left : 4, right : 4;
} bits, locked_bits;

static void *set_left(void *arg)
{
	bits.left = 5;
	pthread_mutex_lock(&a);
	locked_bits.left = 5;
	pthread_mutex_unlock(&a);
	return arg;
}

static void *set_right(void *arg)
{
	if (arg)
		bits.right = 6;
	pthread_mutex_lock(&a);
	locked_bits.right = 6;
	pthread_mutex_unlock(&a);
	return arg;
}

static void check_bits(void *right)
{
	pthread_create(&first, NULL, set_left, NULL);
	pthread_create(&second, NULL, set_right, right);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	assert(bits.left == 5 && locked_bits.left == 5);
	assert(locked_bits.right == 6);
}

static void check_neighbours(void)
{
	check_bits(&bits);
}

static void check_locked(void)
{
	check_bits(NULL);
}

/* ---- what never breaks, and comes to an end ---- */

static void *add_locked(void *arg)
{
	while (atomic_flag_test_and_set(&flag))
		;
	number++;
	atomic_flag_clear(&flag);
	return arg;
}

static void check_flag(void)
{
	pthread_create(&first, NULL, add_locked, NULL);
	pthread_create(&second, NULL, add_locked, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	assert(number == 2);
}

static void *read_alone(void *arg)
{
	pthread_mutex_lock(&a);
	number += number + 1;
	pthread_mutex_unlock(&a);
	return arg;
}

static void check_alone(void)
{
	pthread_create(&first, NULL, read_alone, NULL);
	pthread_create(&second, NULL, read_alone, NULL);
	pthread_exit(NULL);
}

/* Others have it only between its making and its end. */
static void check_made(void)
{
	pthread_create(&first, NULL, store_plainly, NULL);
	pthread_mutex_init(&b, NULL);
	pthread_create(&second, NULL, lock_both, NULL);
	pthread_join(second, NULL);
	pthread_mutex_destroy(&b);
	pthread_join(first, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*check)(void);
	} checks[] = {
		{ "mixed", check_mixed },
		{ "left", check_left },
		{ "beside", check_beside },
		{ "waiting", check_waiting },
		{ "timed", check_timed },
		{ "yields", check_yields },
		{ "goes_on", check_goes_on },
		{ "writers", check_writers },
		{ "destroyed", check_destroyed },
		{ "remade", check_remade },
		{ "neighbours", check_neighbours },
		{ "locked", check_locked },

		{ "made", check_made },
		{ "flag", check_flag },
		{ "alone", check_alone },
	};

	for (size_t i = 0; argc > 1 && i < sizeof(checks) / sizeof(*checks);
	     i++)
		if (strcmp(argv[1], checks[i].name) == 0)
			checks[i].check();
	return 0;
}
