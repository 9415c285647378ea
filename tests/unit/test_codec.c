/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "made_trace.h"

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

static bool is_code(unsigned int code)
{
	if (code < 0x80)
		return code < EVENT_KINDS;
	if (code == CODEC_EARLIER || code == (CODEC_EARLIER | 1))
		return true;
	return code < 0xa0 && (code & 7) < 5;
}

static void codes_that_mean_nothing_are_refused(void **state)
{
	uint8_t bytes[2 * CODEC_MAX];

	(void)state;
	memset(bytes, 1, sizeof(bytes));
	/* A run of one access. */
	memcpy(bytes + 3, (uint32_t[]){ 1 }, 4);
	for (unsigned int code = 0; code < 256; code++) {
		bytes[0] = (uint8_t)code;
		for (size_t size = 8; size <= sizeof(bytes);
		     size += sizeof(bytes) - 8) {
			struct codec codec = { 0 };
			struct event e;
			const uint8_t *p = codec_get_event(&codec, bytes,
							   bytes + size, &e);

			assert_int_equal(p != NULL, is_code(code));
		}
	}
}

static void a_run_becomes_its_accesses(void **state)
{
	uint8_t bytes[2 * CODEC_MAX], *end, *count_at;
	const uint8_t *p = bytes;
	struct codec writer = { 0 }, reader = { 0 };
	struct event e;

	(void)state;
	end = codec_put_run(&writer, bytes, 1, 3, 0x1000, 5, &count_at);
	codec_set_number(count_at, 3);
	writer.addr = 0x1010;
	end = codec_put_access(&writer, end, 0, 2, 0x1020, 6);
	for (uint64_t i = 0; i < 3; i++) {
		p = codec_get_event(&reader, p, end, &e);
		assert_non_null(p);
		assert_int_equal(e.kind, EVENT_WRITE);
		assert_int_equal(e.addr, 0x1000 + 8 * i);
		assert_int_equal(e.size, 8);
		assert_int_equal(e.stack, 5);
	}
	p = codec_get_event(&reader, p, end, &e);
	assert_ptr_equal(p, end);
	assert_int_equal(e.addr, 0x1020);
	assert_int_equal(e.stack, 6);
}

static void passing_over_a_run_ends_behind_it(void **state)
{
	uint8_t bytes[2 * CODEC_MAX], *end, *count_at;
	const uint8_t *p;
	struct codec writer = { 0 }, reader = { 0 };
	struct event e;

	(void)state;
	end = codec_put_run(&writer, bytes, 0, 2, 0x1000, 5, &count_at);
	codec_set_number(count_at, 100);
	p = codec_get_event(&reader, bytes, end, &e);
	assert_int_equal(codec_skip_run(&reader, &p), 99);
	assert_ptr_equal(p, end);
	assert_int_equal(reader.addr, 0x1000 + 99 * 4);
	assert_int_equal(codec_skip_run(&reader, &p), 0);
}

static void an_empty_or_endless_run_is_refused(void **state)
{
	static const uint32_t counts[] = { 0, CODEC_RUN_MAX + 1, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		uint8_t bytes[CODEC_MAX], *end, *count_at;
		struct codec writer = { 0 }, reader = { 0 };
		struct event e;

		end = codec_put_run(&writer, bytes, 0, 2, 64, 0, &count_at);
		codec_set_number(count_at, counts[i]);
		assert_null(codec_get_event(&reader, bytes, end, &e));
	}
}

static void an_earlier_access_survives_with_its_raised_size(void **state)
{
	struct event in = { .kind = EVENT_EARLIER_WRITE,
			    .addr = 0x1000,
			    .size = 4,
			    .arg = earlier_arg(3, 77),
			    .stack = 9 };
	uint8_t bytes[CODEC_MAX], *end, *size_at;
	struct codec writer = { 0 }, reader = { 0 };
	struct event out = { 0 };

	(void)state;
	end = codec_put_earlier(&writer, bytes, &in, &size_at);
	codec_set_number(size_at, 12);
	in.size = 12;
	assert_ptr_equal(codec_get_event(&reader, bytes, end, &out), end);
	assert_true(event_equals(&in, &out));
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
		cmocka_unit_test(a_run_becomes_its_accesses),
		cmocka_unit_test(passing_over_a_run_ends_behind_it),
		cmocka_unit_test(an_empty_or_endless_run_is_refused),
		cmocka_unit_test(
			an_earlier_access_survives_with_its_raised_size),
		cmocka_unit_test(an_event_has_at_least_three_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
