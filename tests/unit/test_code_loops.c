/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/xalloc.h"
#include "trial/code_flow.h"
#include "trial/code_loops.h"

/* ---- machine code made by hand ---- */

/* A call of what stands for the hook is told by its target. */
enum { BASE = 0x1000, HOOK = 0x9000 };

static enum code_callee callee(const cs_insn *in, void *with)
{
	(void)with;
	return in->detail->x86.operands[0].imm == HOOK ? CALLEE_HOOK :
							 CALLEE_NO_RETURN;
}

static void read_code(struct code_flow *c, struct loop_nest *n,
		      const uint8_t *code, size_t size)
{
	csh disassembler;

	assert_int_equal(cs_open(CS_ARCH_X86, CS_MODE_64, &disassembler),
			 CS_ERR_OK);
	cs_option(disassembler, CS_OPT_DETAIL, CS_OPT_ON);
	code_flow_init(c, disassembler, code, size, BASE, callee, NULL);
	loop_nest_init(n, &c->flow);
	cs_close(&disassembler);
}

/* Two loops, one in the other, and a jump from the inner out of both. */
static void test_nested(void **state)
{
	static const uint8_t code[] = {
		0x90,			      /* 1000 nop */
		0xe8, 0xfa, 0x7f, 0x00, 0x00, /* 1001 outer: call hook */
		0x90,			      /* 1006 inner: nop */
		0x74, 0x06,		      /* 1007 je out */
		0x75, 0xfb,		      /* 1009 jne inner */
		0xff, 0xc9,		      /* 100b dec %ecx */
		0x75, 0xf2,		      /* 100d jne outer */
		0xc3,			      /* 100f out: ret */
	};
	struct code_flow c;
	struct loop_nest n;

	(void)state;
	read_code(&c, &n, code, sizeof(code));
	assert_int_equal(n.loops.count, 3);
	assert_int_equal(n.loops.at[1].header, code_flow_at(&c, 0x1001));
	assert_int_equal(n.loops.at[2].header, code_flow_at(&c, 0x1006));
	assert_int_equal(n.loops.at[2].outer, 1);
	assert_int_equal(n.innermost[code_flow_at(&c, 0x1009)], 2);
	assert_int_equal(n.innermost[code_flow_at(&c, 0x100b)], 1);
	assert_int_equal(n.innermost[code_flow_at(&c, 0x100f)], 0);
	assert_int_equal(c.blocks.at[code_flow_at(&c, 0x1001)].hook, 0x1006);
	assert_int_equal(code_flow_at(&c, 0x1010), FLOW_NONE);
	loop_nest_done(&n);
	code_flow_done(&c);
}

/* A loop around a jump through a table; and a call that does not return, behind
 * which there is no way on. */
static void test_indirect(void **state)
{
	static const uint8_t code[] = {
		0x90,			      /* 1000 head: nop */
		0x74, 0x09,		      /* 1001 je bad */
		0xff, 0xe0,		      /* 1003 jmp *%rax */
		0x90,			      /* 1005 first: nop */
		0xeb, 0xf8,		      /* 1006 jmp head */
		0x90,			      /* 1008 second: nop */
		0xeb, 0xf5,		      /* 1009 jmp head */
		0x90,			      /* 100b */
		0xe8, 0x00, 0x00, 0x00, 0x00, /* 100c bad: call abort */
		0xc3,			      /* 1011 ret */
	};
	struct code_flow c;
	struct loop_nest n;

	(void)state;
	read_code(&c, &n, code, sizeof(code));
	assert_int_equal(n.loops.count, 2);
	assert_int_equal(n.loops.at[1].header, 0);
	assert_int_equal(n.innermost[code_flow_at(&c, 0x1005)], 1);
	assert_int_equal(n.innermost[code_flow_at(&c, 0x1008)], 1);
	assert_int_equal(n.innermost[code_flow_at(&c, 0x100c)], 0);
	loop_nest_done(&n);
	code_flow_done(&c);
}

/* ---- compiled ---- */

struct compiled {
	const char *text;
	uint32_t loops, deepest;
};

static const struct compiled functions[] = {
	{ "void f(int n) { for (int i = 0; i < n; i++) use(i); }", 1, 1 },
	{ "void f(int n) { while (n) { use(n); do use(1); while (get()); "
	  "n = get(); } }",
	  2, 2 },
	{ "void f(int n) { for (int i = 0; i < n; i++) { use(i); "
	  "for (int k = 0; k < n; k++) { use(k); for (;;) { use(k); "
	  "if (get()) break; if (get() == 7) goto out; } use(2); } } "
	  "out: use(3); }",
	  3, 3 },
	{ "void f(int n) { if (n) use(1); else use(2); use(3); }", 0, 0 },
	{ "void f(int n) { for (;;) switch (get()) { case 0: use(n); break; "
	  "case 1: use(2); break; case 2: use(3); break; case 3: use(9); "
	  "break; case 4: use(5); break; case 5: return; } }",
	  1, 1 },
};

static bool compile(const char *compiler, const char *level, const char *text,
		    const char *path)
{
	const char *blocks =
		strstr(compiler, "clang") ? "bb,no-prune,trace-pc" : "trace-pc";
	char *command = xasprintf("%s %s -fsanitize-coverage=%s -shared -fPIC "
				  "-w -x c -o %s - 2>/dev/null",
				  compiler, level, blocks, path);
	FILE *in = popen(command, "w");
	bool is_done;

	assert_non_null(in);
	fprintf(in, "void use(int); int get(void);\n%s\n", text);
	is_done = pclose(in) == 0;
	free(command);
	return is_done;
}

static void check_compiled(const struct compiled *f, const char *path)
{
	struct code_loops l;
	uint32_t deepest = 0, begins = 0;

	code_loops_init(&l, path);
	assert_true(l.has_hooks);
	assert_int_equal(l.count, f->loops);
	for (uint32_t k = 1; k <= l.count; k++) {
		uint32_t depth = 0;

		for (uint32_t o = k; o; o = l.outer.at[o])
			depth++;
		deepest = depth > deepest ? depth : deepest;
	}
	assert_int_equal(deepest, f->deepest);
	for (size_t i = 0; i < l.hooks.count; i++) {
		const struct loop_hook *h = &l.hooks.at[i];

		/* The hook lies in the loop that it is of. */
		assert_int_equal(code_loops_at(&l, h->address - 1), h->loop);
		begins += h->is_header;
	}
	assert_int_equal(begins, f->loops);
	code_loops_done(&l);
}

static void test_compiled(void **state)
{
	static const char *const compilers[] = { "gcc", "clang" };
	static const char *const levels[] = { "-O0", "-O1", "-O2" };
	char path[] = "/tmp/test_code_loops-XXXXXX";
	int fd = mkstemp(path), compiled = 0;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		for (int c = 0; c < 2; c++)
			for (int k = 0; k < 3; k++)
				if (compile(compilers[c], levels[k],
					    functions[i].text, path)) {
					check_compiled(&functions[i], path);
					compiled++;
				}
	unlink(path);
	assert_true(compiled > 0);
}

static void test_no_program(void **state)
{
	struct code_loops l;

	(void)state;
	code_loops_init(&l, "/dev/null");
	assert_int_equal(l.count, 0);
	assert_false(l.has_hooks);
	code_loops_done(&l);
	code_loops_init(&l, "/nowhere");
	assert_int_equal(code_loops_at(&l, 1), 0);
	code_loops_done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_indirect),
		cmocka_unit_test(test_compiled),
		cmocka_unit_test(test_no_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
