/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_REAL_H
#define HEDDLE_REAL_H

/*
 * The one table of real functions: what the program would have called if the
 * guest were not in front. `real.pthread_mutex_lock(m)` costs one load and one
 * indirect call.
 *
 * Nobody has to ask whether the table is filled. Until real_init() has run
 * each entry leads to a few instructions that run it and go on to the real
 * function with all arguments as they were; so a wrapper may be reached from
 * another library's constructor, or from the dynamic linker itself. After
 * real_init() an entry never changes. An entry is NULL when no module has the
 * function; of the functions of glibc 2.34 and later none is.
 *
 * The one exception is the heap: looking a function up may allocate. heap.c
 * therefore asks `real_ready` first, and while that is false gives out memory
 * of its own.
 *
 * What the guest calls and nobody intercepts (pthread_self, clock_gettime) is
 * called by its own name.
 */

#include <dlfcn.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <wchar.h>

struct rlimit;
struct rlimit64;
struct rusage;
struct timeval;
struct tms;

struct epoll_event;
struct iovec;
struct pollfd;
struct sembuf;
struct sysinfo;

struct real {
#define REAL(result, name, params) result(*name) params;
#define REAL_VERSION(result, name, params, version) REAL(result, name, params)
#include "runtime/real.def"
#undef REAL
#undef REAL_VERSION
};

extern struct real real __attribute__((visibility("hidden")));

/* The memory functions of the table are there. */
extern bool real_ready __attribute__((visibility("hidden")));

/* Fills the table. Idempotent; a call from inside itself returns at once. */
void real_init(void) __attribute__((visibility("hidden")));

/* A function of the C++ runtime. A program in C may load a plugin in C++: then
 * the runtime came after the table was filled, and the plugin finds us before
 * it. Never returns without the function: somebody has just called it by name,
 * so somebody has it. */
void *real_of_cxx(const char *name) __attribute__((visibility("hidden"), cold));

/* For wrappers that need the table before they call through it. */
#define REAL_READY()                                                           \
	do {                                                                   \
		if (__builtin_expect(!real_ready, 0))                          \
			real_init();                                           \
	} while (0)

#endif
