/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs that were located, and how alike those of two failures are. */
#include "regress/blamed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A pair on a variable, of accesses KIND in FUNCTION by SOURCE. */
#define END(kind, function, source)                                            \
	"{\"kind\":\"" kind "\",\"function\":\"" function                      \
	"\",\"file\":\"/src/bank.c\",\"line\":7,\"source\":\"" source "\"}"
#define PAIR(variable, head, tail)                                             \
	"{\"variable\":\"" variable "\",\"head\":" head ",\"tail\":" tail "}"
#define FILE_OF(confirmed, pair)                                               \
	"{\"suspects\":[{\"confirmed\":" confirmed ",\"pairs\":[" pair "]}]}"

#define READ END("read", "deposit", "b = balance;")
#define WRITE END("write", "deposit", "balance = b + 1;")

static struct blamed blamed_of(const char *text)
{
	struct blamed b;

	blamed_read(&b, text, strlen(text));
	return b;
}

static enum blamed_likeness compare(const char *x, const char *y)
{
	struct blamed a = blamed_of(x), b = blamed_of(y);
	size_t i, k;
	enum blamed_likeness l = blamed_compare(&a, &b, &i, &k);

	blamed_done(&a);
	blamed_done(&b);
	return l;
}

static const char old[] = FILE_OF("true", PAIR("balance", READ, WRITE));

static void reads_what_was_confirmed(void **state)
{
	struct blamed b = blamed_of(old);

	(void)state;
	assert_int_equal(b.all.count, 1);
	assert_string_equal(b.all.at[0].head.where, "deposit (bank.c:7)");
	assert_string_equal(b.all.at[0].tail.source, "balance = b + 1;");
	blamed_done(&b);
	b = blamed_of(FILE_OF("false", PAIR("balance", READ, WRITE)));
	assert_int_equal(b.all.count, 0);
	blamed_done(&b);
}

/* A repro may come from a stranger. */
static void survives_damage(void **state)
{
	(void)state;
	for (size_t n = 0; n < strlen(old); n++) {
		struct blamed b;

		blamed_read(&b, old, n);
		assert_int_equal(b.all.count, 0);
		blamed_done(&b);
	}
	for (size_t n = 0; n < 4; n++) {
		static const char *const odd[] = {
			"[]",
			"{\"suspects\":3}",
			"{\"suspects\":[{\"confirmed\":true,\"pairs\":[7]}]}",
			FILE_OF("true", "{\"head\":{},\"tail\":{}}"),
		};
		struct blamed b = blamed_of(odd[n]);

		assert_int_equal(b.all.count, n == 3);
		blamed_done(&b);
	}
}

static void same_pairs(void **state)
{
	(void)state;
	assert_int_equal(compare(old, old), BLAMED_SAME);
	/* Another text in the same function; the same text in another. */
	assert_int_equal(
		compare(old,
			FILE_OF("true", PAIR("balance",
					     END("read", "deposit", "x = 1;"),
					     END("update", "put",
						 "balance = b + 1;")))),
		BLAMED_SAME);
	/* Elements and fields do not matter, nor does memory without a name. */
	assert_int_equal(
		compare(FILE_OF("true", PAIR("t.rows[3]", READ, WRITE)),
			FILE_OF("true", PAIR("t.rows[5]", READ, WRITE))),
		BLAMED_SAME);
	assert_int_equal(compare(old, FILE_OF("true", PAIR("memory at 0x10",
							   READ, WRITE))),
			 BLAMED_SAME);
}

static void other_pairs(void **state)
{
	(void)state;
	/* The other order, and another variable in the same functions. */
	assert_int_equal(compare(old,
				 FILE_OF("true", PAIR("balance", WRITE, READ))),
			 BLAMED_NEAR);
	assert_int_equal(compare(old,
				 FILE_OF("true", PAIR("fee", READ, WRITE))),
			 BLAMED_NEAR);
	assert_int_equal(
		compare(old, FILE_OF("true",
				     PAIR("fee", END("read", "audit", "f();"),
					  END("write", "audit", "g();")))),
		BLAMED_OTHER);
	/* Nothing is known of either: that is not the same. */
	assert_int_equal(compare(FILE_OF("true", PAIR("", END("read", "", ""),
						      END("write", "", ""))),
				 FILE_OF("true", PAIR("", END("read", "", ""),
						      END("write", "", "")))),
			 BLAMED_OTHER);
}

static void pairs_of_a_signature(void **state)
{
	static const char text[] =
		"heddle-signature 1\n"
		"signature triggered=1 tried=2\n"
		"event read \"deposit\" \"\" \"\" \"\" \"bank\" \"\" thread=0 "
		"object=0 line=0 address=0x1 offset=0x0\n"
		"event write \"deposit\" \"\" \"\" \"\" \"bank\" \"\" thread=1 "
		"object=0 line=0 address=0x2 offset=0x0\n"
		"done\n";
	struct blamed b = blamed_of(old);
	struct blamed back =
		blamed_of(FILE_OF("true", PAIR("balance", WRITE, READ)));
	struct signatures s;
	struct err err;
	size_t i;

	(void)state;
	assert_int_equal(signatures_read(&s, text, strlen(text), "x", &err), 0);
	assert_true(blamed_is_signed(&b, &s, &i));
	assert_int_equal(i, 0);
	assert_false(blamed_is_signed(&back, &s, &i));
	signatures_done(&s);
	blamed_done(&b);
	blamed_done(&back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_was_confirmed),
		cmocka_unit_test(survives_damage),
		cmocka_unit_test(same_pairs),
		cmocka_unit_test(other_pairs),
		cmocka_unit_test(pairs_of_a_signature),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
