/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/control.h"
#include "runtime/pairs.h"
#include "runtime/perturb.h"
#include "runtime/sys.h"

#include <sys/mman.h>

/*
 * Takes hooks out of the program's code. The program has one thread yet, and
 * it is here; so nobody runs what is changed. Each place is looked at before:
 * its bytes must be a call as the tool has it.
 */

static const uint8_t nothing5[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };
static const uint8_t nothing6[] = { 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00 };
static const uint8_t returns[] = { 0xc3, 0x0f, 0x1f, 0x40, 0x00 };

static const struct {
	const uint8_t *bytes;
	size_t size;
} instead[PATCH_HOWS] = {
	[PATCH_CALL5] = { nothing5, 5 },
	[PATCH_CALL6] = { nothing6, 6 },
	[PATCH_JUMP5] = { returns, 5 },
};

static bool is_as_expected(const uint8_t *code, uint8_t how)
{
	switch (how) {
	case PATCH_CALL5:
		return code[0] == 0xe8;
	case PATCH_CALL6:
		return (code[0] == 0xff && code[1] == 0x15) ||
		       (code[0] == 0x67 && code[1] == 0xe8);
	case PATCH_JUMP5:
		return code[0] == 0xe9;
	default:
		return false;
	}
}

static const struct region_module *module_of(uint32_t site)
{
	uint32_t count = atomic_load(&region->module_count);

	for (uint32_t i = 0; i < count; i++)
		if (site - region->modules[i].site < region->modules[i].size)
			return &region->modules[i];
	return NULL;
}

/* A page at a time is made writable, as sites ascend. */
static struct {
	uintptr_t low, high;
} open;

enum { PAGE = 4096 };

static void open_close(void)
{
	if (open.high)
		SYS_3(SYS_mprotect, open.low, open.high - open.low,
		      PROT_READ | PROT_EXEC);
	open.low = open.high = 0;
}

/* No more than is written to: behind the code may be data, which has to stay as
 * it is. */
static bool open_for(uintptr_t from, uintptr_t to)
{
	uintptr_t low = from & -(uintptr_t)PAGE;
	uintptr_t high = (to + PAGE - 1) & -(uintptr_t)PAGE;

	if (from >= open.low && to <= open.high)
		return true;
	open_close();
	if (SYS_3(SYS_mprotect, low, high - low,
		  PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		return false;
	open.low = low;
	open.high = high;
	return true;
}

static bool patch(const struct force_patch *p, const struct region_module *m)
{
	uintptr_t end = m->base + (p->site - m->site);
	size_t size;
	uint8_t *code;

	if (p->how >= PATCH_HOWS)
		return false;
	size = instead[p->how].size;
	code = (uint8_t *)(end - size);
	if (end - size < m->base || !is_as_expected(code, p->how) ||
	    !open_for((uintptr_t)code, end))
		return false;
	for (size_t i = 0; i < size; i++)
		code[i] = instead[p->how].bytes[i];
	return true;
}

void perturb_prepare(void)
{
	struct force *f = &region->force;
	const struct region_module *m = NULL;
	static bool done;

	/* Pairs are of all accesses. */
	if (done || f->flags & FORCE_BARE || pairs_are_asked())
		return;
	done = true;
	f->patched = 0;
	for (uint32_t i = 0; i < f->patch_count && i < FORCE_PATCHES; i++) {
		const struct force_patch *p = &f->patches[i];

		if (p->is_frame && f->flags & FORCE_STACKS)
			continue;
		if (!m || p->site - m->site >= m->size)
			m = module_of(p->site);
		if (m && patch(p, m))
			f->patched++;
	}
	open_close();
}
