/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sites of programs built by three compilers at all levels of optimisation.
 */
#include "site_fixture.h"

/* Lines count from 1; each place of interest has a line of its own. */
static const char bank_source[] =
	"#define MARK(name) __asm__ volatile(#name \": .globl \" #name "
	"\"; nop\")\n"
	"#define ALWAYS static inline __attribute__((always_inline))\n"
	"#define NEVER __attribute__((noinline, noclone_, used))\n"
	"#ifdef __clang__\n"
	"#define noclone_\n"
	"#else\n"
	"#define noclone_ noclone\n"
	"#endif\n"
	"int balance;\n"
	"ALWAYS void add(int n)\n" /* 10 */
	"{\n"
	"	balance += n;\n"
	"	MARK(mark_add);\n" /* 13 */
	"}\n"
	"ALWAYS void deposit(int n)\n"
	"{\n"
	"	balance--;\n"
	"	add(n);\n" /* 18 */
	"}\n"
	"NEVER void serve(int n)\n"
	"{\n"
	"	balance++;\n"
	"	deposit(n);\n" /* 23 */
	"	balance *= 2;\n"
	"	MARK(mark_serve);\n" /* 25 */
	"	balance++;\n"
	"}\n"
	"int main(void)\n"
	"{\n"
	"	serve(3);\n"
	"	return 0;\n"
	"}\n";

static const char *const compilers[] = { "gcc", "clang-14", "clang-19" };

static const char *const flags[] = {
	"-O0 -g",
	"-O1 -g",
	"-O2 -g",
	"-O3 -g",
	"-O2 -g -no-pie -fno-pie",
	"-O0 -g -no-pie -fno-pie",
	"-O2 -g -fPIC -shared",
	"-O2 -g -gdwarf-4",
	"-O2 -g -gdwarf-5 -gz",
	"-O2 -g -gdwarf-4 -gz",
	"-O2 -g -gsplit-dwarf",
	"-O2 -g -gdwarf-4 -fdebug-types-section",
	"-O2 -g -ffunction-sections -Wl,--gc-sections",
};

#define AT_ADD "add bank.c:13 < deposit bank.c:18 < serve bank.c:23"

static void expect_bank(const char *program, const char *how)
{
	struct trace *t = TRACE_OF(program);
	struct sites *s = sites_new(t);
	uint64_t add = symbol_at(program, "mark_add");
	uint64_t serve = symbol_at(program, "mark_serve");

	chain_expect(site_resolve(s, module_site(0, add), false), AT_ADD, how);
	chain_expect(site_resolve(s, module_site(0, add + 1), true), AT_ADD,
		     how);
	chain_expect(site_resolve(s, module_site(0, serve), false),
		     "serve bank.c:25", how);
	assert_int_equal(sites_warnings(s), 0);
	sites_free(s);
	trace_close(t);
}

static void sites_resolve_whatever_the_compiler_did(void **state)
{
	(void)state;
	source_write("bank.c", bank_source);
	for (size_t c = 0; c < sizeof(compilers) / sizeof(*compilers); c++) {
		for (size_t f = 0; f < sizeof(flags) / sizeof(*flags); f++) {
			char how[256];

			snprintf(how, sizeof(how), "%s %s", compilers[c],
				 flags[f]);
			shell("%s -o bank bank.c", how);
			expect_bank("bank", how);
		}
	}
}

static void sites_resolve_after_link_time_optimisation(void **state)
{
	(void)state;
	source_write("bank.c", bank_source);
	source_write("other.c", "int other(void) { return 4; }\n");
	shell("gcc -flto -O2 -g -o bank bank.c other.c");
	expect_bank("bank", "gcc -flto");
	shell("clang-14 -flto -fuse-ld=lld-14 -O2 -g -o bank bank.c other.c");
	expect_bank("bank", "clang-14 -flto");
	shell("clang-19 -flto -fuse-ld=lld-19 -O2 -g -o bank bank.c other.c");
	expect_bank("bank", "clang-19 -flto");
}

static void columns_come_from_the_line_table(void **state)
{
	struct trace *t;
	struct sites *s;
	struct site_chain chain;

	(void)state;
	source_write("bank.c", bank_source);
	shell("gcc -O0 -g -o bank bank.c");
	t = TRACE_OF("bank");
	s = sites_new(t);
	chain = site_resolve(s, module_site(0, symbol_at("bank", "mark_add")),
			     false);
	assert_int_equal(chain.count, 3);
	assert_true(chain.frames[0].column >= 2);
	assert_int_equal(chain.frames[1].column, 2);
	assert_true(chain.frames[0].inlined && chain.frames[1].inlined);
	assert_false(chain.frames[2].inlined);
	assert_int_equal(chain.frames[0].offset, symbol_at("bank", "mark_add"));
	sites_free(s);
	trace_close(t);
}

