/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A blocked LU factorisation without pivoting: the owner of a diagonal block
 * factors it, the owners of its row and column divide, the owners of the rest
 * update, with barriers in between. The last diagonal block comes last, and
 * after it only the end of the processes. Main then multiplies L and U.
 *
 * bug:      CTrigger Table 2, LU
 * kind:     order violation through a wrong macro (LOCON row 2: R W)
 * threads:  main and 2 processes
 * failure:  wrong result (exit status 1)
 * accesses: read of the last block by main, write of it by its owner
 * natively: in some of ten runs where processors are few, else rare
 * twins:    -DFIXED repairs WAIT_FOR_END, see wait_macros.h
 * sizes:    blocks in a row, size of a block
 */
#include <math.h>
#include <string.h>

#include "wait_macros.h"

#define PROCESSES 3

static double *matrix;
static int side;
static int blocks;
static int block;

static double *at(int row, int column)
{
	return &matrix[row * side + column];
}

/* Scattered so that the last block belongs to the last process. */
static int owner(int row, int column)
{
	return (2 * (blocks - 1) - row - column + PROCESSES - 1) % PROCESSES;
}

static void block_factor(int k)
{
	int from = k * block, to = from + block;

	for (int i = from; i < to; i++) {
		for (int j = i + 1; j < to; j++) {
			*at(j, i) /= *at(i, i);
			for (int l = i + 1; l < to; l++)
				*at(j, l) -= *at(j, i) * *at(i, l);
		}
	}
}

/* A block below the diagonal, by the upper triangle of the diagonal block. */
static void block_divide(int row, int k)
{
	int from = k * block, to = from + block;

	for (int j = row * block; j < (row + 1) * block; j++) {
		for (int i = from; i < to; i++) {
			*at(j, i) /= *at(i, i);
			for (int l = i + 1; l < to; l++)
				*at(j, l) -= *at(j, i) * *at(i, l);
		}
	}
}

/* A block right of the diagonal, by its lower triangle. */
static void block_solve(int k, int column)
{
	int from = k * block, to = from + block;

	for (int i = from; i < to; i++)
		for (int j = i + 1; j < to; j++)
			for (int l = column * block; l < (column + 1) * block;
			     l++)
				*at(j, l) -= *at(j, i) * *at(i, l);
}

static void block_update(int row, int column, int k)
{
	for (int j = row * block; j < (row + 1) * block; j++)
		for (int l = column * block; l < (column + 1) * block; l++)
			for (int i = k * block; i < (k + 1) * block; i++)
				*at(j, l) -= *at(j, i) * *at(i, l);
}

static void perimeter(int process, int k)
{
	for (int i = k + 1; i < blocks; i++) {
		if (owner(i, k) == process)
			block_divide(i, k);
		if (owner(k, i) == process)
			block_solve(k, i);
	}
}

static void interior(int process, int k)
{
	for (int i = k + 1; i < blocks; i++)
		for (int j = k + 1; j < blocks; j++)
			if (owner(i, j) == process)
				block_update(i, j, k);
}

static void *slave_start(void *arg)
{
	int process = *(int *)arg;

	for (int k = 0; k < blocks; k++) {
		if (owner(k, k) == process)
			block_factor(k);
		if (k == blocks - 1)
			break;
		BARRIER();
		perimeter(process, k);
		BARRIER();
		interior(process, k);
		BARRIER();
	}
	return NULL;
}

static double original(int row, int column)
{
	return row == column ? side + 1.0 : 1.0 / (1 + row + 2 * column);
}

static void result_check(void)
{
	for (int i = 0; i < side; i++) {
		for (int j = 0; j < side; j++) {
			double sum = i <= j ? *at(i, j) : 0;

			for (int k = 0; k < i && k <= j; k++)
				sum += *at(i, k) * *at(k, j);
			if (fabs(sum - original(i, j)) > 1e-9)
				subject_wrong("L * U is %f at %d, %d, not %f",
					      sum, i, j, original(i, j));
		}
	}
}

int main(int argc, char **argv)
{
	int numbers[PROCESSES] = { 0 };

	blocks = subject_size(argc, argv, 1, 3);
	block = subject_size(argc, argv, 2, 2);
	side = blocks * block;
	matrix = calloc((size_t)side * (size_t)side, sizeof(double));
	if (!matrix)
		return 2;
	for (int i = 0; i < side; i++)
		for (int j = 0; j < side; j++)
			*at(i, j) = original(i, j);
	MAIN_INITENV(PROCESSES);
	for (int i = 1; i < PROCESSES; i++) {
		numbers[i] = i;
		CREATE(slave_start, &numbers[i]);
	}
	slave_start(&numbers[0]);
	/* Timing and statistics of the kernel. */
	subject_work(1, 200000);
	WAIT_FOR_END(PROCESSES - 1);
	result_check();
	printf("%d by %d, last pivot %.6f\n", side, side,
	       *at(side - 1, side - 1));
	return 0;
}
