/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HEDDLE_TABLE_ROW_H
#define HEDDLE_TABLE_ROW_H

/*
 * The rows of LOCON's Table 1, by what two threads do:
 *
 *	1  W | R      2  R | W      3  W | W
 *
 * in this order, where only the other one is meant;
 *
 *	4  W . R | W   5  R . W | W   6  R . R | W   7  W . W | R
 *
 * where the second thread's access comes between the two of the first; and, of
 * two variables, where each of the threads came first to one of them,
 *
 *	 8  Rx Wy | Wx Ry    9  Rx Wy | Ry Wx   10  Wx Wy | Rx Ry
 *	11  Wx Wy | Wx Ry   12  Wx Wy | Wx Wy   13  Wx Wy | Ry Rx
 *	14  Wx Wy | Ry Wx   15  Wx Wy | Wy Wx
 *
 * Which variable is called x and who is the first thread is free. Of all the
 * cycles that two regions can make with two conflicts, on two variables, one is
 * not in the table: Wx Ry | Wy Rx, where each has seen what the other wrote.
 */

#include <stdbool.h>

struct effect {
	bool reads, writes;
};

int row_of_order(struct effect first, struct effect then);

/* What does both is taken as a read that others spoil, then as a write that
 * spoils: of an atomic update nothing is lost, but what is read again has
 * changed. W W W is serializable. 0: none. */
int row_of_single(struct effect a, struct effect between, struct effect c);

/* What a thread does to x and to y. */
struct steps {
	struct effect x, y;
	bool y_first;
};

/* 0: none of them. What does both counts as a write. */
int row_of_steps(struct steps a, struct steps b);

#endif
