/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information that was moved to a file of its own.
 */
#include "site_fixture.h"

#include "trace/site_file.h"

static const char source[] =
	"int balance;\n"
	"__attribute__((noinline)) void serve(int n)\n"
	"{\n"
	"	balance += n;\n"
	"	__asm__ volatile(\"mark: .globl mark; nop\");\n" /* 5 */
	"}\n"
	"int main(void) { serve(3); return 0; }\n";

/* Builds ./bank and moves its debug information to `debug`, with a link. */
static uint64_t build_apart(const char *flags, const char *debug)
{
	uint64_t mark;

	source_write("bank.c", source);
	shell("rm -rf bank bank.debug .debug elsewhere");
	shell("gcc -g -O1 %s -o bank bank.c", flags);
	mark = symbol_at("bank", "mark");
	shell("objcopy --only-keep-debug bank bank.debug");
	shell("strip bank && objcopy --add-gnu-debuglink=bank.debug bank");
	shell("mkdir -p \"$(dirname %s)\" && mv -n bank.debug %s 2> /dev/null "
	      "|| :",
	      debug, debug);
	return mark;
}

static void expect_at(uint64_t mark, const char *expected, size_t warnings)
{
	struct trace *t = TRACE_OF("bank");
	struct sites *s = sites_new(t);

	chain_expect(site_resolve(s, module_site(0, mark), false), expected,
		     "apart");
	assert_int_equal(sites_warnings(s), warnings);
	sites_free(s);
	trace_close(t);
}

static void a_debug_link_leads_beside_the_module(void **state)
{
	(void)state;
	expect_at(build_apart("", "bank.debug"), "serve bank.c:5", 0);
}

static void a_debug_link_leads_to_a_directory_for_it(void **state)
{
	(void)state;
	expect_at(build_apart("", ".debug/bank.debug"), "serve bank.c:5", 0);
}

static void without_build_ids_the_checksum_decides(void **state)
{
	uint64_t mark = build_apart("-Wl,--build-id=none", "bank.debug");

	(void)state;
	expect_at(mark, "serve bank.c:5", 0);
	shell("echo >> bank.debug");
	expect_at(mark, "?", 0);
}

static void compressed_debug_files_are_read(void **state)
{
	uint64_t mark = build_apart("", "bank.debug");

	(void)state;
	shell("objcopy --compress-debug-sections=zlib bank.debug");
	expect_at(mark, "serve bank.c:5", 0);
}

static void a_debug_file_of_another_build_is_not_taken(void **state)
{
	uint64_t mark = build_apart("", "bank.debug");

	(void)state;
	shell("gcc -g -O2 -DOTHER -o other bank.c");
	shell("objcopy --only-keep-debug other bank.debug");
	expect_at(mark, "?", 0);
}

/* Puts the debug file below a root of our own, by its build id. */
static struct build_id build_by_id(uint8_t *bytes)
{
	char hex[64];
	size_t size = 0;

	build_apart("", "bank.debug");
	shell_line(hex, sizeof(hex),
		   "readelf -n bank | sed -n 's/.*Build ID: //p'");
	shell("rm -rf root && mkdir -p root/.build-id/%.2s", hex);
	shell("mv bank.debug root/.build-id/%.2s/%s.debug", hex, hex + 2);
	for (unsigned int byte; sscanf(hex + 2 * size, "%2x", &byte) == 1;)
		bytes[size++] = (uint8_t)byte;
	return (struct build_id){ bytes, size };
}

static void a_debug_file_is_found_by_build_id(void **state)
{
	uint8_t bytes[32];
	struct build_id id = build_by_id(bytes);
	struct module_files files;
	struct err err;

	(void)state;
	assert_int_equal(module_files_open(&files, "bank", id, "root", &err),
			 0);
	assert_non_null(files.own.elf);
	assert_true(elf_has_debug_info(files.debug.elf));
	module_files_close(&files);
}

static void a_debug_file_does_when_the_module_is_gone(void **state)
{
	uint8_t bytes[32];
	struct build_id id = build_by_id(bytes);
	struct module_files files;
	struct err err = { "untouched" };

	(void)state;
	shell("rm bank");
	assert_int_equal(module_files_open(&files, "bank", id, "root", &err),
			 0);
	assert_null(files.own.elf);
	assert_true(elf_has_debug_info(files.debug.elf));
	assert_string_equal(err.text, "untouched");
	module_files_close(&files);
	bytes[0] ^= 1;
	assert_int_equal(module_files_open(&files, "bank", id, "root", &err),
			 -1);
	assert_non_null(strstr(err.text, "cannot open bank"));
}

static void what_is_not_elf_is_refused(void **state)
{
	struct module_files files;
	struct err err;

	(void)state;
	source_write("text", "not a program at all\n");
	assert_int_equal(module_files_open(&files, "text",
					   (struct build_id){ 0 }, "root",
					   &err),
			 -1);
	assert_non_null(strstr(err.text, "not an ELF file"));
	module_files_close(&files);
}

static size_t file_read(const char *file, char *bytes, size_t room)
{
	FILE *in = fopen(file, "r");
	size_t size;

	assert_non_null(in);
	size = fread(bytes, 1, room, in);
	fclose(in);
	return size;
}

static void file_write(const char *file, const char *bytes, size_t size)
{
	FILE *out = fopen(file, "w");

	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	fclose(out);
}

/* Whatever a damaged file says, asking about it ends in an answer. */
static void damaged_files_do_no_harm(void **state)
{
	static char bytes[1 << 16];
	uint64_t mark, balance;
	struct trace *t;
	size_t size;

	(void)state;
	source_write("bank.c", source);
	shell("gcc -g -O1 -Wl,--build-id=none -o bank bank.c");
	mark = symbol_at("bank", "mark");
	balance = symbol_at("bank", "balance");
	t = TRACE_OF("bank");
	size = file_read("bank", bytes, sizeof(bytes));
	for (size_t at = 0; at < size; at += 13) {
		struct sites *s = sites_new(t);
		char was = bytes[at];

		bytes[at] ^= (char)(0x81 + at);
		file_write("bank", bytes, at % 7 ? size : at);
		bytes[at] = was;
		site_resolve(s, module_site(0, mark), false);
		global_name(s, module_base(0) + balance, 4);
		sites_free(s);
	}
	trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_debug_link_leads_beside_the_module),
		cmocka_unit_test(a_debug_link_leads_to_a_directory_for_it),
		cmocka_unit_test(without_build_ids_the_checksum_decides),
		cmocka_unit_test(compressed_debug_files_are_read),
		cmocka_unit_test(a_debug_file_of_another_build_is_not_taken),
		cmocka_unit_test(a_debug_file_is_found_by_build_id),
		cmocka_unit_test(a_debug_file_does_when_the_module_is_gone),
		cmocka_unit_test(what_is_not_elf_is_refused),
		cmocka_unit_test(damaged_files_do_no_harm),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
