/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_ARGS_H
#define HEDDLE_ARGS_H

/*
 * Options of a verb as a table: the single source of parser, help and
 * completion. A row says where in the verb's own struct its value goes:
 *
 *	struct run_options { bool all; uint64_t keep; };
 *
 *	static const struct arg run_args[] = {
 *		ARG_FLAG(struct run_options, all, "all", 'a', "leave nothing out"),
 *		ARG_NUMBER(struct run_options, keep, "keep", 0, "N", "runs kept"),
 *		ARG_END,
 *	};
 *
 * The table ends with ARG_END. Strings point into argv and live as long. Every
 * verb also has --help (-h) and --verbose (-v), which are not in its table.
 */

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum arg_kind {
	ARG_KIND_FLAG,	   /* bool */
	ARG_KIND_STRING,   /* const char * */
	ARG_KIND_PATH,	   /* const char *; completed with file names */
	ARG_KIND_CHOICE,   /* const char *; one of `value`, "a|b|c" */
	ARG_KIND_NUMBER,   /* uint64_t */
	ARG_KIND_DURATION, /* uint64_t milliseconds: 500ms, 30, 30s, 2m, 1h */
	ARG_KIND_SIZE,	   /* uint64_t bytes: 4096, 64K, 10M, 2G */
	ARG_KIND_PATHS,	   /* struct arg_list; may be given more than once */
};

enum { ARG_LIST_MOST = 64 };

struct arg_list {
	const char *at[ARG_LIST_MOST + 1]; /* NULL at the end */
	size_t count;
};

struct arg {
	const char *name; /* without the dashes; NULL ends the table */
	char letter;	  /* 0: none */
	enum arg_kind kind;
	const char *value; /* what help calls the value */
	const char *help;
	size_t offset; /* of the value in the verb's struct */
};

#define ARG_FIELD(type, field, want)                                           \
	(offsetof(type, field) + 0 * sizeof((want *)0 == &((type *)0)->field))
#define ARG_FLAG(type, field, name, letter, help)                              \
	{                                                                      \
		name, letter, ARG_KIND_FLAG, NULL, help,                       \
			ARG_FIELD(type, field, bool)                           \
	}
#define ARG_STRING(type, field, name, letter, value, help)                     \
	{                                                                      \
		name, letter, ARG_KIND_STRING, value, help,                    \
			ARG_FIELD(type, field, const char *)                   \
	}
#define ARG_PATH(type, field, name, letter, value, help)                       \
	{                                                                      \
		name, letter, ARG_KIND_PATH, value, help,                      \
			ARG_FIELD(type, field, const char *)                   \
	}
#define ARG_CHOICE(type, field, name, letter, value, help)                     \
	{                                                                      \
		name, letter, ARG_KIND_CHOICE, value, help,                    \
			ARG_FIELD(type, field, const char *)                   \
	}
#define ARG_NUMBER(type, field, name, letter, value, help)                     \
	{                                                                      \
		name, letter, ARG_KIND_NUMBER, value, help,                    \
			ARG_FIELD(type, field, uint64_t)                       \
	}
#define ARG_DURATION(type, field, name, letter, value, help)                   \
	{                                                                      \
		name, letter, ARG_KIND_DURATION, value, help,                  \
			ARG_FIELD(type, field, uint64_t)                       \
	}
#define ARG_SIZE(type, field, name, letter, value, help)                       \
	{                                                                      \
		name, letter, ARG_KIND_SIZE, value, help,                      \
			ARG_FIELD(type, field, uint64_t)                       \
	}
#define ARG_PATHS(type, field, name, letter, value, help)                      \
	{                                                                      \
		name, letter, ARG_KIND_PATHS, value, help,                     \
			ARG_FIELD(type, field, struct arg_list)                \
	}
#define ARG_END                                                                \
	{                                                                      \
		NULL, 0, ARG_KIND_FLAG, NULL, NULL, 0                          \
	}

/* The rows every verb has: help and verbose, then ARG_END. */
extern const struct arg args_of_all[];

/* What the parser found besides the verb's own values. */
struct args_found {
	bool help, verbose;
	int first; /* index in argv of the first operand */
};

/* Parses argv[1..]; options may follow operands, except when `stop` says that
 * the first operand ends them. argv may be reordered. */
MUST_USE int args_parse(const struct arg *table, bool stop, int argc,
			char **argv, void *values, struct args_found *found,
			struct err *err);

/* Prints the table as help, with the rows every verb has. */
void args_print(const struct arg *table, FILE *out);

/* Bytes of a value of that kind in the verb's struct. */
size_t args_size(enum arg_kind kind);

/* Parses one value as an option of that kind would. */
MUST_USE int args_number(enum arg_kind kind, const char *text, uint64_t *value);

#endif
