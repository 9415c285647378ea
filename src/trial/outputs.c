/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/outputs.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "trial/interrupts.h"
#include "trial/program.h"

enum { CHECK_MS = 60000 };

/* ---- --expect ---- */

/* One line of a text, without its end. */
struct line {
	const char *at; /* NULL: there is none */
	size_t size;
};

static struct line line_next(const char **at, const char *end)
{
	struct line l = { 0 };
	const char *newline;

	if (*at == end)
		return l;
	newline = memchr(*at, '\n', (size_t)(end - *at));
	l.at = *at;
	l.size = (size_t)((newline ? newline : end) - *at);
	*at = newline ? newline + 1 : end;
	return l;
}

static bool is_same(const struct line *a, const struct line *b)
{
	return a->at && b->at && a->size == b->size &&
	       memcmp(a->at, b->at, a->size) == 0;
}

static char *line_text(const struct line *l)
{
	enum { SHOWN = 60 };
	bool is_long = l->size > SHOWN;

	if (!l->at)
		return xstrdup("the end");
	return xasprintf("`%.*s%s'", is_long ? SHOWN : (int)l->size, l->at,
			 is_long ? "..." : "");
}

static char *difference(const struct outputs *o, const char *text, size_t size)
{
	const char *a = text, *b = o->expected;
	const char *a_end = a + size, *b_end = b + o->expected_size;
	struct line got, wanted;
	char *is, *should, *why;
	size_t n = 0;

	do {
		n++;
		got = line_next(&a, a_end);
		wanted = line_next(&b, b_end);
	} while (is_same(&got, &wanted));
	if (!got.at && !wanted.at)
		return xstrdup("one ends its last line, the other does not");
	is = line_text(&got);
	should = line_text(&wanted);
	why = xasprintf("line %zu is %s instead of %s", n, is, should);
	free(is);
	free(should);
	return why;
}

static bool is_expected(const struct outputs *o, const char *text, size_t size)
{
	return !o->expected || (size == o->expected_size &&
				memcmp(text, o->expected, size) == 0);
}

/* ---- --check ---- */

/* Words are set apart by blanks; quotes of either kind keep them together. */
static int words_split(struct outputs *o, const char *text, struct err *err)
{
	const char *p = text;

	for (;;) {
		VEC(char) word = { 0 };
		char quote = '\0';

		while (isspace((unsigned char)*p))
			p++;
		if (!*p)
			break;
		for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
			if (quote ? *p == quote : *p == '\'' || *p == '"')
				quote = quote ? '\0' : *p;
			else
				vec_push(&word, *p);
		}
		vec_push(&word, '\0');
		vec_push(&o->check, word.at);
		if (quote)
			return err_set(err,
				       "--check %s: a quote that has no end",
				       text);
	}
	if (!o->check.count)
		return err_set(err, "--check wants a command, not nothing");
	return 0;
}

static int check_init(struct outputs *o, const char *check, struct err *err)
{
	struct program program;
	int rc;

	if (words_split(o, check, err) < 0)
		return -1;
	for (size_t i = 0; i < o->check.count; i++)
		o->judges_status |= strstr(o->check.at[i], "{status}") != NULL;
	rc = program_find_any(&program, o->check.at[0], err);
	program_done(&program);
	if (rc < 0)
		return err_add(err, "--check");
	vec_push(&o->check, NULL);
	return 0;
}

static char *word_fill(const char *word, int status)
{
	const char *const names[] = { "{output}", "{status}" };
	char number[16];
	const char *const values[] = { "/dev/stdin", number };
	VEC(char) all = { 0 };

	snprintf(number, sizeof(number), "%d", status);
	while (*word) {
		const char *value = NULL;

		for (int i = 0; i < 2 && !value; i++)
			if (strncmp(word, names[i], strlen(names[i])) == 0) {
				value = values[i];
				word += strlen(names[i]);
			}
		if (!value) {
			vec_push(&all, *word++);
			continue;
		}
		for (; *value; value++)
			vec_push(&all, *value);
	}
	vec_push(&all, '\0');
	return all.at;
}

