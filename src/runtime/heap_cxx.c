/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/heap.h"
#include "runtime/heap_control.h"
#include "runtime/real.h"

/*
 * new and delete call malloc and free, which record. These wrappers add the
 * place in the program, instead of the one in the C++ runtime; and who made a
 * block, which under control must be who ends it.
 *
 * Forms call each other: of new the outermost says it last, of delete it asks
 * first.
 */

#define READY(name)                                                            \
	do {                                                                   \
		REAL_READY();                                                  \
		if (unlikely(!real.name))                                      \
			*(void **)&real.name = real_of_cxx(#name);             \
	} while (0)

static __thread bool deleting;

#define NEW(maker, name, params, args)                                         \
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
		heap_control_made(p, maker);                                   \
		return p;                                                      \
	}

#define DELETE(maker, name, params, args)                                      \
	EXPORT void name params;                                               \
	EXPORT void name params                                                \
	{                                                                      \
		bool is_inner = deleting;                                      \
		uintptr_t outer;                                               \
                                                                               \
		READY(name);                                                   \
		if (likely(!guest_self())) {                                   \
			real.name args;                                        \
			return;                                                \
		}                                                              \
		if (!is_inner)                                                 \
			heap_control_match(p, maker, CALLER);                  \
		deleting = true;                                               \
		outer = heap_for(CALLER);                                      \
		real.name args;                                                \
		heap_for_end(outer);                                           \
		deleting = is_inner;                                           \
	}

NEW(HEAP_NEW, _Znwm, (size_t size), (size))
NEW(HEAP_NEW, _ZnwmRKSt9nothrow_t, (size_t size, const void *nothrow),
    (size, nothrow))
NEW(HEAP_NEW, _ZnwmSt11align_val_t, (size_t size, size_t alignment),
    (size, alignment))
NEW(HEAP_NEW, _ZnwmSt11align_val_tRKSt9nothrow_t,
    (size_t size, size_t alignment, const void *nothrow),
    (size, alignment, nothrow))
NEW(HEAP_NEW_ARRAY, _Znam, (size_t size), (size))
NEW(HEAP_NEW_ARRAY, _ZnamRKSt9nothrow_t, (size_t size, const void *nothrow),
    (size, nothrow))
NEW(HEAP_NEW_ARRAY, _ZnamSt11align_val_t, (size_t size, size_t alignment),
    (size, alignment))
NEW(HEAP_NEW_ARRAY, _ZnamSt11align_val_tRKSt9nothrow_t,
    (size_t size, size_t alignment, const void *nothrow),
    (size, alignment, nothrow))

DELETE(HEAP_NEW, _ZdlPv, (void *p), (p))
DELETE(HEAP_NEW, _ZdlPvm, (void *p, size_t size), (p, size))
DELETE(HEAP_NEW, _ZdlPvRKSt9nothrow_t, (void *p, const void *nothrow),
       (p, nothrow))
DELETE(HEAP_NEW, _ZdlPvSt11align_val_t, (void *p, size_t alignment),
       (p, alignment))
DELETE(HEAP_NEW, _ZdlPvmSt11align_val_t,
       (void *p, size_t size, size_t alignment), (p, size, alignment))
DELETE(HEAP_NEW, _ZdlPvSt11align_val_tRKSt9nothrow_t,
       (void *p, size_t alignment, const void *nothrow),
       (p, alignment, nothrow))
DELETE(HEAP_NEW_ARRAY, _ZdaPv, (void *p), (p))
DELETE(HEAP_NEW_ARRAY, _ZdaPvm, (void *p, size_t size), (p, size))
DELETE(HEAP_NEW_ARRAY, _ZdaPvRKSt9nothrow_t, (void *p, const void *nothrow),
       (p, nothrow))
DELETE(HEAP_NEW_ARRAY, _ZdaPvSt11align_val_t, (void *p, size_t alignment),
       (p, alignment))
DELETE(HEAP_NEW_ARRAY, _ZdaPvmSt11align_val_t,
       (void *p, size_t size, size_t alignment), (p, size, alignment))
DELETE(HEAP_NEW_ARRAY, _ZdaPvSt11align_val_tRKSt9nothrow_t,
       (void *p, size_t alignment, const void *nothrow),
       (p, alignment, nothrow))

/* ---- does the program bring its own? ---- */

static const char *const forms[] = {
	"_Znwm",
	"_ZnwmRKSt9nothrow_t",
	"_ZnwmSt11align_val_t",
	"_ZnwmSt11align_val_tRKSt9nothrow_t",
	"_Znam",
	"_ZnamRKSt9nothrow_t",
	"_ZnamSt11align_val_t",
	"_ZnamSt11align_val_tRKSt9nothrow_t",
	"_ZdlPv",
	"_ZdlPvm",
	"_ZdlPvRKSt9nothrow_t",
	"_ZdlPvSt11align_val_t",
	"_ZdlPvmSt11align_val_t",
	"_ZdlPvSt11align_val_tRKSt9nothrow_t",
	"_ZdaPv",
	"_ZdaPvm",
	"_ZdaPvRKSt9nothrow_t",
	"_ZdaPvSt11align_val_t",
	"_ZdaPvmSt11align_val_t",
	"_ZdaPvSt11align_val_tRKSt9nothrow_t",
};

bool heap_cxx_is_whole(void)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
		if (!module_is_guest((uintptr_t)dlsym(RTLD_DEFAULT, forms[i])))
			return false;
	return true;
}
