/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/filter.h"
#include "runtime/latch.h"
#include "runtime/pairs.h"
#include "runtime/perturb.h"
#include "runtime/runtime.h"
#include "runtime/spin.h"
#include "runtime/turn.h"
#include "runtime/values.h"

/*
 * The compiler's hooks for atomic accesses. They stand *for* the access: what
 * the program asked for is done here, recording or not.
 *
 * While recording, an operation and its stamp are taken under a lock chosen by
 * the address, so that the stamps of one location have the order in which its
 * values came and went, and a reader can tell which store a load saw. (Atomic
 * accesses of code we did not compile do not take the lock; they are invisible
 * in any case.)
 *
 * The lock is held for a few instructions and never while a handler of the
 * program runs: guest_enter puts those off.
 */

enum { STRIPES = 1024 };

struct stripe {
	_Alignas(64) struct latch latch;
	uint32_t changes; /* stores and successful exchanges so far */
};

static struct stripe stripes[STRIPES];

static struct stripe *stripe_lock(struct thread *t, const volatile void *addr,
				  size_t size, enum event_kind kind,
				  uintptr_t pc)
{
	uintptr_t a = (uintptr_t)addr >> 3;
	struct stripe *s = &stripes[(a ^ a >> 10) % STRIPES];

	if (unlikely(perturbing))
		perturb_access(t, (uintptr_t)addr, 1, kind, pc);
	guest_enter(t);
	if (unlikely(controlled))
		control_atomic(t, kind, addr, size, pc);
	latch_take(&s->latch);
	return s;
}

static void stripe_unlock(struct thread *t, struct stripe *s)
{
	latch_give(&s->latch);
	guest_leave(t);
}

static enum pair_access pair_access_of(enum event_kind kind)
{
	switch (kind) {
	case EVENT_ATOMIC_LOAD:
	case EVENT_ATOMIC_CAS_FAIL:
		return PAIR_READ;
	case EVENT_ATOMIC_RMW:
		return PAIR_UPDATE;
	default:
		return PAIR_WRITE;
	}
}

static void atomic_record(struct thread *t, enum event_kind kind,
			  const volatile void *addr, size_t size, int order,
			  uintptr_t pc)
{
	if (t->ignoring)
		return;
	if (unlikely(pairing))
		pairs_access(t, (uintptr_t)addr, size, pair_access_of(kind),
			     pc);
	if (!recording)
		return;
	if (!controlled)
		filter_share(t, (uintptr_t)addr, size);
	record(t, kind, addr, size, (uint64_t)order & 7, pc);
}

static void change_record(struct thread *t, struct stripe *s,
			  enum event_kind kind, const volatile void *addr,
			  size_t size, int order, uintptr_t pc)
{
	s->changes++;
	atomic_record(t, kind, addr, size, order, pc);
}

/* A thread that waits for a value loads it millions of times. A load that
 * repeats the thread's last event, with nothing stored in between, tells
 * nothing new and is left out. */
static void load_record(struct thread *t, struct stripe *s,
			enum event_kind kind, const volatile void *addr,
			size_t size, int order, uintptr_t pc)
{
	if (t->spin.addr == (uintptr_t)addr && t->spin.pc == pc &&
	    t->spin.changes == s->changes && t->spin.put == t->put)
		return;
	atomic_record(t, kind, addr, size, order, pc);
	t->spin.addr = (uintptr_t)addr;
	t->spin.pc = pc;
	t->spin.changes = s->changes;
	t->spin.put = t->put;
}

typedef unsigned __int128 u128;

/* Sixteen bytes: the processor has only compare-and-swap for them. */
static u128 swap128(volatile u128 *a, u128 expected, u128 wanted)
{
	return __sync_val_compare_and_swap(a, expected, wanted);
}

#define OPS_NATIVE(bits, type)                                                 \
	static inline type load##bits(const volatile type *a)                  \
	{                                                                      \
		return __atomic_load_n(a, __ATOMIC_SEQ_CST);                   \
	}                                                                      \
	static inline void store##bits(volatile type *a, type v, int order)    \
	{                                                                      \
		if ((order & 7) == __ATOMIC_SEQ_CST)                           \
			__atomic_store_n(a, v, __ATOMIC_SEQ_CST);              \
		else                                                           \
			__atomic_store_n(a, v, __ATOMIC_RELEASE);              \
	}                                                                      \
	static inline bool cas##bits(volatile type *a, type *c, type v)        \
	{                                                                      \
		return __atomic_compare_exchange_n(                            \
			a, c, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);   \
	}

