/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_CHECK_H
#define HEDDLE_CHECK_H

/*
 * What doctor looks at. A check fills in what it found: a word of state, a
 * few words of detail. Each really tries what it judges.
 */

#include <stdbool.h>

enum check_state {
	CHECK_OK,
	CHECK_LIMITED, /* works, with a restriction the detail names */
	CHECK_MISSING,
};

struct check_result {
	enum check_state state;
	char detail[240];
};

struct check {
	const char *name;
	bool needed;	      /* by the verbs that exist */
	const char *for_what; /* what is lost without it */
	void (*run)(struct check_result *r);
};

/* Sets state and detail. */
void check_say(struct check_result *r, enum check_state state, const char *fmt,
	       ...) __attribute__((format(printf, 3, 4)));

/* check_compiler.c: builds a program with heddle cc and observes it. */
void check_gcc(struct check_result *r);
void check_gxx(struct check_result *r);
void check_clang_14(struct check_result *r);
void check_clang_19(struct check_result *r);

/* check_machine.c */
void check_libdw(struct check_result *r);
void check_zstd(struct check_result *r);
void check_memfd(struct check_result *r);
void check_tsc(struct check_result *r);
void check_cores(struct check_result *r);
void check_memory(struct check_result *r);
void check_ptrace(struct check_result *r);
void check_randomisation(struct check_result *r);
void check_z3(struct check_result *r);
void check_gdb(struct check_result *r);
void check_store(struct check_result *r);

#endif
