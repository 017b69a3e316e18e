// SPDX-License-Identifier: LGPL-2.1-or-later
/* Fortran's part of the MPI that is made up: made-up/mpi.h. Its functions call those of mpi.c. */
#include <mpi.h>
#include <stddef.h>

int PMPI_Init(int *argc, char ***argv);
int PMPI_Finalize(void);
int PMPI_Comm_size(MPI_Comm comm, int *size);
int PMPI_Comm_test_inter(MPI_Comm comm, int *inter);
int PMPI_Comm_remote_size(MPI_Comm comm, int *size);
int PMPI_Type_size(MPI_Datatype type, int *size);
int PMPI_Reduce_scatter_block(const void *sent, void *received, int n, MPI_Datatype type, MPI_Op op,
			      MPI_Comm comm);

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

/* MPI_IN_PLACE is this variable of Fortran's, or that to which this pointer points after a call. */
int mpi_fortran_in_place_, made_up_in_place;
void *MPIR_F_MPI_IN_PLACE;

void pmpi_allgather_(const void *sent, const int *n, const int *type, void *received,
		     const int *received_n, const int *received_type, const int *comm, int *error);
void pmpi_allgather_(const void *sent, const int *n, const int *type, void *received,
		     const int *received_n, const int *received_type, const int *comm, int *error)
{
	(void)n, (void)type, (void)received, (void)received_n, (void)received_type, (void)comm;
	MPIR_F_MPI_IN_PLACE = &made_up_in_place;
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

void pmpi_reduce_scatter_block_(const void *sent, void *received, const int *n, const int *type,
				const int *op, const int *comm, int *error);
void pmpi_reduce_scatter_block_(const void *sent, void *received, const int *n, const int *type,
				const int *op, const int *comm, int *error)
{
	*error = PMPI_Reduce_scatter_block(sent, received, *n, *type, *op, *comm);
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
	(void)sent, (void)type, (void)to, (void)tag;
	*error = *comm != MPI_COMM_WORLD || *n < 0 ? 3 : 0;
}
