/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of variables and of their members.
 */
#include "site_fixture.h"

static const char c_source[] =
	"#include <stdatomic.h>\n"
	"#include <stddef.h>\n"
	"struct entry { short key; int hits; char name[6]; };\n"
	"typedef struct { int count; struct entry entries[4];\n"
	"	struct { long sum; union { int whole; char bytes[4]; }; };\n"
	"	unsigned a : 3, b : 9, c : 20; double last; } table_t;\n"
	"volatile table_t table = { .count = 1 };\n"
	"struct entry counts[5] = { { 1, 2, \"x\" } };\n"
	"int matrix[3][4] = { { 1 } };\n"
	"char text[64] = \"x\";\n"
	"_Atomic long atomic_sum = 1;\n"
	"union { long number; struct { int low, high; } half; } either = { 1 };\n"
	"struct { int size; short items[]; } flexible = { 3, { 1, 2, 3 } };\n"
	"static int hidden = 4;\n"
	"int *pointer = &hidden;\n"
	"__attribute__((noinline)) int serve(void) {\n"
	"	static int calls = 1;\n"
	"	{ static volatile int deep = 7; calls += deep++; }\n"
	"	return calls++ + hidden++;\n"
	"}\n"
	"size_t at_entries = offsetof(table_t, entries);\n"
	"int main(void) { return serve() + table.count + counts[0].key; }\n";

/* What nm calls it, and the bytes of an access. */
struct naming {
	const char *symbol;
	uint64_t offset, size;
	const char *name;
};

/* Layout: count 0, entries 4 + i * 16 (key, hits +4, name +8), sum 72, union
 * 80, bits 88, last 96. */
static const struct naming c_names[] = {
	{ "table", 0, 4, "table.count" },
	{ "table", 0, 104, "table" },
	{ "table", 2, 2, "table.count+2" },
	{ "table", 4 + 16 * 2 + 4, 4, "table.entries[2].hits" },
	{ "table", 4 + 16, 16, "table.entries[1]" },
	{ "table", 4 + 16 + 8 + 3, 1, "table.entries[1].name[3]" },
	{ "table", 4 + 2, 2, "table.entries[0]+2" },
	{ "table", 72, 8, "table.sum" },
	{ "table", 80, 4, "table.whole" },
	{ "table", 84, 4, "table+84" },
	{ "table", 88, 4, "table.a" },
	{ "table", 90, 1, "table.c" },
	{ "table", 96, 8, "table.last" },
	{ "table", 20, 40, "table.entries[1]" },
	{ "counts", 16 * 3 + 4, 4, "counts[3].hits" },
	{ "counts", 16 * 4, 2, "counts[4].key" },
	{ "counts", 0, 80, "counts" },
	{ "counts", 0, 2, "counts[0].key" },
	{ "matrix", 4 * (4 * 2 + 1), 4, "matrix[2][1]" },
	{ "matrix", 16, 16, "matrix[1]" },
	{ "matrix", 0, 48, "matrix" },
	{ "text", 0, 64, "text" },
	{ "text", 17, 1, "text[17]" },
	{ "text", 16, 16, "text[16]" },
	{ "atomic_sum", 0, 8, "atomic_sum" },
	{ "either", 0, 8, "either.number" },
	{ "either", 4, 4, "either.number+4" },
	{ "flexible", 6, 2, "flexible.items[1]" },
	{ "pointer", 0, 8, "pointer" },
	{ "hidden", 0, 4, "hidden" },
	{ "calls.[0-9]*", 0, 4, "serve::calls" },
	{ "deep.[0-9]*", 0, 4, "serve::deep" },
	{ "serve.calls", 0, 4, "serve::calls" },
	{ "serve.deep", 0, 4, "serve::deep" },
};

static void expect_name(struct sites *s, uint64_t addr, uint64_t size,
			const char *expected, const char *how)
{
	const char *name = global_name(s, addr, size);

	if (!name || strcmp(name, expected) != 0)
		fail_msg("%s: \"%s\" instead of \"%s\"", how,
			 name ? name : "(none)", expected);
}

/* gcc and clang call a static variable of a function differently. */
static bool is_of_the_other(const char *symbol, bool is_clang)
{
	bool is_local = strchr(symbol, '.') != NULL;

	return is_local && is_clang != (strncmp(symbol, "serve.", 6) == 0);
}

static void expect_names(const struct naming *names, size_t count,
			 const char *command)
{
	struct trace *t;
	struct sites *s;
	bool is_clang = strncmp(command, "clang", 5) == 0;

	shell("%s", command);
	t = TRACE_OF("program");
	s = sites_new(t);
	for (size_t i = 0; i < count; i++) {
		const struct naming *n = &names[i];

		if (is_of_the_other(n->symbol, is_clang))
			continue;
		expect_name(s,
			    module_base(0) + symbol_at("program", n->symbol) +
				    n->offset,
			    n->size, n->name, command);
	}
	assert_null(global_name(s, module_base(0) + 1, 1));
	assert_null(global_name(s, 42, 1));
	sites_free(s);
	trace_close(t);
}

static void members_of_c_are_named(void **state)
{
	static const char *const compilers[] = { "gcc", "clang-14",
						 "clang-19" };
	static const char *const flags[] = {
		"-O0 -g",
		"-O2 -g",
		"-O0 -g -gdwarf-4",
		"-O1 -g -gsplit-dwarf",
		"-O1 -g -no-pie",
		"-O1 -g -gdwarf-4 -fdebug-types-section",
		"-O1 -g -shared -fPIC"
	};

	(void)state;
	source_write("program.c", c_source);
	for (size_t c = 0; c < sizeof(compilers) / sizeof(*compilers); c++) {
		for (size_t f = 0; f < sizeof(flags) / sizeof(*flags); f++) {
			char command[256];

			snprintf(command, sizeof(command),
				 "%s %s -o program program.c", compilers[c],
				 flags[f]);
			expect_names(c_names,
				     sizeof(c_names) / sizeof(*c_names),
				     command);
		}
	}
}

