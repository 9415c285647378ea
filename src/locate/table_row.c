/* SPDX-License-Identifier: Apache-2.0 */
#include "locate/table_row.h"

int row_of_order(struct effect first, struct effect then)
{
	if (!first.writes)
		return 2;
	return then.writes ? 3 : 1;
}

int row_of_single(struct effect a, struct effect between, struct effect c)
{
	if (between.writes && a.reads)
		return c.writes ? 5 : 6;
	if (between.writes && a.writes && c.reads)
		return 4;
	return between.reads && a.writes && c.writes ? 7 : 0;
}

/* As the table has it: the first thread begins with x. */
static int row_as_written(const struct steps *a, const struct steps *b)
{
	static const int rows[2][2][2] = {
		/* b: [writes x][writes y][y first], a writes both */
		[0][0] = { 10, 13 },
		[1][0] = { 11, 14 },
		[1][1] = { 12, 15 },
	};

	if (a->y_first)
		return 0;
	if (a->x.writes && a->y.writes)
		return rows[b->x.writes][b->y.writes][b->y_first];
	if (!a->x.writes && a->y.writes && b->x.writes && !b->y.writes)
		return b->y_first ? 9 : 8;
	return 0;
}

static struct steps renamed(struct steps s)
{
	return (struct steps){ .x = s.y, .y = s.x, .y_first = !s.y_first };
}

int row_of_steps(struct steps a, struct steps b)
{
	int row = 0;

	for (int i = 0; i < 4 && !row; i++) {
		struct steps p = i & 1 ? renamed(a) : a;
		struct steps q = i & 1 ? renamed(b) : b;

		row = i & 2 ? row_as_written(&q, &p) : row_as_written(&p, &q);
	}
	return row;
}