static void sources_elsewhere_keep_their_path(void **state)
{
	char expected[256];
	struct trace *t;
	struct sites *s;
	uint64_t mark;

	(void)state;
	shell("mkdir -p here/src there/src");
	source_write("here/src/bank.c", bank_source);
	shell("cd there/src && gcc -O0 -g -o ../../bank ../../here/./src/bank.c");
	mark = symbol_at("bank", "mark_serve");
	t = TRACE_OF("bank");
	s = sites_new(t);
	chain_expect(site_resolve(s, module_site(0, mark), false),
		     "serve here/src/bank.c:25", "above");
	sites_free(s);
	assert_int_equal(chdir("there"), 0);
	s = sites_new(t);
	assert_int_equal(chdir(".."), 0);
	snprintf(expected, sizeof(expected), "serve %s/here/src/bank.c:25",
		 scratch);
	chain_expect(site_resolve(s, module_site(0, mark), false), expected,
		     "beside");
	sites_free(s);
	trace_close(t);
}

static void a_module_without_debug_information_gives_symbols(void **state)
{
	struct trace *t;
	struct sites *s;
	struct site_chain chain;
	uint32_t site;

	(void)state;
	source_write("bank.c", bank_source);
	shell("gcc -O0 -g -o bank bank.c");
	site = module_site(0, symbol_at("bank", "mark_serve"));
	shell("strip -g bank");
	t = TRACE_OF("bank");
	s = sites_new(t);
	chain = site_resolve(s, site + 1, true);
	assert_string_equal(chain.frames[0].function, "mark_serve");
	assert_null(chain.frames[0].file);
	sites_free(s);
	shell("strip bank");
	s = sites_new(t);
	chain = site_resolve(s, site, true);
	assert_int_equal(chain.count, 1);
	assert_null(chain.frames[0].function);
	assert_int_equal(chain.frames[0].offset, site - FIRST_SITE);
	assert_non_null(strstr(chain.frames[0].module, "/bank"));
	assert_int_equal(sites_warnings(s), 0);
	sites_free(s);
	trace_close(t);
}

static void a_changed_module_is_not_trusted_and_told_once(void **state)
{
	struct trace *t;
	struct sites *s;
	uint32_t site;

	(void)state;
	source_write("bank.c", bank_source);
	shell("gcc -O0 -g -o bank bank.c");
	site = module_site(0, symbol_at("bank", "mark_serve"));
	t = TRACE_OF("bank");
	shell("gcc -O2 -g -o bank bank.c");
	s = sites_new(t);
	chain_expect(site_resolve(s, site, false), "?", "changed");
	chain_expect(site_resolve(s, site + 1, true), "?", "changed");
	assert_null(global_name(
		s, module_base(0) + symbol_at("bank", "balance"), 4));
	assert_int_equal(sites_warnings(s), 1);
	assert_non_null(strstr(sites_warning_text(s, 0), "changed since"));
	sites_free(s);
	shell("rm bank");
	s = sites_new(t);
	chain_expect(site_resolve(s, site, false), "?", "gone");
	assert_int_equal(sites_warnings(s), 1);
	assert_non_null(strstr(sites_warning_text(s, 0), "cannot open"));
	sites_free(s);
	trace_close(t);
}

static void stacks_are_read_upwards_with_what_was_inlined(void **state)
{
	const char *files[] = { "libbank.so", "user", NULL };
	char more[256];
	struct trace *t;
	struct sites *s;
	uint32_t add, call;

	(void)state;
	source_write("bank.c", bank_source);
	source_write("user.c", "extern void serve(int);\n"
			       "void use(void) {\n"
			       "	serve(4);\n"
			       "	__asm__ volatile(\"back: .globl "
			       "back; nop\");\n"
			       "}\n"
			       "int main(void) { use(); return 0; }\n");
	shell("gcc -O2 -g -fPIC -shared -o libbank.so bank.c");
	shell("gcc -O0 -g -fno-plt -o user user.c ./libbank.so");
	add = module_site(0, symbol_at("libbank.so", "mark_add") + 1);
	call = module_site(1, symbol_at("user", "back"));
	snprintf(more, sizeof(more),
		 "stack 1 parent=0 site=0x%x\nstack 2 parent=1 site=0x%x\n"
		 "stack 3 parent=2 site=0x0\n",
		 call, add);
	t = trace_of(files, more);
	s = sites_new(t);
	chain_expect(stack_resolve(s, 2), AT_ADD " < use user.c:3", "stack");
	chain_expect(stack_resolve(s, 3), AT_ADD " < use user.c:3", "unknown");
	assert_ptr_equal(stack_resolve(s, 2).frames,
			 stack_resolve(s, 2).frames);
	assert_int_equal(stack_resolve(s, 0).count, 0);
	assert_int_equal(stack_resolve(s, 77).count, 0);
	assert_int_equal(site_resolve(s, 5, false).count, 0);
	sites_free(s);
	trace_close(t);
}

