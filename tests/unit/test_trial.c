/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trial room without the guest: this program plays the guest itself when
 * it is run with an argument. It maps the region as HEDDLE_TRIAL says and
 * hands over slots.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "format/codec.h"
#include "trace/trace.h"
#include "trial/trial.h"

enum { SLOTS = 500, WRITES = 100 };

/* ---- the guest ---- */

static struct region *attach(void)
{
	const char *text = getenv("HEDDLE_TRIAL");
	char *colon;
	int fd;
	struct region *r;

	if (!text || strtol(text, &colon, 10) != getpid() || *colon != ':')
		_exit(90);
	fd = open(colon + 1, O_RDWR);
	r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || r == MAP_FAILED || r->magic != REGION_MAGIC ||
	    r->version != REGION_VERSION || r->mode != MODE_OBSERVE)
		_exit(91);
	close(fd);
	r->threads[0] = (struct region_thread){ .parent = NO_THREAD };
	r->thread_count = 1;
	r->stack_count = 1;
	r->guest_pid = (uint32_t)getpid();
	return r;
}

/* As a thread of the guest would: any free slot, else wait for one. The last
 * is taken first, so that their order is not that of their numbers. */
static uint32_t take_slot(struct region *r)
{
	for (;;) {
		uint32_t seen = r->free_slots;

		for (uint32_t i = SLOTS; i-- > 0;)
			if (r->slots[i].state == SLOT_FREE) {
				r->slots[i].state = SLOT_OPEN;
				return i;
			}
		syscall(SYS_futex, &r->free_slots, FUTEX_WAIT, seen, NULL, NULL,
			0);
	}
}

