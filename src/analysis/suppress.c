/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/suppress.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct suppressions {
	VEC(struct suppression) all;
};

void suppressions_free(struct suppressions *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->all.count; i++)
		free(s->all.at[i].pattern);
	vec_free(&s->all);
	free(s);
}

size_t suppressions_count(const struct suppressions *s)
{
	return s->all.count;
}

const struct suppression *suppressions_get(const struct suppressions *s,
					   size_t n)
{
	return &s->all.at[n];
}

/* ---- reading ---- */

struct word {
	const char *text;
	int value;
};

static const struct word finding_words[] = {
	{ "race:", SUPPRESS_RACE },
	{ "deadlock:", SUPPRESS_DEADLOCK },
	{ NULL, 0 },
};

static const struct word by_words[] = {
	{ "function=", SUPPRESS_FUNCTION },
	{ "file=", SUPPRESS_FILE },
	{ "variable=", SUPPRESS_VARIABLE },
	{ NULL, 0 },
};

static char *skip_blanks(char *p)
{
	return p + strspn(p, " \t");
}

/* Takes a word of the table off *p; its value, or -1. */
static int take(const struct word *words, char **p)
{
	for (; words->text; words++) {
		size_t n = strlen(words->text);

		if (strncmp(*p, words->text, n) == 0) {
			*p += n;
			return words->value;
		}
	}
	return -1;
}

static void trim_end(char *line)
{
	size_t n = strlen(line);

	while (n && strchr(" \t\r\n", line[n - 1]))
		line[--n] = '\0';
}

static int parse_line(struct suppressions *s, const char *name,
		      unsigned int number, char *line, struct err *err)
{
	char *p = skip_blanks(line);
	int finding, by;

	trim_end(line);
	if (*p == '\0' || *p == '#')
		return 0;
	finding = take(finding_words, &p);
	if (finding < 0)
		return err_set(err,
			       "%s:%u: a suppression begins with \"race:\" or "
			       "\"deadlock:\", not \"%s\"",
			       name, number, p);
	p = skip_blanks(p);
	by = take(by_words, &p);
	if (by < 0)
		return err_set(err,
			       "%s:%u: expected function=, file= or variable= "
			       "and a pattern, not \"%s\"",
			       name, number, p);
	if (*p == '\0')
		return err_set(err,
			       "%s:%u: the pattern is empty; write * to match "
			       "everything",
			       name, number);
	vec_push(&s->all, (struct suppression){
				  .finding = (enum suppress_finding)finding,
				  .by = (enum suppress_by)by,
				  .pattern = xstrdup(p),
				  .line = number,
			  });
	return 0;
}

static struct suppressions *parse(FILE *in, const char *name, struct err *err)
{
	struct suppressions *s = xcalloc(1, sizeof(*s));
	char *line = NULL;
	size_t room = 0;
	unsigned int number = 0;
	int rc = 0;

	while (rc == 0 && getline(&line, &room, in) >= 0)
		rc = parse_line(s, name, ++number, line, err);
	if (rc == 0 && ferror(in))
		rc = err_set(err, "cannot read suppressions %s: %s", name,
			     strerror(errno));
	free(line);
	if (rc == 0)
		return s;
	suppressions_free(s);
	return NULL;
}

struct suppressions *suppressions_read(const char *path, struct err *err)
{
	FILE *in = fopen(path, "re");
	struct suppressions *s;

	if (!in) {
		err_set(err, "cannot open suppressions %s: %s", path,
			strerror(errno));
		return NULL;
	}
	s = parse(in, path, err);
	fclose(in);
	return s;
}

struct suppressions *suppressions_parse(const char *name, const char *text,
					struct err *err)
{
	FILE *in;
	struct suppressions *s;

	/* fmemopen refuses a length of 0. */
	if (!*text)
		return xcalloc(1, sizeof(*s));
	in = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
	CHECK(in);
	s = parse(in, name, err);
	fclose(in);
	return s;
}

/* ---- matching ---- */

static bool matches(const struct suppression *s, const char *text)
{
	return text && fnmatch(s->pattern, text, FNM_NOESCAPE) == 0;
}

bool suppression_names_frame(const struct suppression *s,
			     const struct frame *frame)
{
	const char *slash;

	if (s->by == SUPPRESS_FUNCTION)
		return matches(s, frame->function);
	if (s->by != SUPPRESS_FILE || !frame->file)
		return false;
	slash = strrchr(frame->file, '/');
	return matches(s, frame->file) || (slash && matches(s, slash + 1));
}

bool suppression_names_variable(const struct suppression *s, const char *name)
{
	return s->by == SUPPRESS_VARIABLE && matches(s, name);
}

static bool names_stack(const struct suppression *s, uint32_t stack,
			struct sites *sites)
{
	struct site_chain chain;

	if (s->by == SUPPRESS_VARIABLE || stack == NO_STACK)
		return false;
	chain = stack_resolve(sites, stack);
	for (size_t i = 0; i < chain.count; i++)
		if (suppression_names_frame(s, &chain.frames[i]))
			return true;
	return false;
}

/* The bare name of a variable, or the whole description. */
static bool names_location(const struct suppression *s,
			   const struct location *where, uint64_t addr,
			   uint64_t size, struct sites *sites)
{
	char *text;
	bool is_named;

	if (s->by != SUPPRESS_VARIABLE)
		return false;
	if (where->kind == LOCATION_GLOBAL &&
	    suppression_names_variable(s, global_name(sites, addr, size)))
		return true;
	text = location_name(where, addr, size, sites);
	is_named = suppression_names_variable(s, text);
	free(text);
	return is_named;
}

static bool names_race(const struct suppression *s,
		       const struct race_finding *f, struct sites *sites)
{
	return names_stack(s, f->first.stack, sites) ||
	       names_stack(s, f->second.stack, sites) ||
	       names_location(s, &f->where, f->addr, f->size, sites);
}

static bool names_lock(const struct suppression *s, const struct held_lock *l,
		       struct sites *sites)
{
	return names_stack(s, l->stack, sites) ||
	       names_location(s, &l->where, l->addr, 1, sites);
}

static bool names_lockcycle(const struct suppression *s,
			    const struct lockcycle_finding *f,
			    struct sites *sites)
{
	for (size_t i = 0; i < f->edge_count; i++)
		if (names_lock(s, &f->edges[i].held, sites) ||
		    names_lock(s, &f->edges[i].wanted, sites))
			return true;
	return false;
}

const struct suppression *suppress_race(struct suppressions *s,
					const struct race_finding *f,
					struct sites *sites)
{
	for (size_t i = 0; i < s->all.count; i++) {
		struct suppression *one = &s->all.at[i];

		if (one->finding != SUPPRESS_RACE || !names_race(one, f, sites))
			continue;
		one->used++;
		return one;
	}
	return NULL;
}

const struct suppression *suppress_lockcycle(struct suppressions *s,
					     const struct lockcycle_finding *f,
					     struct sites *sites)
{
	for (size_t i = 0; i < s->all.count; i++) {
		struct suppression *one = &s->all.at[i];

		if (one->finding != SUPPRESS_DEADLOCK ||
		    !names_lockcycle(one, f, sites))
			continue;
		one->used++;
		return one;
	}
	return NULL;
}
