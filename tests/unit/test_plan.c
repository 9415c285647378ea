/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <sys/mman.h>

#include "format/event.h"
#include "format/rng.h"
#include "plan/plan.h"

static struct region_module made_module(const char *path, uint64_t base,
					uint32_t site)
{
	struct region_module m = { .base = base,
				   .bias = base,
				   .size = 0x1000,
				   .site = site,
				   .build_id_size = 4 };

	strcpy(m.path, path);
	memcpy(m.build_id, &site, 4);
	return m;
}

static struct step random_step(struct rng *rng)
{
	struct step s = {
		.thread = rng_below(rng, 5),
		.site = rng_below(rng, 0x2001),
		.visit = 1 + rng_below(rng, 9),
		.to = rng_below(rng, 5),
		.what = (uint8_t)rng_below(rng, STEP_WHATS),
		.kind = (uint8_t)rng_below(rng, EVENT_KINDS),
	};
	return s;
}

static struct plan *random_plan(uint64_t seed, struct region_module *modules,
				struct step *steps, uint32_t count)
{
	static uint8_t sites[0x2001];
	struct rng rng = rng_seeded(seed);
	struct plan *p = plan_new();

	modules[0] = made_module("/a/one two\"", 0x555500000000, 1);
	modules[1] = made_module("/lib/other.so", 0x7fff00000000, 0x1001);
	for (uint32_t i = 0; i < count; i++)
		steps[i] = random_step(&rng);
	for (size_t i = 0; i < sizeof(sites); i++)
		sites[i] = rng_below(&rng, 40) == 0 ? SITE_PRIVATE : SITE_NEW;
	plan_set_modules(p, modules, 2);
	plan_set_steps(p, modules, steps, count);
	plan_set_sites(p, modules, sites, sizeof(sites));
	p->seed = rng_next(&rng);
	p->processors = 2;
	vec_push(&p->threads, xstrdup("main"));
	vec_push(&p->threads, xstrdup("a \"b\""));
	p->steps.at[0].where = xstrdup("f a.c:1");
	p->steps.at[0].source = xstrdup("x = \"y\";");
	p->flags = rng_below(&rng, 2) ? CONTROL_SPURIOUS : 0;
	return p;
}

static char *text_of(const struct plan *p, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);

	plan_write(p, out);
	fclose(out);
	return text;
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct region_module modules[2];
		struct step steps[40];
		struct plan *p = random_plan(seed, modules, steps, 40), *q;
		struct err err;
		size_t size;
		char *text = text_of(p, &size);

		q = plan_read(text, size, "plan", &err);
		if (!q)
			fail_msg("%s", err.text);
		assert_true(plan_is_equal(p, q));
		assert_int_equal(p->seed, q->seed);
		assert_string_equal(q->threads.at[1], "a \"b\"");
		assert_string_equal(q->steps.at[0].source, "x = \"y\";");
		plan_free(p);
		plan_free(q);
		free(text);
	}
}

static struct region *made_region(void)
{
	/* Mapped, for it wants to begin with a page. */
	struct region *r = mmap(NULL, sizeof(*r), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
				0);

	assert_true(r != MAP_FAILED);

	/* The same files, loaded elsewhere and the other way round. */
	r->modules[0] = made_module("/usr/lib/other.so", 0x1234000, 1);
	r->modules[1] = made_module("/b/one two\"", 0x400000, 0x1001);
	memcpy(r->modules[0].build_id, &(uint32_t){ 0x1001 }, 4);
	memcpy(r->modules[1].build_id, &(uint32_t){ 1 }, 4);
	atomic_store(&r->module_count, 2);
	return r;
}

static uint32_t moved(uint32_t site)
{
	if (!site)
		return 0;
	return site <= 0x1000 ? site + 0x1000 : site - 0x1000;
}

static void a_plan_fits_where_modules_lie_elsewhere(void **state)
{
	struct region_module modules[2];
	struct step steps[200];
	struct plan *p = random_plan(7, modules, steps, 200);
	struct region *r = made_region();
	struct control *c = calloc(1, sizeof(*c));
	struct control_ask ask = { 0 };
	bool is_other = false;
	struct err err;

	(void)state;
	assert_int_equal(plan_load(p, r, c, &ask, &is_other, &err), 0);
	assert_false(is_other);
	assert_int_equal(ask.plan_count, 200);
	assert_int_equal(ask.flags, p->flags);
	for (int i = 0; i < 200; i++) {
		assert_int_equal(c->plan[i].site, moved(steps[i].site));
		assert_int_equal(c->plan[i].thread, steps[i].thread);
		assert_int_equal(c->plan[i].to, steps[i].to);
		assert_int_equal(c->plan[i].visit, steps[i].visit);
	}
	memset(r->modules[0].build_id, 9, 4);
	assert_int_equal(plan_load(p, r, c, &ask, &is_other, &err), 0);
	assert_true(is_other);
	atomic_store(&r->module_count, 1);
	assert_int_equal(plan_load(p, r, c, &ask, &is_other, &err), -1);
	assert_non_null(strstr(err.text, "has not loaded"));
	plan_free(p);
	munmap(r, sizeof(*r));
	free(c);
}

static void refuses(const char *text, const char *because)
{
	struct err err;

	assert_null(plan_read(text, strlen(text), "p", &err));
	if (!strstr(err.text, because))
		fail_msg("%s: %s", text, err.text);
}

static void what_is_no_plan_is_refused(void **state)
{
	(void)state;
	refuses("", "does not begin with");
	refuses("something\n", "no plan");
	refuses("heddle-plan 2\n", "version 2");
	refuses("heddle-plan 1\nseed x\ndone\n", "seed");
	refuses("heddle-plan 1\nwhat\ndone\n", "unknown word");
	refuses("heddle-plan 1\nmodule 1 \"a\" -\ndone\n", "order");
	refuses("heddle-plan 1\nmodule 0 \"../a\" -\ndone\n", "plain name");
	refuses("heddle-plan 1\nmodule 0 \"a\" 0\ndone\n", "build id");
	refuses("heddle-plan 1\npreempt read \"\" \"\" thread=0 module=0\ndone\n",
		"no module 0");
	refuses("heddle-plan 1\npreempt read \"\" \"\" thread=0 to=99999\ndone\n",
		"no thread");
	refuses("heddle-plan 1\npreempt read \"\" \"\" thread=99999\ndone\n",
		"thread");
	refuses("heddle-plan 1\nprivate 0 0x1\ndone\n", "no module");
	refuses("heddle-plan 1\nseed 1\n", "cut off");
	refuses("heddle-plan 1\ndone\nseed 1\n", "behind the end");
}

static void a_cut_plan_is_refused_wherever_it_is_cut(void **state)
{
	struct region_module modules[2];
	struct step steps[5];
	struct plan *p = random_plan(3, modules, steps, 5);
	size_t size;
	char *text = text_of(p, &size);

	(void)state;
	for (size_t n = 0; n + 6 < size; n++) {
		struct err err;

		assert_null(plan_read(text, n, "p", &err));
	}
	plan_free(p);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_plan_fits_where_modules_lie_elsewhere),
		cmocka_unit_test(what_is_no_plan_is_refused),
		cmocka_unit_test(a_cut_plan_is_refused_wherever_it_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