#define RMW_NATIVE(bits, type, name, builtin)                                  \
	static inline type name##bits(volatile type *a, type v)                \
	{                                                                      \
		return builtin(a, v, __ATOMIC_SEQ_CST);                        \
	}

#define OPS_WIDE(bits, type)                                                   \
	static inline type load##bits(const volatile type *a)                  \
	{                                                                      \
		return swap128((volatile type *)(uintptr_t)a, 0, 0);           \
	}                                                                      \
	static inline bool cas##bits(volatile type *a, type *c, type v)        \
	{                                                                      \
		type expected = *c;                                            \
		*c = swap128(a, expected, v);                                  \
		return *c == expected;                                         \
	}                                                                      \
	static inline void store##bits(volatile type *a, type v, int order)    \
	{                                                                      \
		type seen = *a;                                                \
		(void)order;                                                   \
		while (!cas##bits(a, &seen, v))                                \
			;                                                      \
	}

#define RMW_WIDE(bits, type, name, value)                                      \
	static inline type name##bits(volatile type *a, type v)                \
	{                                                                      \
		type seen = *a;                                                \
		while (!cas##bits(a, &seen, value))                            \
			;                                                      \
		return seen;                                                   \
	}

#define HOOK_LOAD(bits, type)                                                  \
	EXPORT type __tsan_atomic##bits##_load(const volatile type *a,         \
					       int order);                     \
	EXPORT type __tsan_atomic##bits##_load(const volatile type *a,         \
					       int order)                      \
	{                                                                      \
		struct thread *t = guest_self();                               \
		struct stripe *s;                                              \
		type v;                                                        \
                                                                               \
		if (!t)                                                        \
			return load##bits(a);                                  \
		s = stripe_lock(t, a, sizeof(type), EVENT_ATOMIC_LOAD,         \
				CALLER);                                       \
		v = load##bits(a);                                             \
		load_record(t, s, EVENT_ATOMIC_LOAD, a, sizeof(type), order,   \
			    CALLER);                                           \
		stripe_unlock(t, s);                                           \
		return v;                                                      \
	}

#define HOOK_STORE(bits, type)                                                 \
	EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v,      \
						int order);                    \
	EXPORT void __tsan_atomic##bits##_store(volatile type *a, type v,      \
						int order)                     \
	{                                                                      \
		struct thread *t = guest_self();                               \
		struct stripe *s;                                              \
                                                                               \
		if (!t) {                                                      \
			store##bits(a, v, order);                              \
			return;                                                \
		}                                                              \
		s = stripe_lock(t, a, sizeof(type), EVENT_ATOMIC_STORE,        \
				CALLER);                                       \
		if (unlikely(controlled) && load##bits(a) != v)                \
			spin_change();                                         \
		change_record(t, s, EVENT_ATOMIC_STORE, a, sizeof(type),       \
			      order, CALLER);                                  \
		store##bits(a, v, order);                                      \
		stripe_unlock(t, s);                                           \
	}

#define HOOK_RMW(bits, type, name)                                             \
	EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v,     \
						 int order);                   \
	EXPORT type __tsan_atomic##bits##_##name(volatile type *a, type v,     \
						 int order)                    \
	{                                                                      \
		struct thread *t = guest_self();                               \
		struct stripe *s;                                              \
		type old;                                                      \
                                                                               \
		if (!t)                                                        \
			return name##bits(a, v);                               \
		s = stripe_lock(t, a, sizeof(type), EVENT_ATOMIC_RMW, CALLER); \
		old = name##bits(a, v);                                        \
		if (unlikely(controlled) && load##bits(a) != old)              \
			spin_change();                                         \
		change_record(t, s, EVENT_ATOMIC_RMW, a, sizeof(type), order,  \
			      CALLER);                                         \
		stripe_unlock(t, s);                                           \
		return old;                                                    \
	}

#define HOOK_CAS(bits, type, name, result, unwrap, wrap)                       \
	EXPORT result __tsan_atomic##bits##_compare_exchange_##name(           \
		volatile type *a, type unwrap c, type v, int order,            \
		int fail_order);                                               \
	EXPORT result __tsan_atomic##bits##_compare_exchange_##name(           \
		volatile type *a, type unwrap c, type v, int order,            \
		int fail_order)                                                \
	{                                                                      \
		struct thread *t = guest_self();                               \
		struct stripe *s;                                              \
		bool done;                                                     \
                                                                               \
		if (!t) {                                                      \
			done = cas##bits(a, wrap c, v);                        \
			(void)done;                                            \
			return RESULT_##name;                                  \
		}                                                              \
		s = stripe_lock(t, a, sizeof(type), EVENT_ATOMIC_RMW, CALLER); \
		done = cas##bits(a, wrap c, v);                                \
		if (unlikely(controlled) && done && *(wrap c) != v)            \
			spin_change();                                         \
		if (!done)                                                     \
			values_failed();                                       \
		if (done)                                                      \
			change_record(t, s, EVENT_ATOMIC_RMW, a, sizeof(type), \
				      order, CALLER);                          \
		else                                                           \
			load_record(t, s, EVENT_ATOMIC_CAS_FAIL, a,            \
				    sizeof(type), fail_order, CALLER);         \
		stripe_unlock(t, s);                                           \
		return RESULT_##name;                                          \
	}

