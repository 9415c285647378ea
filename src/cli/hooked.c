/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/hooked.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static enum hooked_answer look_at_symbols(Elf *elf, Elf_Scn *section,
					  const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	enum hooked_answer answer = HOOKED_NO;
	GElf_Sym symbol;

	if (!data || !header->sh_entsize)
		return HOOKED_UNKNOWN;
	for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
		const char *name;

		if (symbol.st_shndx != SHN_UNDEF)
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (!name || strncmp(name, "__tsan_", 7) != 0)
			continue;
		if (strcmp(name, "__tsan_init") != 0)
			return HOOKED_YES;
		answer = HOOKED_START;
	}
	return answer;
}

static enum hooked_answer look_at_elf(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Ehdr header;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN))
		return HOOKED_UNKNOWN;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr s;

		if (gelf_getshdr(section, &s) && s.sh_type == SHT_DYNSYM)
			return look_at_symbols(elf, section, &s);
	}
	return HOOKED_NO;
}

enum hooked_answer hooked_program(const char *path)
{
	enum hooked_answer answer = HOOKED_UNKNOWN;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	if (fd < 0 || elf_version(EV_CURRENT) == EV_NONE)
		goto out;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		answer = look_at_elf(elf);
	elf_end(elf);
out:
	if (fd >= 0)
		close(fd);
	return answer;
}

/* The names stand as text in symbol tables of objects, members of archives and
 * bitcode alike, so we need not read each of these formats. */
static bool look_at_bytes(const char *bytes, size_t size)
{
	static const char *const marks[] = { "__tsan_", ".gnu.lto_",
					     "!<thin>" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (memmem(bytes, size, marks[i], strlen(marks[i])))
			return true;
	return false;
}

bool hooked_input(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool answer = true;
	void *bytes;

	if (fd < 0)
		return true;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		size_t size = (size_t)st.st_size;

		bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			answer = look_at_bytes(bytes, size);
			munmap(bytes, size);
		}
	}
	close(fd);
	return answer;
}
