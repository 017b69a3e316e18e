// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The library of the MPI that is made up: made-up/mpi.h. As in others, MPI_X() is a weak name of
 * PMPI_X(), and some calls make others. mpi_fortran.c has Fortran's part.
 */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALL(name, parameters)                                                 \
	int PMPI_##name parameters;                                            \
	int MPI_##name parameters __attribute__((weak, alias("PMPI_" #name))); \
	int PMPI_##name parameters
#define UNUSED __attribute__((unused))

static int initialized;

CALL(Init, (int *argc UNUSED, char ***argv UNUSED))
{
	initialized = 1;
	return 0;
}

CALL(Initialized, (int *flag))
{
	*flag = initialized;
	return 0;
}

CALL(Finalize, (void))
{
	return 0;
}

CALL(Comm_rank, (MPI_Comm comm, int *rank))
{
	*rank = 0;
	return comm != MPI_COMM_WORLD;
}

CALL(Comm_size, (MPI_Comm comm, int *size))
{
	*size = comm == MPI_PAIR ? 2 : 1;
	return comm != MPI_COMM_WORLD && comm != MPI_PAIR;
}

CALL(Comm_test_inter, (MPI_Comm comm, int *inter))
{
	*inter = comm == MPI_TWO_GROUPS;
	return 0;
}

CALL(Comm_remote_size, (MPI_Comm comm, int *size))
{
	if (comm != MPI_TWO_GROUPS)
		return 1;
	*size = 3;
	return 0;
}

CALL(Type_size, (MPI_Datatype type, int *size))
{
	*size = (type >> 8) - 0x4c0000; /* as in MPICH */
	if (*size < 0)
		abort(); /* as others end a program for a wrong argument */
	return 0;
}

CALL(Get_library_version, (char *version, int *length))
{
	strcpy(version, "made up");
	*length = (int)strlen(version);
	return 0;
}

CALL(Sendrecv,
     (const void *sent UNUSED, int nsent UNUSED, MPI_Datatype sent_type UNUSED, int to UNUSED,
      int tag UNUSED, void *received UNUSED, int nreceived UNUSED, MPI_Datatype received_type,
      int from UNUSED, int received_tag, MPI_Comm comm, MPI_Status *status))
{
	/* Arguments that are passed on the stack. */
	return received_type != MPI_INT || received_tag != 7 || comm != MPI_COMM_WORLD || status;
}

CALL(Isend, (const void *sent UNUSED, int n, MPI_Datatype type, int to UNUSED, int tag UNUSED,
	     MPI_Comm comm UNUSED, MPI_Request *request))
{
	*request = 1;
	return n < 0 || type == MPI_DATATYPE_NULL ? 3 : 0;
}

CALL(Irecv, (void *received UNUSED, int n UNUSED, MPI_Datatype type UNUSED, int from UNUSED,
	     int tag UNUSED, MPI_Comm comm UNUSED, MPI_Request *request))
{
	*request = 2;
	return 0;
}

CALL(Waitall, (int n, MPI_Request *requests, MPI_Status *statuses UNUSED))
{
	return n != 2 || requests[0] + requests[1] != 3;
}

/* It waits, without a processor, for MADE_UP_WAIT microseconds. */
CALL(Barrier, (MPI_Comm comm))
{
	const char *wait = getenv("MADE_UP_WAIT");

	if (wait)
		usleep((useconds_t)atoi(wait));
	return comm != MPI_COMM_WORLD;
}

CALL(Gather, (const void *sent, int n UNUSED, MPI_Datatype type UNUSED, void *received UNUSED,
	      int received_n, MPI_Datatype received_type, int root, MPI_Comm comm UNUSED))
{
	return (sent != MPI_IN_PLACE && root != MPI_PROC_NULL) || received_n != 2 ||
	       received_type != MPI_INT;
}

CALL(Allgather, (const void *sent, int n UNUSED, MPI_Datatype type UNUSED, void *received UNUSED,
		 int received_n, MPI_Datatype received_type, MPI_Comm comm UNUSED))
{
	return sent != MPI_IN_PLACE || received_n != 2 || received_type != MPI_INT;
}

CALL(Reduce, (const void *sent UNUSED, void *received UNUSED, int n UNUSED,
	      MPI_Datatype type UNUSED, MPI_Op op UNUSED, int root UNUSED, MPI_Comm comm UNUSED))
{
	return 0;
}

CALL(Bcast, (void *bytes UNUSED, int n UNUSED, MPI_Datatype type UNUSED, int root UNUSED,
	     MPI_Comm comm UNUSED))
{
	return 0;
}

CALL(Reduce_scatter, (const void *sent UNUSED, void *received UNUSED, const int *n UNUSED,
		      MPI_Datatype type UNUSED, MPI_Op op UNUSED, MPI_Comm comm UNUSED))
{
	return 0;
}

CALL(Reduce_scatter_block, (const void *sent UNUSED, void *received UNUSED, int n UNUSED,
			    MPI_Datatype type UNUSED, MPI_Op op UNUSED, MPI_Comm comm UNUSED))
{
	return 0;
}

CALL(Ireduce_scatter_block,
     (const void *sent UNUSED, void *received UNUSED, int n UNUSED, MPI_Datatype type UNUSED,
      MPI_Op op UNUSED, MPI_Comm comm UNUSED, MPI_Request *request))
{
	*request = 3;
	return 0;
}

CALL(Wait, (MPI_Request * request, MPI_Status *status))
{
	return *request != 3 || status;
}

CALL(Win_create, (void *base UNUSED, MPI_Aint size UNUSED, int unit UNUSED, MPI_Info info UNUSED,
		  MPI_Comm comm UNUSED, MPI_Win *window))
{
	*window = 4;
	return 0;
}

CALL(Win_fence, (int assertion UNUSED, MPI_Win window))
{
	return window != 4;
}

CALL(Win_free, (MPI_Win * window))
{
	return *window != 4;
}

CALL(Get_accumulate,
     (const void *sent UNUSED, int n UNUSED, MPI_Datatype type UNUSED, void *received UNUSED,
      int received_n, MPI_Datatype received_type, int rank UNUSED, MPI_Aint at UNUSED, int there,
      MPI_Datatype type_there, MPI_Op op, MPI_Win window))
{
	return received_n != there || received_type != type_there || op != MPI_NO_OP || window != 4;
}

/* A handler of signals may leave it. */
CALL(Start, (MPI_Request * request UNUSED))
{
	return raise(SIGUSR1);
}

/* It makes another call, by the name that the program would use. */
CALL(Allreduce, (const void *sent UNUSED, void *received UNUSED, int n UNUSED,
		 MPI_Datatype type UNUSED, MPI_Op op UNUSED, MPI_Comm comm))
{
	return MPI_Barrier(comm);
}

CALL(Alltoallv,
     (const void *sent UNUSED, const int *nsent UNUSED, const int *places UNUSED,
      MPI_Datatype type UNUSED, void *received UNUSED, const int *nreceived UNUSED,
      const int *received_places UNUSED, MPI_Datatype received_type UNUSED, MPI_Comm comm UNUSED))
{
	return 0;
}
