/* SPDX-License-Identifier: Apache-2.0 */
#include "linear/linear_spec.h"

#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/args.h"
#include "base/file.h"
#include "base/suggest.h"
#include "base/xalloc.h"

enum { PATIENCE_MS = 10000, CLIENTS_MOST = 64 };

/* ---- words ---- */

static char *skip_blanks(char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* Ends the first word of `at` and returns what follows it. */
static char *split(char *at)
{
	while (*at && *at != ' ' && *at != '\t')
		at++;
	if (*at)
		*at++ = '\0';
	return skip_blanks(at);
}

static int compile(regex_t *to, const char *text, struct err *err)
{
	char words[200];
	int rc = regcomp(to, text, REG_EXTENDED | REG_NEWLINE);

	if (!rc)
		return 0;
	regerror(rc, to, words, sizeof(words));
	return err_set(err, "%s is no regular expression: %s", text, words);
}

static int pattern_init(struct pattern *p, const char *text, struct err *err)
{
	if (compile(&p->compiled, text, err) < 0)
		return -1;
	p->text = xstrdup(text);
	return 0;
}

static void pattern_done(struct pattern *p)
{
	if (p->text)
		regfree(&p->compiled);
	free(p->text);
	p->text = NULL;
}

bool pattern_matches(const struct pattern *p, const char *text)
{
	return regexec(&p->compiled, text, 0, NULL, 0) == 0;
}

static int request(struct blob *to, const char *text, struct err *err)
{
	*to = blob_unescape(text);
	return to->at ? 0 :
			err_set(err,
				"%s: a backslash begins \\r, \\n, \\t, \\\\ or "
				"\\xHH",
				text);
}

/* ---- keys ---- */

typedef int key_read(struct linear_spec *s, char *value, struct err *err);

/* Words as a shell takes them apart, as far as quotes go. */
static int read_start(struct linear_spec *s, char *value, struct err *err)
{
	if (s->start.count)
		return err_set(err, "start is there twice");
	for (char *at = value; *at; at = skip_blanks(at)) {
		char *word = xcalloc(1, strlen(at) + 1);
		size_t n = 0;
		char quote = 0;

		for (; *at && (quote || (*at != ' ' && *at != '\t')); at++) {
			if (quote ? *at == quote : *at == '\'' || *at == '"')
				quote = quote ? 0 : *at;
			else
				word[n++] = *at;
		}
		vec_push(&s->start, word);
		if (quote)
			return err_set(err, "start: a quote is not closed");
	}
	return 0;
}

static int read_connect(struct linear_spec *s, char *value, struct err *err)
{
	if (s->connect)
		return err_set(err, "connect is there twice");
	if ((strncmp(value, "unix:", 5) != 0 &&
	     strncmp(value, "tcp:", 4) != 0) ||
	    !strchr(value, ':')[1])
		return err_set(err,
			       "connect wants unix:PATH or tcp:PORT, not "
			       "%s",
			       value);
	s->connect = xstrdup(value);
	return 0;
}

static int read_reply(struct linear_spec *s, char *value, struct err *err)
{
	char *rest = split(value);

	if (strcmp(value, "idle") == 0 && !*rest)
		s->reply = REPLY_IDLE;
	else if (strcmp(value, "line") == 0 && !*rest)
		s->reply = REPLY_LINE;
	else if (strcmp(value, "until") == 0 && *rest && !s->reply_end.text) {
		s->reply = REPLY_UNTIL;
		return pattern_init(&s->reply_end, rest, err);
	} else
		return err_set(err, "reply wants idle, line or until and a "
				    "regular expression");
	return 0;
}

static int read_ending(struct linear_spec *s, char *value, struct err *err)
{
	blob_done(&s->ending);
	s->has_ending = true;
	return request(&s->ending, strcmp(value, "none") == 0 ? "" : value,
		       err);
}

static int read_setup(struct linear_spec *s, char *value, struct err *err)
{
	struct blob b;

	if (request(&b, value, err) < 0)
		return -1;
	vec_push(&s->setup, b);
	return 0;
}

static int read_client(struct linear_spec *s, char *value, struct err *err)
{
	char *rest = split(value);
	struct spec_request r;
	uint64_t number;

	if (args_number(ARG_KIND_NUMBER, value, &number) < 0 || !number ||
	    number > CLIENTS_MOST || !*rest)
		return err_set(err,
			       "client wants a number from 1 to %d and a "
			       "request",
			       CLIENTS_MOST);
	r.client = (uint32_t)number;
	if (request(&r.text, rest, err) < 0)
		return -1;
	vec_push(&s->requests, r);
	return 0;
}

static int read_probe(struct linear_spec *s, char *value, struct err *err)
{
	char *rest = split(value);
	struct spec_probe p;

	if (!*rest)
		return err_set(err, "probe wants a name and a request");
	if (request(&p.text, rest, err) < 0)
		return -1;
	p.name = xstrdup(value);
	vec_push(&s->probes, p);
	return 0;
}

static int read_file(struct linear_spec *s, char *value, struct err *err)
{
	char *rest = split(value);

	if (!*rest || *rest == '/' || strstr(rest, ".."))
		return err_set(err, "file wants a name and a pattern of files "
				    "below the server's directory");
	vec_push(&s->files, (struct spec_file){ .name = xstrdup(value),
						.pattern = xstrdup(rest) });
	return 0;
}

static int read_input(struct linear_spec *s, char *value, struct err *err)
{
	(void)err;
	vec_push(&s->inputs, xstrdup(value));
	return 0;
}

#define PATTERN_KEY(function, field)                                           \
	static int function(struct linear_spec *s, char *value,                \
			    struct err *err)                                   \
	{                                                                      \
		struct pattern p;                                              \
                                                                               \
		if (pattern_init(&p, value, err) < 0)                          \
			return -1;                                             \
		vec_push(&s->field, p);                                        \
		return 0;                                                      \
	}
PATTERN_KEY(read_ignore, ignored)
PATTERN_KEY(read_sort, sorted)
PATTERN_KEY(read_error, errors)
PATTERN_KEY(read_read, reads)
#undef PATTERN_KEY

static int fitting_word(const char *word, enum fitting_kind *kind)
{
	static const char *const words[] = {
		[FITTING_EQUAL] = "equal",
		[FITTING_WITHIN] = "concurrent-within-serial",
		[FITTING_CONTAINS] = "serial-within-concurrent",
		[FITTING_ANY_ORDER] = "any-order",
		[FITTING_IGNORE] = "ignore",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcmp(words[i], word) == 0) {
			*kind = (enum fitting_kind)i;
			return 0;
		}
	return -1;
}

static int read_rule(struct linear_spec *s, char *value, struct err *err)
{
	char *kind = split(value), *elements = split(kind);
	struct fitting r = { .has_elements = *elements };
	char *whole;
	int rc;

	if (fitting_word(kind, &r.kind) < 0 ||
	    (*elements && r.kind != FITTING_ANY_ORDER))
		return err_set(
			err, "rule wants a component and one of equal, "
			     "concurrent-within-serial, "
			     "serial-within-concurrent, any-order [EXPRESSION]"
			     " and ignore");
	whole = xasprintf("^(%s)$", value);
	rc = compile(&r.names, whole, err);
	free(whole);
	if (rc < 0)
		return -1;
	if (*elements && compile(&r.elements, elements, err) < 0) {
		regfree(&r.names);
		return -1;
	}
	r.component = xstrdup(value);
	vec_push(&s->rules, r);
	return 0;
}

static int read_object(struct linear_spec *s, char *value, struct err *err)
{
	uint64_t number;

	if (args_number(ARG_KIND_NUMBER, value, &number) < 0 || !number ||
	    number > 100)
		return err_set(err,
			       "object wants the number of a word in "
			       "requests, not %s",
			       value);
	s->object = (uint32_t)number;
	return 0;
}

static int signal_number(const char *name)
{
	static const struct {
		const char *name;
		int number;
	} signals[] = { { "TERM", SIGTERM }, { "INT", SIGINT },
			{ "HUP", SIGHUP },   { "QUIT", SIGQUIT },
			{ "USR1", SIGUSR1 }, { "USR2", SIGUSR2 } };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (strcmp(signals[i].name, name) == 0)
			return signals[i].number;
	return 0;
}

static int read_stop(struct linear_spec *s, char *value, struct err *err)
{
	char *rest = split(value);

	if (strcmp(value, "end") == 0 && !*rest) {
		s->stop = STOP_END;
	} else if (strcmp(value, "signal") == 0 && signal_number(rest)) {
		s->stop = STOP_SIGNAL;
		s->stop_signal = signal_number(rest);
	} else if (strcmp(value, "request") == 0 && *rest) {
		s->stop = STOP_REQUEST;
		blob_done(&s->stop_request);
		return request(&s->stop_request, rest, err);
	} else {
		return err_set(err, "stop wants end, signal TERM (or INT, HUP, "
				    "QUIT, USR1, USR2) or request TEXT");
	}
	return 0;
}

static int read_patience(struct linear_spec *s, char *value, struct err *err)
{
	if (args_number(ARG_KIND_DURATION, value, &s->patience_ms) < 0 ||
	    !s->patience_ms)
		return err_set(err, "patience wants a time, not %s", value);
	return 0;
}

static const struct {
	const char *name;
	key_read *read;
} keys[] = {
	{ "start", read_start },       { "connect", read_connect },
	{ "reply", read_reply },       { "ending", read_ending },
	{ "setup", read_setup },       { "client", read_client },
	{ "probe", read_probe },       { "file", read_file },
	{ "input", read_input },       { "ignore", read_ignore },
	{ "sort", read_sort },	       { "error", read_error },
	{ "read", read_read },	       { "rule", read_rule },
	{ "object", read_object },     { "stop", read_stop },
	{ "patience", read_patience },
};

enum { KEYS = sizeof(keys) / sizeof(*keys) };

static int unknown_key(const char *key, struct err *err)
{
	struct suggest near = { .word = key };

	for (size_t i = 0; i < KEYS; i++)
		suggest_offer(&near, keys[i].name);
	if (near.nearest)
		return err_set(err, "no key is called %.60s; is it %s?", key,
			       near.nearest);
	return err_set(err, "no key is called %.60s", key);
}

static int read_line(struct linear_spec *s, char *line, struct err *err)
{
	char *key = skip_blanks(line), *value;

	if (!*key || *key == '#')
		return 0;
	value = split(key);
	for (size_t i = 0; i < KEYS; i++)
		if (strcmp(keys[i].name, key) == 0)
			return *value ? keys[i].read(s, value, err) :
					err_set(err, "%s has no value", key);
	return unknown_key(key, err);
}

/* ---- the whole ---- */

static void strip(char *line)
{
	size_t n = strlen(line);

	while (n && isspace((unsigned char)line[n - 1]))
		line[--n] = '\0';
}

static int check(const struct linear_spec *s, const char *name, struct err *err)
{
	if (!!s->start.count != !!s->connect)
		return err_set(err,
			       "%s: %s is missing (start and connect "
			       "belong together)",
			       name, s->connect ? "start" : "connect");
	if (!s->start.count &&
	    (s->requests.count || s->probes.count || s->files.count))
		return err_set(err, "%s: start is missing", name);
	return 0;
}

int linear_spec_read(struct linear_spec *s, const char *text, const char *name,
		     struct err *err)
{
	char *copy = xstrdup(text), *at = copy;
	size_t line = 0;
	int rc = 0;

	*s = (struct linear_spec){ .patience_ms = PATIENCE_MS };
	while (rc == 0 && at) {
		char *newline = strchr(at, '\n');

		if (newline)
			*newline = '\0';
		strip(at);
		line++;
		rc = read_line(s, at, err);
		if (rc < 0)
			err_add(err, "%s:%zu", name, line);
		at = newline ? newline + 1 : NULL;
	}
	free(copy);
	if (!s->has_ending)
		s->ending = blob_text("\n");
	return rc < 0 ? -1 : check(s, name, err);
}

int linear_spec_load(struct linear_spec *s, const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *text;
	size_t size;
	int rc;

	*s = (struct linear_spec){ 0 };
	text = file_read(path, &size, err);
	if (!text)
		return -1;
	rc = linear_spec_read(s, text, path, err);
	free(text);
	s->path = xstrdup(path);
	s->here = !slash	? xstrdup(".") :
		  slash == path ? xstrdup("/") :
				  xasprintf("%.*s", (int)(slash - path), path);
	return rc;
}

bool linear_spec_has_server(const struct linear_spec *s)
{
	return s->start.count != 0;
}

/* ---- the end ---- */

#define DONE_ALL(list, each)                                                   \
	do {                                                                   \
		for (size_t i = 0; i < (list)->count; i++)                     \
			each(&(list)->at[i]);                                  \
		vec_free(list);                                                \
	} while (0)

static void word_done(char **word)
{
	free(*word);
}

static void request_done(struct spec_request *r)
{
	blob_done(&r->text);
}

static void probe_done(struct spec_probe *p)
{
	free(p->name);
	blob_done(&p->text);
}

static void file_done(struct spec_file *f)
{
	free(f->name);
	free(f->pattern);
}

static void rule_done(struct fitting *r)
{
	regfree(&r->names);
	if (r->has_elements)
		regfree(&r->elements);
	free(r->component);
}

void linear_spec_done(struct linear_spec *s)
{
	DONE_ALL(&s->start, word_done);
	DONE_ALL(&s->setup, blob_done);
	DONE_ALL(&s->requests, request_done);
	DONE_ALL(&s->probes, probe_done);
	DONE_ALL(&s->files, file_done);
	DONE_ALL(&s->inputs, word_done);
	DONE_ALL(&s->ignored, pattern_done);
	DONE_ALL(&s->sorted, pattern_done);
	DONE_ALL(&s->errors, pattern_done);
	DONE_ALL(&s->reads, pattern_done);
	DONE_ALL(&s->rules, rule_done);
	pattern_done(&s->reply_end);
	blob_done(&s->ending);
	blob_done(&s->stop_request);
	free(s->connect);
	free(s->path);
	free(s->here);
	*s = (struct linear_spec){ 0 };
}