static void write_slot(struct region *r, uint32_t sequence, bool is_full)
{
	uint32_t n = take_slot(r);
	struct region_slot *s = &r->slots[n];
	struct codec c = { .stamp = sequence };
	uint8_t *p = r->data[n];

	s->thread = 0;
	s->sequence = sequence;
	s->first_stamp = sequence;
	for (int i = 0; i < WRITES; i++)
		p = codec_put_access(&c, p, 1, 2, 0x1000 + 4 * sequence, 0);
	s->used = (uint32_t)(p - r->data[n]);
	if (!is_full)
		return;
	s->state = SLOT_FULL;
	r->full_slots++;
	syscall(SYS_futex, &r->full_slots, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* A limit on the tool's file sizes stands for a full disk. */
static void fill_disk(pid_t tool)
{
	struct rlimit limit;

	if (prlimit(tool, RLIMIT_FSIZE, NULL, &limit) < 0)
		_exit(92);
	limit.rlim_cur = 2000;
	if (prlimit(tool, RLIMIT_FSIZE, &limit, NULL) < 0)
		_exit(93);
}

static int guest_main(const char *what)
{
	struct region *r;
	uint32_t full = 3 * SLOTS;

	if (strcmp(what, "absent") == 0)
		return 7;
	r = attach();
	if (strcmp(what, "many") == 0 || strcmp(what, "full-disk") == 0)
		full = 5000;
	if (strcmp(what, "full-disk") == 0)
		fill_disk((pid_t)r->tool_pid);
	r->slots_made = SLOTS;
	for (uint32_t i = 0; i < full; i++)
		write_slot(r, i, true);
	write_slot(r, full, false);
	if (strcmp(what, "crash") == 0)
		abort();
	if (strcmp(what, "hang") == 0)
		for (;;)
			pause();
	if (strcmp(what, "terminate-tool") == 0) {
		kill((pid_t)r->tool_pid, SIGTERM);
		for (;;)
			pause();
	}
	r->closed = 1;
	return 0;
}

/* ---- the tool ---- */

static char self[PATH_MAX];
static char scratch[] = "/tmp/test_trial-XXXXXX";
static char path[64];
static struct trial_result result;
static struct err err;

static int make_scratch(void **state)
{
	(void)state;
	if (!mkdtemp(scratch))
		return -1;
	snprintf(path, sizeof(path), "%s/trace", scratch);
	return 0;
}

static int remove_scratch(void **state)
{
	(void)state;
	return file_remove(scratch, &err);
}

static int run(const char *what, uint64_t limit)
{
	char word[32];
	char *argv[] = { self, word, NULL };
	struct trial trial = { .argv = argv,
			       .trace = path,
			       .time_limit = limit };

	snprintf(word, sizeof(word), "%s", what);
	return trial_run(&trial, &result, &err);
}

static uint64_t count_events(void)
{
	struct trace *t = trace_open(path, &err);
	struct event e;
	uint64_t n = 0;

	if (!t)
		fail_msg("%s", err.text);
	while (trace_next(t, &e))
		n++;
	/* Cut off, perhaps; but nothing in between is missing. */
	if (trace_end(t) && trace_missing(t))
		fail_msg("%s", trace_missing_text(t, 0));
	trace_close(t);
	return n;
}

static void every_slot_reaches_the_trace(void **state)
{
	struct trace *t;

	(void)state;
	assert_int_equal(run("few", 0), 0);
	assert_true(result.attached);
	assert_true(result.trace_is_whole);
	assert_int_equal(result.ending.verdict, EXIT_HELD);
	assert_int_equal(count_events(), (3 * SLOTS + 1) * WRITES);
	t = trace_open(path, &err);
	assert_non_null(t);
	assert_int_equal(trace_missing(t), 0);
	assert_non_null(trace_end(t));
	assert_int_equal(trace_end(t)->closed, 1);
	assert_true(trace_info(t)->stamps_per_second > 1000000);
	assert_string_equal(trace_info(t)->command, self);
	trace_close(t);
}

static void a_guest_that_waits_for_slots_gets_them(void **state)
{
	(void)state;
	assert_int_equal(run("many", 0), 0);
	assert_int_equal(count_events(), (5000 + 1) * WRITES);
}

static void what_a_crashed_program_did_is_kept(void **state)
{
	(void)state;
	assert_int_equal(run("crash", 0), 0);
	assert_int_equal(result.ending.verdict, EXIT_BROKEN);
	assert_non_null(strstr(result.ending.text, "SIGABRT"));
	assert_int_equal(count_events(), (3 * SLOTS + 1) * WRITES);
}

static void a_program_whose_time_is_up_is_killed(void **state)
{
	(void)state;
	assert_int_equal(run("hang", 300), 0);
	assert_int_equal(result.ending.verdict, EXIT_UNKNOWN);
	assert_int_equal(count_events(), (3 * SLOTS + 1) * WRITES);
}

static void a_signal_to_the_tool_reaches_the_program(void **state)
{
	(void)state;
	assert_int_equal(run("terminate-tool", 60000), 0);
	assert_non_null(strstr(result.ending.text, "SIGTERM"));
	assert_int_equal(count_events(), (3 * SLOTS + 1) * WRITES);
}

static void a_guest_that_never_came_is_noticed(void **state)
{
	(void)state;
	assert_int_equal(run("absent", 0), 0);
	assert_false(result.attached);
	assert_int_equal(result.ending.verdict, EXIT_BROKEN);
	assert_string_equal(result.ending.text, "exited with status 7");
}

static void a_full_disk_stops_neither_program_nor_reader(void **state)
{
	struct rlimit before;

	(void)state;
	getrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(run("full-disk", 0), 0);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(result.ending.verdict, EXIT_HELD);
	assert_false(result.trace_is_whole);
	assert_non_null(strstr(result.trace_error.text, path));
	assert_true(count_events() < (5000 + 1) * WRITES);
}

static void a_limit_on_file_sizes_is_an_error(void **state)
{
	struct rlimit before, small;

	(void)state;
	getrlimit(RLIMIT_FSIZE, &before);
	small = before;
	small.rlim_cur = 1 << 20;
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(run("few", 0), -1);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_non_null(strstr(err.text, "ulimit -f"));
}

static void a_trace_that_cannot_be_made_is_named(void **state)
{
	char *argv[] = { self, (char[]){ "few" }, NULL };
	struct trial trial = { .argv = argv, .trace = "/no/such/place/trace" };

	(void)state;
	assert_int_equal(trial_run(&trial, &result, &err), -1);
	assert_non_null(strstr(err.text, "/no/such/place/trace"));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_slot_reaches_the_trace),
		cmocka_unit_test(a_guest_that_waits_for_slots_gets_them),
		cmocka_unit_test(what_a_crashed_program_did_is_kept),
		cmocka_unit_test(a_program_whose_time_is_up_is_killed),
		cmocka_unit_test(a_signal_to_the_tool_reaches_the_program),
		cmocka_unit_test(a_guest_that_never_came_is_noticed),
		cmocka_unit_test(a_full_disk_stops_neither_program_nor_reader),
		cmocka_unit_test(a_limit_on_file_sizes_is_an_error),
		cmocka_unit_test(a_trace_that_cannot_be_made_is_named),
	};

	if (argc > 1)
		return guest_main(argv[1]);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
