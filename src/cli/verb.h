/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_VERB_H
#define HEDDLE_VERB_H

/*
 * The verbs. Each lives in cmd_<verb>.c, which defines its options, their
 * table and its struct verb; verb.c lists them. The frame (main.c) parses the
 * options, answers --help, calls the verb, prints its error and checks that
 * standard output could be written.
 *
 * A verb returns an exit status of verdict.def, or -1 with err set.
 */

#include "base/args.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum verb_flag {
	VERB_RAW = 1,	    /* its arguments are not ours to parse: compilers */
	VERB_PROGRAM = 2,   /* the first operand is a program and ends the
			       options */
	VERB_OPERANDS = 4,  /* operands are allowed */
	VERB_NEEDS_ONE = 8, /* and one is required */
	VERB_NAMES = 16,    /* they are names of kept failures, or files */
	VERB_LASTS = 32,    /* it takes its time: interrupts are held, and it
			       ends soon, with what it has, when one comes */
};

struct verb {
	const char *name;
	const char *summary;  /* one line, no full stop */
	const char *synopsis; /* behind "heddle <verb>" */
	const char *next;     /* printed below the options; may be NULL */
	unsigned int flags;   /* enum verb_flag */

	const struct arg *options;
	const void *defaults; /* a filled-in struct of the verb's options */
	size_t options_size;

	/* argv: the operands, NULL at the end. */
	int (*run)(const void *options, int argc, char **argv, struct err *err);
	/* Of a raw verb: everything from the verb on. It prints its errors
	 * itself. */
	int (*run_raw)(int argc, char **argv);
};

/* Ends with NULL. */
extern const struct verb *const verbs[];

const struct verb *verb_find(const char *name);

/* Prints usage and options. */
void verb_help(const struct verb *v);

/* For a name that is no verb; returns -1. */
int verb_unknown(const char *name, struct err *err);

extern const struct verb verb_test;
extern const struct verb verb_run;
extern const struct verb verb_expose;
extern const struct verb verb_explore;
extern const struct verb verb_replay;
extern const struct verb verb_report;
extern const struct verb verb_shrink;
extern const struct verb verb_locate;
extern const struct verb verb_regress;
extern const struct verb verb_list;
extern const struct verb verb_rm;
extern const struct verb verb_show;
extern const struct verb verb_linear;
extern const struct verb verb_doctor;
extern const struct verb verb_help_verb;
extern const struct verb verb_completion;

int cmd_cc(int argc, char **argv);
int cmd_cxx(int argc, char **argv);

#endif
