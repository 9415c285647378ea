/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_FIXTURE_H
#define HEDDLE_SITE_FIXTURE_H

/*
 * What the tests of sites share: a scratch directory to work in, compilers to
 * build small programs there, and traces that claim to have run them. Source
 * code marks places with an instruction that has a global label:
 *
 *	#define MARK(name) __asm__ volatile(#name ": .globl " #name "; nop")
 */

#include <fnmatch.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "trace/site.h"
#include "trace/trace_text.h"

enum { MODULE_SIZE = 0x1000000, FIRST_SITE = 0x1000 };

static char scratch[] = "/tmp/heddle-site-XXXXXX";

/* Runs a command of the shell; it must succeed. */
__attribute__((format(printf, 1, 2), unused)) static void shell(const char *fmt,
								...)
{
	char command[4096];
	va_list args;

	va_start(args, fmt);
	vsnprintf(command, sizeof(command), fmt, args);
	va_end(args);
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

/* The first line a command prints, without its end. */
__attribute__((unused)) static char *shell_line(char *line, size_t size,
						const char *command)
{
	FILE *pipe = popen(command, "r");

	assert_non_null(pipe);
	if (!fgets(line, (int)size, pipe))
		*line = '\0';
	pclose(pipe);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

__attribute__((unused)) static void source_write(const char *file,
						 const char *text)
{
	FILE *out = fopen(file, "w");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

/* What nm said of the file asked about last. */
static struct {
	struct stat file;
	char text[1 << 18];
} symbols;

static void symbols_read(const char *file)
{
	char command[512];
	struct stat now;
	size_t size;
	FILE *pipe;

	assert_int_equal(stat(file, &now), 0);
	if (now.st_ino == symbols.file.st_ino &&
	    now.st_mtim.tv_sec == symbols.file.st_mtim.tv_sec &&
	    now.st_mtim.tv_nsec == symbols.file.st_mtim.tv_nsec)
		return;
	symbols.file = now;
	snprintf(command, sizeof(command), "nm %s", file);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	size = fread(symbols.text, 1, sizeof(symbols.text) - 1, pipe);
	assert_in_range(size, 1, sizeof(symbols.text) - 2);
	symbols.text[size] = '\0';
	pclose(pipe);
}

/* The file address of a symbol, whose name may be a pattern. */
__attribute__((unused)) static uint64_t symbol_at(const char *file,
						  const char *pattern)
{
	unsigned long long addr;
	char name[256];

	symbols_read(file);
	for (const char *line = symbols.text; line && *line;) {
		if (sscanf(line, "%16llx %*c %255s", &addr, name) == 2 &&
		    fnmatch(pattern, name, 0) == 0)
			return addr;
		line = strchr(line, '\n');
		line += line != NULL;
	}
	fail_msg("%s has no symbol %s", file, pattern);
	return 0;
}

static int scratch_enter(void **state)
{
	(void)state;
	return mkdtemp(scratch) && chdir(scratch) == 0 &&
			       setenv("PWD", scratch, 1) == 0 ?
		       0 :
		       -1;
}

static int scratch_leave(void **state)
{
	(void)state;
	if (chdir("/") == 0)
		shell("rm -rf %s", scratch);
	return 0;
}

/* The place of module n in the memory and among the sites of a trace. */
static inline uint64_t module_base(int n)
{
	return UINT64_C(0x7f0000000000) + (uint64_t)n * MODULE_SIZE;
}

static inline uint32_t module_site(int n, uint64_t file_addr)
{
	return FIRST_SITE + (uint32_t)n * MODULE_SIZE + (uint32_t)file_addr;
}

__attribute__((unused)) static void module_line_write(FILE *out, int n,
						      const char *file)
{
	char command[512], id[64];

	snprintf(command, sizeof(command),
		 "readelf -n %s | sed -n 's/.*Build ID: //p'", file);
	shell_line(id, sizeof(id), command);
	fprintf(out, "module %d \"%s/%s\" base=0x%llx bias=0x%llx size=0x%x", n,
		scratch, file, (unsigned long long)module_base(n),
		(unsigned long long)module_base(n), MODULE_SIZE);
	fprintf(out, " site=0x%x%s%s\n", module_site(n, 0),
		*id ? " build-id=" : "", id);
}

/* A trace of a run with these modules, and whatever `more` says. */
__attribute__((unused)) static struct trace *trace_of(const char *const *files,
						      const char *more)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct trace *t;
	struct err err;

	for (int n = 0; files[n]; n++)
		module_line_write(out, n, files[n]);
	fputs(more, out);
	fclose(out);
	t = trace_from_text(text, &err);
	if (!t)
		fail_msg("%s", err.text);
	free(text);
	return t;
}

#define TRACE_OF(...) trace_of((const char *const[]){ __VA_ARGS__, NULL }, "")

/* "inner bank.c:3 < outer bank.c:9": a chain in one line. */
__attribute__((unused)) static char *chain_text(struct site_chain chain)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < chain.count; i++) {
		const struct frame *f = &chain.frames[i];

		fprintf(out, "%s%s", i ? " < " : "",
			f->function ? f->function : "?");
		if (f->file)
			fprintf(out, " %s:%d", f->file, f->line);
		assert_int_equal(f->inlined, f->inlined && i + 1 < chain.count);
	}
	fclose(out);
	return text;
}

__attribute__((unused)) static void chain_expect(struct site_chain chain,
						 const char *expected,
						 const char *how)
{
	char *text = chain_text(chain);

	if (strcmp(text, expected) != 0)
		fail_msg("%s: \"%s\" instead of \"%s\"", how, text, expected);
	free(text);
}

#endif
