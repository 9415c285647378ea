/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/visits.h"

#include "runtime/control.h"

/*
 * A hash table with open addressing that doubles when it is half full. It
 * begins small: a run touches it from scratch, and each page it touches costs
 * as much as dozens of points.
 */

struct visit {
	uint64_t key; /* thread and site, + 1; 0: free */
	uint32_t count;
};

enum { FIRST_LOG = 5 };

static struct visit *table; /* NULL: nobody was counted yet */
static uint32_t table_log;
static uint32_t used;

static struct visit *find(struct visit *in, uint32_t log, uint64_t key)
{
	uint32_t mask = (UINT32_C(1) << log) - 1;
	uint32_t at =
		(uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - log));

	while (in[at].key && in[at].key != key)
		at = (at + 1) & mask;
	return &in[at];
}

static COLD void grow(void)
{
	uint32_t log = table ? table_log + 1 : FIRST_LOG;
	struct visit *bigger =
		guest_map((UINT64_C(1) << log) * sizeof(*bigger));

	if (!bigger)
		control_fail(self, OUTCOME_LIMIT, "no memory to count visits",
			     0);
	for (uint32_t i = 0; table && i < UINT32_C(1) << table_log; i++)
		if (table[i].key)
			*find(bigger, log, table[i].key) = table[i];
	table = bigger;
	table_log = log;
}

uint32_t visit_count(uint32_t thread, uint32_t site)
{
	uint64_t key = ((uint64_t)thread << 32 | site) + 1;
	struct visit *v;

	if (unlikely(!table))
		grow();
	v = find(table, table_log, key);
	if (unlikely(!v->key)) {
		if (++used > UINT32_C(1) << (table_log - 1)) {
			grow();
			v = find(table, table_log, key);
		}
		v->key = key;
	}
	return ++v->count;
}

void visits_forget(void)
{
	for (uint32_t i = 0; used && i < UINT32_C(1) << table_log; i++)
		table[i] = (struct visit){ 0 };
	used = 0;
}
