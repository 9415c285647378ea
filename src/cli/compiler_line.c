/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compiler_line.h"

#include <stddef.h>
#include <string.h>

const char *const compiler_rivals[] = {
	"address", "kernel-address", "hwaddress", "kernel-hwaddress", "memory",
	"leak",	   "kernel-memory",  "dataflow",  "memtag",	      NULL,
};

/* Options whose argument is the next word (some may also have it attached, but
 * then they are longer than what stands here). */
static const char *const with_argument[] = {
	"-D",
	"-U",
	"-I",
	"-L",
	"-B",
	"-F",
	"-A",
	"-G",
	"-T",
	"-Tbss",
	"-Tdata",
	"-Ttext",
	"-u",
	"-z",
	"-e",
	"-h",
	"-V",
	"-b",
	"-include",
	"-imacros",
	"-isystem",
	"-idirafter",
	"-iquote",
	"-iprefix",
	"-iwithprefix",
	"-iwithprefixbefore",
	"-isysroot",
	"-imultilib",
	"-imultiarch",
	"-iframework",
	"-ivfsoverlay",
	"-include-pch",
	"-framework",
	"-MF",
	"-MT",
	"-MQ",
	"-Xassembler",
	"-Xpreprocessor",
	"-Xclang",
	"-Xanalyzer",
	"-mllvm",
	"-aux-info",
	"-dumpbase",
	"-dumpbase-ext",
	"-dumpdir",
	"-wrapper",
	"-specs",
	"-target",
	"-arch",
	"-gcc-toolchain",
	"-working-directory",
	"-serialize-diagnostics",
	"--serialize-diagnostics",
	"--param",
	"--sysroot",
	"--include",
	"--imacros",
	"--define-macro",
	"--undefine-macro",
	"--include-directory",
	"--include-directory-after",
	"--library-directory",
	"--prefix",
	"--entry",
	"--force-link",
	"--for-assembler",
	"--for-linker",
	"--specs",
	"--config",
};

/* Words with which a compiler only answers. */
static const char *const questions[] = {
	"--version",	  "-dumpversion",   "-dumpfullversion",
	"-dumpspecs",	  "-dumpmachine",   "--target-help",
	"--help",	  "-help",	    "-cc1",
	"-cc1as",	  "-print-targets", "--print-targets",
	"--autocomplete",
};

static const struct stage_word {
	const char *word;
	enum compiler_stage stage;
} stage_words[] = {
	{ "-E", STAGE_PREPROCESS },
	{ "-M", STAGE_PREPROCESS },
	{ "-MM", STAGE_PREPROCESS },
	{ "--preprocess", STAGE_PREPROCESS },
	{ "--dependencies", STAGE_PREPROCESS },
	{ "--user-dependencies", STAGE_PREPROCESS },
	{ "-c", STAGE_COMPILE },
	{ "-S", STAGE_COMPILE },
	{ "--compile", STAGE_COMPILE },
	{ "--assemble", STAGE_COMPILE },
	{ "-fsyntax-only", STAGE_COMPILE },
	{ "--analyze", STAGE_COMPILE },
	{ "-emit-ast", STAGE_COMPILE },
	{ "--precompile", STAGE_COMPILE },
};

/* A word that sets a field to itself, or takes it back. */
#define FIELD(name) offsetof(struct compiler_line, name)
static const struct field_word {
	const char *word;
	size_t field;
	bool given;
} field_words[] = {
	{ "-###", FIELD(dry), true },
	{ "-shared", FIELD(shared), true },
	{ "--shared", FIELD(shared), true },
	{ "-r", FIELD(relocatable), true },
	{ "-static", FIELD(static_all), true },
	{ "--static", FIELD(static_all), true },
	{ "-static-pie", FIELD(static_all), true },
	{ "-static-libtsan", FIELD(static_hooks), true },
	{ "-nostdlib", FIELD(bare), true },
	{ "--no-standard-libraries", FIELD(bare), true },
	{ "-nodefaultlibs", FIELD(bare), true },
	{ "-flto", FIELD(lto), true },
	{ "-fno-lto", FIELD(lto), false },
	{ "-fuse-ld=lld", FIELD(lld), true },
	{ "-m32", FIELD(other_width), true },
	{ "-mx32", FIELD(other_width), true },
	{ "-m16", FIELD(other_width), true },
	{ "-m64", FIELD(other_width), false },
};

static bool starts_with(const char *word, const char *beginning)
{
	return strncmp(word, beginning, strlen(beginning)) == 0;
}

#define IS_ONE_OF(word, list)                                                  \
	is_one_of(word, list, sizeof(list) / sizeof(*(list)))

static bool is_one_of(const char *word, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(word, list[i]) == 0)
			return true;
	return false;
}

