/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/site_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"

static void elf_file_close(struct elf_file *f)
{
	if (!f->elf)
		return;
	elf_end(f->elf);
	close(f->fd);
	*f = (struct elf_file){ 0 };
}

static bool elf_is_ours(Elf *elf)
{
	GElf_Ehdr header;

	return elf && elf_kind(elf) == ELF_K_ELF &&
	       gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64;
}

static int elf_file_open(struct elf_file *f, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, "cannot open %s (%s)", path,
			       strerror(errno));
	f->fd = fd;
	f->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf_is_ours(f->elf))
		return 0;
	elf_end(f->elf);
	f->elf = NULL;
	close(fd);
	return err_set(err, "%s is not an ELF file for x86-64", path);
}

static struct build_id elf_build_id(Elf *elf)
{
	const void *bytes = NULL;
	ssize_t size = dwelf_elf_gnu_build_id(elf, &bytes);

	return size > 0 ? (struct build_id){ bytes, (size_t)size } :
			  (struct build_id){ 0 };
}

static bool build_id_equal(struct build_id a, struct build_id b)
{
	return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

/* Unknown ids do not differ. */
static bool build_id_differs(struct build_id a, struct build_id b)
{
	return a.size && !build_id_equal(a, b);
}

bool elf_has_debug_info(Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		const char *name = NULL;

		if (gelf_getshdr(scn, &header) && header.sh_type != SHT_NOBITS)
			name = elf_strptr(elf, names, header.sh_name);
		if (name && (strcmp(name, ".debug_info") == 0 ||
			     strcmp(name, ".zdebug_info") == 0))
			return true;
	}
	return false;
}

/* The checksum that .gnu_debuglink carries: CRC-32 as in zip files. */
static uint32_t bytes_crc(const char *bytes, size_t size)
{
	uint32_t table[256], crc = ~0u;

	for (uint32_t i = 0; i < 256; i++) {
		table[i] = i;
		for (int bit = 0; bit < 8; bit++)
			table[i] = table[i] >> 1 ^
				   (0xedb88320 & -(table[i] & 1));
	}
	for (size_t i = 0; i < size; i++)
		crc = table[(crc ^ (uint8_t)bytes[i]) & 0xff] ^ crc >> 8;
	return ~crc;
}

static bool elf_crc_is(Elf *elf, uint32_t crc)
{
	size_t size = 0;
	const char *bytes = elf_rawfile(elf, &size);

	return bytes && bytes_crc(bytes, size) == crc;
}

/* Opens a candidate and keeps it if it has what we look for and belongs to the
 * module: by build id, or where there is none by its checksum. */
static bool debug_file_try(struct elf_file *f, char *path, struct build_id id,
			   const uint32_t *crc)
{
	struct err ignored;
	bool fits = false;

	if (elf_file_open(f, path, &ignored) == 0) {
		fits = elf_has_debug_info(f->elf) &&
		       (id.size ? build_id_equal(id, elf_build_id(f->elf)) :
				  crc && elf_crc_is(f->elf, *crc));
		if (!fits)
			elf_file_close(f);
	}
	free(path);
	return fits;
}

static bool debug_file_by_id(struct elf_file *f, struct build_id id,
			     const char *root)
{
	char hex[2 * 64 + 1] = "";

	if (id.size < 2 || id.size > 64)
		return false;
	for (size_t i = 0; i < id.size; i++) {
		hex[2 * i] = "0123456789abcdef"[id.bytes[i] >> 4];
		hex[2 * i + 1] = "0123456789abcdef"[id.bytes[i] & 15];
	}
	return debug_file_try(
		f, xasprintf("%s/.build-id/%.2s/%s.debug", root, hex, hex + 2),
		id, NULL);
}

static bool debug_file_by_link(struct module_files *f, const char *path,
			       struct build_id id, const char *root)
{
	GElf_Word crc;
	const char *name = dwelf_elf_gnu_debuglink(f->own.elf, &crc);
	const char *slash = strrchr(path, '/');
	int dir = slash ? (int)(slash - path) : 1;
	uint32_t sum;

	if (!name)
		return false;
	if (!slash)
		path = ".";
	sum = crc;
	return debug_file_try(&f->debug, xasprintf("%.*s/%s", dir, path, name),
			      id, &sum) ||
	       debug_file_try(&f->debug,
			      xasprintf("%.*s/.debug/%s", dir, path, name), id,
			      &sum) ||
	       debug_file_try(&f->debug,
			      xasprintf("%s%.*s/%s", root, dir, path, name), id,
			      &sum);
}

static int own_file_open(struct module_files *f, const char *path,
			 struct build_id id, struct err *err)
{
	if (elf_file_open(&f->own, path, err) != 0)
		return -1;
	if (!build_id_differs(id, elf_build_id(f->own.elf)))
		return 0;
	elf_file_close(&f->own);
	return err_set(err,
		       "%s changed since the run (it has another build id)",
		       path);
}

int module_files_open(struct module_files *f, const char *path,
		      struct build_id id, const char *debug_root,
		      struct err *err)
{
	struct err why;

	*f = (struct module_files){ 0 };
	elf_version(EV_CURRENT);
	if (own_file_open(f, path, id, &why) != 0) {
		if (debug_file_by_id(&f->debug, id, debug_root))
			return 0;
		return err_set(err, "%s", why.text);
	}
	if (elf_has_debug_info(f->own.elf))
		return 0;
	id = elf_build_id(f->own.elf);
	if (!debug_file_by_id(&f->debug, id, debug_root))
		debug_file_by_link(f, path, id, debug_root);
	return 0;
}

void module_files_close(struct module_files *f)
{
	elf_file_close(&f->debug);
	elf_file_close(&f->own);
}
