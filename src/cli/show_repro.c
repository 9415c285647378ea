/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_repro.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/quote.h"
#include "format/verdict.h"
#include "report/interleaving.h"
#include "store/repro.h"
#include "store/store.h"

enum { STRETCHES = 12 };

bool show_repro_is(const char *store, const char *name)
{
	char *path = strchr(name, '/') ?
			     xasprintf("%s/repro", name) :
			     xasprintf("%s/repros/%s/repro", store, name);
	struct stat st;
	bool is = stat(path, &st) == 0;

	free(path);
	return is;
}

static size_t terminal_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 40)
		return size.ws_col;
	return 0;
}

static void print_command(const struct repro *r)
{
	fputs("command:  ", stdout);
	for (size_t i = 0; i < r->arguments.count; i++) {
		putchar(' ');
		quote_word(r->arguments.at[i], stdout);
	}
	printf("\nfound by:  %s, seed %llu\n", r->strategy ? r->strategy : "?",
	       (unsigned long long)r->seed);
}

/* What to type: as it was found here. */
static void print_again(const char *store, const char *name)
{
	fputs("\nsee it again: heddle replay ", stdout);
	if (!strchr(name, '/') && strcmp(store, STORE_DEFAULT) != 0) {
		fputs("--store ", stdout);
		quote_word(store, stdout);
		putchar(' ');
	}
	quote_word(name, stdout);
	putchar('\n');
}

static void print_output(const struct repro *r)
{
	if (!r->output_size)
		return;
	puts("\nit printed:");
	fwrite(r->output, 1, r->output_size, stdout);
	if (r->output[r->output_size - 1] != '\n')
		putchar('\n');
}

int show_repro(const char *store, const char *name, bool is_colourful,
	       bool shows_all, struct err *err)
{
	struct repro *r = repro_load(store, name, err);
	struct interleaving_style style = {
		.is_colourful = is_colourful,
		.width = terminal_width(),
		.most = shows_all ? 0 : STRETCHES,
	};

	if (!r)
		return -1;
	printf("%s: %s\n", r->name, r->verdict);
	print_command(r);
	if (r->plan->steps.count) {
		putchar('\n');
		interleaving_print(r->plan, &style, stdout);
	}
	if (r->details && *r->details)
		printf("\n%s", r->details);
	print_output(r);
	print_again(store, name);
	repro_free(r);
	return EXIT_BROKEN;
}
