/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "trial/feed.h"

static void a_pipe_is_read_to_its_end(void **state)
{
	struct feed f;
	struct err err;
	char back[16] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "one\ntwo", 7), 7);
	close(ends[1]);
	assert_int_equal(feed_init(&f, ends[0], &err), 0);
	assert_int_equal(f.size, 7);
	assert_string_equal(f.text, "one\ntwo");
	assert_int_equal(pread(f.fd, back, sizeof(back), 0), 7);
	assert_string_equal(back, "one\ntwo");
	feed_done(&f);
	close(ends[0]);
}

static void a_file_is_read_from_where_it_stands(void **state)
{
	char path[] = "/tmp/heddle-feed-XXXXXX";
	int fd = mkstemp(path);
	struct feed f;
	struct err err;

	(void)state;
	unlink(path);
	assert_int_equal(write(fd, "head and rest", 13), 13);
	lseek(fd, 9, SEEK_SET);
	assert_int_equal(feed_init(&f, fd, &err), 0);
	assert_string_equal(f.text, "rest");
	feed_done(&f);
	close(fd);
}

static void a_device_and_an_empty_file_give_nothing(void **state)
{
	int zero = open("/dev/zero", O_RDONLY), ends[2];
	struct feed f;
	struct err err;

	(void)state;
	assert_int_equal(feed_init(&f, zero, &err), 0);
	assert_int_equal(f.fd, -1);
	assert_null(f.text);
	close(zero);
	assert_int_equal(pipe(ends), 0);
	close(ends[1]);
	assert_int_equal(feed_init(&f, ends[0], &err), 0);
	assert_int_equal(f.fd, -1);
	assert_int_equal(f.size, 0);
	feed_done(&f);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipe_is_read_to_its_end),
		cmocka_unit_test(a_file_is_read_from_where_it_stands),
		cmocka_unit_test(a_device_and_an_empty_file_give_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
