/* SPDX-License-Identifier: Apache-2.0 */
#include "base/args.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/vec.h"

const struct arg args_of_all[] = {
	ARG_FLAG(struct args_found, help, "help", 'h', "print this and end"),
	ARG_FLAG(struct args_found, verbose, "verbose", 'v',
		 "say more on standard error"),
	ARG_END,
};

/* ---- values ---- */

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit durations[] = {
	{ "", 1000 },	{ "ms", 1 },	  { "s", 1000 },
	{ "m", 60000 }, { "h", 3600000 }, { NULL, 0 },
};

static const struct unit sizes[] = {
	{ "", 1 },	  { "K", 1 << 10 }, { "k", 1 << 10 }, { "M", 1 << 20 },
	{ "m", 1 << 20 }, { "G", 1 << 30 }, { "g", 1 << 30 }, { NULL, 0 },
};

static const struct unit plain[] = { { "", 1 }, { NULL, 0 } };

static const struct unit *units(enum arg_kind kind)
{
	if (kind == ARG_KIND_DURATION)
		return durations;
	return kind == ARG_KIND_SIZE ? sizes : plain;
}

int args_number(enum arg_kind kind, const char *text, uint64_t *value)
{
	char *end;
	unsigned long long n;

	if (!isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno)
		return -1;
	for (const struct unit *u = units(kind); u->name; u++)
		if (strcmp(end, u->name) == 0)
			return __builtin_mul_overflow(n, u->factor, value) ?
				       -1 :
				       0;
	return -1;
}

static bool is_choice(const char *choices, const char *text)
{
	size_t n = strlen(text);

	for (;; choices++) {
		size_t m = strcspn(choices, "|");

		if (n && n == m && memcmp(choices, text, n) == 0)
			return true;
		choices += m;
		if (!*choices)
			return false;
	}
}

static int wrong_choice(const struct arg *arg, const char *text,
			struct err *err)
{
	struct suggest s = { .word = text };
	char *choices = xstrdup(arg->value), *rest = choices;
	const char *choice;

	while ((choice = strsep(&rest, "|")))
		suggest_offer(&s, choice);
	err_set(err, "--%s wants one of %s, not '%s'%s%s%s", arg->name,
		arg->value, text, s.nearest ? "; did you mean " : "",
		s.nearest ? s.nearest : "", s.nearest ? "?" : "");
	free(choices);
	return -1;
}

static int wrong_value(const struct arg *arg, const char *text, struct err *err)
{
	static const char *const wanted[] = {
		[ARG_KIND_NUMBER] = "a number such as 20",
		[ARG_KIND_DURATION] = "a time such as 500ms, 30s or 2m",
		[ARG_KIND_SIZE] = "a size such as 4096, 64K or 2G",
	};

	if (arg->kind == ARG_KIND_CHOICE)
		return wrong_choice(arg, text, err);
	return err_set(err, "--%s wants %s, not '%s'", arg->name,
		       wanted[arg->kind], text);
}

size_t args_size(enum arg_kind kind)
{
	switch (kind) {
	case ARG_KIND_FLAG:
		return sizeof(bool);
	case ARG_KIND_STRING:
	case ARG_KIND_PATH:
	case ARG_KIND_CHOICE:
		return sizeof(const char *);
	case ARG_KIND_PATHS:
		return sizeof(struct arg_list);
	default:
		return sizeof(uint64_t);
	}
}

static int list_add(const struct arg *arg, const char *text,
		    struct arg_list *list, struct err *err)
{
	if (list->count == ARG_LIST_MOST)
		return err_set(err, "--%s can be given %d times at most",
			       arg->name, ARG_LIST_MOST);
	list->at[list->count++] = text;
	return 0;
}

static int store(const struct arg *arg, char *text, void *values,
		 struct err *err)
{
	void *to = (char *)values + arg->offset;

	switch (arg->kind) {
	case ARG_KIND_FLAG:
		*(bool *)to = true;
		return 0;
	case ARG_KIND_CHOICE:
		if (!is_choice(arg->value, text))
			return wrong_value(arg, text, err);
		*(const char **)to = text;
		return 0;
	case ARG_KIND_STRING:
	case ARG_KIND_PATH:
	case ARG_KIND_PATHS:
		if (!*text)
			return err_set(err, "--%s wants %s, not nothing",
				       arg->name, arg->value);
		if (arg->kind == ARG_KIND_PATHS)
			return list_add(arg, text, to, err);
		*(const char **)to = text;
		return 0;
	default:
		if (args_number(arg->kind, text, to) < 0)
			return wrong_value(arg, text, err);
		return 0;
	}
}

/* ---- the parser: getopt_long with tables made from ours ---- */

enum { OWN = 0x1000, OF_ALL = 0x2000, ROW = 0x0fff };

