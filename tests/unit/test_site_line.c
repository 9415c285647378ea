/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines and inlined chains at every instruction of real code (some of our
 * own), compared with what others make of the same debug information:
 * addr2line, which reads version 4 well, and llvm-symbolizer, where it is
 * installed, which reads both.
 */
#include "site_fixture.h"

#include "trace/site_line.h"
#include "trace/site_path.h"

static char sources[4096]; /* the tree */

static void build(const char *command)
{
	shell("%s -D_GNU_SOURCE -std=gnu17 -I%s -shared -fPIC -o sample.so "
	      "%s/trace/location.c %s/trace/location_map.c "
	      "%s/trace/site_span.c %s/trace/site_member.c",
	      command, sources, sources, sources, sources, sources);
	shell("objdump -d --no-show-raw-insn -j .text sample.so | "
	      "sed -n 's/^ *\\([0-9a-f]*\\):.*/0x\\1/p' > addresses");
}

/* One place in one line. Compilers may write "./" and "..", and each reader
 * has its own idea how to show them. */
static void place_write(FILE *out, const char *function, const char *file,
			int line)
{
	static const struct site_paths nowhere;
	char *clean = site_path(&nowhere, file ? file : "??");

	fprintf(out, "%s %s:%d\n", function, clean, line);
	free(clean);
}

/* Code that no function claims, filling between functions, is left out. */
static void ours_write(FILE *out, FILE *addresses)
{
	struct region_module run = { 0 };
	struct site_module m = { .run = &run };
	unsigned long long addr;
	struct err err;

	snprintf(run.path, sizeof(run.path), "sample.so");
	assert_int_equal(module_open(&m, &err), 0);
	while (fscanf(addresses, "%llx", &addr) == 1) {
		struct frames frames = { 0 };

		module_frames(&m, addr, &frames);
		if (frames.at[0].function && frames.at[0].file)
			fprintf(out, "@%llx\n", addr);
		for (size_t i = 0; i < frames.count; i++) {
			struct frame *f = &frames.at[i];

			if (frames.at[0].function && frames.at[0].file)
				place_write(out, f->function, f->file, f->line);
		}
		vec_free(&frames);
	}
	module_close(&m);
}

/* The peer says an address, then a line with the function and one with the
 * place, for each frame. The compiler's suffixes to names are its own. */
static void peer_write(FILE *out, FILE *said)
{
	char function[4096] = "", line[4096];
	bool has_function = false;

	while (fgets(line, sizeof(line), said)) {
		char *colon;

		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0x", 2) == 0) {
			fprintf(out, "@%llx\n", strtoull(line, NULL, 16));
			has_function = false;
		} else if (!has_function) {
			snprintf(function, sizeof(function), "%s", line);
			function[strcspn(function, ".")] = '\0';
			has_function = true;
		} else if ((colon = strrchr(line, ':'))) {
			*colon = '\0';
			place_write(out, function, line, atoi(colon + 1));
			has_function = false;
		}
	}
}

static FILE *file_open(const char *name, const char *mode)
{
	FILE *file = fopen(name, mode);

	assert_non_null(file);
	return file;
}

static void compare(const char *how, const char *peer)
{
	FILE *out, *in;
	char line[64];

	build(how);
	out = file_open("ours", "w");
	in = file_open("addresses", "r");
	ours_write(out, in);
	fclose(in);
	fclose(out);
	shell("sed -n 's/^@/0x/p' ours > asked");
	out = file_open("theirs", "w");
	in = popen(peer, "r");
	assert_non_null(in);
	peer_write(out, in);
	assert_int_equal(pclose(in), 0);
	fclose(out);
	shell_line(line, sizeof(line), "grep -c ^@ ours");
	assert_true(atoi(line) > 800);
	if (system("diff ours theirs > difference") != 0) {
		shell("head -n 20 difference");
		fail_msg("%s: not what %s says (<)", how, peer);
	}
}

static const char *const compilers[] = { "gcc", "clang-14", "clang-19" };

static void lines_are_those_of_addr2line(void **state)
{
	(void)state;
	for (size_t c = 0; c < 3; c++) {
		for (int level = 0; level < 4; level += 2) {
			char how[64];

			snprintf(how, sizeof(how), "%s -g -gdwarf-4 -O%d",
				 compilers[c], level);
			compare(how, "addr2line -a -i -f -e sample.so < asked");
		}
	}
}

static void lines_are_those_of_llvm_symbolizer(void **state)
{
	static const char *const flags[] = { "-O0", "-O2 -flto", "-O3 -gz",
					     "-O2 -gsplit-dwarf" };

	(void)state;
	if (system("command -v llvm-symbolizer-19 > /dev/null") != 0)
		skip();
	for (size_t c = 0; c < 3; c++) {
		for (size_t f = 0; f < sizeof(flags) / sizeof(*flags); f++) {
			char how[64];

			/* Each clang's objects need its own linker. */
			snprintf(how, sizeof(how), "%s -g -gdwarf-5 %s%s",
				 compilers[c], flags[f],
				 c ? " -fuse-ld=lld" : "");
			compare(how, "llvm-symbolizer-19 --obj=sample.so -a -i "
				     "-f --output-style=GNU < asked");
		}
	}
}

static int tree_find(void **state)
{
	const char *tree = getenv("SOURCE");

	if (tree)
		snprintf(sources, sizeof(sources), "%s/src", tree);
	else if (!realpath("../src", sources))
		return -1;
	return scratch_enter(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_those_of_addr2line),
		cmocka_unit_test(lines_are_those_of_llvm_symbolizer),
	};

	return cmocka_run_group_tests(tests, tree_find, scratch_leave);
}
