/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/show_repro.h"
#include "cli/verb.h"
#include "cli/view.h"
#include "store/store.h"
#include "trace/trace_text.h"

struct show_options {
	const char *store;
	bool text;
	bool all;
	struct view_options view;
};

static const struct show_options show_defaults = {
	.store = STORE_DEFAULT,
	.view = VIEW_DEFAULTS,
};

static const struct arg show_options[] = {
	ARG_PATH(struct show_options, store, "store", 0, "DIR",
		 "look for runs in DIR (.heddle)"),
	ARG_FLAG(struct show_options, text, "text", 0,
		 "print the whole trace in its text form"),
	ARG_FLAG(struct show_options, all, "all", 0,
		 "show every switch and all output of a failure"),
	ARG_FLAG(struct show_options, view.interleavings, "interleavings", 0,
		 "list the unserializable interleavings"),
	ARG_CHOICE(struct show_options, view.rank, "rank", 0, "gap|first-come",
		   "in which order (gap: the rarest first)"),
	VIEW_ARGS(struct show_options),
	ARG_END,
};

static int print_text(const char *path, const char *output, struct err *err)
{
	struct trace *t = trace_open(path, err);
	bool to_stdout = view_is_stdout(output);
	FILE *out = stdout;
	int rc = -1;

	if (!t)
		return -1;
	if (!to_stdout)
		out = fopen(output, "we");
	if (out)
		rc = trace_text_write(out, t, err);
	else
		err_set(err, "cannot write %s: %m", output);
	if (out && !to_stdout && fclose(out) == EOF && rc == 0)
		rc = err_set(err, "cannot write %s: %m", output);
	trace_close(t);
	return rc;
}

static int show(const struct show_options *o, const char *path, struct err *err)
{
	struct view view = { .options = &o->view, .path = path };

	if (o->text)
		return print_text(path, o->view.output, err);
	return view_trace(&view, err);
}

/* The text form is made a trace in memory first. */
static int show_text(const struct show_options *o, FILE *in, const char *name,
		     struct err *err)
{
	int fd = memfd_create("heddle-trace", MFD_CLOEXEC);
	char path[40];
	int rc;

	if (fd < 0)
		return err_set(err, "cannot make a file in memory: %m");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rc = trace_text_read(in, name, path, err);
	if (rc == 0)
		rc = show(o, path, err);
	close(fd);
	return rc;
}

static int show_file(const struct show_options *o, const char *path,
		     struct err *err)
{
	static const char start[] = "heddle-trace ";
	char head[sizeof(start)] = "";
	FILE *f = fopen(path, "re");
	bool is_text;
	int rc;

	if (!f)
		return err_set(err, "cannot open %s: %m", path);
	is_text = fread(head, 1, sizeof(start) - 1, f) == sizeof(start) - 1 &&
		  strcmp(head, start) == 0;
	rewind(f);
	rc = is_text ? show_text(o, f, path, err) : show(o, path, err);
	fclose(f);
	return rc;
}

/* Events are not kept with a failure; heddle report runs it again for them. */
static int check_failure(const struct show_options *o, const char *name,
			 struct err *err)
{
	const struct view_options *v = &o->view;
	const char *wish = o->text	    ? "--text" :
			   v->dump	    ? "--dump" :
			   v->interleavings ? "--interleavings" :
			   v->json	    ? "--json" :
					      NULL;

	if (!wish)
		return 0;
	return err_set(err,
		       "%s is for runs and traces, and %s is a failure; heddle "
		       "report --json %s tells its events",
		       wish, name, name);
}

static int show_failure(const struct show_options *o, const char *name,
			struct err *err)
{
	bool to_stdout = view_is_stdout(o->view.output);
	FILE *out = stdout;
	int rc;

	if (check_failure(o, name, err) < 0)
		return -1;
	if (!to_stdout)
		out = fopen(o->view.output, "we");
	if (!out)
		return err_set(err, "cannot write %s: %m", o->view.output);
	rc = show_repro(o->store, name, view_is_colourful(&o->view, out),
			o->all, out, err);
	if (!to_stdout && fclose(out) == EOF && rc >= 0)
		rc = err_set(err, "cannot write %s: %m", o->view.output);
	return rc;
}

/* An operand is a file if there is one of that name, else a kept failure or a
 * run. */
static int cmd_show(const void *values, int argc, char **argv, struct err *err)
{
	const struct show_options *o = values;
	struct store_run run;
	struct stat st;
	int rc;

	if (argc > 1)
		return err_set(err, "one trace at a time: %s is one too many",
			       argv[1]);
	if (argc == 1 && stat(argv[0], &st) == 0 && !S_ISDIR(st.st_mode))
		return show_file(o, argv[0], err);
	if (argc == 1 && show_repro_is(o->store, argv[0]))
		return show_failure(o, argv[0], err);
	if (store_run_find(&run, o->store, argc ? argv[0] : NULL, err) < 0)
		return -1;
	rc = show(o, run.trace, err);
	store_run_done(&run);
	return rc;
}

const struct verb verb_show = {
	.name = "show",
	.summary = "show a kept failure, a run, or any trace",
	.synopsis = "[OPTION...] [FAILURE | RUN | TRACE]",
	.flags = VERB_OPERANDS | VERB_NAMES,
	.options = show_options,
	.defaults = &show_defaults,
	.options_size = sizeof(struct show_options),
	.run = cmd_show,
};
