/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/parting.h"

#include "runtime/process.h"
#include "runtime/runtime.h"
#include "runtime/server.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

/* ---- which functions do nothing ---- */

enum { ANY = -1 }; /* part of an address */

/* What crtbegin.o has for .fini_array: the handlers of this module, and tables
 * for transactions, which nobody has. */
static const int16_t usual_array[] = {
	0x80, 0x3d, ANY,  ANY, ANY, ANY, 0x00,	     /* cmpb $0, completed */
	0x75, ANY,				     /* jne */
	0x55,					     /* push %rbp */
	0x48, 0x83, 0x3d, ANY, ANY, ANY, ANY,  0x00, /* cmpq $0, ... */
	0x48, 0x89, 0xe5,			     /* mov %rsp, %rbp */
	0x74, 0x0c,				     /* je */
	0x48, 0x8b, 0x3d, ANY, ANY, ANY, ANY,	     /* mov ..., %rdi */
	0xe8, ANY,  ANY,  ANY, ANY,		     /* call __cxa_finalize */
	0xe8, ANY,  ANY,  ANY, ANY,	       /* call deregister_tm_clones */
	0xc6, 0x05, ANY,  ANY, ANY, ANY, 0x01, /* movb $1, completed */
	0x5d, 0xc3,			       /* pop %rbp, ret */
};

/* What crti.o and crtn.o have for .fini. */
static const int16_t usual_function[] = { 0x48, 0x83, 0xec, 0x08, 0x48,
					  0x83, 0xc4, 0x08, 0xc3 };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool is_like(uintptr_t at, const int16_t *code, size_t n)
{
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	const uint8_t *p = (const uint8_t *)at;

	if (__builtin_memcmp(p, endbr64, sizeof(endbr64)) == 0)
		p += sizeof(endbr64);
	for (size_t i = 0; i < n; i++)
		if (code[i] != ANY && p[i] != code[i])
			return false;
	return true;
}

/* ---- modules ---- */

/* The guest's own destructors are called below; the kernel's module has none,
 * and is on a page that nobody else looks at. */
static bool is_exempt(const struct link_map *m)
{
	return m->l_ld == _DYNAMIC || m->l_addr == getauxval(AT_SYSINFO_EHDR);
}

/* In place, or as an offset. */
static uintptr_t address_of(const struct link_map *m, const ElfW(Dyn) * e)
{
	uintptr_t at = e->d_un.d_ptr;

	return at < m->l_addr ? at + m->l_addr : at;
}

static bool has_destructors(const struct link_map *m)
{
	const uintptr_t *array = NULL;
	uintptr_t function = 0;
	size_t size = 0;

	for (const ElfW(Dyn) *e = m->l_ld; e && e->d_tag != DT_NULL; e++) {
		if (e->d_tag == DT_FINI)
			function = address_of(m, e);
		else if (e->d_tag == DT_FINI_ARRAY)
			array = (const uintptr_t *)address_of(m, e);
		else if (e->d_tag == DT_FINI_ARRAYSZ)
			size = e->d_un.d_val / sizeof(*array);
	}
	if (function &&
	    !is_like(function, usual_function, COUNT(usual_function)))
		return true;
	if (!array || !size)
		return false;
	return size > 1 || !is_like(array[0], usual_array, COUNT(usual_array));
}

static bool any_has_destructors(void)
{
	for (const struct link_map *m = _r_debug.r_map; m; m = m->l_next)
		if (!is_exempt(m) && has_destructors(m))
			return true;
	return false;
}

void parting_prepare(void)
{
	any_has_destructors();
}

/* ---- the end ---- */

static parting_function *linkers_end;

static bool is_left_out;

static void modules_end(void)
{
	is_left_out = !any_has_destructors();
	if (!is_left_out)
		linkers_end();
}

parting_function *parting_instead(parting_function *linkers)
{
	linkers_end = linkers;
	return linkers ? modules_end : NULL;
}

/* In place of our own destructors. */
static void guest_ends(void *arg)
{
	(void)arg;
	if (!is_left_out)
		return;
	server_end();
	process_end();
}

/* libc's: of no module, so that it stays until exit comes to it. */
int __cxa_atexit(void (*function)(void *), void *arg, void *module);

void parting_begin(void)
{
	__cxa_atexit(guest_ends, NULL, NULL);
}
