/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/runtime.h"

/*
 * The "dynamic annotations" that many programs carry. Those about order, benign
 * races, ignored regions and home-made read-write locks mean something here;
 * the others must exist, and do nothing.
 */

#define WHERE const char *file, int line

#define ANNOTATION(name, params)                                               \
	EXPORT void name params;                                               \
	EXPORT void name params

static void note(enum event_kind kind, const volatile void *addr, size_t size,
		 uintptr_t pc)
{
	struct thread *t = guest_self();

	if (t)
		record(t, kind, addr, size, 0, pc);
}

static void ignore(bool on, uintptr_t pc)
{
	struct thread *t = guest_self();

	if (!t || (!on && !t->ignoring))
		return;
	t->ignoring += on ? 1 : UINT32_MAX;
	if (t->ignoring == on)
		record(t, EVENT_NOTE_IGNORE, NULL, 0, on, pc);
}

ANNOTATION(AnnotateHappensBefore, (WHERE, const volatile void *addr))
{
	(void)file;
	(void)line;
	note(EVENT_NOTE_RELEASE, addr, 0, CALLER);
}

ANNOTATION(AnnotateHappensAfter, (WHERE, const volatile void *addr))
{
	(void)file;
	(void)line;
	note(EVENT_NOTE_ACQUIRE, addr, 0, CALLER);
}

ANNOTATION(AnnotateBenignRace,
	   (WHERE, const volatile void *addr, const char *why))
{
	(void)file;
	(void)line;
	(void)why;
	note(EVENT_NOTE_BENIGN, addr, 1, CALLER);
}

ANNOTATION(AnnotateBenignRaceSized,
	   (WHERE, const volatile void *addr, size_t size, const char *why))
{
	(void)file;
	(void)line;
	(void)why;
	note(EVENT_NOTE_BENIGN, addr, size, CALLER);
}

/* Reads and writes are ignored together. */
#define IGNORE(name, on)                                                       \
	ANNOTATION(name, (WHERE))                                              \
	{                                                                      \
		(void)file;                                                    \
		(void)line;                                                    \
		ignore(on, CALLER);                                            \
	}

IGNORE(AnnotateIgnoreReadsBegin, true)
IGNORE(AnnotateIgnoreReadsEnd, false)
IGNORE(AnnotateIgnoreWritesBegin, true)
IGNORE(AnnotateIgnoreWritesEnd, false)

ANNOTATION(AnnotateRWLockCreate, (WHERE, const volatile void *lock))
{
	(void)file;
	(void)line;
	note(EVENT_RWLOCK_INIT, lock, 0, CALLER);
}

ANNOTATION(AnnotateRWLockCreateStatic, (WHERE, const volatile void *lock))
{
	(void)file;
	(void)line;
	note(EVENT_RWLOCK_INIT, lock, 0, CALLER);
}

ANNOTATION(AnnotateRWLockDestroy, (WHERE, const volatile void *lock))
{
	(void)file;
	(void)line;
	note(EVENT_RWLOCK_DESTROY, lock, 0, CALLER);
}

ANNOTATION(AnnotateRWLockAcquired,
	   (WHERE, const volatile void *lock, long is_write))
{
	(void)file;
	(void)line;
	note(is_write ? EVENT_RWLOCK_WRLOCK : EVENT_RWLOCK_RDLOCK, lock, 0,
	     CALLER);
}

ANNOTATION(AnnotateRWLockReleased,
	   (WHERE, const volatile void *lock, long is_write))
{
	(void)file;
	(void)line;
	(void)is_write;
	note(EVENT_RWLOCK_UNLOCK, lock, 0, CALLER);
}

/* Arguments that are not looked at need no names, and no types. */
#define NOTHING(name)                                                          \
	ANNOTATION(name, (void))                                               \
	{                                                                      \
	}

NOTHING(AnnotateIgnoreSyncBegin)
NOTHING(AnnotateIgnoreSyncEnd)
NOTHING(AnnotateEnableRaceDetection)
NOTHING(AnnotateCondVarSignal)
NOTHING(AnnotateCondVarSignalAll)
NOTHING(AnnotateCondVarWait)
NOTHING(AnnotateMutexIsNotPHB)
NOTHING(AnnotateMutexIsUsedAsCondVar)
NOTHING(AnnotateNewMemory)
NOTHING(AnnotatePublishMemoryRange)
NOTHING(AnnotateUnpublishMemoryRange)
NOTHING(AnnotatePCQCreate)
NOTHING(AnnotatePCQDestroy)
NOTHING(AnnotatePCQGet)
NOTHING(AnnotatePCQPut)
NOTHING(AnnotateExpectRace)
NOTHING(AnnotateFlushExpectedRaces)
NOTHING(AnnotateFlushState)
NOTHING(AnnotateNoOp)
NOTHING(AnnotateThreadName)
NOTHING(AnnotateTraceMemory)
