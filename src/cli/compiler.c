/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compiler.h"

#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "base/xalloc.h"

/* Longer names first: "clang" ends "clang++" no more than "c++" ends "g++",
 * but "cc" ends "gcc". */
static const struct pair {
	const char *c, *cxx;
} pairs[] = {
	{ "clang", "clang++" },
	{ "gcc", "g++" },
	{ "cc", "c++" },
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Where `stem` stands as the last word of a compiler's name: in "gcc",
 * "x86_64-linux-gnu-gcc-12", "clang-19"; NULL when it does not. */
static const char *find_stem(const char *name, const char *stem)
{
	size_t n = strlen(stem);

	for (const char *p = name; (p = strstr(p, stem)); p++) {
		bool begins = p == name || p[-1] == '-';
		const char *tail = p + n;

		if (begins && tail[strspn(tail, "-.0123456789")] == '\0')
			return p;
	}
	return NULL;
}

char *compiler_sibling(const char *program, bool is_cxx)
{
	const char *name = base_name(program);

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		const char *to = is_cxx ? pairs[i].cxx : pairs[i].c;
		const char *from = pairs[i].cxx;
		const char *p = find_stem(name, from);

		if (!p) {
			from = pairs[i].c;
			p = find_stem(name, from);
		}
		if (p)
			return xasprintf("%.*s%s%s", (int)(p - program),
					 program, to, p + strlen(from));
	}
	return NULL;
}

static int ask_family(struct compiler *c, struct err *err)
{
	char *argv[] = { c->program, (char[]){ "-v" }, NULL };
	struct proc_output out;
	bool is_clang, is_gcc;

	if (proc_capture(argv, NULL, 20000, &out, err) < 0)
		return err_add(err, "HEDDLE_CC");
	is_clang = strstr(out.text, "clang version ");
	is_gcc = strstr(out.text, "gcc version ");
	free(out.text);
	c->family = is_clang ? COMPILER_CLANG : COMPILER_GCC;
	if (is_clang || is_gcc)
		return 0;
	return err_set(err,
		       "HEDDLE_CC=%s is neither gcc nor clang, by what it "
		       "says to -v",
		       c->program);
}

static int find_family(struct compiler *c, struct err *err)
{
	const char *name = base_name(c->program);

	if (strstr(name, "clang"))
		c->family = COMPILER_CLANG;
	else if (strstr(name, "gcc") || strstr(name, "g++"))
		c->family = COMPILER_GCC;
	else
		return ask_family(c, err);
	return 0;
}

int compiler_init(struct compiler *c, const char *wanted, bool is_cxx,
		  struct err *err)
{
	if (!wanted || !*wanted)
		wanted = "gcc";
	if (strncmp(base_name(wanted), "heddle", 6) == 0)
		return err_set(err,
			       "HEDDLE_CC=%s would call itself without end; "
			       "name the compiler behind it, such as gcc or "
			       "clang-19",
			       wanted);
	c->program = compiler_sibling(wanted, is_cxx);
	if (!c->program && is_cxx)
		return err_set(err,
			       "cannot tell the C++ compiler that belongs to "
			       "HEDDLE_CC=%s; give it a name such as g++-12 or "
			       "clang-19",
			       wanted);
	if (!c->program)
		c->program = xstrdup(wanted);
	if (find_family(c, err) == 0)
		return 0;
	compiler_done(c);
	return -1;
}

void compiler_done(struct compiler *c)
{
	free(c->program);
	c->program = NULL;
}
