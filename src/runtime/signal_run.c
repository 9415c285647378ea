/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/signals.h"

#include "runtime/chance_counter.h"
#include "runtime/control.h"
#include "runtime/real.h"
#include "runtime/signal_control.h"
#include "runtime/sys.h"

#include <stddef.h>
#include <ucontext.h>

/*
 * Running handlers. A signal that arrives while its thread is inside the guest
 * is put off, and with it everything else that can be: that is blocked in the
 * mask which the kernel restores when the trampoline returns. A signal by which
 * the kernel says that an instruction cannot go on is not put off.
 *
 * An ordinary signal is queued again, just as it was; when the thread leaves
 * the guest, the mask is set right, and the kernel delivers it. So the stack,
 * the mask and the information the handler gets are the kernel's business as
 * ever. Real-time signals must keep their order, and what is queued again comes
 * last; so such a signal is held, and delivered by ourselves as the kernel
 * would, before any other can be. The kernel may have begun with several at
 * once, each interrupting the one before; the last comes first then, as ever.
 */

/* What runs now in this thread, on the stack it runs on. */
struct signal_frame {
	struct signal_frame *outer;
	struct call *top;    /* the calls it interrupted */
	struct call covered; /* the place above, perhaps half written */
	uint32_t overflow;
	uintptr_t low, high; /* the alternate stack, if it is on that */
	int signal;
	uintptr_t pc; /* where it struck, 0: in the guest */
};

static __thread struct signal_frame *innermost;

/* The mask to come back to when signals were put off. */
static __thread uint64_t mask_kept;

/* As much of a context as the kernel fills. The state of the floating-point
 * unit lies elsewhere, and is gone when the trampoline has returned. */
enum { CONTEXT = offsetof(ucontext_t, uc_sigmask) + sizeof(uint64_t) };

struct held {
	struct held *next;
	siginfo_t info;
	char machine[CONTEXT];
};

/* Signals that this thread holds, in the order of delivery. */
static __thread struct held *held;

/* ---- putting off ---- */

static uint64_t instant_signals(void)
{
	return signal_bit(SIGSEGV) | signal_bit(SIGBUS) | signal_bit(SIGFPE) |
	       signal_bit(SIGILL) | signal_bit(SIGTRAP) | signal_bit(SIGSYS);
}

static bool is_instant(int signal, const siginfo_t *info)
{
	return signal_bit(signal) & instant_signals() && info->si_code > 0;
}

static void queue_again(int signal, const siginfo_t *info)
{
	SYS_4(SYS_rt_tgsigqueueinfo, SYS_0(SYS_getpid), SYS_0(SYS_gettid),
	      signal, info);
}

/* The kernel's mask has 64 bits, whatever libc's type has. */
static uint64_t *mask_of(ucontext_t *machine)
{
	return (uint64_t *)&machine->uc_sigmask;
}

static void mask_set(uint64_t mask)
{
	SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}

/* Used with signals blocked only. */
static struct {
	bool lock;
	struct held *free;
} pool;

static void pool_lock(void)
{
	while (__atomic_test_and_set(&pool.lock, __ATOMIC_ACQUIRE))
		__builtin_ia32_pause();
}

static void pool_unlock(void)
{
	__atomic_clear(&pool.lock, __ATOMIC_RELEASE);
}

static struct held *held_new(void)
{
	enum { BATCH = 32 };
	struct held *h;

	pool_lock();
	if (!pool.free) {
		h = guest_map(BATCH * sizeof(*h));
		for (int i = 0; h && i < BATCH; i++) {
			h[i].next = pool.free;
			pool.free = &h[i];
		}
	}
	h = pool.free;
	if (h)
		pool.free = h->next;
	pool_unlock();
	return h;
}

static void held_free(struct held *h)
{
	pool_lock();
	h->next = pool.free;
	pool.free = h;
	pool_unlock();
}

static bool hold(const siginfo_t *info, const void *machine)
{
	struct held *h = held_new(), **last = &held;

	if (!h)
		return false;
	h->next = NULL;
	h->info = *info;
	for (size_t i = 0; i < CONTEXT; i++)
		h->machine[i] = ((const char *)machine)[i];
	while (*last)
		last = &(*last)->next;
	*last = h;
	return true;
}

