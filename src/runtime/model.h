/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_MODEL_H
#define HEDDLE_MODEL_H

/*
 * The primitives under control, one model_<noun>.c each, as the real functions
 * behave but without ever blocking in the kernel: a thread waits for the turn
 * instead, until what it wants can be done at once.
 *
 * Where libc has an operation that does not wait (try), the real object is used
 * and stays true: its owner, its count, its errors are libc's, and a process
 * that is forked, a debugger, or code that we do not see finds it as it should
 * be. Whether a thread can go on is read off the real object. What has no such
 * operation (conditions, barriers, a once under way) is kept by the model.
 *
 * Objects that are shared with other processes stay true as well, but others
 * change them; see model_is_apart.
 *
 * The functions return what the real ones return, and leave the recording to
 * the wrappers in sync_*.c. `pc` is where the program called.
 */

#include "runtime/turn.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

#pragma GCC visibility push(hidden)

/* ---- model_wait.c: what they have in common ---- */

/* As turn_await, but a deadline that has passed already makes nobody wait: the
 * thread can, or cannot. */
bool model_await(struct thread *t, enum event_kind kind,
		 const volatile void *object, uintptr_t pc, turn_can *can,
		 uint64_t deadline);

/* The same in a call that signals interrupt: 0, ETIMEDOUT or EINTR. */
int model_await_signal(struct thread *t, enum event_kind kind,
		       const volatile void *object, uintptr_t pc, turn_can *can,
		       uint64_t deadline);

/* The program makes an object, or destroys it: a point while there are other
 * threads, which may use it at any moment. */
void model_remake(enum event_kind kind, const volatile void *object,
		  uintptr_t pc);

/* A sleep that another thread ends, where the real object does not tell.
 * Thread t sleeps on `object` from model_sleep on, and until model_sleep_end it
 * stands before can_be_woken (also true when the thread was cancelled) or
 * can_be_woken_only. A handler of a signal that runs meanwhile does not end
 * the sleep. `bits` say who can wake it; ANY_BITS: everybody. */
#define ANY_BITS UINT32_MAX
void model_sleep(struct thread *t, enum event_kind kind,
		 const volatile void *object, uint32_t bits);
turn_can can_be_woken, can_be_woken_only;

bool model_sleeps(uint32_t number);

/* True: it was woken. */
bool model_sleep_end(struct thread *t);

/* Of those that sleep on object and were not woken: one by choice, NO_THREAD
 * when there is none; how many there are; wakes all. */
uint32_t model_sleeper_pick(struct thread *t, enum event_kind kind,
			    const volatile void *object, uint32_t bits);
uint32_t model_sleepers(enum event_kind kind, const volatile void *object);

/* The same threads by bit, as far as there are bits. */
uint64_t model_sleeper_set(enum event_kind kind, const volatile void *object);
void model_wake_all(enum event_kind kind, const volatile void *object);

/* Wakes a sleeper, or makes it sleep on something else. */
void model_wake(uint32_t number);
void model_move(uint32_t number, const volatile void *object);

/* Was the thread cancelled, so that it should act on it at a cancellation
 * point? model_cancel does, and does not return if there is something to act
 * on; the thread must not be inside. */
bool model_is_cancelled(uint32_t number);
void model_cancel(struct thread *t);

/* Has the thread with this kernel number ended as far as the turn goes? What it
 * held may still be marked as held for a moment. */
bool model_is_over(int kernel_tid);

/* The program maps a file for writing: another program may do so, too, or
 * another run of this one. */
void model_have_company(void);

/* An object that processes share may change behind our back once there is
 * another process or may be. Then it is waited for as the world is
 * (blocking.h): 0, when `can` held a moment ago, ETIMEDOUT or EINTR. */
bool model_is_apart(bool is_shared);
int model_await_apart(struct thread *t, const volatile void *object,
		      uintptr_t pc, turn_can *can, uint64_t deadline);

/* Between these two a real call may block; for objects that have no operation
 * that does not wait. */
void model_away(struct thread *t, enum event_kind kind,
		const volatile void *object, uintptr_t pc);
void model_back(struct thread *t);

/* A time of the program's clock as a time of the real one. */
struct timespec model_real_time(clockid_t which, const struct timespec *until);

