/* SPDX-License-Identifier: Apache-2.0 */
#include "trial/program.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"

/* ---- finding ---- */

static bool is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static int check_file(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return err_set(err, "cannot run %s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(err, "cannot run %s: it is a directory", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, "cannot run %s: it is not a regular file",
			       path);
	if (access(path, X_OK) < 0)
		return err_set(err,
			       "cannot run %s: it is not executable; "
			       "try chmod +x %s",
			       path, path);
	return 0;
}

/* Walks PATH; `other` gets the first file of that name that is not
 * executable, when there is no better one. */
static char *search_path(const char *name, char **other)
{
	const char *dir = getenv("PATH");

	if (!dir)
		dir = "/bin:/usr/bin";
	for (;;) {
		size_t n = strcspn(dir, ":");
		char *path = xasprintf("%.*s%s%s", (int)n, dir, n ? "/" : "./",
				       name);

		if (is_file(path) && access(path, X_OK) == 0)
			return path;
		if (is_file(path) && !*other)
			*other = path;
		else
			free(path);
		if (!dir[n])
			return NULL;
		dir += n + 1;
	}
}

static int find(struct program *p, const char *name, struct err *err)
{
	char *other = NULL;

	if (!*name)
		return err_set(err, "the program's name is empty");
	if (strchr(name, '/')) {
		p->path = xstrdup(name);
		return check_file(name, err);
	}
	p->path = search_path(name, &other);
	if (p->path) {
		free(other);
		return 0;
	}
	if (other) {
		check_file(other, err);
		free(other);
		return -1;
	}
	if (is_file(name))
		return err_set(err,
			       "cannot run %s: it is not in PATH; the one "
			       "here is ./%s",
			       name, name);
	return err_set(err, "cannot run %s: no such program in PATH", name);
}

/* ---- looking inside ---- */

static const char *machine_name(unsigned int machine)
{
	switch (machine) {
	case EM_386:
		return "32-bit x86";
	case EM_X86_64:
		return "x86-64 with 32-bit addresses";
	case EM_ARM:
		return "32-bit ARM";
	case EM_AARCH64:
		return "AArch64";
	case EM_PPC64:
		return "PowerPC64";
	case EM_RISCV:
		return "RISC-V";
	case EM_S390:
		return "S/390";
	case EM_MIPS:
		return "MIPS";
	default:
		return "another processor";
	}
}

static int check_header(const char *path, const GElf_Ehdr *head,
			struct err *err)
{
	if (head->e_ident[EI_CLASS] != ELFCLASS64 ||
	    head->e_ident[EI_DATA] != ELFDATA2LSB ||
	    head->e_machine != EM_X86_64)
		return err_set(err,
			       "cannot run %s: it is a program for %s; "
			       "heddle runs x86-64 programs",
			       path, machine_name(head->e_machine));
	if (head->e_type == ET_REL)
		return err_set(err,
			       "cannot run %s: it is an object file; "
			       "link it first",
			       path);
	if (head->e_type != ET_EXEC && head->e_type != ET_DYN)
		return err_set(err,
			       "cannot run %s: it is not a program but "
			       "another kind of ELF file",
			       path);
	return 0;
}

/* A program without an interpreter is static: the guest is a shared library
 * and cannot get in. */
static int check_interpreter(const char *path, Elf *elf, struct err *err)
{
	size_t count = 0;

	if (elf_getphdrnum(elf, &count) < 0)
		count = 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr ph;
		size_t size;
		const char *file = elf_rawfile(elf, &size);

		if (!gelf_getphdr(elf, (int)i, &ph) || ph.p_type != PT_INTERP)
			continue;
		if (!file || ph.p_offset >= size || !ph.p_filesz ||
		    ph.p_filesz > size - ph.p_offset ||
		    file[ph.p_offset + ph.p_filesz - 1])
			return err_set(err,
				       "cannot run %s: the file is "
				       "damaged; build it again",
				       path);
		if (access(file + ph.p_offset, X_OK) < 0)
			return err_set(err,
				       "cannot run %s: its loader %s "
				       "is missing; install it",
				       path, file + ph.p_offset);
		return 0;
	}
	return err_set(err,
		       "cannot observe %s: it is statically linked, so "
		       "nothing can watch it; link it dynamically (without "
		       "-static)",
		       path);
}

