/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi.h - the begin and end of MPI's calls, for the functions that mpi.awk makes. */
#ifndef PERFCTR_COLLECT_MPI_H
#define PERFCTR_COLLECT_MPI_H

#include <stdint.h>
#include "collect/mpi-calls.h"

#define EXPORT __attribute__((visibility("default")))

/* An argument of any type: it has a register or a place on the stack of this size. */
typedef uintptr_t word;

/*
 * Begins the call's region, unless another call of MPI's has called this one, which belongs to
 * that; and finds MPI's own function if that is not known yet.
 */
void mpi_begin(enum mpi_call call, void (**real)(void), const char *name);
void mpi_end(enum mpi_call call);

/*
 * End it, too, and add the bytes of that number of elements: of C's arguments, or of Fortran's,
 * which are addresses.
 */
void mpi_c_end(enum mpi_call call, word count, word type);
void mpi_c_end_of_all(enum mpi_call call, word counts, word type, word comm);
void mpi_fortran_end(enum mpi_call call, word count, word type);
void mpi_fortran_end_of_all(enum mpi_call call, word counts, word type, word comm);

/* Around MPI's own functions that begin and end the program's part. */
void mpi_init_begin(void (**real)(void), const char *name);
void mpi_init_end(void);
void mpi_finalize_begin(void (**real)(void), const char *name);
void mpi_finalize_end(void);

#endif /* PERFCTR_COLLECT_MPI_H */