/* ---- Inputs ---- */

static enum compiler_input_kind kind_of_suffix(const char *path)
{
	static const char *const sources[] = {
		"c",  "i",  "ii",  "cc",   "cp",  "cxx",  "cpp",  "CPP", "c++",
		"C",  "m",  "mi",  "mm",   "M",	  "mii",  "f",	  "F",	 "f90",
		"bc", "ll", "ixx", "cppm", "ccm", "cxxm", "c++m",
	};
	static const char *const headers[] = { "h",   "H",   "hh",  "hp", "hxx",
					       "hpp", "HPP", "h++", "tcc" };
	static const char *const assemblers[] = { "s", "S", "sx" };
	const char *slash = strrchr(path, '/');
	const char *dot = strrchr(slash ? slash : path, '.');

	if (strcmp(path, "-") == 0)
		return INPUT_SOURCE;
	if (!dot)
		return INPUT_LINKED;
	if (IS_ONE_OF(dot + 1, sources))
		return INPUT_SOURCE;
	if (IS_ONE_OF(dot + 1, headers))
		return INPUT_HEADER;
	return IS_ONE_OF(dot + 1, assemblers) ? INPUT_ASSEMBLER : INPUT_LINKED;
}

/* `language` is the argument of the -x in force, NULL without one. */
static enum compiler_input_kind kind_of(const char *path, const char *language)
{
	if (!language || strcmp(language, "none") == 0)
		return kind_of_suffix(path);
	if (starts_with(language, "assembler"))
		return INPUT_ASSEMBLER;
	return strstr(language, "header") ? INPUT_HEADER : INPUT_SOURCE;
}

static void add_input(struct compiler_line *line, const char *path,
		      enum compiler_input_kind kind)
{
	vec_push(&line->inputs, (struct compiler_input){ path, kind });
}

bool compiler_line_has(const struct compiler_line *line,
		       enum compiler_input_kind kind)
{
	for (size_t i = 0; i < line->inputs.count; i++)
		if (line->inputs.at[i].kind == kind)
			return true;
	return false;
}

/* ---- Options ---- */

/* Sanitizers named in a list such as thread,undefined. */
static void note_sanitizers(struct compiler_line *line, const char *word,
			    bool given)
{
	char *list = xstrdup(strchr(word, '=') + 1), *rest = list, *name;

	while ((name = strsep(&rest, ","))) {
		bool is_all = strcmp(name, "all") == 0;

		for (unsigned int i = 0; compiler_rivals[i]; i++)
			if (given && strcmp(name, compiler_rivals[i]) == 0)
				line->rivals |= 1U << i;
			else if (is_all || !strcmp(name, compiler_rivals[i]))
				line->rivals &= ~(1U << i);
		if (is_all || strcmp(name, "thread") == 0) {
			if (given)
				line->thread = word;
			line->no_hooks = given ? NULL : word;
		}
	}
	free(list);
}

/* What the linker alone is told: words behind -Wl and -Xlinker. */
static void note_linker_words(struct compiler_line *line, const char *words)
{
	char *list = xstrdup(words), *rest = list, *word;

	while ((word = strsep(&rest, ",")))
		if (strcmp(word, "-r") == 0 || strcmp(word, "-i") == 0 ||
		    strcmp(word, "--relocatable") == 0)
			line->relocatable = words;
	free(list);
}

static bool ends_with(const char *word, const char *end)
{
	size_t n = strlen(word), m = strlen(end);

	return n >= m && strcmp(word + n - m, end) == 0;
}

static void note_option(struct compiler_line *line, const char *word)
{
	for (size_t i = 0; i < sizeof(field_words) / sizeof(*field_words); i++)
		if (strcmp(word, field_words[i].word) == 0) {
			const struct field_word *f = &field_words[i];

			*(const char **)((char *)line + f->field) =
				f->given ? word : NULL;
			return;
		}
	if (starts_with(word, "-fsanitize="))
		note_sanitizers(line, word, true);
	else if (starts_with(word, "-fno-sanitize="))
		note_sanitizers(line, word, false);
	else if (starts_with(word, "-flto="))
		line->lto = word;
	else if (starts_with(word, "-Wl,"))
		note_linker_words(line, word + 4);
	else if (starts_with(word, "--ld-path=") && ends_with(word, "lld"))
		line->lld = word;
	else if (starts_with(word, "-fno-sanitize-thread-") ||
		 starts_with(word, "--param=tsan-"))
		line->tuned = word;
}

