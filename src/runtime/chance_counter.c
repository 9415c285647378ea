/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/chance_counter.h"

#include "runtime/sys.h"
#include "runtime/timing.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <ucontext.h>

enum {
	PER_NANOSECOND = 3,    /* what the counter counts */
	VDSO_SIZE = 16 * 4096, /* more than it ever had */
};

static bool is_read, is_drawn;
static bool was_read; /* by the program, in this run */
static uintptr_t vdso;

/* How long the instruction at `code` is, if it reads the counter; else 0. */
static size_t reads_counter(const uint8_t *code, size_t size)
{
	if (size >= 2 && code[0] == 0x0f && code[1] == 0x31)
		return 2;
	return size >= 3 && code[0] == 0x0f && code[1] == 0x01 &&
			       code[2] == 0xf9 ?
		       3 :
		       0;
}

/* ---- does the program read it? ---- */

/* Code of a module. */
struct code {
	const uint8_t *at;
	size_t size;
	const struct region_module *module;
};

/* Before the four bytes of a distance: a call or jump, or an operand that lies
 * so far from the instruction. */
static bool leads_away(const uint8_t *end)
{
	return end[-1] == 0xe8 || end[-1] == 0xe9 ||
	       (end[-2] == 0x0f && (end[-1] & 0xf0) == 0x80) ||
	       (end[-1] & 0xc7) == 0x05;
}

/* Do the bytes here lead from the instruction to a place in the same module? */
static bool is_distance(const struct code *c, size_t k)
{
	int32_t distance;

	if (k < 2 || c->size < k + sizeof(distance) || !leads_away(c->at + k))
		return false;
	__builtin_memcpy(&distance, c->at + k, sizeof(distance));
	return (uintptr_t)c->at + k + sizeof(distance) + (uint64_t)distance -
		       c->module->base <
	       c->module->size;
}

/* rdrand, rdseed. What looks like them in large programs is nearly always a
 * distance backwards, which ends in ones. */
static bool draws(const struct code *c, size_t k)
{
	const uint8_t *at = c->at + k;

	return c->size >= k + 3 && at[0] == 0x0f && at[1] == 0xc7 &&
	       at[2] >= 0xf0 && !is_distance(c, k) &&
	       !(k && is_distance(c, k - 1));
}

static void look_at_code(const struct code *c)
{
	for (size_t k = 0; k < c->size; k++) {
		if (c->at[k] != 0x0f)
			continue;
		is_read |= reads_counter(c->at + k, c->size - k) != 0;
		is_drawn |= draws(c, k);
	}
}

/* NULL when it has no hooks. */
static const struct region_module *module_of(uintptr_t bias)
{
	uint32_t count = atomic_load(&region->module_count);

	for (uint32_t i = 0; i < count; i++)
		if (region->modules[i].bias == bias)
			return region->modules[i].instrumented ?
				       &region->modules[i] :
				       NULL;
	return NULL;
}

static int look_at(struct dl_phdr_info *m, size_t size, void *unused)
{
	struct code c = { .module = module_of(m->dlpi_addr) };

	(void)size;
	(void)unused;
	if (!c.module)
		return 0;
	for (unsigned int i = 0; i < m->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &m->dlpi_phdr[i];

		if (h->p_type != PT_LOAD || !(h->p_flags & PF_X))
			continue;
		c.at = (const uint8_t *)(m->dlpi_addr + h->p_vaddr);
		c.size = h->p_memsz;
		look_at_code(&c);
	}
	return 0;
}

void counter_prepare(void)
{
	vdso = getauxval(AT_SYSINFO_EHDR);
	module_scan();
	dl_iterate_phdr(look_at, NULL);
}

void counter_begin(void)
{
	if (is_read)
		SYS_2(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);
	if (is_drawn)
		guest_note("the program seems to draw random numbers "
			   "from the processor (rdrand, rdseed), which are "
			   "not controlled");
}

void counter_let_go(void)
{
	if (is_read && controlled)
		SYS_2(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE);
}

void counter_take_up(void)
{
	if (is_read && controlled)
		SYS_2(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);
}

void counter_is_lost(void)
{
	if (was_read && controlled)
		guest_note("the program reads the processor's counter (rdtsc) "
			   "and starts processes by vfork; from then on what "
			   "it reads is not controlled");
}

/* ---- answering ---- */

static uint64_t real_counter(void)
{
	uint64_t value;

	SYS_2(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE);
	value = __builtin_ia32_rdtsc();
	SYS_2(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV);
	return value;
}

/* What the guest itself reads, to put events in order, is not the program's
 * doing; but it has to grow. */
static uint64_t virtual_counter(void)
{
	struct thread *t = self;

	if (t && t->alive && !t->inside) {
		was_read = true;
		t->inside++;
		timing_read();
		t->inside--;
	} else {
		control->run.now++;
	}
	return control->run.now * PER_NANOSECOND;
}

bool counter_answers(const siginfo_t *info, void *machine)
{
	greg_t *registers = ((ucontext_t *)machine)->uc_mcontext.gregs;
	uintptr_t pc = (uintptr_t)registers[REG_RIP];
	uint64_t value;
	size_t length;

	if (!is_read || info->si_signo != SIGSEGV || info->si_code != SI_KERNEL)
		return false;
	length = reads_counter((const uint8_t *)pc, 3);
	if (!length)
		return false;
	value = !controlled || pc - vdso < VDSO_SIZE ? real_counter() :
						       virtual_counter();
	registers[REG_RIP] += (greg_t)length;
	registers[REG_RAX] = (greg_t)(value & UINT32_MAX);
	registers[REG_RDX] = (greg_t)(value >> 32);
	if (length == 3)
		registers[REG_RCX] = 0; /* of the first processor */
	return true;
}