static bool needs_guest(Elf *elf, Elf_Scn *section, const GElf_Shdr *head)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Dyn entry;

	for (int i = 0; data && gelf_getdyn(data, i, &entry); i++) {
		const char *name;

		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag != DT_NEEDED)
			continue;
		name = elf_strptr(elf, head->sh_link, entry.d_un.d_val);
		if (name && strncmp(name, "libheddle.so", 12) == 0)
			return true;
	}
	return false;
}

static bool links_guest(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr head;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &head) && head.sh_type == SHT_DYNAMIC)
			return needs_guest(elf, section, &head);
	return false;
}

static int look_elf(struct program *p, Elf *elf, struct err *err)
{
	GElf_Ehdr head;

	if (!gelf_getehdr(elf, &head))
		return err_set(err,
			       "cannot run %s: the file is damaged; "
			       "build it again",
			       p->path);
	if (check_header(p->path, &head, err) < 0 ||
	    check_interpreter(p->path, elf, err) < 0)
		return -1;
	p->links_guest = links_guest(elf);
	return 0;
}

/* `line`: the first bytes of the file, zero-terminated. */
static int look_script(struct program *p, char *line, struct err *err)
{
	char *start = line + 2;

	if (line[0] != '#' || line[1] != '!')
		return err_set(err,
			       "cannot run %s: it is neither an ELF "
			       "program nor a script that begins with #!",
			       p->path);
	/* The program behind it is started by exec, which nobody follows. */
	if (strstr(line, " - temporary wrapper script for "))
		return err_set(err,
			       "cannot run %s: it is a script that libtool "
			       "made, not the program; say libtool "
			       "--mode=execute heddle ...",
			       p->path);
	p->is_script = true;
	start += strspn(start, " \t");
	start[strcspn(start, " \t\r\n")] = '\0';
	if (access(start, X_OK) < 0)
		return err_set(err,
			       "cannot run %s: its interpreter %s is "
			       "missing or not executable",
			       p->path, *start ? start : "(none named)");
	return 0;
}

static int look(struct program *p, struct err *err)
{
	char line[256] = "";
	int fd = open(p->path, O_RDONLY | O_CLOEXEC);
	Elf *elf = NULL;
	int rc = -1;

	if (fd < 0) {
		/* Executable but not readable: exec may work, and the loader
		 * of libc takes a guest twice as once. */
		return 0;
	}
	if (pread(fd, line, sizeof(line) - 1, 0) < 0) {
		err_set(err, "cannot read %s: %s", p->path, strerror(errno));
		goto out;
	}
	if (memcmp(line, ELFMAG, SELFMAG) != 0) {
		rc = look_script(p, line, err);
		goto out;
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf)
		rc = look_elf(p, elf, err);
	else
		err_set(err, "cannot read %s: %s", p->path, elf_errmsg(-1));
out:
	elf_end(elf);
	close(fd);
	return rc;
}

int program_find(struct program *p, const char *name, struct err *err)
{
	*p = (struct program){ 0 };
	return find(p, name, err) < 0 ? -1 : look(p, err);
}

int program_find_any(struct program *p, const char *name, struct err *err)
{
	*p = (struct program){ 0 };
	return find(p, name, err);
}

void program_done(struct program *p)
{
	free(p->path);
	p->path = NULL;
}

int program_explain(const struct program *p, int errnum, struct err *err)
{
	switch (errnum) {
	case ENOEXEC:
		return err_set(err,
			       "cannot run %s: the file is damaged or "
			       "not a program of this system",
			       p->path);
	case EACCES:
	case EPERM:
		return err_set(err,
			       "cannot run %s: %s; is its file system "
			       "mounted noexec?",
			       p->path, strerror(errnum));
	case E2BIG:
		return err_set(err,
			       "cannot run %s: arguments and environment "
			       "are too long",
			       p->path);
	default:
		return err_set(err, "cannot run %s: %s", p->path,
			       strerror(errnum));
	}
}
