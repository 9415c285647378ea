/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/heap.h"
#include "runtime/real.h"
#include "runtime/runtime.h"

/*
 * new and delete call malloc and free, which record. These wrappers add but
 * one thing: the place in the program, instead of the one in the C++ runtime.
 *
 * A program in C may load a plugin in C++. Then the C++ runtime came after the
 * table of real functions was filled, and the plugin finds us before it.
 */

/* Never returns without the function: somebody has just called it by name, so
 * somebody has it. */
static COLD void *late_find(const char *name)
{
	void *runtime = real.dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *function = runtime ? dlsym(runtime, name) : NULL;

	if (!function)
		__builtin_trap();
	return function;
}

#define READY(name)                                                            \
	do {                                                                   \
		REAL_READY();                                                  \
		if (unlikely(!real.name))                                      \
			*(void **)&real.name = late_find(#name);               \
	} while (0)

#define NEW(name, params, args)                                                \
	EXPORT void *name params;                                              \
	EXPORT void *name params                                               \
	{                                                                      \
		uintptr_t outer;                                               \
		void *p;                                                       \
                                                                               \
		READY(name);                                                   \
		if (likely(!guest_self()))                                     \
			return real.name args;                                 \
		outer = heap_for(CALLER);                                      \
		p = real.name args;                                            \
		heap_for_end(outer);                                           \
		return p;                                                      \
	}

#define DELETE(name, params, args)                                             \
	EXPORT void name params;                                               \
	EXPORT void name params                                                \
	{                                                                      \
		uintptr_t outer;                                               \
                                                                               \
		READY(name);                                                   \
		if (likely(!guest_self())) {                                   \
			real.name args;                                        \
			return;                                                \
		}                                                              \
		outer = heap_for(CALLER);                                      \
		real.name args;                                                \
		heap_for_end(outer);                                           \
	}

NEW(_Znwm, (size_t size), (size))
NEW(_ZnwmRKSt9nothrow_t, (size_t size, const void *nothrow), (size, nothrow))
NEW(_ZnwmSt11align_val_t, (size_t size, size_t alignment), (size, alignment))
NEW(_ZnwmSt11align_val_tRKSt9nothrow_t,
    (size_t size, size_t alignment, const void *nothrow),
    (size, alignment, nothrow))
NEW(_Znam, (size_t size), (size))
NEW(_ZnamRKSt9nothrow_t, (size_t size, const void *nothrow), (size, nothrow))
NEW(_ZnamSt11align_val_t, (size_t size, size_t alignment), (size, alignment))
NEW(_ZnamSt11align_val_tRKSt9nothrow_t,
    (size_t size, size_t alignment, const void *nothrow),
    (size, alignment, nothrow))

DELETE(_ZdlPv, (void *p), (p))
DELETE(_ZdlPvm, (void *p, size_t size), (p, size))
DELETE(_ZdlPvRKSt9nothrow_t, (void *p, const void *nothrow), (p, nothrow))
DELETE(_ZdlPvSt11align_val_t, (void *p, size_t alignment), (p, alignment))
DELETE(_ZdlPvmSt11align_val_t, (void *p, size_t size, size_t alignment),
       (p, size, alignment))
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t,
       (void *p, size_t alignment, const void *nothrow),
       (p, alignment, nothrow))
DELETE(_ZdaPv, (void *p), (p))
DELETE(_ZdaPvm, (void *p, size_t size), (p, size))
DELETE(_ZdaPvRKSt9nothrow_t, (void *p, const void *nothrow), (p, nothrow))
DELETE(_ZdaPvSt11align_val_t, (void *p, size_t alignment), (p, alignment))
DELETE(_ZdaPvmSt11align_val_t, (void *p, size_t size, size_t alignment),
       (p, size, alignment))
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t,
       (void *p, size_t alignment, const void *nothrow),
       (p, alignment, nothrow))
