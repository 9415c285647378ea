/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiler is good when a program built with it by heddle cc runs under
 * observation, its accesses are seen and its sites have lines. So that is
 * what is tried, in a scratch directory.
 */
#include "cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/install.h"
#include "base/proc.h"
#include "base/xalloc.h"
#include "trial/trial.h"

static const char c_program[] =
	"#include <pthread.h>\n"
	"static int shared;\n"
	"static void *add(void *unused) { shared++; return unused; }\n"
	"int main(void)\n"
	"{\n"
	"	pthread_t t;\n"
	"	if (pthread_create(&t, 0, add, 0))\n"
	"		return 1;\n"
	"	pthread_join(t, 0);\n"
	"	return shared != 1;\n"
	"}\n";

static const char cxx_program[] = "#include <thread>\n"
				  "static int shared;\n"
				  "int main()\n"
				  "{\n"
				  "	std::thread t([] { shared++; });\n"
				  "	t.join();\n"
				  "	return shared != 1;\n"
				  "}\n";

struct attempt {
	const char *verb;     /* cc, c++ */
	const char *compiler; /* for HEDDLE_CC, NULL: the default */
	const char *package;
	const char *source;
	const char *suffix;
	char *directory;
};

static char *first_line(char *text)
{
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* The compiler's own words about itself, or NULL. The caller frees. */
static char *version_of(const char *compiler)
{
	char *name = xstrdup(compiler);
	char *argv[] = { name, (char[]){ "--version" }, NULL };
	struct proc_output out;
	struct err err;
	int rc = proc_capture(argv, NULL, 20000, &out, &err);

	free(name);
	if (rc < 0)
		return NULL;
	if (out.wait_status == 0)
		return first_line(out.text);
	free(out.text);
	return NULL;
}

static int compile(const struct attempt *a, char *source, char *program,
		   struct err *err)
{
	char *verb = xstrdup(a->verb);
	char *argv[] = { (char[]){ "/proc/self/exe" },
			 verb,
			 (char[]){ "-o" },
			 program,
			 source,
			 (char[]){ "-pthread" },
			 NULL };
	char *variable = a->compiler ? xasprintf("HEDDLE_CC=%s", a->compiler) :
				       NULL;
	char tool[4096];
	ssize_t n = readlink("/proc/self/exe", tool, sizeof(tool) - 1);
	struct proc_output out = { 0 };
	int rc;

	if (n > 0) {
		tool[n] = '\0';
		argv[0] = tool;
	}
	rc = proc_capture(argv, variable, 60000, &out, err);
	if (rc == 0 && out.wait_status != 0)
		rc = err_set(err, "does not build: %.160s",
			     first_line(out.text));
	free(out.text);
	free(variable);
	free(verb);
	return rc;
}

static int observe(const struct attempt *a, char *program, struct err *err)
{
	char *argv[] = { program, NULL };
	char *trace = xasprintf("%s/trace", a->directory);
	char *guest = install_find("libheddle.so", err);
	struct trial trial = { .argv = argv,
			       .trace = trace,
			       .guest = guest,
			       .time_limit = 20000 };
	struct trial_result result;
	int rc = guest ? trial_run(&trial, &result, err) : -1;

	if (rc == 0 && (!result.attached || !result.instrumented))
		rc = err_set(err, "builds, but nothing is seen of the program");
	else if (rc == 0 && result.ending.verdict != EXIT_HELD)
		rc = err_set(err, "builds a program that %s",
			     result.ending.text);
	free(guest);
	free(trace);
	return rc;
}

static int try_compiler(const struct attempt *a, struct err *err)
{
	char *source = xasprintf("%s/program.%s", a->directory, a->suffix);
	char *program = xasprintf("%s/program", a->directory);
	int rc = file_write(source, a->source, err);

	if (rc == 0)
		rc = compile(a, source, program, err);
	if (rc == 0)
		rc = observe(a, program, err);
	free(source);
	free(program);
	return rc;
}

static void check_one(struct check_result *r, struct attempt *a,
		      const char *command)
{
	char *version = version_of(command);
	const char *tmp = getenv("TMPDIR");
	struct err err;

	if (!version) {
		check_say(r, CHECK_MISSING, "install %s", a->package);
		return;
	}
	a->directory = xasprintf("%s/heddle-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(a->directory)) {
		check_say(r, CHECK_MISSING, "cannot make a directory in %s",
			  tmp ? tmp : "/tmp");
	} else {
		if (try_compiler(a, &err) < 0)
			check_say(r, CHECK_MISSING, "%.200s", err.text);
		else
			check_say(r, CHECK_OK, "%.200s", version);
		if (file_remove(a->directory, &err) < 0)
			check_say(r, CHECK_LIMITED, "%.200s", err.text);
	}
	free(a->directory);
	free(version);
}

static void check_c(struct check_result *r, const char *compiler)
{
	struct attempt a = { .verb = "cc",
			     .compiler = compiler,
			     .package = compiler,
			     .source = c_program,
			     .suffix = "c" };

	check_one(r, &a, compiler);
}

void check_gcc(struct check_result *r)
{
	check_c(r, "gcc");
}

void check_clang_14(struct check_result *r)
{
	check_c(r, "clang-14");
}

void check_clang_19(struct check_result *r)
{
	check_c(r, "clang-19");
}

void check_gxx(struct check_result *r)
{
	struct attempt a = { .verb = "c++",
			     .compiler = "gcc",
			     .package = "g++",
			     .source = cxx_program,
			     .suffix = "cc" };

	check_one(r, &a, "g++");
}
