/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds the reader of signatures with bytes from a fuzzer (tests/fuzz/run.sh).
 * What was read is written, and reads as the same again.
 */
#include "regress/signature.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *write_it(const struct signatures *s)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	CHECK(out);
	signatures_write(s, out);
	fclose(out);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct signatures s, again;
	struct err err;
	char *first, *second;

	if (signatures_read(&s, (const char *)data, size, "fuzz", &err) < 0)
		return 0;
	first = write_it(&s);
	CHECK(signatures_read(&again, first, strlen(first), "fuzz", &err) == 0);
	second = write_it(&again);
	CHECK(strcmp(first, second) == 0);
	free(first);
	free(second);
	signatures_done(&s);
	signatures_done(&again);
	return 0;
}