struct parser {
	VEC(struct option) longs;
	VEC(char) letters;
	const struct arg *table;
};

static void add_rows(struct parser *p, const struct arg *rows, int group)
{
	for (int i = 0; rows[i].name; i++) {
		int has = rows[i].kind == ARG_KIND_FLAG ? no_argument :
							  required_argument;

		vec_push(&p->longs,
			 (struct option){ rows[i].name, has, NULL, group | i });
		if (!rows[i].letter)
			continue;
		vec_push(&p->letters, rows[i].letter);
		if (has == required_argument)
			vec_push(&p->letters, ':');
	}
}

static void parser_init(struct parser *p, const struct arg *table, bool stop)
{
	*p = (struct parser){ .table = table };
	/* The colon tells a missing value from an unknown option. */
	if (stop)
		vec_push(&p->letters, '+');
	vec_push(&p->letters, ':');
	add_rows(p, table, OWN);
	add_rows(p, args_of_all, OF_ALL);
	vec_push(&p->longs, (struct option){ 0 });
	vec_push(&p->letters, '\0');
}

static void parser_done(struct parser *p)
{
	vec_free(&p->longs);
	vec_free(&p->letters);
}

/* The row getopt's answer stands for; `group` tells in which table. */
static const struct arg *find_row(const struct parser *p, int code, int *group)
{
	*group = code & OF_ALL ? OF_ALL : OWN;
	if (code & OWN)
		return &p->table[code & ROW];
	if (code & OF_ALL)
		return &args_of_all[code & ROW];
	for (const struct arg *a = p->table; a->name; a++)
		if (a->letter && a->letter == code)
			return a;
	*group = OF_ALL;
	for (const struct arg *a = args_of_all; a->name; a++)
		if (a->letter && a->letter == code)
			return a;
	return NULL;
}

static int unknown_long(const struct parser *p, const char *given,
			struct err *err)
{
	char *word = xstrdup(given + 2);
	struct suggest s = { .word = word };
	int rc;

	word[strcspn(word, "=")] = '\0';
	for (size_t i = 0; i + 1 < p->longs.count; i++)
		suggest_offer(&s, p->longs.at[i].name);
	if (s.nearest)
		rc = err_set(err, "unknown option --%s; did you mean --%s?",
			     word, s.nearest);
	else
		rc = err_set(err, "unknown option --%s; --help lists them",
			     word);
	free(word);
	return rc;
}

static int complain(const struct parser *p, int code, char **argv,
		    struct err *err)
{
	const char *given = argv[optind - 1];
	int group;
	const struct arg *row = optopt ? find_row(p, optopt, &group) : NULL;

	if (row && code == ':')
		return err_set(err, "%s wants a value: --%s %s", given,
			       row->name, row->value);
	if (row)
		return err_set(err, "--%s takes no value", row->name);
	if (optopt)
		return err_set(err, "unknown option -%c; --help lists them",
			       optopt);
	return unknown_long(p, given, err);
}

static int parse(struct parser *p, int argc, char **argv, void *values,
		 struct args_found *found, struct err *err)
{
	int code, group;

	optind = 0; /* glibc: begin anew */
	opterr = 0;
	while ((code = getopt_long(argc, argv, p->letters.at, p->longs.at,
				   NULL)) != -1) {
		const struct arg *row;

		if (code == '?' || code == ':')
			return complain(p, code, argv, err);
		row = find_row(p, code, &group);
		CHECK(row);
		if (store(row, optarg, group == OF_ALL ? found : values, err) <
		    0)
			return -1;
	}
	found->first = optind;
	return 0;
}

int args_parse(const struct arg *table, bool stop, int argc, char **argv,
	       void *values, struct args_found *found, struct err *err)
{
	struct parser p;
	int rc;

	*found = (struct args_found){ 0 };
	parser_init(&p, table, stop);
	rc = parse(&p, argc, argv, values, found, err);
	parser_done(&p);
	return rc;
}

/* ---- help ---- */

static int row_width(const struct arg *a)
{
	return (int)(strlen(a->name) + (a->value ? strlen(a->value) + 1 : 0));
}

static int widest(const struct arg *a, int width)
{
	for (; a->name; a++)
		if (row_width(a) > width)
			width = row_width(a);
	return width;
}

static void print_rows(const struct arg *a, int width, FILE *out)
{
	for (; a->name; a++) {
		fprintf(out, a->letter ? "  -%c, " : "      ", a->letter);
		fprintf(out, "--%s%s%s%*s  %s\n", a->name, a->value ? " " : "",
			a->value ? a->value : "", width - row_width(a), "",
			a->help);
	}
}

void args_print(const struct arg *table, FILE *out)
{
	int width = widest(args_of_all, widest(table, 0));

	print_rows(table, width, out);
	print_rows(args_of_all, width, out);
}