static void put_off(struct thread *t, siginfo_t *info, ucontext_t *machine)
{
	uint64_t all = ~instant_signals();

	SYS_4(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, sizeof(all));
	if (info->si_signo < SIGRTMIN || !hold(info, machine))
		queue_again(info->si_signo, info);
	atomic_fetch_or(&t->pending, signal_bit(info->si_signo));
	/* Of several trampolines, each interrupted by the next before it could
	 * begin, the first comes here last and has the mask of before. */
	if (~*mask_of(machine) & all)
		mask_kept = *mask_of(machine);
	*mask_of(machine) |= all;
}

/* ---- running ---- */

static void handler_call(uint64_t entry, int signal, siginfo_t *info,
			 void *machine)
{
	uintptr_t handler = entry & ENTRY_HANDLER;

	if (entry & ENTRY_SIGINFO)
		((void (*)(int, siginfo_t *, void *))handler)(signal, info,
							      machine);
	else
		((void (*)(int))handler)(signal);
}

static bool is_between(uintptr_t p, uintptr_t low, uintptr_t high)
{
	return p >= low && p < high;
}

static void frame_set_stack(struct signal_frame *f, const ucontext_t *machine)
{
	uintptr_t low = (uintptr_t)machine->uc_stack.ss_sp;
	uintptr_t high = low + machine->uc_stack.ss_size;

	if (is_between((uintptr_t)f, low, high)) {
		f->low = low;
		f->high = high;
	}
}

/* Where in the guest a signal struck, or was let in after it was put off, is of
 * no interest to anybody. */
static uintptr_t struck_at(const ucontext_t *machine)
{
	uintptr_t pc = (uintptr_t)machine->uc_mcontext.gregs[REG_RIP];

	return module_is_guest(pc) ? 0 : pc;
}

bool signal_is_handled(void)
{
	return innermost;
}

/* The place where the signal struck becomes a call of the handler. The hooks
 * of entry and exit are not inside: one of them may have been interrupted, so
 * the place it was about to fill is kept. */
static void frame_begin(struct thread *t, struct signal_frame *f)
{
	f->outer = innermost;
	f->top = t->top;
	f->overflow = t->overflow;
	innermost = f;
	record(t, EVENT_SIGNAL_BEGIN, NULL, 0, (unsigned int)f->signal, f->pc);
	if (f->top + 1 >= t->limit)
		return;
	f->covered = f->top[1];
	if (f->pc) {
		f->top[1] = (struct call){ .pc = f->pc, .frame = (uintptr_t)f };
		t->top = f->top + 1;
	}
}

static void frame_end(struct thread *t, struct signal_frame *f)
{
	innermost = f->outer;
	t->top = f->top;
	t->overflow = f->overflow;
	record(t, EVENT_SIGNAL_END, NULL, 0, (unsigned int)f->signal, f->pc);
	if (f->top + 1 < t->limit)
		f->top[1] = f->covered;
}

/* Also when the handler is left by an exception, by pthread_exit or by
 * cancellation. */
static void frame_leave(struct signal_frame *f)
{
	struct thread *t = self;

	innermost = f->outer;
	if (t && t->alive)
		frame_end(t, f);
}

static void handler_observe(struct thread *t, uint64_t entry, siginfo_t *info,
			    ucontext_t *machine)
{
	struct signal_frame f __attribute__((cleanup(frame_leave))) = {
		.signal = info->si_signo,
		.pc = struck_at(machine),
	};

	/* It was let in at a point. */
	if (controlled && !f.pc)
		f.pc = control->threads[t->number].pc;

	frame_set_stack(&f, machine);
	frame_begin(t, &f);
	handler_call(entry, info->si_signo, info, machine);
}

static void handler_run(siginfo_t *info, ucontext_t *machine)
{
	uint64_t entry = signal_take(info->si_signo);
	struct thread *t = guest_self();

	if (t)
		handler_observe(t, entry, info, machine);
	else
		handler_call(entry, info->si_signo, info, machine);
}

uint32_t signal_actor(const struct thread *t)
{
	return t->number + (innermost ? CONTROL_THREADS : 0);
}

