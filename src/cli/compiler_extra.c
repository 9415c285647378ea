/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compiler_extra.h"

#include <string.h>

static void add(struct compiler_words *words, const char *word)
{
	vec_push(&words->list, xstrdup(word));
}

static void add_all(struct compiler_words *words, const char *const *list)
{
	for (; *list; list++)
		add(words, *list);
}

static void add_linker_word(struct compiler_words *words, const char *word)
{
	add(words, "-Xlinker");
	add(words, word);
}

/* ---- gcc ---- */

/* A macro needs no declaration in front, leaves nothing in preprocessed text
 * and in lists of dependencies, and keeps precompiled headers usable. What it
 * calls comes out of an assembler line, so that gcc does not know it, also in
 * templates, which forget the assembler name of a function declared inside. */
#define REDIRECT(builtin, symbol, result, parameters)                          \
	"-D" builtin "(...)=(__extension__({" result                           \
	"(*__heddle_call)(" parameters ");__asm__(\"{leaq " symbol             \
	"@PLT(%%rip),%0|"                                                      \
	"lea %0," symbol "@PLT[rip]}\":\"=r\""                                 \
	"(__heddle_call));__heddle_call;}))(__VA_ARGS__)"

static const char *const gcc_before[] = {
	/* The program that is tested should be the one that is shipped. */
	"-U__SANITIZE_THREAD__",
#define PLAIN(name, result, parameters)                                        \
	REDIRECT("__builtin_" name, name, result, parameters),
#define CHECKED(name, result, parameters)                                      \
	REDIRECT("__builtin___" name "_chk", "__" name "_chk", result,         \
		 parameters),
#include "cli/compiler_builtin.def"
#undef PLAIN
#undef CHECKED
	NULL,
};

static const char *const gcc_after[] = {
	"-fsanitize=thread",
	/* Functions that only read stay calls. */
	"-fno-optimize-strlen",
	"--param=builtin-string-cmp-inline-length=0",
	"-mno-inline-all-stringops",
#define PLAIN(name, result, parameters) "-fno-builtin-" name,
#define CHECKED(name, result, parameters)
#include "cli/compiler_builtin.def"
#undef PLAIN
#undef CHECKED
	/* Hooks are called, not jumped to, by calls of five bytes. */
	"-fno-optimize-sibling-calls",
	"-fplt",
	/* "atomic_thread_fence is not supported with ...": ours does. */
	"-Wno-tsan",
	/* C89 has none, but the macros above are. */
	"-Wno-variadic-macros",
	NULL,
};

static void add_gcc_compile(struct compiler_extra *extra)
{
	add_all(&extra->before, gcc_before);
	add_all(&extra->after, gcc_after);
}

/* ---- clang ---- */

/* -Xclang reaches the compiler proper and not the driver, which would link the
 * sanitizer's own runtime. Vectors of more than 16 bytes, and vectors with
 * gaps, get no hook. */
static const char *const clang_after[] = {
	"-Xclang",
	"-fsanitize=thread",
	"-mllvm",
	"-tsan-instrument-read-before-write=1",
	"-fno-vectorize",
	"-fno-slp-vectorize",
	"-fno-optimize-sibling-calls",
	"-fplt",
	/* Classes are described where they are used, so members have names. */
	"-fstandalone-debug",
	NULL,
};

/* Where functions are known again when modules are put together, calls behind
 * hooks would be turned into stores; so nothing is optimised there. */
static void add_clang_lto(struct compiler_extra *extra,
			  const struct compiler_line *line)
{
	if (line->lto || line->lld)
		add_linker_word(&extra->after, "-plugin-opt=O0");
}

/* ---- Linking ---- */

/* First in the order, so that the guest's functions come before those of
 * every library, and kept although nothing before refers to it. */
static void add_guest(struct compiler_extra *extra,
		      const struct compiler_parts *parts)
{
	char *directory = xasprintf("-L%s", parts->guest);

	add(&extra->before, directory);
	add_linker_word(&extra->before, "--push-state");
	add_linker_word(&extra->before, "--no-as-needed");
	add(&extra->before, "-lheddle");
	add_linker_word(&extra->before, "--pop-state");
	free(directory);
}

/* gcc itself links -ltsan, first in the order, unless it may link nothing. */
static void add_guest_as_tsan(struct compiler_extra *extra,
			      const struct compiler_parts *parts)
{
	char *directory = xasprintf("-L%s/gcc", parts->guest);

	add(&extra->before, directory);
	free(directory);
}

static void add_link(struct compiler_extra *extra,
		     const struct compiler *compiler,
		     const struct compiler_line *line,
		     const struct compiler_parts *parts)
{
	if (compiler->family == COMPILER_GCC && !line->bare)
		add_guest_as_tsan(extra, parts);
	else
		add_guest(extra, parts);
	add_linker_word(&extra->before, "-rpath");
	add_linker_word(&extra->before, parts->guest);
	if (compiler->family == COMPILER_CLANG)
		add_clang_lto(extra, line);
}

/* ---- Both ---- */

/* A call in every basic block. clang's driver would want a runtime for it. */
static void add_blocks(struct compiler_extra *extra,
		       const struct compiler *compiler)
{
	static const char *const clang_blocks[] = {
		"-Xclang", "-fsanitize-coverage-type=3",
		"-Xclang", "-fsanitize-coverage-trace-pc",
		"-Xclang", "-fsanitize-coverage-no-prune",
		NULL,
	};

	if (compiler->family == COMPILER_GCC)
		add(&extra->after, "-fsanitize-coverage=trace-pc");
	else
		add_all(&extra->after, clang_blocks);
}

static void add_compile(struct compiler_extra *extra,
			const struct compiler *compiler,
			const struct compiler_parts *parts)
{
	add(&extra->before, "-g");
	if (compiler->family == COMPILER_GCC)
		add_gcc_compile(extra);
	else
		add_all(&extra->after, clang_after);
	if (parts->headers) {
		add(&extra->after, "-idirafter");
		add(&extra->after, parts->headers);
	}
}

void compiler_extra_init(struct compiler_extra *extra,
			 const struct compiler *compiler,
			 const struct compiler_line *line,
			 const struct compiler_parts *parts)
{
	bool is_clang = compiler->family == COMPILER_CLANG;
	bool has_source = compiler_line_has(line, INPUT_SOURCE) ||
			  compiler_line_has(line, INPUT_HEADER);

	*extra = (struct compiler_extra){ 0 };
	if (line->stage == STAGE_NONE)
		return;
	/* One line may have several jobs, and not all need all of this. */
	if (is_clang)
		add(&extra->after, "--start-no-unused-arguments");
	if (has_source)
		add_compile(extra, compiler, parts);
	else if (!is_clang && line->stage == STAGE_LINK)
		add_all(&extra->after, gcc_after); /* compiled only now: LTO */
	if (line->blocks && has_source)
		add_blocks(extra, compiler);
	if (is_clang && line->thread)
		add(&extra->after, "-fno-sanitize=thread");
	if (line->stage == STAGE_LINK && !line->relocatable)
		add_link(extra, compiler, line, parts);
	if (is_clang)
		add(&extra->after, "--end-no-unused-arguments");
}

void compiler_extra_done(struct compiler_extra *extra)
{
	compiler_words_free(&extra->before);
	compiler_words_free(&extra->after);
}
