// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions of a parallel program: where do ranks wait for the slowest? Each writes a report, and
 * perfex puts them together:
 *
 *	mpicc -O2 mpi.c -lperfctr -o mpi
 *	mpirun -n 4 perfex --regions --json -e instructions:u \
 *		-o 'rank.%q{OMPI_COMM_WORLD_RANK}' ./mpi
 *	perfex --from rank.*
 */
#include <mpi.h>
#include <stdio.h>
#include <perfctr/regions.h>

PERFCTR_REGION(compute, "compute");
PERFCTR_REGION(exchange, "exchange");

/* Higher ranks have more to do, which is what the report shows as imbalance. */
static double compute_part(int rank)
{
	double sum = 0;
	int i;

	for (i = 1; i <= 100000 * (rank + 1); i++)
		sum += 1.0 / i / i;
	return sum;
}

int main(int argc, char **argv)
{
	double mine, all = 0;
	int rank, step;

	if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
		return 1;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (step = 0; step < 10; step++) {
		perfctr_region_begin(&compute);
		mine = compute_part(rank);
		perfctr_region_end(&compute);

		perfctr_region_begin(&exchange);
		MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		perfctr_region_end(&exchange);
	}
	if (rank == 0)
		printf("the sum is %f\n", all);
	return MPI_Finalize() != MPI_SUCCESS;
}
