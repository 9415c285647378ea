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
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a function of the program's puts what makes an element: all that
 * matters, what pointers lead to instead of pointers, no time stamps. */
struct heddle_element;
typedef void heddle_describe(struct heddle_element *to, const void *item);

/* Tells components of the state as they are when it is called. */
typedef void heddle_summary(void *arg);

/* What a component is: how its elements count, and how they change. */
enum heddle_kind {
	HEDDLE_SET,
	HEDDLE_MULTISET,
	HEDDLE_SEQUENCE,
	HEDDLE_MAP,
	HEDDLE_COUNTER,
	HEDDLE_BYTES
};
enum heddle_change { HEDDLE_ADD, HEDDLE_REMOVE, HEDDLE_PUT, HEDDLE_CLEAR };

/* The runtime's side. Do not call these: they may not be there. */
#define HEDDLE_WEAK __attribute__((weak))
HEDDLE_WEAK void heddle_on_benign(const volatile void *addr, size_t size);
HEDDLE_WEAK void heddle_on_ignore_begin(void);
HEDDLE_WEAK void heddle_on_ignore_end(void);
HEDDLE_WEAK void heddle_on_release(const volatile void *addr);
HEDDLE_WEAK void heddle_on_acquire(const volatile void *addr);
HEDDLE_WEAK void heddle_on_ready(void);
HEDDLE_WEAK void heddle_on_point(void);
HEDDLE_WEAK void heddle_on_request_begin(const void *input, size_t size);
HEDDLE_WEAK void heddle_on_request_end(const void *output, size_t size);
HEDDLE_WEAK void heddle_on_state(const char *name, int kind, int change,
				 const void *key, size_t key_size,
				 const void *value, size_t value_size);
HEDDLE_WEAK void heddle_on_described(const char *name, int kind, int change,
				     const void *key, size_t key_size,
				     heddle_describe *describe,
				     const void *item);
HEDDLE_WEAK void heddle_on_element(struct heddle_element *to, const void *bytes,
				   size_t size);
HEDDLE_WEAK void heddle_on_summary(heddle_summary *summary, void *arg);
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

/*
 * Requests, for heddle-linear(1): what lies between begin and end is one
 * request of this thread. Input and output are any bytes; they tell the
 * request, and what came of it, to people and to the comparison.
 */
HEDDLE_INLINE void heddle_request_begin(const void *input, size_t size)
{
	if (heddle_on_request_begin)
		heddle_on_request_begin(input, size);
}

HEDDLE_INLINE void heddle_request_end(const void *output, size_t size)
{
	if (heddle_on_request_end)
		heddle_on_request_end(output, size);
}

/*
 * State, in components with names. Tell each change where it happens, or all
 * of it in a summary, which is called when the run is over and everything
 * stands still; other threads do not run meanwhile, so a summary needs no locks
 * and must take none.
 */
HEDDLE_INLINE void heddle_state_summary(heddle_summary *summary, void *arg)
{
	if (heddle_on_summary)
		heddle_on_summary(summary, arg);
}

HEDDLE_INLINE void heddle_set_add(const char *name, const void *element,
				  size_t size)
{
	if (heddle_on_state)
		heddle_on_state(name, HEDDLE_SET, HEDDLE_ADD, NULL, 0, element,
				size);
}

HEDDLE_INLINE void heddle_set_remove(const char *name, const void *element,
				     size_t size)
{
	if (heddle_on_state)
		heddle_on_state(name, HEDDLE_SET, HEDDLE_REMOVE, NULL, 0,
				element, size);
}

HEDDLE_INLINE void heddle_multiset_add(const char *name, const void *element,
				       size_t size)
{
	if (heddle_on_state)
		heddle_on_state(name, HEDDLE_MULTISET, HEDDLE_ADD, NULL, 0,
				element, size);
}

HEDDLE_INLINE void heddle_multiset_remove(const char *name, const void *element,
					  size_t size)
{
	if (heddle_on_state)
		heddle_on_state(name, HEDDLE_MULTISET, HEDDLE_REMOVE, NULL, 0,
				element, size);
}

HEDDLE_INLINE void heddle_multiset_replace(const char *name, const void *before,
					   size_t before_size,
					   const void *after, size_t after_size)
{
	heddle_multiset_remove(name, before, before_size);
	heddle_multiset_add(name, after, after_size);
}

HEDDLE_INLINE void heddle_sequence_append(const char *name, const void *element,
					  size_t size)
{
	if (heddle_on_state)
		heddle_on_state(name, HEDDLE_SEQUENCE, HEDDLE_ADD, NULL, 0,
				element, size);
}

HEDDLE_INLINE void heddle_map_put(const char *name, const void *key,
				  size_t key_size, const void *value,
				  size_t size)
{
	if (heddle_on_state)
		heddle_on_state(name, HEDDLE_MAP, HEDDLE_PUT, key, key_size,
				value, size);
}

HEDDLE_INLINE void heddle_map_remove(const char *name, const void *key,
				     size_t key_size)
{
	if (heddle_on_state)
		heddle_on_state(name, HEDDLE_MAP, HEDDLE_REMOVE, key, key_size,
				NULL, 0);
}

HEDDLE_INLINE void heddle_counter_add(const char *name, int64_t number)
{
	if (heddle_on_state)
		heddle_on_state(name, HEDDLE_COUNTER, HEDDLE_ADD, NULL, 0,
				&number, sizeof(number));
}

HEDDLE_INLINE void heddle_counter_set(const char *name, int64_t number)
{
	if (heddle_on_state)
		heddle_on_state(name, HEDDLE_COUNTER, HEDDLE_PUT, NULL, 0,
				&number, sizeof(number));
}

HEDDLE_INLINE void heddle_bytes_set(const char *name, const void *bytes,
				    size_t size)
{
	if (heddle_on_state)
		heddle_on_state(name, HEDDLE_BYTES, HEDDLE_PUT, NULL, 0, bytes,
				size);
}

/* All elements go. */
HEDDLE_INLINE void heddle_state_clear(const char *name, enum heddle_kind kind)
{
	if (heddle_on_state)
		heddle_on_state(name, kind, HEDDLE_CLEAR, NULL, 0, NULL, 0);
}

/* A change of any kind, with an element that `describe` puts together. The key
 * is that of a map. */
HEDDLE_INLINE void heddle_state_described(const char *name,
					  enum heddle_kind kind,
					  enum heddle_change change,
					  const void *key, size_t key_size,
					  heddle_describe *describe,
					  const void *item)
{
	if (heddle_on_described)
		heddle_on_described(name, kind, change, key, key_size, describe,
				    item);
}

HEDDLE_INLINE void heddle_element_bytes(struct heddle_element *to,
					const void *bytes, size_t size)
{
	if (heddle_on_element)
		heddle_on_element(to, bytes, size);
}

/* With its end, so that "ab", "c" and "a", "bc" differ. */
HEDDLE_INLINE void heddle_element_text(struct heddle_element *to,
				       const char *text)
{
	size_t size = 0;

	while (text[size++])
		;
	heddle_element_bytes(to, text, size);
}

#undef HEDDLE_INLINE

#ifdef __cplusplus
}
#endif

#endif
