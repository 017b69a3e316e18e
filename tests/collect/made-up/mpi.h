/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * mpi.h - an MPI that is made up, of one rank, whose handles are MPICH's numbers: as much of it as
 * ../ranks.c calls. ../mpi.c is its library.
 */
#ifndef PERFCTR_TESTS_MADE_UP_MPI_H
#define PERFCTR_TESTS_MADE_UP_MPI_H

#include <stddef.h>

typedef int MPI_Comm, MPI_Datatype, MPI_Op, MPI_Request, MPI_Win, MPI_Info;
typedef long MPI_Aint;
typedef struct {
	int word[5];
} MPI_Status;

#define MPI_TWO_GROUPS	    ((int)0x84000001) /* of one and three ranks */
#define MPI_PAIR	    ((int)0x84000002) /* of this rank and another */
#define MPI_DATATYPE_NULL   0x0c000000
#define MPI_IN_PLACE	    ((void *)-1)
#define MPI_PROC_NULL	    -1
#define MPI_ROOT	    -3
#define MPI_COMM_WORLD	    0x44000000
#define MPI_BYTE	    0x4c00010d
#define MPI_INT		    0x4c000405
#define MPI_DOUBLE	    0x4c00080b
#define MPI_SUM		    0x58000003
#define MPI_NO_OP	    0x5800000e
#define MPI_INFO_NULL	    0x1c000000
#define MPI_STATUS_IGNORE   ((MPI_Status *)NULL)
#define MPI_STATUSES_IGNORE ((MPI_Status *)NULL)

int MPI_Init(int *argc, char ***argv);
int MPI_Initialized(int *flag);
int MPI_Finalize(void);
int MPI_Comm_rank(MPI_Comm comm, int *rank);
int MPI_Comm_size(MPI_Comm comm, int *size);
int MPI_Sendrecv(const void *sent, int nsent, MPI_Datatype sent_type, int to, int tag,
		 void *received, int nreceived, MPI_Datatype received_type, int from,
		 int received_tag, MPI_Comm comm, MPI_Status *status);
int MPI_Isend(const void *sent, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
	      MPI_Request *request);
int MPI_Irecv(void *received, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	      MPI_Request *request);
int MPI_Waitall(int n, MPI_Request *requests, MPI_Status *statuses);
int MPI_Barrier(MPI_Comm comm);
int MPI_Allreduce(const void *sent, void *received, int n, MPI_Datatype type, MPI_Op op,
		  MPI_Comm comm);
int MPI_Gather(const void *sent, int n, MPI_Datatype type, void *received, int received_n,
	       MPI_Datatype received_type, int root, MPI_Comm comm);
int MPI_Reduce(const void *sent, void *received, int n, MPI_Datatype type, MPI_Op op, int root,
	       MPI_Comm comm);
int MPI_Allgather(const void *sent, int n, MPI_Datatype type, void *received, int received_n,
		  MPI_Datatype received_type, MPI_Comm comm);
int MPI_Bcast(void *bytes, int n, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Reduce_scatter(const void *sent, void *received, const int *n, MPI_Datatype type, MPI_Op op,
		       MPI_Comm comm);
int MPI_Reduce_scatter_block(const void *sent, void *received, int n, MPI_Datatype type, MPI_Op op,
			     MPI_Comm comm);
int MPI_Ireduce_scatter_block(const void *sent, void *received, int n, MPI_Datatype type, MPI_Op op,
			      MPI_Comm comm, MPI_Request *request);
int MPI_Wait(MPI_Request *request, MPI_Status *status);
int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
		   MPI_Win *window);
int MPI_Win_fence(int assertion, MPI_Win window);
int MPI_Win_free(MPI_Win *window);
int MPI_Get_accumulate(const void *sent, int n, MPI_Datatype type, void *received, int received_n,
		       MPI_Datatype received_type, int rank, MPI_Aint at, int there,
		       MPI_Datatype type_there, MPI_Op op, MPI_Win window);
int MPI_Start(MPI_Request *request);
int MPI_Alltoallv(const void *sent, const int *nsent, const int *places, MPI_Datatype type,
		  void *received, const int *nreceived, const int *received_places,
		  MPI_Datatype received_type, MPI_Comm comm);

#endif /* PERFCTR_TESTS_MADE_UP_MPI_H */
