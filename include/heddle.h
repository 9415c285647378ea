/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_H
#define HEDDLE_H

/*
 * What a program may tell heddle about itself. See heddle.h(3).
 *
 * Include this file and build as ever: nothing is linked. Without heddle's
 * runtime in the process each call is a look at an address that is NULL; with
 * the runtime but not under heddle, it returns at once. Any thread may call at
 * any time, also from a handler of a signal.
 */

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The runtime's side. Do not call these: they may not be there. */
#define HEDDLE_WEAK __attribute__((weak))
HEDDLE_WEAK void heddle_on_benign(const volatile void *addr, size_t size);
HEDDLE_WEAK void heddle_on_ignore_begin(void);
HEDDLE_WEAK void heddle_on_ignore_end(void);
HEDDLE_WEAK void heddle_on_release(const volatile void *addr);
HEDDLE_WEAK void heddle_on_acquire(const volatile void *addr);
HEDDLE_WEAK void heddle_on_ready(void);
HEDDLE_WEAK void heddle_on_point(void);
#undef HEDDLE_WEAK

/* Always inlined, so that reports name the place that called. */
#define HEDDLE_INLINE static inline __attribute__((always_inline, unused))

/* Races on these bytes are intended: do not report them. */
HEDDLE_INLINE void heddle_benign(const volatile void *addr, size_t size)
{
	if (heddle_on_benign)
		heddle_on_benign(addr, size);
}

/* What this thread reads and writes until heddle_ignore_end is not recorded,
 * but for synchronisation and atomic accesses. Regions nest. */
HEDDLE_INLINE void heddle_ignore_begin(void)
{
	if (heddle_on_ignore_begin)
		heddle_on_ignore_begin();
}

HEDDLE_INLINE void heddle_ignore_end(void)
{
	if (heddle_on_ignore_end)
		heddle_on_ignore_end();
}

/* Synchronisation that heddle cannot see: what happened before a release of an
 * address happened before what follows an acquire of the same address that
 * comes after it. Release before you signal, acquire after you were. */
HEDDLE_INLINE void heddle_release(const volatile void *addr)
{
	if (heddle_on_release)
		heddle_on_release(addr);
}

HEDDLE_INLINE void heddle_acquire(const volatile void *addr)
{
	if (heddle_on_acquire)
		heddle_on_acquire(addr);
}

/* The program has started up; what is worth testing begins here. */
HEDDLE_INLINE void heddle_ready(void)
{
	if (heddle_on_ready)
		heddle_on_ready();
}

/* Other threads may run here: for loops that wait without an access that
 * heddle could see. */
HEDDLE_INLINE void heddle_point(void)
{
	if (heddle_on_point)
		heddle_on_point();
}

#undef HEDDLE_INLINE

#ifdef __cplusplus
}
#endif

#endif
