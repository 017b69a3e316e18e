// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Threads of OpenMP within ranks of MPI: who has more to do than the others? Each step adds up a
 * triangle, whose last rows are the longest. perfctr_tutorial(7) finds that without a change here:
 *
 *	OMPI_CC=clang mpicc -O2 -g -fopenmp rows.c -o rows		(MPICH: MPICH_CC)
 *	mpirun -n 2 --bind-to none -x OMP_NUM_THREADS=2 perfex --regions=openmp,mpi --json \
 *		-o 'rank.%q{OMPI_COMM_WORLD_RANK}' ./rows
 *	perfex --from rank.*
 *
 * "rows mended" deals out the rows, so that each rank and each thread has long ones and short ones.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

#define ROWS  4000
#define STEPS 10

static double add_up_row(int row)
{
	double sum = 0;
	int i;

	for (i = 1; i <= row; i++)
		sum += 1.0 / i / row;
	return sum;
}

/* A rank's part: rows that are neighbours, or each nth. */
static double add_up(int rank, int ranks, int dealt)
{
	const int first = dealt ? rank : rank * ROWS / ranks, by = dealt ? ranks : 1;
	const int end = dealt ? ROWS : (rank + 1) * ROWS / ranks;
	double sum = 0;
	int i;

#pragma omp parallel for schedule(runtime) reduction(+ : sum)
	for (i = first; i < end; i += by)
		sum += add_up_row(1 + i);
	return sum;
}

int main(int argc, char **argv)
{
	const int dealt = argc > 1 && !strcmp(argv[1], "mended");
	double mine, all = 0;
	int rank, ranks, step;

	if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
		return 1;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	omp_set_schedule(omp_sched_static, dealt ? 1 : 0);
	for (step = 0; step < STEPS; step++) {
		mine = add_up(rank, ranks, dealt);
		MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("the sum is %.6f\n", all);
	return MPI_Finalize() != MPI_SUCCESS;
}
