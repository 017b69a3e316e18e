// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The library of the MPI that is made up: made-up/mpi.h. As in others, MPI_X() is a weak name of
 * PMPI_X(), some calls make others, and Fortran's have functions of their own.
 */
#include <mpi.h>
#include <signal.h>
#include <string.h>

#define CALL(name, parameters)                                                 \
	int PMPI_##name parameters;                                            \
	int MPI_##name parameters __attribute__((weak, alias("PMPI_" #name))); \
	int PMPI_##name parameters
#define UNUSED __attribute__((unused))

CALL(Init, (int *argc UNUSED, char ***argv UNUSED))
{
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
	*size = 1;
	return comm != MPI_COMM_WORLD;
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
	*size = (type >> 8) - 0x4c0000; /* as in MPICH; MPI_DATATYPE_NULL's is nonsense */
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

CALL(Isend, (const void *sent UNUSED, int n UNUSED, MPI_Datatype type UNUSED, int to UNUSED,
	     int tag UNUSED, MPI_Comm comm UNUSED, MPI_Request *request))
{
	*request = 1;
	return 0;
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

CALL(Barrier, (MPI_Comm comm))
{
	return comm != MPI_COMM_WORLD;
}

CALL(Gather, (const void *sent, int n UNUSED, MPI_Datatype type UNUSED, void *received UNUSED,
	      int received_n, MPI_Datatype received_type, int root UNUSED, MPI_Comm comm UNUSED))
{
	return sent != MPI_IN_PLACE || received_n != 2 || received_type != MPI_INT;
}

CALL(Allgather, (const void *sent, int n UNUSED, MPI_Datatype type UNUSED, void *received UNUSED,
		 int received_n, MPI_Datatype received_type, MPI_Comm comm UNUSED))
{
	return sent != MPI_IN_PLACE || received_n != 2 || received_type != MPI_INT;
}

CALL(Bcast, (void *bytes UNUSED, int n UNUSED, MPI_Datatype type UNUSED, int root UNUSED,
	     MPI_Comm comm UNUSED))
{
	return 0;
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

/* ---- Fortran's ---- */

void pmpi_init_(int *error);
void pmpi_init_(int *error)
{
	*error = PMPI_Init(NULL, NULL);
}

void pmpi_finalize_(int *error);
void pmpi_finalize_(int *error)
{
	*error = PMPI_Finalize();
}

void pmpi_barrier_(const int *comm, int *error);
void pmpi_barrier_(const int *comm, int *error)
{
	*error = MPI_Barrier(*comm);
}

void pmpi_comm_size_(const int *comm, int *size, int *error);
void pmpi_comm_size_(const int *comm, int *size, int *error)
{
	*error = PMPI_Comm_size(*comm, size);
}

void pmpi_comm_test_inter_(const int *comm, int *inter, int *error);
void pmpi_comm_test_inter_(const int *comm, int *inter, int *error)
{
	*error = PMPI_Comm_test_inter(*comm, inter);
}

void pmpi_comm_remote_size_(const int *comm, int *size, int *error);
void pmpi_comm_remote_size_(const int *comm, int *size, int *error)
{
	*error = PMPI_Comm_remote_size(*comm, size);
}

/* MPI_IN_PLACE is this variable of Fortran's, or that to which this pointer points. */
int mpi_fortran_in_place_, made_up_in_place;
void *MPIR_F_MPI_IN_PLACE = &made_up_in_place;

void pmpi_allgather_(const void *sent, const int *n, const int *type, void *received,
		     const int *received_n, const int *received_type, const int *comm, int *error);
void pmpi_allgather_(const void *sent, const int *n, const int *type, void *received,
		     const int *received_n, const int *received_type, const int *comm, int *error)
{
	(void)n, (void)type, (void)received, (void)received_n, (void)received_type, (void)comm;
	*error = sent != &mpi_fortran_in_place_ && sent != &made_up_in_place;
}

void pmpi_alltoallv_(const void *sent, const int *nsent, const int *places, const int *type,
		     void *received, const int *nreceived, const int *received_places,
		     const int *received_type, const int *comm, int *error);
void pmpi_alltoallv_(const void *sent, const int *nsent, const int *places, const int *type,
		     void *received, const int *nreceived, const int *received_places,
		     const int *received_type, const int *comm, int *error)
{
	(void)sent, (void)nsent, (void)places, (void)type, (void)received, (void)nreceived;
	(void)received_places, (void)received_type;
	*error = *comm != MPI_TWO_GROUPS;
}

void pmpi_type_size_(const int *type, int *size, int *error);
void pmpi_type_size_(const int *type, int *size, int *error)
{
	*error = PMPI_Type_size(*type, size);
}

void pmpi_send_(const void *sent, const int *n, const int *type, const int *to, const int *tag,
		const int *comm, int *error);
void pmpi_send_(const void *sent, const int *n, const int *type, const int *to, const int *tag,
		const int *comm, int *error)
{
	(void)sent, (void)n, (void)type, (void)to, (void)tag;
	*error = *comm != MPI_COMM_WORLD;
}
