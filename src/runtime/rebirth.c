/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/rebirth.h"

#include "runtime/blocking.h"
#include "runtime/settle.h"
#include "runtime/strangers.h"
#include "runtime/sys.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>

bool rebirth_expected;

/* A thread that waits. `stack` is first: the code below knows that. */
struct parked {
	uintptr_t stack; /* its stack pointer, 0: it does not wait */
	uintptr_t block; /* its thread control block */
	uint64_t mask;
	stack_t alternate;
	void *robust;
	size_t robust_size;
};

static struct parked parked[CONTROL_THREADS];

#pragma GCC visibility push(hidden)

/* A futex: 1 in the server, where nobody goes on. */
extern uint32_t rebirth_frozen;
__attribute__((used)) uint32_t rebirth_frozen;

/* ---- waiting ---- */

/* Waits for *word to be other than 0. What is on the stack when `stack` is told
 * is all that going on needs, and nobody touches it before; that a thread is
 * about to go on, and that the server has frozen, each says before it looks at
 * what the other says. */
void rebirth_wait(_Atomic uint32_t *word, const struct timespec *tick,
		  struct parked *p);

/* A new thread, which goes on where `p` waits. */
long rebirth_clone(unsigned long flags, uintptr_t stack, uint32_t *tid,
		   uint32_t *tid_clear, uintptr_t block, struct parked *p);

/* In the new thread, on its old stack, with signals blocked. */
void rebirth_settle(const struct parked *p);

#pragma GCC visibility pop

__asm__(".text\n"
	".type rebirth_wait, @function\n"
	"rebirth_wait:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r12\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r13\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r14\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r15\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	sub $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	mov %rdx, %rbx\n"
	"	mov %rsi, %r10\n"
	"	mov %rsp, (%rbx)\n"
	"	mov $128, %esi\n" /* FUTEX_WAIT_PRIVATE */
	"	xor %edx, %edx\n"
	"	mov $202, %eax\n" /* SYS_futex */
	"	syscall\n"
	"rebirth_resume:\n"
	"	movq $0, (%rbx)\n"
	"	mfence\n"
	"	cmpl $0, rebirth_frozen(%rip)\n"
	"	je 1f\n"
	"	mov %rsp, (%rbx)\n"
	"	lea rebirth_frozen(%rip), %rdi\n"
	"	mov $128, %esi\n"
	"	mov $1, %edx\n"
	"	xor %r10d, %r10d\n"
	"	mov $202, %eax\n"
	"	syscall\n"
	"	jmp rebirth_resume\n"
	"1:	ldmxcsr (%rsp)\n"
	"	fldcw 4(%rsp)\n"
	"	add $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r15\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r14\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r13\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r12\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size rebirth_wait, . - rebirth_wait\n"
	".type rebirth_clone, @function\n"
	"rebirth_clone:\n"
	"	mov %rcx, %r10\n"
	"	mov $56, %eax\n" /* SYS_clone */
	"	syscall\n"
	"	test %rax, %rax\n"
	"	jz 1f\n"
	"	ret\n"
	"1:	mov %r9, %rbx\n"
	"	mov %rsp, %r12\n"
	"	and $-16, %rsp\n"
	"	mov %rbx, %rdi\n"
	"	call rebirth_settle\n"
	"	mov %r12, %rsp\n"
	"	jmp rebirth_resume\n"
	".size rebirth_clone, . - rebirth_clone\n");

void rebirth_park(uint32_t me, _Atomic uint32_t *word,
		  const struct timespec *tick)
{
	struct parked *p = &parked[me];

	p->block = (uintptr_t)pthread_self();
	SYS_4(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &p->mask, sizeof(p->mask));
	SYS_2(SYS_sigaltstack, NULL, &p->alternate);
	SYS_3(SYS_get_robust_list, 0, &p->robust, &p->robust_size);
	rebirth_wait(word, tick, p);
}

/* ---- in the server ---- */

/* Where libc keeps the id of a thread, from the beginning of its block. The
 * kernel clears it when the thread ends, so it knows the address. */
static size_t tid_offset;

static uint32_t *tid_of(uintptr_t block)
{
	return (uint32_t *)(block + tid_offset);
}

static bool tid_find(void)
{
	enum { BLOCK_MOST = 1 << 14 };
	uintptr_t mine = (uintptr_t)pthread_self(), at = 0;

	if (SYS_2(SYS_prctl, PR_GET_TID_ADDRESS, &at) != 0 || at < mine ||
	    at - mine > BLOCK_MOST)
		return false;
	tid_offset = at - mine;
	return *tid_of(mine) == (uint32_t)SYS_0(SYS_gettid);
}

static uintptr_t stack_parked(uint32_t n)
{
	return __atomic_load_n(&parked[n].stack, __ATOMIC_SEQ_CST);
}

/* Neither the caller nor one that is parked: on its way there, at its end, or
 * out of reach. */