/* The argument of an option that took the next word. */
static void note_argument(struct compiler_line *line, const char *option,
			  const char *argument)
{
	if (strcmp(option, "-Xlinker") == 0 ||
	    strcmp(option, "--for-linker") == 0)
		note_linker_words(line, argument);
	else if ((strcmp(option, "-mllvm") == 0 ||
		  strcmp(option, "--param") == 0) &&
		 strstr(argument, "tsan-"))
		line->tuned = argument;
}

static void note_stage(struct compiler_line *line, const char *word)
{
	for (size_t i = 0; i < sizeof(stage_words) / sizeof(*stage_words); i++)
		if (strcmp(word, stage_words[i].word) == 0 &&
		    stage_words[i].stage < line->stage)
			line->stage = stage_words[i].stage;
}

static bool is_question(const char *word)
{
	return IS_ONE_OF(word, questions) || starts_with(word, "-print-") ||
	       starts_with(word, "--print-") || starts_with(word, "--help=");
}

/* ---- The walk ---- */

/* An option and its argument, attached (behind `=` for a long one) or in the
 * next word; NULL when `word` is another. Moves *i to the argument's word. */
static const char *argument_of(const struct compiler_line *line, size_t *i,
			       const char *option, const char *long_option)
{
	const char *word = line->words.list.at[*i];
	size_t n = strlen(option), m = strlen(long_option);
	bool is_next = strcmp(word, option) == 0 ||
		       strcmp(word, long_option) == 0;

	if (is_next && *i + 1 < line->words.list.count)
		return line->words.list.at[++*i];
	if (is_next)
		return NULL;
	if (strncmp(word, long_option, m) == 0 && word[m] == '=')
		return word + m + 1;
	return strncmp(word, option, n) == 0 ? word + n : NULL;
}

/* -o, -x and -l, whose arguments we keep. */
static bool take_kept(struct compiler_line *line, size_t *i,
		      const char **language)
{
	const char *word = line->words.list.at[*i], *argument;

	/* -objc and the like are not -o bjc for any compiler we know, but
	 * clang has a few. */
	if (starts_with(word, "-objc") || starts_with(word, "-object"))
		return false;
	if ((argument = argument_of(line, i, "-o", "--output")))
		line->output = argument;
	else if ((argument = argument_of(line, i, "-x", "--language")))
		*language = argument;
	else if ((argument = argument_of(line, i, "-l", "--library")))
		add_input(line, argument, INPUT_LIBRARY);
	return argument;
}

static bool takes_next(const char *word)
{
	return IS_ONE_OF(word, with_argument) ||
	       strcmp(word, "-Xlinker") == 0 || starts_with(word, "-Xarch_") ||
	       strcmp(word, "-o") == 0 || strcmp(word, "-x") == 0 ||
	       strcmp(word, "-l") == 0 || strcmp(word, "--output") == 0 ||
	       strcmp(word, "--language") == 0 ||
	       strcmp(word, "--library") == 0;
}

/* Looks at the words; stops at a question or at an option that wants a word
 * more than there are: both are the compiler's to answer. */
static void walk(struct compiler_line *line)
{
	const char *language = NULL;
	bool only_files = false;

	for (size_t i = 0; i < line->words.list.count; i++) {
		const char *word = line->words.list.at[i];

		if (only_files || word[0] != '-' || word[1] == '\0') {
			add_input(line, word, kind_of(word, language));
		} else if (strcmp(word, "--") == 0) {
			only_files = true;
		} else if (is_question(word) ||
			   (takes_next(word) &&
			    i + 1 == line->words.list.count)) {
			line->stage = STAGE_NONE;
		} else if (take_kept(line, &i, &language)) {
			continue;
		} else if (takes_next(word)) {
			note_argument(line, word, line->words.list.at[++i]);
		} else {
			note_stage(line, word);
			note_option(line, word);
		}
	}
}

/* Headers alone are not linked but precompiled. */
static void settle_stage(struct compiler_line *line)
{
	if (line->inputs.count == 0)
		line->stage = STAGE_NONE;
	if (line->stage == STAGE_LINK &&
	    compiler_line_has(line, INPUT_HEADER) &&
	    !compiler_line_has(line, INPUT_SOURCE) &&
	    !compiler_line_has(line, INPUT_LINKED))
		line->stage = STAGE_COMPILE;
}

int compiler_line_init(struct compiler_line *line, int argc, char **argv,
		       struct err *err)
{
	*line = (struct compiler_line){ .stage = STAGE_LINK };
	for (int i = 0; i < argc; i++)
		if (compiler_words_add(&line->words, argv[i], err) < 0) {
			compiler_line_done(line);
			return -1;
		}
	walk(line);
	settle_stage(line);
	return 0;
}

void compiler_line_done(struct compiler_line *line)
{
	compiler_words_free(&line->words);
	vec_free(&line->inputs);
}
