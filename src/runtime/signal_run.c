/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/signals.h"

#include "runtime/sys.h"

#include <time.h>
#include <ucontext.h>

/*
 * Running handlers. A signal that arrives while its thread is inside the guest
 * is put off: it is queued again, just as it was, and everything that can be
 * put off is blocked in the mask that the kernel restores when the trampoline
 * returns. When the thread leaves the guest, that mask is set right, and the
 * kernel delivers. So the stack, the mask and the information a handler gets
 * are the kernel's business as ever. A signal by which the kernel says that an
 * instruction cannot go on is not put off.
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

/* Real-time signals of one number are delivered in the order they were sent:
 * those that wait already come after this one. */
static void queue_again_first(int signal, const siginfo_t *info)
{
	enum { MOST = 32 };
	const struct timespec now = { 0 };
	uint64_t only = signal_bit(signal);
	siginfo_t behind[MOST];
	int n = 0;

	while (n < MOST && SYS_4(SYS_rt_sigtimedwait, &only, &behind[n], &now,
				 sizeof(only)) == signal)
		n++;
	queue_again(signal, info);
	for (int i = 0; i < n; i++)
		queue_again(signal, &behind[i]);
}

static void put_off(struct thread *t, siginfo_t *info, ucontext_t *machine)
{
	/* The kernel's mask has 64 bits, whatever libc's type has. */
	uint64_t *restored = (uint64_t *)&machine->uc_sigmask;
	uint64_t all = ~instant_signals();

	SYS_4(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, sizeof(all));
	if (info->si_signo >= SIGRTMIN)
		queue_again_first(info->si_signo, info);
	else
		queue_again(info->si_signo, info);
	if (!atomic_fetch_or(&t->pending, signal_bit(info->si_signo)))
		mask_kept = *restored;
	*restored |= all;
}

void signal_deliver_pending(struct thread *t)
{
	uint64_t mask = mask_kept;

	atomic_store(&t->pending, 0);
	SYS_4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
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

	frame_set_stack(&f, machine);
	frame_begin(t, &f);
	handler_call(entry, info->si_signo, info, machine);
}

void signal_trampoline(int signal, siginfo_t *info, void *machine)
{
	struct thread *t = self;
	uint64_t entry;

	if (t && t->alive && t->inside && !is_instant(signal, info)) {
		put_off(t, info, machine);
		return;
	}
	entry = signal_take(signal);
	t = guest_self();
	if (t)
		handler_observe(t, entry, info, machine);
	else
		handler_call(entry, signal, info, machine);
}

/* ---- leaving by a jump ---- */

static bool frame_is_left(const struct signal_frame *f, uintptr_t to)
{
	if (f->high)
		return !is_between(to, f->low, (uintptr_t)f);
	return to > (uintptr_t)f;
}

void signal_unwind(struct thread *t, uintptr_t to)
{
	while (innermost && frame_is_left(innermost, to))
		frame_end(t, innermost);
}