#define RESULT_strong done
#define RESULT_weak done
#define RESULT_val c

#define HOOKS(bits, type)                                                      \
	HOOK_LOAD(bits, type)                                                  \
	HOOK_STORE(bits, type)                                                 \
	HOOK_RMW(bits, type, exchange)                                         \
	HOOK_RMW(bits, type, fetch_add)                                        \
	HOOK_RMW(bits, type, fetch_sub)                                        \
	HOOK_RMW(bits, type, fetch_and)                                        \
	HOOK_RMW(bits, type, fetch_or)                                         \
	HOOK_RMW(bits, type, fetch_xor)                                        \
	HOOK_RMW(bits, type, fetch_nand)                                       \
	HOOK_CAS(bits, type, strong, int, *, )                                 \
	HOOK_CAS(bits, type, weak, int, *, )                                   \
	HOOK_CAS(bits, type, val, type, , &)

#define NATIVE(bits, type)                                                     \
	OPS_NATIVE(bits, type)                                                 \
	RMW_NATIVE(bits, type, exchange, __atomic_exchange_n)                  \
	RMW_NATIVE(bits, type, fetch_add, __atomic_fetch_add)                  \
	RMW_NATIVE(bits, type, fetch_sub, __atomic_fetch_sub)                  \
	RMW_NATIVE(bits, type, fetch_and, __atomic_fetch_and)                  \
	RMW_NATIVE(bits, type, fetch_or, __atomic_fetch_or)                    \
	RMW_NATIVE(bits, type, fetch_xor, __atomic_fetch_xor)                  \
	RMW_NATIVE(bits, type, fetch_nand, __atomic_fetch_nand)                \
	HOOKS(bits, type)

NATIVE(8, uint8_t)
NATIVE(16, uint16_t)
NATIVE(32, uint32_t)
NATIVE(64, uint64_t)

OPS_WIDE(128, u128)
RMW_WIDE(128, u128, exchange, v)
RMW_WIDE(128, u128, fetch_add, seen + v)
RMW_WIDE(128, u128, fetch_sub, seen - v)
RMW_WIDE(128, u128, fetch_and, seen &v)
RMW_WIDE(128, u128, fetch_or, seen | v)
RMW_WIDE(128, u128, fetch_xor, seen ^ v)
RMW_WIDE(128, u128, fetch_nand, ~(seen &v))
HOOKS(128, u128)

EXPORT void __tsan_atomic_thread_fence(int order);
EXPORT void __tsan_atomic_thread_fence(int order)
{
	struct thread *t = guest_self();

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (t)
		record(t, EVENT_FENCE, NULL, 0, (uint64_t)order & 7, CALLER);
}

EXPORT void __tsan_atomic_signal_fence(int order);
EXPORT void __tsan_atomic_signal_fence(int order)
{
	(void)order;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}
