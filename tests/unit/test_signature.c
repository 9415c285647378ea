/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures as text, and what is refused. */
#include "regress/signature.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const char sample[] =
	"heddle-signature 1\n"
	"signature triggered=3 tried=10\n"
	"event read \"add\" \"bank.c\" \"b = \\\"x\\\";\" \"balance\" "
	"\"bank\" \"deposit\" thread=0 object=0 line=18 address=0x11d4 "
	"offset=0x24\n"
	"frame \"add\"\n"
	"frame \"deposit\"\n"
	"event mutex-lock \"add\" \"bank.c\" \"\" \"\" \"bank\" \"deposit\" "
	"thread=1 object=1 line=19 address=0x11d8 offset=0x28\n"
	"signature triggered=1 tried=2\n"
	"event read \"\" \"\" \"\" \"\" \"bank\" \"\" thread=0 object=0 "
	"line=0 address=0x1 offset=0x0\n"
	"event write \"\" \"\" \"\" \"\" \"bank\" \"\" thread=1 object=0 "
	"line=0 address=0x2 offset=0x0\n"
	"done\n";

static void comes_back(void **state)
{
	struct signatures s;
	struct err err;
	char *text;
	size_t size;
	FILE *out;

	(void)state;
	assert_int_equal(signatures_read(&s, sample, strlen(sample), "x", &err),
			 0);
	assert_int_equal(s.all.count, 2);
	assert_int_equal(s.all.at[0].triggered, 3);
	assert_string_equal(s.all.at[0].events[0].source, "b = \"x\";");
	assert_int_equal(s.all.at[0].events[0].frames.count, 2);
	assert_string_equal(operation_text(&s.all.at[0].events[1]), "lock");
	out = open_memstream(&text, &size);
	signatures_write(&s, out);
	fclose(out);
	assert_string_equal(text, sample);
	free(text);
	signatures_done(&s);
}

/* Every cut, and every line left out, is refused or read; never more. */
static void survives_damage(void **state)
{
	struct signatures s;
	struct err err;

	(void)state;
	for (size_t n = 0; n < strlen(sample); n++) {
		if (signatures_read(&s, sample, n, "x", &err) == 0)
			assert_int_equal(n, strlen(sample) - 1);
		signatures_done(&s);
	}
}

static void refuse(const char *text, const char *words)
{
	struct signatures s;
	struct err err;

	assert_int_equal(signatures_read(&s, text, strlen(text), "x", &err),
			 -1);
	assert_non_null(strstr(err.text, words));
	assert_int_equal(s.all.count, 0);
}

static void refuses(void **state)
{
	(void)state;
	refuse("heddle-plan 1\ndone\n", "no signature");
	refuse("heddle-signature 9\ndone\n", "version");
	refuse("heddle-signature 1\nsignature\ndone\n", "two events");
	refuse("heddle-signature 1\nevent read \"\" \"\" \"\" \"\" \"\" "
	       "\"\"\ndone\n",
	       "outside");
	refuse("heddle-signature 1\nsignature\nevent jump\ndone\n", "kind");
	refuse("heddle-signature 1\nsignature\nevent read \"\" \"\" \"\" \"\" "
	       "\"\" \"\" thread=4\ndone\n",
	       "thread");
	refuse("heddle-signature 1\nframe \"x\"\ndone\n", "event before");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back),
		cmocka_unit_test(survives_damage),
		cmocka_unit_test(refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