static void functions_of_cxx_are_named_with_their_scopes(void **state)
{
	static const char source[] =
		"#define MARK(n) __asm__ volatile(#n \": .globl \" #n \"; nop\")\n"
		"namespace bank { namespace {\n"
		"template <class T> struct account {\n"
		"	T sum = 0;\n"
		"	__attribute__((noinline)) void add(T n);\n"
		"};\n"
		"template <class T> void account<T>::add(T n)\n"
		"{\n"
		"	sum += n;\n"
		"	MARK(mark_add);\n" /* 10 */
		"}\n"
		"} }\n"
		"bank::account<int> a;\n"
		"int main(int n, char **)\n"
		"{\n"
		"	auto f = [&](int x) __attribute__((noinline)) {\n"
		"		a.add(x + n);\n"
		"		MARK(mark_lambda);\n" /* 18 */
		"	};\n"
		"	f(3);\n"
		"}\n";
	static const char *const cxx[] = { "g++", "clang++-14", "clang++-19" };

	(void)state;
	source_write("bank.cpp", source);
	for (size_t i = 0; i < 3; i++) {
		struct trace *t;
		struct sites *s;

		shell("%s -O1 -g -o bankxx bank.cpp", cxx[i]);
		t = TRACE_OF("bankxx");
		s = sites_new(t);
		chain_expect(site_resolve(s,
					  module_site(0, symbol_at("bankxx",
								   "mark_add")),
					  false),
			     "bank::(anonymous namespace)::account<int>::add "
			     "bank.cpp:10",
			     cxx[i]);
		chain_expect(
			site_resolve(s,
				     module_site(0, symbol_at("bankxx",
							      "mark_lambda")),
				     false),
			"main::(lambda)::operator() bank.cpp:18", cxx[i]);
		sites_free(s);
		trace_close(t);
	}
}

static void code_without_a_line_gets_that_of_its_function(void **state)
{
	struct trace *t;
	struct sites *s;

	(void)state;
	source_write("moved.c", "int balance;\n"
				"void serve(int n)\n"
				"{\n"
				"	balance += n;\n"
				"}\n");
	shell("clang-19 -O0 -g -fPIC -S -o moved.s moved.c");
	shell("sed -i 's/^\t\\.loc\t0 4 13.*/mark: .globl mark\\n\t.loc 0 0 "
	      "0/' moved.s && clang-19 -shared -o moved.so moved.s");
	t = TRACE_OF("moved.so");
	s = sites_new(t);
	chain_expect(site_resolve(s,
				  module_site(0, symbol_at("moved.so", "mark")),
				  false),
		     "serve moved.c:2", "moved");
	sites_free(s);
	trace_close(t);
}

static void symbols_of_cxx_are_made_readable(void **state)
{
	static const char source[] =
		"namespace bank { namespace {\n"
		"struct cup { int n; int operator()(int x) { return n + x; }\n"
		"	bool operator<(const cup &c) { return n < c.n; } };\n"
		"} }\n"
		"template <class F> int fill(F f, int (*g)(int))\n"
		"{ return f(g(3)); }\n"
		"int one(int x) { return x; }\n"
		"int main() { bank::cup c{1}, d{2};\n"
		"	return fill(c, one) + (c < d); }\n";
	static const char *const names[][2] = {
		{ "_ZN4bank12_GLOBAL__N_13cupclEi",
		  "bank::(anonymous namespace)::cup::operator()" },
		{ "_ZN4bank12_GLOBAL__N_13cupltERKS1_",
		  "bank::(anonymous namespace)::cup::operator<" },
		{ "_Z4fillIN4bank*", "fill<bank::(anonymous namespace)::cup>" },
		{ "_Z3onei", "one" },
		{ "main", "main" },
	};
	struct trace *t;
	struct sites *s;

	(void)state;
	source_write("cup.cpp", source);
	shell("g++ -O0 -o cup cup.cpp");
	t = TRACE_OF("cup");
	s = sites_new(t);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		chain_expect(
			site_resolve(s,
				     module_site(0,
						 symbol_at("cup", names[i][0])),
				     false),
			names[i][1], names[i][0]);
	sites_free(s);
	trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites_resolve_whatever_the_compiler_did),
		cmocka_unit_test(sites_resolve_after_link_time_optimisation),
		cmocka_unit_test(columns_come_from_the_line_table),
		cmocka_unit_test(sources_elsewhere_keep_their_path),
		cmocka_unit_test(
			a_module_without_debug_information_gives_symbols),
		cmocka_unit_test(a_changed_module_is_not_trusted_and_told_once),
		cmocka_unit_test(stacks_are_read_upwards_with_what_was_inlined),
		cmocka_unit_test(functions_of_cxx_are_named_with_their_scopes),
		cmocka_unit_test(symbols_of_cxx_are_made_readable),
		cmocka_unit_test(code_without_a_line_gets_that_of_its_function),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