static bool is_loose(uint32_t tid)
{
	if (tid == (uint32_t)SYS_0(SYS_gettid))
		return false;
	for (uint32_t n = 0; n < control->run.thread_count; n++)
		if (region->threads[n].kernel_tid == tid && turn_is_live(n))
			return !stack_parked(n);
	return true;
}

static bool all_are_parked(void)
{
	enum { PARKING_MS = 2000 };

	for (int ms = 0; strangers_any(is_loose); ms++) {
		if (ms == PARKING_MS)
			return false;
		SYS_3(SYS_poll, NULL, 0, 1);
	}
	return true;
}

/* What stands against a thread, apart from where it is. */
static const char *obstacle(uint32_t n)
{
	const struct control_thread *c = &control->threads[n];

	if (c->state == THREAD_AWAY && !turn_is_waiting(n))
		return "a thread was in a call that cannot be put off";
	if (c->hold_count > CONTROL_HELD)
		return "a thread held more locks than can be told";
	if (parked[n].block &&
	    *tid_of(parked[n].block) != region->threads[n].kernel_tid)
		return "libc's threads are not as they are known";
	return NULL;
}

const char *rebirth_freeze(struct thread *t)
{
	const char *why = NULL;

	if (!tid_find())
		return "the kernel does not tell where libc keeps its threads";
	for (uint32_t n = 0; n < control->run.thread_count && !why; n++)
		if (turn_is_live(n) && n != t->number)
			why = obstacle(n);
	if (why)
		return why;
	__atomic_store_n(&rebirth_frozen, 1, __ATOMIC_SEQ_CST);
	if (!all_are_parked())
		return "a thread was running that is not under control";
	for (uint32_t n = 0; n < control->run.thread_count && !why; n++)
		if (turn_is_live(n) && n != t->number)
			why = obstacle(n);
	rebirth_expected = false;
	return why;
}

/* ---- in the child ---- */

/* Of glibc 2.35 and later. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));

static void sequences_register(uintptr_t block)
{
	enum { AREA = 32, SIGNATURE = 0x53053053 };

	if (&__rseq_size && &__rseq_offset && __rseq_size)
		SYS_4(SYS_rseq, block + (uintptr_t)__rseq_offset, AREA, 0,
		      SIGNATURE);
}

__attribute__((used)) void rebirth_settle(const struct parked *p)
{
	stack_t alternate = p->alternate;

	alternate.ss_flags &= ~SS_ONSTACK;
	SYS_2(SYS_sigaltstack, &alternate, NULL);
	SYS_2(SYS_set_robust_list, p->robust, p->robust_size);
	sequences_register(p->block);
	SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, &p->mask, NULL, sizeof(p->mask));
}

static void mutex_rename(pthread_mutex_t *m, uint32_t old, uint32_t new)
{
	uint32_t *word = (uint32_t *)&m->__data.__lock;

	/* Not every lock of this kind is a mutex; a stream has a lock, too. */
	if ((uint32_t)m->__data.__owner != old)
		return;
	if ((*word & FUTEX_TID_MASK) == old)
		*word = (*word & ~(uint32_t)FUTEX_TID_MASK) | new;
	else if (*word != 1 && *word != 2)
		return;
	m->__data.__owner = (int)new;
}

static void holds_rename(uint32_t n, uint32_t old, uint32_t new)
{
	const struct control_thread *c = &control->threads[n];

	for (uint32_t i = 0; i < c->hold_count; i++) {
		const struct control_hold *h = &c->holds[i];

		if (h->kind == EVENT_MUTEX_LOCK) {
			mutex_rename((pthread_mutex_t *)h->object, old, new);
		} else if (h->kind == EVENT_RWLOCK_WRLOCK) {
			pthread_rwlock_t *l = (pthread_rwlock_t *)h->object;

			if ((uint32_t)l->__data.__cur_writer == old)
				l->__data.__cur_writer = (int)new;
		}
	}
}

static bool rebear(uint32_t n)
{
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES |
				    CLONE_SIGHAND | CLONE_THREAD |
				    CLONE_SYSVSEM | CLONE_SETTLS |
				    CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	struct parked *p = &parked[n];
	uint32_t *tid = tid_of(p->block), old = *tid;
	long new = rebirth_clone(flags, p->stack, tid, tid, p->block, p);

	if (new < 0)
		return false;
	region->threads[n].kernel_tid = (uint32_t) new;
	holds_rename(n, old, (uint32_t) new);
	return true;
}

bool rebirth_all(struct thread *t)
{
	uint32_t mine = (uint32_t)SYS_0(SYS_gettid);
	bool all = true;
	uint64_t mask;

	__atomic_store_n(&rebirth_frozen, 0, __ATOMIC_SEQ_CST);
	holds_rename(t->number, region->threads[t->number].kernel_tid, mine);
	region->threads[t->number].kernel_tid = mine;
	signals_block(&mask);
	for (uint32_t n = 0; n < control->run.thread_count && all; n++)
		if (turn_is_live(n) && n != t->number)
			all = rebear(n);
	signals_restore(&mask);
	return all;
}
