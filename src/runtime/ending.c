/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/ending.h"

#include "format/put.h"
#include "runtime/chance_counter.h"
#include "runtime/control.h"
#include "runtime/perturb.h"
#include "runtime/place.h"
#include "runtime/process.h"
#include "runtime/real.h"
#include "runtime/requests.h"
#include "runtime/spin.h"
#include "runtime/stacks.h"
#include "runtime/sys.h"
#include "runtime/turn.h"

#include <stdlib.h>
#include <ucontext.h>

/*
 * After a fault was told the default action is put back and the instruction
 * runs again; what would not happen again is raised again.
 */

/* ---- text ---- */

static void text_number(unsigned int n)
{
	char digits[PUT_NUMBER];

	put_number(digits, n);
	control_text(digits);
}

static const char *file_of(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

/* ---- assertions ---- */

/* Only the first verdict counts; so nothing is added to the text of an earlier
 * one. */
static bool can_tell(void)
{
	return (controlled || perturbing) &&
	       control_outcome()->kind == OUTCOME_NONE && process_is_observed();
}

static void assertion_tell(const char *what, const char *file,
			   unsigned int line, const char *function,
			   uintptr_t pc)
{
	struct thread *t = guest_self();

	if (!t || !can_tell())
		return;
	guest_enter(t);
	control_text("assertion `");
	control_text(what);
	control_text("' failed (");
	control_text(file_of(file));
	control_text(":");
	text_number(line);
	if (function) {
		control_text(", ");
		control_text(function);
	}
	control_text(")");
	control_tell(t, OUTCOME_ASSERTION, NULL, pc);
	guest_leave(t);
}

EXPORT void __assert_fail(const char *assertion, const char *file,
			  unsigned int line, const char *function)
{
	assertion_tell(assertion, file, line, function, CALLER);
	real.__assert_fail(assertion, file, line, function);
	__builtin_unreachable();
}

EXPORT void __assert_perror_fail(int number, const char *file,
				 unsigned int line, const char *function)
{
	assertion_tell("error number is 0", file, line, function, CALLER);
	real.__assert_perror_fail(number, file, line, function);
	__builtin_unreachable();
}

EXPORT void __assert(const char *assertion, const char *file, int line)
{
	assertion_tell(assertion, file, (unsigned int)line, NULL, CALLER);
	real.__assert(assertion, file, line);
	__builtin_unreachable();
}

/* ---- abort ---- */

/* Names of types as compilers mangle them, as far as a person wants to read
 * them: nested names, without templates. */
static const char *name_part(const char *at)
{
	char name[128];
	size_t length = 0, n = 0;

	while (*at >= '0' && *at <= '9')
		length = length * 10 + (size_t)(*at++ - '0');
	while (n < length && n < sizeof(name) - 1 && at[n]) {
		name[n] = at[n];
		n++;
	}
	name[n] = '\0';
	control_text(name);
	return at + n;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void text_type(const char *mangled)
{
	const char *at = mangled;
	bool nested = *at == 'N';

	if (nested)
		at++;
	if (at[0] == 'S' && at[1] == 't') {
		control_text("std::");
		at += 2;
	}
	if (!is_digit(*at)) {
		control_text(mangled);
		return;
	}
	at = name_part(at);
	while (nested && is_digit(*at)) {
		control_text("::");
		at = name_part(at);
	}
}

/* The name of the type of the exception that is being handled, as it lies in a
 * std::type_info behind the pointer to its functions. */
static const char *exception_name(void)
{
	struct type_info {
		const void *functions;
		const char *name;
	};
	const struct type_info *(*current)(void) =
		(const struct type_info *(*)(void))dlsym(
			RTLD_DEFAULT, "__cxa_current_exception_type");
	const struct type_info *type = current ? current() : NULL;

	if (!type || !type->name)
		return NULL;
	return *type->name == '*' ? type->name + 1 : type->name;
}

static void abort_tell(struct thread *t, uintptr_t pc)
{
	const char *exception;

	guest_enter(t);
	exception = exception_name();
	if (exception) {
		/* libstdc++ has called; the program threw. */
		pc = place_of(t, pc, (uintptr_t)__builtin_frame_address(0));
		control_text("uncaught exception ");
		text_type(exception);
	} else {
		control_text("abort was called");
	}
	control_tell(t, OUTCOME_ABORT, NULL, pc);
	guest_leave(t);
}

EXPORT void abort(void)
{
	struct thread *t = guest_self();

	if (t && can_tell())
		abort_tell(t, CALLER);
	real.abort();
	__builtin_unreachable();
}

/* ---- exit ---- */

void ending_tell_exit(int status, uintptr_t pc)
{
	struct thread *t = guest_self();
	struct outcome *o = control_outcome();

	if (process_is_observed())
		requests_end();
	if (!t || !can_tell())
		return;
	if (controlled && spin_is_self_locked()) {
		guest_enter(t);
		control_fail(t, OUTCOME_DEADLOCK, NULL, pc);
	}
	if (!status)
		return;
	guest_enter(t);
	o->thread = t->number;
	o->point = control->run.points;
	o->stack = pc ? stack_node(t, pc) : NO_STACK;
	control_trap();
	guest_leave(t);
}

void ending_come(void)
{
	struct thread *t = guest_self();

	if (!controlled || !t || !can_tell())
		return;
	guest_enter(t);
	turn_last(t);
	guest_leave(t);
}

EXPORT void exit(int status)
{
	if (controlled)
		ending_tell_exit(status, CALLER);
	real.exit(status);
	__builtin_unreachable();
}

EXPORT void quick_exit(int status)
{
	if (controlled)
		ending_tell_exit(status, CALLER);
	real.quick_exit(status);
	__builtin_unreachable();
}

/* ---- signals that end the program ---- */

static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE,	SIGILL,
			      SIGABRT, SIGSYS, SIGTRAP, SIGPIPE };

enum { FAULTS = sizeof(faults) / sizeof(*faults) };

bool ending_is_fault(int signal)
{
	for (int i = 0; i < FAULTS; i++)
		if (faults[i] == signal)
			return true;
	return false;
}

/* The kernel raised it because of what the thread did. */
static bool is_own_doing(const siginfo_t *info)
{
	return info->si_code > 0;
}

/* `sp` is the stack pointer of the thread, 0 when it is not known. */
static const char *fault_text(const siginfo_t *info, uintptr_t sp)
{
	enum { NEAR = 1 << 16 };
	uintptr_t at = (uintptr_t)info->si_addr;

	if (info->si_signo != SIGSEGV || !is_own_doing(info) ||
	    info->si_code == SI_KERNEL)
		return NULL;
	/* The stack pointer itself leads nowhere any more. */
	if (sp && at < sp + NEAR && at + NEAR > sp)
		return "stack overflow";
	return NULL;
}

static void signal_tell(struct thread *t, const siginfo_t *info, uintptr_t sp,
			uintptr_t pc)
{
	struct outcome *o = control_outcome();
	bool aborts = info->si_signo == SIGABRT;

	o->signal = info->si_signo;
	if (is_own_doing(info))
		o->addr = (uintptr_t)info->si_addr;
	control_tell(t, aborts ? OUTCOME_ABORT : OUTCOME_SIGNAL,
		     fault_text(info, sp), pc);
}

void ending_tell_signal(struct thread *t, const siginfo_t *info, uintptr_t pc)
{
	if (can_tell())
		signal_tell(t, info, 0, pc);
}

void ending_default(int signal)
{
	/* As the kernel has it. */
	const struct {
		uint64_t handler, flags, restorer, mask;
	} none = { 0 };

	SYS_4(SYS_rt_sigaction, signal, &none, NULL, sizeof(none.mask));
}

static bool comes_again(const siginfo_t *info)
{
	return is_own_doing(info) && info->si_signo != SIGTRAP &&
	       info->si_signo != SIGSYS;
}

void ending_fault(int signal, siginfo_t *info, void *machine)
{
	const greg_t *registers = ((ucontext_t *)machine)->uc_mcontext.gregs;
	uintptr_t pc = (uintptr_t)registers[REG_RIP];
	uintptr_t sp = (uintptr_t)registers[REG_RSP];
	struct thread *t = self && self->alive ? self : NULL;

	place_fault();
	if (counter_answers(info, machine))
		return;
	if (can_tell()) {
		if (t)
			t->inside++;
		signal_tell(t, info, sp, t ? place_of(t, pc, sp) : 0);
		if (t)
			t->inside--;
	}
	ending_default(signal);
	if (!comes_again(info))
		SYS_4(SYS_rt_tgsigqueueinfo, SYS_0(SYS_getpid),
		      SYS_0(SYS_gettid), signal, info);
}

void ending_action(struct sigaction *act)
{
	act->sa_sigaction = ending_fault;
	act->sa_flags = SA_SIGINFO | SA_ONSTACK;
	sigfillset(&act->sa_mask);
}

static void faults_catch(void)
{
	struct sigaction act;

	for (int i = 0; i < FAULTS; i++) {
		if (real.sigaction(faults[i], NULL, &act) != 0 ||
		    act.sa_handler != SIG_DFL)
			continue;
		ending_action(&act);
		real.sigaction(faults[i], &act, NULL);
	}
}

/* ---- stacks for the handler ---- */

static void stack_use(void *at)
{
	const stack_t s = { .ss_sp = at, .ss_size = STACKS_ALTERNATE };

	SYS_2(SYS_sigaltstack, &s, NULL);
}

/* The stack that this thread has from us. */
static __thread void *own_stack;

static void stack_give(void *at)
{
	own_stack = at;
	if (at)
		stack_use(at);
}

void ending_thread_begin(uint32_t number)
{
	void *at = stacks_alternate(number);

	stack_give(at ? at : guest_map(STACKS_ALTERNATE));
}

/* The program does not see it, and when it gives its own back gets it again. */
EXPORT int sigaltstack(const stack_t *set, stack_t *old)
{
	stack_t was;
	int rc = real.sigaltstack(set, &was);

	if (rc != 0)
		return rc;
	if (own_stack && was.ss_sp == own_stack)
		was = (stack_t){ .ss_flags = SS_DISABLE };
	if (old)
		*old = was;
	if (own_stack && set && set->ss_flags & SS_DISABLE)
		stack_use(own_stack);
	return rc;
}

void ending_prepare(void)
{
	static char room[STACKS_ALTERNATE] __attribute__((aligned(64)));
	stack_t s = { .ss_flags = SS_DISABLE };

	place_prepare();
	/* The program may have set up its own before main. */
	SYS_2(SYS_sigaltstack, NULL, &s);
	if (s.ss_flags & SS_DISABLE)
		stack_give(room);
	faults_catch();
}
