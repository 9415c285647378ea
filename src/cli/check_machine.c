/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "base/file.h"
#include "base/proc.h"
#include "format/region.h"
#include "store/store.h"

void check_libdw(struct check_result *r)
{
	check_say(r, CHECK_OK, "version %s", dwfl_version(NULL));
}

void check_zstd(struct check_result *r)
{
	check_say(r, CHECK_OK, "version %s", ZSTD_versionString());
}

void check_memfd(struct check_result *r)
{
	size_t size = sizeof(struct region);
	int fd = memfd_create("heddle", MFD_CLOEXEC);
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		check_say(r, CHECK_MISSING,
			  "%s; is there a limit on memory "
			  "(ulimit -v)?",
			  strerror(errno));
	} else {
		check_say(r, CHECK_OK, "%zu MiB can be reserved", size >> 20);
		munmap(p, size);
	}
	if (fd >= 0)
		close(fd);
}

/* Whether the line "flags" of /proc/cpuinfo has a word. */
static bool has_word(const char *line, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = strstr(line, word); p; p = strstr(p + 1, word))
		if (p[-1] == ' ' && (p[n] == ' ' || p[n] == '\n'))
			return true;
	return false;
}

void check_tsc(struct check_result *r)
{
	size_t size;
	struct err err;
	char *text = file_read("/proc/cpuinfo", &size, &err);
	char *line = text ? strstr(text, "\nflags") : NULL;

	if (!line) {
		check_say(r, CHECK_LIMITED, "/proc/cpuinfo does not say");
	} else {
		char *end = strchr(line + 1, '\n');

		if (end)
			end[1] = '\0';
		if (has_word(line, "constant_tsc") &&
		    has_word(line, "nonstop_tsc"))
			check_say(r, CHECK_OK, "constant and never stops");
		else
			check_say(r, CHECK_LIMITED,
				  "not marked constant and nonstop: times in "
				  "traces may be off, their order is not");
	}
	free(text);
}

void check_cores(struct check_result *r)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) < 0 ? 0 :
							      CPU_COUNT(&set);

	if (n >= 2)
		check_say(r, CHECK_OK, "%d", n);
	else
		check_say(r, CHECK_LIMITED,
			  "%d: threads will hardly run side by side", n);
}

void check_memory(struct check_result *r)
{
	size_t size;
	struct err err;
	char *text = file_read("/proc/meminfo", &size, &err);
	const char *line = text ? strstr(text, "MemAvailable:") : NULL;
	unsigned long long mib = line ? strtoull(line + 13, NULL, 10) >> 10 : 0;

	if (mib >= 1024)
		check_say(r, CHECK_OK, "%llu MiB available", mib);
	else
		check_say(r, CHECK_LIMITED,
			  "%llu MiB available, 1024 are "
			  "comfortable",
			  mib);
	free(text);
}

/* A child that waits to be attached to; the attaching is what may be
 * forbidden. */
void check_ptrace(struct check_result *r)
{
	size_t size;
	struct err err;
	char *scope =
		file_read("/proc/sys/kernel/yama/ptrace_scope", &size, &err);
	pid_t child = fork();
	long rc;

	if (child == 0) {
		pause();
		_exit(0);
	}
	rc = child < 0 ? -1 : ptrace(PTRACE_SEIZE, child, NULL, NULL);
	if (rc == 0)
		check_say(r, CHECK_OK, "children can be traced%s",
			  scope && atoi(scope) > 0 ?
				  "; other processes only by root "
				  "(kernel.yama.ptrace_scope)" :
				  "");
	else
		check_say(r, CHECK_MISSING,
			  "%s; containers need --cap-add SYS_PTRACE or "
			  "another seccomp profile",
			  strerror(errno));
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	free(scope);
}

static bool can_switch_off_randomisation(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		_exit(personality(ADDR_NO_RANDOMIZE) < 0);
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void check_randomisation(struct check_result *r)
{
	size_t size;
	struct err err;
	char *text =
		file_read("/proc/sys/kernel/randomize_va_space", &size, &err);
	bool is_on = !text || atoi(text) != 0;

	if (!is_on)
		check_say(r, CHECK_OK, "off for the whole machine");
	else if (can_switch_off_randomisation())
		check_say(r, CHECK_OK,
			  "on, and can be switched off for a "
			  "program");
	else
		check_say(r, CHECK_LIMITED,
			  "on, and may not be switched off here; names of "
			  "sites do not depend on it");
	free(text);
}

void check_z3(struct check_result *r)
{
	typedef void (*version_function)(unsigned int *, unsigned int *,
					 unsigned int *, unsigned int *);
	void *library = dlopen("libz3.so.4", RTLD_NOW | RTLD_LOCAL);
	unsigned int v[4] = { 0 };
	version_function version;

	if (!library) {
		check_say(r, CHECK_MISSING, "install libz3-4");
		return;
	}
	version = (version_function)(uintptr_t)dlsym(library, "Z3_get_version");
	if (version)
		version(&v[0], &v[1], &v[2], &v[3]);
	check_say(r, CHECK_OK, "version %u.%u.%u", v[0], v[1], v[2]);
	dlclose(library);
}

void check_gdb(struct check_result *r)
{
	char *argv[] = { (char[]){ "gdb" }, (char[]){ "--version" }, NULL };
	struct proc_output out;
	struct err err;

	if (proc_capture(argv, NULL, 20000, &out, &err) < 0) {
		check_say(r, CHECK_MISSING, "install gdb");
		return;
	}
	out.text[strcspn(out.text, "\n")] = '\0';
	if (out.wait_status == 0)
		check_say(r, CHECK_OK, "%.100s", out.text);
	else
		check_say(r, CHECK_MISSING, "gdb --version fails: %.100s",
			  out.text);
	free(out.text);
}

void check_store(struct check_result *r)
{
	struct err err;

	if (store_check(STORE_DEFAULT, &err) == 0)
		check_say(r, CHECK_OK, "%s can be written here", STORE_DEFAULT);
	else
		check_say(r, CHECK_LIMITED, "%s", err.text);
}
