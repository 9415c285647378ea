/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "random_trace.h"

static void numbers_of_every_length_survive(void **state)
{
	uint8_t bytes[CODEC_MAX];

	(void)state;
	for (unsigned int bits = 0; bits <= 64; bits++) {
		for (int delta = -1; delta <= 1; delta++) {
			uint64_t in = (bits < 64 ? (uint64_t)1 << bits : 0) +
				      (uint64_t)delta;
			uint64_t out = ~in, near = ~in;
			uint8_t *end = codec_put(bytes, in);

			assert_ptr_equal(codec_get(bytes, end, &out), end);
			assert_true(out == in);
			assert_ptr_equal(codec_get_near(bytes, &near), end);
			assert_true(near == in);
			assert_null(codec_get(bytes, end - 1, &out));
		}
	}
}

static void differences_of_either_sign_survive(void **state)
{
	static const int64_t values[] = { 0,   1,  -1,	      63,
					  -64, 64, INT64_MAX, INT64_MIN };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		assert_true(codec_unzigzag(codec_zigzag(values[i])) ==
			    values[i]);
	assert_int_equal(codec_zigzag(-1), 1);
}

static void a_number_beyond_64_bits_is_refused(void **state)
{
	uint8_t bytes[CODEC_MAX];
	uint64_t v;

	(void)state;
	memset(bytes, 0xff, sizeof(bytes));
	assert_null(codec_get(bytes, bytes + sizeof(bytes), &v));
	assert_null(codec_get_near(bytes, &v));
}

static void random_events_come_back_as_they_were(void **state)
{
	enum { COUNT = 100000 };
	struct event *in = xmalloc(COUNT * sizeof(*in)), out;
	uint8_t *bytes = xmalloc(COUNT * CODEC_MAX), *end = bytes;
	const uint8_t *p = bytes;
	struct codec writer = { 0 }, reader = { 0 };
	uint64_t seed = 7, stamp = 0;

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		uint8_t *before = end;

		in[i] = random_event(&seed, &stamp);
		end = random_put(&writer, end, &in[i]);
		assert_true(end - before <= CODEC_MAX);
	}
	for (int i = 0; i < COUNT; i++) {
		out.thread = 0;
		p = codec_get_event(&reader, p, end, &out);
		assert_non_null(p);
		assert_true(event_equals(&out, &in[i]));
	}
	assert_ptr_equal(p, end);
	assert_null(codec_get_event(&reader, p, end, &out));
	free(in);
	free(bytes);
}

/* Near the end of a buffer and far from it, decoding says the same. */
static void a_cut_event_is_refused(void **state)
{
	uint64_t seed = 11, stamp = 0;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		struct event e = random_event(&seed, &stamp), out;
		uint8_t bytes[CODEC_MAX];
		struct codec writer = { 0 };
		uint8_t *end = random_put(&writer, bytes, &e);

		for (uint8_t *cut = bytes; cut < end; cut++) {
			struct codec reader = { 0 };

			assert_null(codec_get_event(&reader, bytes, cut, &out));
		}
	}
}

static void codes_that_mean_nothing_are_refused(void **state)
{
	uint8_t bytes[2 * CODEC_MAX] = { 0 };

	(void)state;
	for (unsigned int code = 0; code < 256; code++) {
		bool is_known = code < 0x80 ? code < EVENT_KINDS :
					      !(code & 0x70) && (code & 7) < 5;

		bytes[0] = (uint8_t)code;
		for (size_t size = 8; size <= sizeof(bytes);
		     size += sizeof(bytes) - 8) {
			struct codec codec = { 0 };
			struct event e;
			const uint8_t *p = codec_get_event(&codec, bytes,
							   bytes + size, &e);

			assert_int_equal(p != NULL, is_known);
		}
	}
}

static void an_event_has_at_least_three_bytes(void **state)
{
	(void)state;
	for (unsigned int kind = 0; kind < EVENT_KINDS; kind++) {
		struct event e = { .kind = (uint8_t)kind };
		struct codec codec = { 0 };
		uint8_t bytes[CODEC_MAX];

		assert_true(codec_put_event(&codec, bytes, &e) - bytes >= 3);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_every_length_survive),
		cmocka_unit_test(differences_of_either_sign_survive),
		cmocka_unit_test(a_number_beyond_64_bits_is_refused),
		cmocka_unit_test(random_events_come_back_as_they_were),
		cmocka_unit_test(a_cut_event_is_refused),
		cmocka_unit_test(codes_that_mean_nothing_are_refused),
		cmocka_unit_test(an_event_has_at_least_three_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