/* Can this be waited for, or will the real function refuse it? */
bool model_is_time(clockid_t which, const struct timespec *until);

/* ---- the primitives ---- */

/* model_mutex.c. A wait with a time that is none, or by an unknown clock,
 * returns at once in each of these: libc says how. */
int model_mutex_lock(pthread_mutex_t *mutex, uintptr_t pc);
int model_mutex_clocklock(pthread_mutex_t *mutex, clockid_t which,
			  const struct timespec *until, uintptr_t pc);
int model_mutex_trylock(pthread_mutex_t *mutex, uintptr_t pc);
int model_mutex_unlock(pthread_mutex_t *mutex, uintptr_t pc);

/* For conditions: take it again, or let it go; the thread is inside. */
int model_mutex_take(struct thread *t, pthread_mutex_t *mutex,
		     uint64_t deadline, uintptr_t pc);
int model_mutex_let_go(struct thread *t, pthread_mutex_t *mutex);

/* model_cond.c. `until` NULL: without a limit. */
int model_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex,
		    clockid_t which, const struct timespec *until,
		    uintptr_t pc);
int model_cond_signal(pthread_cond_t *cond, uintptr_t pc);
int model_cond_broadcast(pthread_cond_t *cond, uintptr_t pc);
int model_cond_destroy(pthread_cond_t *cond, uintptr_t pc);
clockid_t model_cond_clock(const pthread_cond_t *cond);

/* model_sem.c */
int model_sem_wait(sem_t *sem, clockid_t which, const struct timespec *until,
		   uintptr_t pc);
int model_sem_trywait(sem_t *sem, uintptr_t pc);
void model_sem_point(sem_t *sem, uintptr_t pc);
int model_sem_post(sem_t *sem, uintptr_t pc);

/* model_rwlock.c */
int model_rwlock_rdlock(pthread_rwlock_t *lock, clockid_t which,
			const struct timespec *until, uintptr_t pc);
int model_rwlock_wrlock(pthread_rwlock_t *lock, clockid_t which,
			const struct timespec *until, uintptr_t pc);
int model_rwlock_tryrdlock(pthread_rwlock_t *lock, uintptr_t pc);
int model_rwlock_trywrlock(pthread_rwlock_t *lock, uintptr_t pc);
int model_rwlock_unlock(pthread_rwlock_t *lock, uintptr_t pc);

/* model_barrier.c */
int model_barrier_wait(pthread_barrier_t *barrier, uintptr_t pc);

/* model_join.c: waits until thread `number`, which is known, has ended. 0: the
 * real join does not wait any more (or refuses at once); else its result. */
int model_join(struct thread *t, uint32_t number, clockid_t which,
	       const struct timespec *until, uintptr_t pc);

/* Has somebody waited for the end of every thread but one? */
bool model_all_joined(void);

/* Has it ended? If so the real join does not wait. */
bool model_tryjoin(struct thread *t, uint32_t number, uintptr_t pc);

/* model_once.c: before the real function, which then does not wait; in the
 * thread that runs the initialiser; before that one is done; and after it is
 * done or has given up. */
void model_once_enter(const int *once, uintptr_t pc);
void model_guard_enter(const uint64_t *guard, uintptr_t pc);
void model_once_won(const void *object, uintptr_t pc);
void model_once_point(const void *object, uintptr_t pc);
void model_once_leave(const void *object);

/* model_spin.c */
void model_spin_init(const pthread_spinlock_t *lock, bool is_shared);
int model_spin_lock(pthread_spinlock_t *lock, uintptr_t pc);
int model_spin_trylock(pthread_spinlock_t *lock, uintptr_t pc);
int model_spin_unlock(pthread_spinlock_t *lock, uintptr_t pc);

/* model_futex.c: as the system call, whose arguments these are. */
struct futex_call {
	uint32_t *word;
	int operation;
	uint32_t value;
	const struct timespec *timeout; /* or a number */
	uint32_t *other;
	uint32_t other_value;
};

/* True: done, with *result as the kernel gives it. False: it is not modelled,
 * and is to be a real call. */
bool model_futex(const struct futex_call *call, uintptr_t pc, long *result);

#pragma GCC visibility pop

#endif