/* Under control handlers run at points, but for those that cannot wait. */
static void handler_control(struct thread *t, siginfo_t *info,
			    ucontext_t *machine)
{
	if (is_instant(info->si_signo, info)) {
		handler_run(info, machine);
	} else if (!signal_arrive(t, info)) {
		signal_handler_begins(t);
		handler_run(info, machine);
		signal_handler_ends(t, *mask_of(machine));
	}
}

void signal_trampoline(int signal, siginfo_t *info, void *machine)
{
	struct thread *t = self;

	if (signal == SIGSEGV && counter_answers(info, machine))
		return;
	if (controlled && t && t->alive)
		handler_control(t, info, machine);
	else if (t && t->alive && t->inside && !is_instant(signal, info))
		put_off(t, info, machine);
	else
		handler_run(info, machine);
}

/* ---- delivering what was put off ---- */

struct delivery {
	siginfo_t info;
	ucontext_t machine;
};

static void delivery_run(void *at)
{
	struct delivery *d = at;

	handler_run(&d->info, &d->machine);
}

/* Calls run(at) on another stack. Unwinding goes through it by the frame
 * pointer. */
void signal_call_on(void (*run)(void *), void *at, uintptr_t top);
__asm__(".text\n"
	".globl signal_call_on\n"
	".hidden signal_call_on\n"
	".type signal_call_on, @function\n"
	"signal_call_on:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsp\n"
	"	call *%rax\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size signal_call_on, . - signal_call_on\n");

/* The end of the alternate stack, if there is one and we are not on it; 0 to
 * stay. */
static uintptr_t alternate_top(void)
{
	stack_t s = { .ss_flags = SS_DISABLE };

	SYS_2(SYS_sigaltstack, NULL, &s);
	if (s.ss_flags & (SS_DISABLE | SS_ONSTACK))
		return 0;
	return ((uintptr_t)s.ss_sp + s.ss_size) & ~(uintptr_t)15;
}

/* Takes the first of those held, with signals still blocked. */
static void delivery_take(struct delivery *d, uint64_t mask)
{
	struct held *h = held;

	held = h->next;
	*d = (struct delivery){ .info = h->info };
	for (size_t i = 0; i < CONTEXT; i++)
		((char *)&d->machine)[i] = h->machine[i];
	d->machine.uc_mcontext.fpregs = NULL;
	*mask_of(&d->machine) = mask;
	held_free(h);
}

/* Returns the mask that the handler left. */
static uint64_t held_deliver(uint64_t mask)
{
	struct delivery d;
	struct sigaction act = { 0 };
	uintptr_t top;

	delivery_take(&d, mask);
	real.sigaction(d.info.si_signo, NULL, &act);
	top = act.sa_flags & SA_ONSTACK ? alternate_top() : 0;
	mask |= *(uint64_t *)&act.sa_mask;
	if (!(act.sa_flags & SA_NODEFER))
		mask |= signal_bit(d.info.si_signo);
	/* Those that wait behind this one must not be overtaken. */
	mask_set(held ? ~instant_signals() : mask);
	if (top)
		signal_call_on(delivery_run, &d, top);
	else
		delivery_run(&d);
	return *mask_of(&d.machine);
}

void signal_deliver_pending(struct thread *t)
{
	uint64_t mask = mask_kept;

	atomic_store(&t->pending, 0);
	while (held)
		mask = held_deliver(mask);
	mask_set(mask);
}

/* ---- leaving by a jump ---- */

static bool frame_is_left(const struct signal_frame *f, uintptr_t to)
{
	if (f->high)
		return !is_between(to, f->low, (uintptr_t)f);
	return to > (uintptr_t)f;
}

/* Signals that were to follow the handler which is being left. */
static COLD void held_give_back(void)
{
	uint64_t all = ~instant_signals(), mask = 0;

	SYS_4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &mask, sizeof(all));
	while (held) {
		struct held *h = held;

		held = h->next;
		queue_again(h->info.si_signo, &h->info);
		held_free(h);
	}
	mask_set(mask);
}

void signal_unwind(struct thread *t, uintptr_t to)
{
	while (innermost && frame_is_left(innermost, to))
		frame_end(t, innermost);
	if (unlikely(held))
		held_give_back();
}
