/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linkage names of C++, for the modules that have symbols and nothing more.
 * The one who knows how to read them is the C++ runtime. A machine that runs
 * C++ programs has it, so it is asked if it is there; otherwise names stay as
 * they are.
 */
#include "trace/site_module.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *mangled, char *buffer, size_t *size,
			int *status);

static demangler *demangler_find(void)
{
	static demangler *found;
	static bool is_sought;
	void *runtime;

	if (is_sought)
		return found;
	is_sought = true;
	runtime = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
	if (runtime)
		*(void **)&found = dlsym(runtime, "__cxa_demangle");
	return found;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Parts that look like brackets and are none. */
static size_t name_part(const char *p)
{
	static const char *const parts[] = {
		"(anonymous namespace)",
		"operator()",
		"operator<=>",
		"operator<<=",
		"operator>>=",
		"operator<<",
		"operator>>",
		"operator<=",
		"operator>=",
		"operator<",
		"operator>",
		"operator->*",
		"operator->",
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (begins(p, parts[i]))
			return strlen(parts[i]);
	}
	return 0;
}

/* The size of a list of parameters and of what may follow it. */
static size_t parameters_size(const char *p)
{
	const char *begin = p;
	int depth = 0;

	do {
		depth += (*p == '(') - (*p == ')');
		p++;
	} while (*p && depth > 0);
	if (begins(p, " const"))
		p += strlen(" const");
	return (size_t)(p - begin);
}

/* Names from debug information have no parameters; these shall not either:
 * "bank::use()::calls" becomes "bank::use::calls". What stands in angle
 * brackets is part of the name. */
static void parameters_drop(char *name)
{
	char *out = name;
	int depth = 0;

	for (const char *p = name; *p;) {
		size_t size = name_part(p);

		if (size == 0 && depth == 0 && *p == '(') {
			p += parameters_size(p);
			continue;
		}
		if (size == 0) {
			depth += (*p == '<') - (*p == '>');
			size = 1;
		}
		memmove(out, p, size);
		out += size;
		p += size;
	}
	*out = '\0';
}

/* Instances of templates carry what they return in front. */
static void result_drop(char *name)
{
	const char *rest = name;
	int depth = 0;

	for (const char *p = name; *p && !begins(p, "operator");) {
		size_t size = name_part(p);

		depth += (*p == '<') - (*p == '>');
		if (size == 0 && depth == 0 && *p == ' ')
			rest = p + 1;
		p += size ? size : 1;
	}
	memmove(name, rest, strlen(rest) + 1);
}

const char *module_demangle(struct site_module *m, const char *name,
			    bool is_function)
{
	demangler *demangle = begins(name, "_Z") ? demangler_find() : NULL;
	const char *plain;
	char *made;

	if (!demangle)
		return name;
	plain = memo_get(&m->names, (uintptr_t)name);
	if (plain)
		return plain;
	made = demangle(name, NULL, NULL, NULL);
	if (made)
		parameters_drop(made);
	if (made && is_function)
		result_drop(made);
	plain = made ? module_keep(m, made) : name;
	memo_put(&m->names, (uintptr_t)name, plain);
	return plain;
}
