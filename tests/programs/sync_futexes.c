/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls by syscall(): futexes are seen, and every other call passes with
 * its six arguments, its result and its errno.
 *
 * a wait on a value that is gone, one out of time, wakes of nobody:
 * trace 0: futex-wait:5 futex-woken:EAGAIN futex-wait:4 futex-woken:ETIMEDOUT
 * trace 0: futex-wake:1 futex-wake:2 futex-wake:3
 * a hand-over:
 * trace 0: futex-wait futex-woken:?
 * trace 1: futex-wake:1
 */
#undef NDEBUG
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic uint32_t word = 4, other, flag;

static void alone(void)
{
	struct timespec none = { 0 };

	assert(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 5, NULL) == -1 &&
	       errno == EAGAIN);
	assert(syscall(SYS_futex, &word,
		       FUTEX_WAIT_BITSET_PRIVATE | FUTEX_CLOCK_REALTIME, 4,
		       &none, NULL, FUTEX_BITSET_MATCH_ANY) == -1 &&
	       errno == ETIMEDOUT);
	errno = 77;
	assert(syscall(SYS_futex, &word, FUTEX_WAKE, 1) == 0);
	assert(syscall(SYS_futex, &word, FUTEX_WAKE_BITSET, 2, NULL, NULL,
		       FUTEX_BITSET_MATCH_ANY) == 0);
	/* All six count: the last must be what the word holds. */
	assert(syscall(SYS_futex, &word, FUTEX_CMP_REQUEUE, 3, 0L, &other, 4) ==
	       0);
	assert(errno == 77);
}

static void *hand_over(void *unused)
{
	atomic_store(&flag, 1);
	assert(syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, 1) >= 0);
	return unused;
}

/* Whether the word changed before the wait or during it: one wait. */
static void together(void)
{
	pthread_t thread;
	long rc;

	assert(pthread_create(&thread, NULL, hand_over, NULL) == 0);
	rc = syscall(SYS_futex, &flag, FUTEX_WAIT_PRIVATE, 0, NULL);
	assert(rc == 0 || (rc == -1 && errno == EAGAIN));
	assert(atomic_load(&flag) == 1);
	assert(pthread_join(thread, NULL) == 0);
}

static void others(void)
{
	long at = syscall(SYS_mmap, NULL, 4096L, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);

	assert(at != -1);
	*(volatile char *)at = 1;
	assert(syscall(SYS_munmap, at, 4096L) == 0);
	errno = 0;
	/* The sixth argument counts: no such offset. */
	assert(syscall(SYS_mmap, NULL, 4096L, PROT_READ,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 1L) == -1 &&
	       errno == EINVAL);
	assert(syscall(SYS_close, -1) == -1 && errno == EBADF);
	assert(syscall(SYS_getpid) == getpid());
	assert(syscall(-1L) == -1 && errno == ENOSYS);
}

int main(void)
{
	alone();
	together();
	others();
	return 0;
}
