/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_SITE_FILE_H
#define HEDDLE_SITE_FILE_H

/*
 * The files that tell about a module: its own, and the separate one its debug
 * information may have been moved to. A file is used only when it is the one
 * that ran: the build ids must agree where both are known. A debug file that
 * carries the right build id does even when the module itself is gone.
 *
 * Debug files are sought as gdb seeks them: by build id below the debug root,
 * then by the module's .gnu_debuglink beside it, in .debug and below the debug
 * root. Nothing is fetched over the network.
 */

#include "base/err.h"

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DEBUG_ROOT "/usr/lib/debug"

struct build_id {
	const uint8_t *bytes;
	size_t size; /* 0: unknown */
};

/* An open ELF file. The zero value is none. */
struct elf_file {
	Elf *elf;
	int fd;
};

struct module_files {
	struct elf_file own;   /* elf is NULL: gone, or another than ran */
	struct elf_file debug; /* elf is NULL: none was needed or found */
};

/* At least one of the two is open on success. */
MUST_USE int module_files_open(struct module_files *f, const char *path,
			       struct build_id id, const char *debug_root,
			       struct err *err);
void module_files_close(struct module_files *f);

bool elf_has_debug_info(Elf *elf);

#endif