static int memory_file(const char *text, size_t size)
{
	int fd = memfd_create("heddle-check", MFD_CLOEXEC);

	for (size_t done = 0; fd >= 0 && done < size;) {
		ssize_t n = write(fd, text + done, size - done);

		if (n <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static int spawn(char *const *argv, int in, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t how;
	sigset_t none;
	int rc;

	sigemptyset(&none);
	posix_spawnattr_init(&how);
	posix_spawnattr_setsigmask(&how, &none);
	/* What the keyboard interrupts is ours to end: a command that it ended
	 * would have said that the run is broken. */
	posix_spawnattr_setpgroup(&how, 0);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK |
					       POSIX_SPAWN_SETPGROUP);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, out, 2);
	rc = posix_spawnp(pid, argv[0], &actions, &how, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&how);
	return rc;
}

/* The last line of what the command said, which is most often its reason. */
static char *last_line(int fd)
{
	char text[4096];
	off_t size = lseek(fd, 0, SEEK_END);
	off_t from = size > 4095 ? size - 4095 : 0;
	ssize_t n = pread(fd, text, sizeof(text) - 1, from);
	char *line;

	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	if (n <= 0)
		return NULL;
	text[n] = '\0';
	line = strrchr(text, '\n');
	return xstrdup(line ? line + 1 : text);
}

/* A command that does not end would hold up the campaign for ever, and whoever
 * interrupts it. */
static int check_await(pid_t pid, int *status)
{
	enum { TICK_MS = 100, MOMENT_MS = 200 };
	int fd = (int)syscall(SYS_pidfd_open, pid, 0), rc = 0;
	struct pollfd wanted = { .fd = fd, .events = POLLIN };
	int waited = 0;

	while (fd >= 0 && !rc && poll(&wanted, 1, TICK_MS) == 0) {
		waited += TICK_MS;
		if (waited >= MOMENT_MS && interrupts_came())
			rc = EINTR;
		else if (waited >= CHECK_MS)
			rc = ETIMEDOUT;
	}
	if (rc) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL);
	}
	if (fd >= 0)
		close(fd);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return rc;
}

static int check_run(char *const *argv, int in, char **why, struct err *err)
{
	int out = memfd_create("heddle-check", MFD_CLOEXEC), rc, status = 0;
	pid_t pid;

	if (in < 0 || out < 0) {
		rc = errno;
		goto out;
	}
	rc = spawn(argv, in, out, &pid);
	if (rc == 0)
		rc = check_await(pid, &status);
	if (rc == 0 && status && why)
		*why = last_line(out);
out:
	if (out >= 0)
		close(out);
	if (rc)
		return err_set(err, "cannot run the check command %s: %s",
			       argv[0], strerror(rc));
	return status ? OUTCOME_CHECK : OUTCOME_NONE;
}

static int check(const struct outputs *o, const char *text, size_t size,
		 int status, char **why, struct err *err)
{
	VEC(char *) argv = { 0 };
	int in = memory_file(text, size), rc;

	for (size_t i = 0; o->check.at[i]; i++)
		vec_push(&argv, word_fill(o->check.at[i], status));
	vec_push(&argv, NULL);
	rc = check_run(argv.at, in, why, err);
	if (in >= 0)
		close(in);
	for (size_t i = 0; i < argv.count; i++)
		free(argv.at[i]);
	vec_free(&argv);
	return rc;
}

/* ---- both ---- */

int outputs_init(struct outputs *o, const char *expect, const char *check_line,
		 struct err *err)
{
	*o = (struct outputs){ 0 };
	if (expect) {
		o->expected = file_read(expect, &o->expected_size, err);
		if (!o->expected)
			return err_add(err, "--expect");
	}
	if (check_line && check_init(o, check_line, err) < 0) {
		outputs_done(o);
		return -1;
	}
	return 0;
}

void outputs_done(struct outputs *o)
{
	free(o->expected);
	for (size_t i = 0; i < o->check.count; i++)
		free(o->check.at[i]);
	vec_free(&o->check);
	*o = (struct outputs){ 0 };
}

bool outputs_is_needed(const struct outputs *o)
{
	return o && (o->expected || o->check.count);
}

int outputs_judge(const struct outputs *o, const char *text, size_t size,
		  int status, char **why, struct err *err)
{
	if (why)
		*why = NULL;
	if (!is_expected(o, text, size)) {
		if (why)
			*why = difference(o, text, size);
		return OUTCOME_OUTPUT;
	}
	return o->check.count ? check(o, text, size, status, why, err) :
				OUTCOME_NONE;
}