static const char cxx_source[] =
	"#include <atomic>\n"
	"#include <mutex>\n"
	"#include <vector>\n"
	"namespace bank {\n"
	"struct base { virtual ~base() {} long id = 3; };\n"
	"struct account : base { static int count; int sum = 2; };\n"
	"int account::count = 3;\n"
	"account main_account;\n"
	"namespace { int secret = 5; }\n"
	"template <class T> struct box { static T last; };\n"
	"template <class T> T box<T>::last = 4;\n"
	"int use() { static int calls = 2; return calls++ + secret++ +\n"
	"	box<int>::last++; }\n"
	"}\n"
	"std::atomic<int> counter{3};\n"
	"std::mutex lock;\n"
	"inline int shared = 3;\n"
	"int main() { return bank::use() + bank::account::count +\n"
	"	shared++ + counter++; }\n";

static const struct naming cxx_names[] = {
	{ "_ZN4bank7account5countE", 0, 4, "bank::account::count" },
	{ "_ZN4bank12main_accountE", 8, 8, "bank::main_account.id" },
	{ "_ZN4bank12main_accountE", 16, 4, "bank::main_account.sum" },
	{ "_ZN4bank12_GLOBAL__N_16secretE", 0, 4,
	  "bank::(anonymous namespace)::secret" },
	{ "_ZN4bank3boxIiE4lastE", 0, 4, "bank::box<int>::last" },
	{ "_ZZN4bank3useEvE5calls", 0, 4, "bank::use::calls" },
	{ "counter", 0, 4, "counter" },
	{ "lock", 0, 40, "lock" },
	{ "shared", 0, 4, "shared" },
};

static void variables_of_cxx_are_named_with_their_scopes(void **state)
{
	static const char *const compilers[] = {
		"g++", "clang++-14 -fstandalone-debug",
		"clang++-19 -fstandalone-debug"
	};

	(void)state;
	source_write("program.cpp", cxx_source);
	for (size_t c = 0; c < 3; c++) {
		char command[256];

		snprintf(command, sizeof(command),
			 "%s -std=c++17 -O1 -g -o program program.cpp",
			 compilers[c]);
		expect_names(cxx_names, sizeof(cxx_names) / sizeof(*cxx_names),
			     command);
	}
}

static void variables_are_named_after_link_time_optimisation(void **state)
{
	static const struct naming names[] = {
		{ "table", 4 + 16 * 2 + 4, 4, "table.entries[2].hits" },
		{ "matrix", 4 * (4 * 2 + 1), 4, "matrix[2][1]" },
	};

	(void)state;
	source_write("program.c", c_source);
	source_write("other.c", "extern int matrix[3][4];\n"
				"int other(void) { return matrix[1][2]++; }\n");
	expect_names(names, 2,
		     "gcc -flto -fno-toplevel-reorder -O1 -g -fPIC -shared "
		     "-o program program.c other.c");
	expect_names(names, 2,
		     "clang-19 -flto -fuse-ld=lld-19 -O1 -g -fPIC -shared "
		     "-o program program.c other.c");
}

static void without_debug_information_symbols_are_named(void **state)
{
	static const struct naming names[] = {
		{ "table", 0, 4, "table" },
		{ "table", 84, 4, "table+84" },
		{ "hidden", 0, 4, "hidden" },
	};
	static const struct naming cxx_symbols[] = {
		{ "_ZN4bank7account5countE", 0, 4, "bank::account::count" },
		{ "_ZN4bank12main_accountE", 16, 4, "bank::main_account+16" },
		{ "_ZN4bank3boxIiE4lastE", 0, 4, "bank::box<int>::last" },
		{ "_ZZN4bank3useEvE5calls", 0, 4, "bank::use::calls" },
	};

	(void)state;
	source_write("program.c", c_source);
	expect_names(names, 3, "gcc -O0 -o program program.c");
	source_write("program.cpp", cxx_source);
	expect_names(cxx_symbols, 4,
		     "g++ -std=c++17 -O0 -o program program.cpp");
}

/* A program that uses a library's variable has the variable itself: the
 * linker moves it there. What it is, only the library knows. */
static void a_moved_variable_is_named_by_its_library(void **state)
{
	const char *files[] = { "user", "libprogram.so", NULL };
	struct trace *t;
	struct sites *s;

	(void)state;
	source_write("program.c", c_source);
	source_write("user.c", "struct entry;\n"
			       "extern char counts[];\n"
			       "int main(void) { return counts[4]; }\n");
	shell("gcc -shared -fPIC -g -o libprogram.so program.c");
	shell("gcc -no-pie -fno-pie -g -o user user.c ./libprogram.so");
	t = trace_of(files, "");
	s = sites_new(t);
	expect_name(s, module_base(0) + symbol_at("user", "counts*") + 16 + 4,
		    4, "counts[1].hits", "moved");
	sites_free(s);
	trace_close(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_of_c_are_named),
		cmocka_unit_test(variables_of_cxx_are_named_with_their_scopes),
		cmocka_unit_test(
			variables_are_named_after_link_time_optimisation),
		cmocka_unit_test(without_debug_information_symbols_are_named),
		cmocka_unit_test(a_moved_variable_is_named_by_its_library),
	};

	return cmocka_run_group_tests(tests, scratch_enter, scratch_leave);
}
