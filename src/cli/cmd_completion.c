/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion scripts, written from the option tables.
 *
 * bash: a function with one case for each verb. zsh: the same, for its
 * _arguments. Neither asks heddle again for verbs and options, so the scripts
 * can be stored; the failures that are kept they ask for.
 */
#include <stdio.h>
#include <string.h>

#include "cli/verb.h"
#include "format/verdict.h"

struct completion_options {
	char unused;
};

static const struct arg completion_options[] = { ARG_END };

#define KEPT_NAMES "heddle list 2> /dev/null | cut -d ' ' -f 1"

typedef void (*row_printer)(const struct arg *row);

static void each_row(const struct verb *v, row_printer print)
{
	for (const struct arg *a = v->options; a->name; a++)
		print(a);
	for (const struct arg *a = args_of_all; a->name; a++)
		print(a);
}

static void print_verbs(const char *separator)
{
	for (const struct verb *const *v = verbs; *v; v++)
		printf("%s%s", v == verbs ? "" : separator, (*v)->name);
}

/* ---- bash ---- */

static void bash_word(const struct arg *a)
{
	printf(" --%s", a->name);
}

static void bash_path_case(const struct arg *a)
{
	if (a->kind == ARG_KIND_PATH || a->kind == ARG_KIND_PATHS)
		printf("--%s|", a->name);
}

static void bash_choice_case(const struct arg *a)
{
	if (a->kind != ARG_KIND_CHOICE)
		return;
	printf("\t\t--%s) COMPREPLY=($(compgen -W '", a->name);
	for (const char *p = a->value; *p; p++)
		putchar(*p == '|' ? ' ' : *p);
	puts("' -- \"$word\")); return;;");
}

static void bash_verb(const struct verb *v)
{
	if (v->flags & VERB_RAW)
		return;
	printf("\t%s)\n\t\tcase $before in\n", v->name);
	each_row(v, bash_choice_case);
	printf("\t\t");
	each_row(v, bash_path_case);
	puts("--) COMPREPLY=($(compgen -f -- \"$word\")); return;;\n\t\tesac");
	printf("\t\toptions='");
	each_row(v, bash_word);
	puts(v->flags & VERB_NAMES ? "'\n\t\tnames=$(" KEPT_NAMES ");;" :
				     "';;");
}

static void print_bash(void)
{
	puts("# bash completion for heddle; try: "
	     "source <(heddle completion bash)\n"
	     "_heddle() {\n"
	     "\tlocal word=${COMP_WORDS[COMP_CWORD]} options= names=\n"
	     "\tlocal before=${COMP_WORDS[COMP_CWORD-1]}\n"
	     "\tif [[ $COMP_CWORD -eq 1 ]]; then");
	printf("\t\tCOMPREPLY=($(compgen -W '");
	print_verbs(" ");
	puts(" --help --version' -- \"$word\"))\n\t\treturn\n\tfi\n"
	     "\tcase ${COMP_WORDS[1]} in");
	printf("\thelp) COMPREPLY=($(compgen -W '");
	print_verbs(" ");
	puts("' -- \"$word\")); return;;");
	puts("\tcompletion) COMPREPLY=($(compgen -W 'bash zsh' -- \"$word\")); "
	     "return;;");
	for (const struct verb *const *v = verbs; *v; v++)
		if (strcmp((*v)->name, "help") != 0 &&
		    strcmp((*v)->name, "completion") != 0)
			bash_verb(*v);
	puts("\tesac\n"
	     "\tif [[ $word == -* ]]; then\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
	     "\telse\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$names\" -- \"$word\")\n"
	     "\t\t\t$(compgen -f -- \"$word\"))\n"
	     "\tfi\n"
	     "}\n"
	     "complete -o filenames -F _heddle heddle");
}

/* ---- zsh ---- */

/* Brackets and colons would end the text early. */
static void zsh_text(const char *text)
{
	for (; *text; text++) {
		if (strchr("[]:'\\", *text))
			putchar(*text == '\'' ? '`' : '\\');
		if (*text != '\'')
			putchar(*text);
	}
}

static void zsh_row(const struct arg *a)
{
	printf("\t\t\t'--%s[", a->name);
	zsh_text(a->help);
	putchar(']');
	if (a->kind == ARG_KIND_PATH || a->kind == ARG_KIND_PATHS)
		printf(":%s:_files", a->value);
	else if (a->kind == ARG_KIND_CHOICE) {
		printf(":value:(");
		for (const char *p = a->value; *p; p++)
			putchar(*p == '|' ? ' ' : *p);
		putchar(')');
	} else if (a->kind != ARG_KIND_FLAG)
		printf(":%s:", a->value);
	puts("' \\");
}

static void zsh_operands(const struct verb *v)
{
	if (strcmp(v->name, "help") == 0) {
		printf("\t\t\t'1:verb:(");
		print_verbs(" ");
		puts(")';;");
	} else if (strcmp(v->name, "completion") == 0) {
		puts("\t\t\t'1:shell:(bash zsh)';;");
	} else if (v->flags & VERB_PROGRAM) {
		puts("\t\t\t'*::program:_normal';;");
	} else if (v->flags & VERB_NAMES) {
		puts("\t\t\t'*:failure:_heddle_names';;");
	} else {
		puts("\t\t\t'*:file:_files';;");
	}
}

static void print_zsh(void)
{
	puts("#compdef heddle\n"
	     "# zsh completion for heddle; put it into a directory of $fpath "
	     "as _heddle\n"
	     "_heddle_names() {\n"
	     "\tlocal -a names=(${(f)\"$(" KEPT_NAMES ")\"})\n"
	     "\tcompadd -a names\n"
	     "\t_files\n"
	     "}\n"
	     "_heddle() {\n"
	     "\tif (( CURRENT == 2 )); then\n"
	     "\t\tlocal -a verbs=(");
	for (const struct verb *const *v = verbs; *v; v++) {
		printf("\t\t\t'%s:", (*v)->name);
		zsh_text((*v)->summary);
		puts("'");
	}
	puts("\t\t)\n"
	     "\t\t_describe verb verbs\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tlocal verb=$words[2]\n"
	     "\tshift words\n"
	     "\t(( CURRENT-- ))\n"
	     "\tcase $verb in");
	for (const struct verb *const *v = verbs; *v; v++) {
		printf("\t%s)\n", (*v)->name);
		puts("\t\t_arguments \\");
		if (!((*v)->flags & VERB_RAW))
			each_row(*v, zsh_row);
		zsh_operands(*v);
	}
	puts("\tesac\n}\n_heddle \"$@\"");
}

static int cmd_completion(const void *options, int argc, char **argv,
			  struct err *err)
{
	(void)options;
	if (argc == 1 && strcmp(argv[0], "bash") == 0)
		print_bash();
	else if (argc == 1 && strcmp(argv[0], "zsh") == 0)
		print_zsh();
	else
		return err_set(err,
			       "there is completion for bash and zsh, not "
			       "for %s",
			       argv[0]);
	return EXIT_HELD;
}

const struct verb verb_completion = {
	.name = "completion",
	.summary = "print a completion script for a shell",
	.synopsis = "bash|zsh",
	.flags = VERB_OPERANDS | VERB_NEEDS_ONE,
	.options = completion_options,
	.options_size = sizeof(struct completion_options),
	.run = cmd_completion,
};
