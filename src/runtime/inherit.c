/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/inherit.h"

#include "runtime/sys.h"

#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>

enum {
	SMALL = 2 << 20, /* beyond, tables may cost more than faults */
};

static bool is_small_code(const ElfW(Phdr) * h)
{
	return h->p_type == PT_LOAD && h->p_flags & PF_X &&
	       !(h->p_flags & PF_W) && h->p_memsz && h->p_memsz <= SMALL;
}

static int module_inherit(struct dl_phdr_info *m, size_t size, void *arg)
{
	long memory = *(const long *)arg;

	(void)size;
	/* The kernel's own code is in no file. */
	if (m->dlpi_addr == getauxval(AT_SYSINFO_EHDR))
		return 0;
	for (unsigned int i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &m->dlpi_phdr[i];
		uintptr_t at = m->dlpi_addr + h->p_vaddr;

		if (is_small_code(h))
			SYS_4(SYS_pwrite64, memory, at, 1, at);
	}
	return 0;
}

void inherit_code(void)
{
	long memory = SYS_3(SYS_open, "/proc/self/mem", O_RDWR | O_CLOEXEC, 0);

	if (memory < 0)
		return;
	dl_iterate_phdr(module_inherit, &memory);
	SYS_1(SYS_close, memory);
}
