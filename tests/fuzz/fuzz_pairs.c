/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds the reader of access pairs with bytes from a fuzzer
 * (tests/fuzz/run.sh). What was read is written, and reads as the same again;
 * and the procedures get along with it, as the failing run and as a passing
 * one.
 */
#include "locate/suspect.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *write_it(const struct pair_run *run, const struct pair_names *n)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK(out);
	pair_run_write(run, n, out);
	fclose(out);
	return text;
}

static void read_again(const char *text)
{
	struct pair_names *names = pair_names_new();
	struct err err;
	struct pair_run *run =
		pair_run_read(names, text, strlen(text), "fuzz", &err);
	char *again;

	CHECK(run);
	again = write_it(run, names);
	CHECK(strcmp(text, again) == 0);
	free(again);
	pair_run_free(run);
	pair_names_free(names);
}

static void analyse(const struct pair_run *run)
{
	struct spectrum *s = spectrum_new(LEVEL_PC, 1, true);
	struct suspects found = { 0 };

	spectrum_fail(s, run);
	procedure_one(s, &found);
	spectrum_pass(s, run);
	procedure_two(s, &found);
	procedure_three(s, LEVEL_LOOP, &found);
	suspects_done(&found);
	spectrum_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pair_names *names = pair_names_new();
	struct err err;
	struct pair_run *run =
		pair_run_read(names, (const char *)data, size, "fuzz", &err);

	if (run) {
		char *text = write_it(run, names);

		read_again(text);
		analyse(run);
		free(text);
	}
	pair_run_free(run);
	pair_names_free(names);
	return 0;
}
