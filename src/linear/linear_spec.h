/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_LINEAR_SPEC_H
#define HEDDLE_LINEAR_SPEC_H

/*
 * A spec: how to start a server, what to ask of it, and how to compare what it
 * did. A small text file, a `key value` on each line (heddle-linear(1),
 * docs/formats.md); # begins a comment. Keys that may be repeated add up.
 *
 * Requests are text with escapes (\r \n \t \\ \xHH); `ending` is put behind
 * each. In `start` and `connect` {socket} stands for the path of a socket,
 * {port} for a free port, {dir} for the directory in which the server runs, and
 * {here} for that of the spec.
 */

#include "base/err.h"
#include "base/vec.h"
#include "linear/blob.h"

#include <regex.h>
#include <stdint.h>

/* How the state of a concurrent execution is compared with a serial one. */
enum fitting_kind {
	FITTING_EQUAL,
	FITTING_WITHIN,	   /* its elements are among those of the serial one */
	FITTING_CONTAINS,  /* the other way round */
	FITTING_ANY_ORDER, /* the same elements; those that match, anywhere */
	FITTING_IGNORE,
};

struct fitting {
	char *component; /* a regular expression over names */
	regex_t names;
	enum fitting_kind kind;
	bool has_elements;
	regex_t elements; /* of FITTING_ANY_ORDER */
};

struct pattern {
	char *text;
	regex_t compiled;
};

enum reply_kind {
	REPLY_IDLE,  /* it is whole when the server waits again */
	REPLY_LINE,  /* it is a line */
	REPLY_UNTIL, /* its last line matches */
};

enum stop_kind {
	STOP_END,     /* the run ends where it stands */
	STOP_SIGNAL,  /* it is sent a signal, and has to end */
	STOP_REQUEST, /* it is sent a request */
};

struct spec_request {
	uint32_t client; /* from 1 */
	struct blob text;
};

struct spec_probe {
	char *name;
	struct blob text;
};

struct spec_file {
	char *name;
	char *pattern; /* for glob, below the directory */
};

struct linear_spec {
	char *path, *here;
	VEC(char *) start; /* words; NULL at the end when it was read */
	char *connect;	   /* "unix:PATH" or "tcp:PORT" */
	enum reply_kind reply;
	struct pattern reply_end;
	struct blob ending;
	bool has_ending;
	VEC(struct blob) setup;
	VEC(struct spec_request) requests;
	VEC(struct spec_probe) probes;
	VEC(struct spec_file) files;
	VEC(char *) inputs; /* files copied into the directory */

	VEC(struct pattern) ignored; /* of outputs */
	VEC(struct pattern) sorted;  /* requests whose lines have no order */
	VEC(struct pattern) errors;  /* replies that are errors */
	VEC(struct pattern) reads;   /* requests that no set-up needs */
	VEC(struct fitting) rules;
	uint32_t object; /* which word of a request names what it is about; 0:
			    not known */
	enum stop_kind stop;
	int stop_signal;
	struct blob stop_request;
	uint64_t patience_ms;
};

/* `name` is what errors call the text. The spec is to be done with in any
 * case. */
MUST_USE int linear_spec_read(struct linear_spec *s, const char *text,
			      const char *name, struct err *err);
MUST_USE int linear_spec_load(struct linear_spec *s, const char *path,
			      struct err *err);
void linear_spec_done(struct linear_spec *s);

/* Of an in-process run there is no server: rules alone. */
bool linear_spec_has_server(const struct linear_spec *s);

bool pattern_matches(const struct pattern *p, const char *text);

#endif
