// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A program with MPI, for collect.sh, which knows how often each call is made, and with how many
 * bytes: for the made-up MPI and for real ones. It has a region by hand, too.
 */
#include <mpi.h>
#include <perfctr/regions.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define TIMES 5

PERFCTR_REGION(hand, "by hand");

static int rank, ranks, ints[100], more_ints[100];

static void check(int error)
{
	if (error)
		abort();
}

static void exchange(void)
{
	double sent[3] = { 1, 2, 3 }, received[3];
	int counts[64], places[64], i, next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
	MPI_Request request[2];

	for (i = 0; i < ranks; i++) {
		counts[i] = 2;
		places[i] = 2 * i;
	}
	check(MPI_Sendrecv(ints, 10 * (rank + 1), MPI_INT, next, 7, more_ints, 100, MPI_INT, last,
			   7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	check(MPI_Allreduce(ints, more_ints, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	check(MPI_Barrier(MPI_COMM_WORLD));
	check(MPI_Isend(sent, 3, MPI_DOUBLE, next, 1, MPI_COMM_WORLD, &request[0]));
	check(MPI_Irecv(received, 3, MPI_DOUBLE, last, 1, MPI_COMM_WORLD, &request[1]));
	check(MPI_Waitall(2, request, MPI_STATUSES_IGNORE));
	check(MPI_Alltoallv(ints, counts, places, MPI_INT, more_ints, counts, places, MPI_INT,
			    MPI_COMM_WORLD));
}

/* What the first rank would send is where it is wanted; and so it is in all ranks. */
static void exchange_in_place(void)
{
	int counts[64], places[64], i;

	for (i = 0; i < ranks; i++) {
		counts[i] = 2;
		places[i] = 2 * i;
	}
	check(MPI_Gather(rank ? ints : MPI_IN_PLACE, rank ? 2 : 12345,
			 rank ? MPI_INT : MPI_DATATYPE_NULL, more_ints, 2, MPI_INT, 0,
			 MPI_COMM_WORLD));
	check(MPI_Allgather(MPI_IN_PLACE, 12345, MPI_DATATYPE_NULL, more_ints, 2, MPI_INT,
			    MPI_COMM_WORLD));
	check(MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, more_ints, counts, places,
			    MPI_INT, MPI_COMM_WORLD));
	check(MPI_Allreduce(MPI_IN_PLACE, ints, 100, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	check(MPI_Reduce(rank ? ints : MPI_IN_PLACE, more_ints, 10, MPI_INT, MPI_SUM, 0,
			 MPI_COMM_WORLD));
}

/*
 * The first rank, and all others, are two groups. Each sends two numbers to each rank of the other
 * one; then the first one has 10 from one rank, while the others of that group have none, and that
 * rank gathers 2 from the first one.
 */
static void exchange_of_groups(void)
{
#ifdef PERFCTR_TESTS_MADE_UP_MPI_H
	const MPI_Comm groups = MPI_TWO_GROUPS;
	const MPI_Datatype type = 7; /* anything */
	const int others = 3, root = MPI_PROC_NULL;
#else
	const int others = rank ? 1 : ranks - 1, root = !rank	    ? 0
							: rank == 1 ? MPI_ROOT
								    : MPI_PROC_NULL;
	const MPI_Datatype type = MPI_INT;
	MPI_Comm group, groups;
#endif
	const int none = root == MPI_PROC_NULL;
	int counts[64], places[64], i;

#ifndef PERFCTR_TESTS_MADE_UP_MPI_H
	check(MPI_Comm_split(MPI_COMM_WORLD, rank > 0, rank, &group));
	check(MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, !rank, 5, &groups));
#endif
	for (i = 0; i < 64; i++) {
		counts[i] = i < others ? 2 : 1000;
		places[i] = 2 * i;
	}
	check(MPI_Alltoallv(ints, counts, places, MPI_INT, more_ints, counts, places, MPI_INT,
			    groups));
	check(MPI_Bcast(none ? NULL : ints, none ? 0 : 10, type, root, groups));
	check(MPI_Gather(root ? NULL : ints, root ? 0 : 2, root ? (MPI_Datatype)0 : MPI_INT,
			 more_ints, 2, MPI_INT, root, groups));
	check(MPI_Reduce(ints, more_ints, none ? 0 : 3, none ? type : MPI_INT, MPI_SUM, root,
			 groups));
}

/* Each rank contributes four numbers for each. */
static void exchange_of_reductions(void)
{
#ifdef PERFCTR_TESTS_MADE_UP_MPI_H
	const MPI_Comm comm = MPI_PAIR;
#else
	const MPI_Comm comm = MPI_COMM_WORLD;
#endif
	MPI_Request request;
	int counts[64], i;

	for (i = 0; i < 64; i++)
		counts[i] = 4;
	check(MPI_Reduce_scatter(ints, more_ints, counts, MPI_INT, MPI_SUM, comm));
	check(MPI_Reduce_scatter_block(ints, more_ints, 4, MPI_INT, MPI_SUM, comm));
	check(MPI_Ireduce_scatter_block(ints, more_ints, 4, MPI_INT, MPI_SUM, comm, &request));
	check(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

/*
 * Each rank gets three numbers from the next one, without an operation: the arguments that are for
 * numbers to send mean nothing.
 */
static void exchange_by_window(void)
{
	MPI_Win window;
	int got[3];

	check(MPI_Win_create(ints, sizeof(ints), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
			     &window));
	check(MPI_Win_fence(0, window));
	check(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, got, 3, MPI_INT, (rank + 1) % ranks, 0,
				 3, MPI_INT, MPI_NO_OP, window));
	check(MPI_Win_fence(0, window));
	check(MPI_Win_free(&window));
}

/* Calls that fail, which this program knows. */
static void fail(void)
{
	MPI_Request request;

#ifndef PERFCTR_TESTS_MADE_UP_MPI_H
	check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
#endif
	check(!MPI_Isend(ints, -1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request));
	check(!MPI_Isend(ints, 1, MPI_DATATYPE_NULL, 0, 1, MPI_COMM_WORLD, &request));
}

__attribute__((noinline)) static void one_call(void)
{
	MPI_Request request;

	check(MPI_Isend(ints, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request));
}

#ifdef PERFCTR_TESTS_MADE_UP_MPI_H
/* As compilers of Fortran call it, each by another convention. */
extern void mpi_init_(int *error), mpi_finalize(int *error),
	mpi_barrier_(const int *comm, int *error), mpi_barrier__(const int *comm, int *error),
	mpi_barrier(const int *comm, int *error), MPI_BARRIER(const int *comm, int *error),
	mpi_send_(const void *sent, const int *n, const int *type, const int *to, const int *tag,
		  const int *comm, int *error);
extern void mpi_allgather_(const void *sent, const int *n, const int *type, void *received,
			   const int *received_n, const int *received_type, const int *comm,
			   int *error),
	mpi_alltoallv_(const void *sent, const int *nsent, const int *places, const int *type,
		       void *received, const int *nreceived, const int *received_places,
		       const int *received_type, const int *comm, int *error);
extern void mpi_reduce_scatter_block_(const void *sent, void *received, const int *n,
				      const int *type, const int *op, const int *comm, int *error);
extern int mpi_fortran_in_place_;
extern void *MPIR_F_MPI_IN_PLACE;
#pragma weak mpi_allgather_
#pragma weak mpi_alltoallv_
#pragma weak mpi_reduce_scatter_block_
#pragma weak mpi_init_
#pragma weak mpi_finalize
#pragma weak mpi_barrier_
#pragma weak mpi_barrier__
#pragma weak mpi_barrier
#pragma weak MPI_BARRIER
#pragma weak mpi_send_

static sigjmp_buf place;

static void jump(int signal)
{
	(void)signal;
	siglongjmp(place, 1);
}

__attribute__((noinline)) static void one_deeper(void)
{
	check(MPI_Barrier(MPI_COMM_WORLD));
	ints[0]++;
}

/* Leaves a call, and makes three others, the first of which is deeper. */
static void leave_a_call(void)
{
	MPI_Request request;

	signal(SIGUSR1, jump);
	if (!sigsetjmp(place, 1))
		MPI_Start(&request);
	one_deeper();
	check(MPI_Barrier(MPI_COMM_WORLD));
	check(MPI_Barrier(MPI_COMM_WORLD));
}

static void fortran_in_place(const int *world)
{
	const int groups = MPI_TWO_GROUPS, two = 2, type = MPI_INT, nothing = MPI_DATATYPE_NULL,
		  counts[] = { 2, 2, 2, 1000 };
	int error;

	mpi_allgather_(&mpi_fortran_in_place_, &two, &type, more_ints, &two, &type, world, &error);
	check(error);
	mpi_allgather_(MPIR_F_MPI_IN_PLACE, &two, &type, more_ints, &two, &type, world, &error);
	check(error);
	mpi_alltoallv_(ints, counts, counts, &type, more_ints, counts, counts, &type, &groups,
		       &error);
	check(error);
	mpi_alltoallv_(NULL, NULL, NULL, &nothing, more_ints, counts, counts, &type, &groups,
		       &error);
	check(error);
}

static void fortran(void)
{
	const int world = MPI_COMM_WORLD, pair = MPI_PAIR, seven = 7, minus = -7, type = MPI_DOUBLE,
		  zero = 0, sum = MPI_SUM;
	int error = 1;

	mpi_init_(&error);
	check(error);
	mpi_barrier_(&world, &error);
	mpi_barrier__(&world, &error);
	mpi_barrier(&world, &error);
	MPI_BARRIER(&world, &error);
	mpi_send_(ints, &seven, &type, &zero, &zero, &world, &error);
	check(error);
	mpi_send_(ints, &minus, &type, &zero, &zero, &world, &error);
	check(error != 3);
	mpi_reduce_scatter_block_(ints, more_ints, &seven, &type, &sum, &pair, &error);
	check(error);
	fortran_in_place(&world);
	mpi_finalize(&error);
	check(error);
}
#endif

int main(int argc, char **argv)
{
	int i, n = argc > 2 ? atoi(argv[2]) : 0;

#ifdef PERFCTR_TESTS_MADE_UP_MPI_H
	if (argc > 1 && !strcmp(argv[1], "fortran")) {
		fortran();
		return 0;
	}
#endif
	check(MPI_Init(&argc, &argv));
	check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	check(MPI_Comm_size(MPI_COMM_WORLD, &ranks));
	if (argc > 1 && !strcmp(argv[1], "times"))
		while (n-- > 0)
			one_call();
	for (i = 0; i < TIMES; i++) {
		perfctr_region_begin(&hand);
		exchange();
		perfctr_region_end(&hand);
	}
	if (argc > 1 && !strcmp(argv[1], "in-place"))
		exchange_in_place();
	if (argc > 1 && !strcmp(argv[1], "groups"))
		exchange_of_groups();
	if (argc > 1 && !strcmp(argv[1], "reductions"))
		exchange_of_reductions();
	if (argc > 1 && !strcmp(argv[1], "window"))
		exchange_by_window();
	if (argc > 1 && !strcmp(argv[1], "fails"))
		fail();
#ifdef PERFCTR_TESTS_MADE_UP_MPI_H
	if (argc > 1 && !strcmp(argv[1], "leaves"))
		leave_a_call();
#endif
	if (argc > 1 && !strcmp(argv[1], "killed"))
		raise(SIGKILL);
	check(MPI_Finalize());
	return 0;
}
