/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/through.h"

#include "runtime/real.h"

__thread uintptr_t through_pc;

/* Also when the runtime throws, or the thread is cancelled. */
static void through_end(const uintptr_t *outer)
{
	through_pc = *outer;
}

/* Names that are macros are replaced first. */
#define THROUGH(name, params, args) THROUGH_NAMED(name, params, args)
#define THROUGH_NAMED(name, params, args)                                      \
	EXPORT_MEMBER void name params;                                        \
	EXPORT void name params                                                \
	{                                                                      \
		uintptr_t outer                                                \
			__attribute__((cleanup(through_end), unused)) =        \
				through_pc;                                    \
                                                                               \
		REAL_READY();                                                  \
		if (unlikely(!real.name))                                      \
			*(void **)&real.name = real_of_cxx(#name);             \
		through_pc = CALLER;                                           \
		real.name args;                                                \
	}

/* std::thread: what the constructor calls, join, detach */
#define JOINED(a, b) a##b
#define START_THREAD                                                           \
	JOINED(_ZNSt6thread15_M_start_threadESt10unique_ptr,                   \
	       INS_6_StateESt14default_deleteIS1_EEPFvvE)
THROUGH(START_THREAD, (void *thread, void *state, void (*depend)(void)),
	(thread, state, depend))
THROUGH(_ZNSt6thread4joinEv, (void *thread), (thread))
THROUGH(_ZNSt6thread6detachEv, (void *thread), (thread))

/* std::condition_variable: wait, notify_one, notify_all */
THROUGH(_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE,
	(void *condition, void *lock), (condition, lock))
THROUGH(_ZNSt18condition_variable10notify_oneEv, (void *condition), (condition))
THROUGH(_ZNSt18condition_variable10notify_allEv, (void *condition), (condition))
