/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi.h - a call of MPI's, for the functions that mpi.awk makes. */
#ifndef PERFCTR_COLLECT_MPI_H
#define PERFCTR_COLLECT_MPI_H

#include <perfctr/regions.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* An argument of any type: it has a register or a place on the stack of this size. */
typedef uintptr_t word;

/* A function that programs call, and MPI's behind it, which "real" is from the first call on. */
struct mpi_function {
	void (*real)(void);
	struct perfctr_region *region; /* NULL: not called yet, or "real" is not MPI's */
	struct perfctr_region *own_region;
	const char *name, *real_name;
};

/* Finds the function behind one. Returns its region; NULL: it is not MPI's. */
struct perfctr_region *mpi_find(struct mpi_function *function) __attribute__((noinline));

/*
 * The frame of the call of MPI that the thread is in; MPI's own calls within it have frames below.
 * A call that longjmp(3) or an exception has left is found out by the next one that is not below.
 * glibc has a place for the variable at once.
 */
#ifdef __GLIBC__
extern __thread const char *mpi_outermost __attribute__((tls_model("initial-exec")));
#else
extern __thread const char *mpi_outermost;
#endif

/*
 * Returns the region of a call that counts, which ends by mpi_end() or mpi_leave(). NULL: it does
 * not count, since it belongs to another call of MPI's, or is not MPI's.
 */
static inline struct perfctr_region *mpi_enter(struct mpi_function *function, const char *frame)
{
	struct perfctr_region *region = __atomic_load_n(&function->region, __ATOMIC_ACQUIRE);

	if (__builtin_expect(!region, 0)) {
		region = mpi_find(function);
		if (!region)
			return NULL;
	}
	if (__builtin_expect(frame < mpi_outermost, 0))
		return NULL;
	mpi_outermost = frame;
	return region;
}

static inline void mpi_leave(void)
{
	mpi_outermost = NULL;
}

void mpi_begin(struct perfctr_region *region);
void mpi_end(struct perfctr_region *region);

/*
 * Begin it, and add the bytes of that number of elements: of C's arguments, or of Fortran's, which
 * are addresses. _buffer: it may be MPI_IN_PLACE. _all: there is a number for each rank of the
 * communicator; remote: of the other group's, if it has two.
 */
void mpi_c_begin(struct perfctr_region *region, word count, word type);
void mpi_c_begin_buffer(struct perfctr_region *region, word buffer, word count, word type);
void mpi_c_begin_all(struct perfctr_region *region, word buffer, word counts, word type, word comm,
		     bool remote);
void mpi_fortran_begin(struct perfctr_region *region, word count, word type);
void mpi_fortran_begin_buffer(struct perfctr_region *region, word buffer, word count, word type);
void mpi_fortran_begin_all(struct perfctr_region *region, word buffer, word counts, word type,
			   word comm, bool remote);

/* What the program does between MPI_Init() and MPI_Finalize(). */
extern struct perfctr_region mpi_program;
void mpi_program_begin(void);
void mpi_program_end(void);

#endif /* PERFCTR_COLLECT_MPI_H */
