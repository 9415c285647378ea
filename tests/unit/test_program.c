/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "trial/program.h"

static char scratch[] = "/tmp/test_program-XXXXXX";
static char path[64];
static struct err err;

static int make_scratch(void **state)
{
	(void)state;
	if (!mkdtemp(scratch))
		return -1;
	snprintf(path, sizeof(path), "%s/it", scratch);
	return 0;
}

static int remove_scratch(void **state)
{
	(void)state;
	return file_remove(scratch, &err);
}

static void put_file(const void *bytes, size_t size, mode_t mode)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, mode), 0);
}

static void refuses(const char *name, const char *words)
{
	struct program p;

	err.text[0] = '\0';
	assert_int_equal(program_find(&p, name, &err), -1);
	program_done(&p);
	if (!strstr(err.text, words) || !strstr(err.text, name))
		fail_msg("'%s' should name %s and say '%s'", err.text, name,
			 words);
}

static void a_program_is_found_in_path(void **state)
{
	struct program p;

	(void)state;
	assert_int_equal(program_find(&p, "sh", &err), 0);
	assert_int_equal(p.path[0], '/');
	assert_false(p.links_guest);
	assert_false(p.is_script);
	program_done(&p);
}

static void what_is_missing_is_named(void **state)
{
	(void)state;
	refuses("no-such-program", "in PATH");
	refuses("./no-such-program", "No such file");
	refuses(scratch, "directory");
	refuses("/dev/null", "not a regular file");
}

static void an_empty_name_is_refused(void **state)
{
	struct program p;

	(void)state;
	assert_int_equal(program_find(&p, "", &err), -1);
	program_done(&p);
}

static void what_may_not_be_executed_is_refused(void **state)
{
	(void)state;
	put_file("#!/bin/sh\n", 10, 0600);
	refuses(path, "chmod +x");
}

static void a_script_needs_its_interpreter(void **state)
{
	struct program p;

	(void)state;
	put_file("#! /bin/sh -e\n", 14, 0700);
	assert_int_equal(program_find(&p, path, &err), 0);
	assert_true(p.is_script);
	program_done(&p);
	put_file("#!/no/such/shell\n", 17, 0700);
	refuses(path, "/no/such/shell");
	put_file("#!", 2, 0700);
	refuses(path, "interpreter");
}

static void what_is_no_program_is_refused(void **state)
{
	(void)state;
	put_file("hello", 5, 0700);
	refuses(path, "neither an ELF program nor a script");
	put_file("", 0, 0700);
	refuses(path, "neither an ELF program nor a script");
}

static Elf64_Ehdr header(void)
{
	return (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
	};
}

static void another_processor_is_named(void **state)
{
	Elf64_Ehdr h = header();
	Elf32_Ehdr small = { .e_type = ET_EXEC,
			     .e_machine = EM_386,
			     .e_version = EV_CURRENT,
			     .e_ehsize = sizeof(Elf32_Ehdr) };

	(void)state;
	h.e_machine = EM_AARCH64;
	put_file(&h, sizeof(h), 0700);
	refuses(path, "AArch64");
	memcpy(small.e_ident, h.e_ident, EI_NIDENT);
	small.e_ident[EI_CLASS] = ELFCLASS32;
	put_file(&small, sizeof(small), 0700);
	refuses(path, "32-bit x86");
}

static void other_kinds_of_elf_are_refused(void **state)
{
	Elf64_Ehdr h = header();

	(void)state;
	put_file(&h, sizeof(h), 0700);
	refuses(path, "statically linked");
	h.e_type = ET_REL;
	put_file(&h, sizeof(h), 0700);
	refuses(path, "object file");
	h.e_type = ET_CORE;
	put_file(&h, sizeof(h), 0700);
	refuses(path, "another kind");
	put_file(&h, 20, 0700);
	refuses(path, "damaged");
}

/* A program header of type PT_INTERP that points at `loader`. */
static void a_missing_loader_is_named(void **state)
{
	struct {
		Elf64_Ehdr head;
		Elf64_Phdr segment;
		char loader[16];
	} file = { .head = header(), .loader = "/no/such/loader" };

	(void)state;
	file.head.e_phoff = sizeof(file.head);
	file.head.e_phnum = 1;
	file.segment = (Elf64_Phdr){
		.p_type = PT_INTERP,
		.p_offset = sizeof(file.head) + sizeof(file.segment),
		.p_filesz = sizeof(file.loader),
	};
	put_file(&file, sizeof(file), 0700);
	refuses(path, "/no/such/loader");
	file.segment.p_filesz = UINT64_MAX;
	put_file(&file, sizeof(file), 0700);
	refuses(path, "damaged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_is_found_in_path),
		cmocka_unit_test(what_is_missing_is_named),
		cmocka_unit_test(an_empty_name_is_refused),
		cmocka_unit_test(what_may_not_be_executed_is_refused),
		cmocka_unit_test(a_script_needs_its_interpreter),
		cmocka_unit_test(what_is_no_program_is_refused),
		cmocka_unit_test(another_processor_is_named),
		cmocka_unit_test(other_kinds_of_elf_are_refused),
		cmocka_unit_test(a_missing_loader_is_named),
	};

	return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
