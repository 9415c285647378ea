/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Feeds what heddle linear reads with bytes from a fuzzer (tests/fuzz/run.sh).
 * The first byte says what the others are: a spec (0 mod 3), a script of tests
 * (1), the record of a case (2). What was read has to be usable: rules compare
 * a reply with itself, inputs have a hash, a record is judged without a
 * program.
 */
#include "linear/linear_record.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *text_of(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	CHECK(text);
	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

static void fuzz_spec(const char *text)
{
	struct blob reply = blob_text("VALUE a 1\nEND\n");
	struct linear_inputs inputs = { 0 };
	struct linear_spec s;
	struct err err;

	if (linear_spec_read(&s, text, "fuzz", &err) == 0) {
		struct blob fitted = fitting_reply(&s, reply, reply);

		blob_done(&fitted);
		linear_inputs_add_spec(&inputs, &s);
		for (size_t i = 0; i < inputs.all.count; i++)
			(void)linear_input_hash(&inputs.all.at[i]);
		CHECK(fitting_kind(&s, "a") <= FITTING_IGNORE);
	}
	linear_inputs_done(&inputs);
	linear_spec_done(&s);
	blob_done(&reply);
}

static void fuzz_script(const char *text)
{
	struct linear_spec s = { 0 };
	struct linear_inputs inputs = { 0 };
	struct err err;

	/* Pairs grow with the square of a test. */
	if (strlen(text) < 400 &&
	    linear_inputs_add_script(&inputs, &s, text, "fuzz", 2, &err) == 0)
		for (size_t i = 0; i < inputs.all.count; i++)
			CHECK(inputs.all.at[i].requests.count == 2);
	linear_inputs_done(&inputs);
}

static void fuzz_record(const char *text, size_t size)
{
	struct linear_case c = { 0 };
	struct err err;

	if (linear_record_read(&c, text, size) == 0)
		CHECK(linear_case_judge(&c, NULL, NULL, &err) == 0);
	linear_case_done(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = text_of(data + 1, size - 1);
	if (*data % 3 == 0)
		fuzz_spec(text);
	else if (*data % 3 == 1)
		fuzz_script(text);
	else
		fuzz_record(text, size - 1);
	free(text);
	return 0;
}
