/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi.h - a call of MPI's, for the functions that mpi.awk makes. */
#ifndef PERFCTR_COLLECT_MPI_H
#define PERFCTR_COLLECT_MPI_H

#include <perfctr/regions.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))
/* Regions begin and end in the function itself, which is fewer instructions than by others. */
#define BY_ITSELF __attribute__((flatten))

/* An argument of any type: it has a register or a place on the stack of this size. */
typedef uintptr_t word;

/* A function that programs call, and MPI's behind it, which "real" is from the first call on. */
struct mpi_function {
	void (*real)(void);
	struct perfctr_region *region; /* NULL: not called yet, or "real" is not MPI's */
	struct perfctr_region *own_region;
	const char *name, *real_name;
	struct mpi_function *usual; /* by its more usual name, which counts; NULL: this one */
	bool is_other;		    /* "real" is not MPI's */
};

/* All of them, which mpi.awk makes. */
extern struct mpi_function mpi_functions[] __attribute__((visibility("hidden")));
extern const unsigned int mpi_nfunctions __attribute__((visibility("hidden")));

/*
 * Finds the function behind one that is called for the first time, from that address. Returns its
 * region; NULL: it is not MPI's.
 */
struct perfctr_region *mpi_find(struct mpi_function *function, const void *caller)
	__attribute__((noinline));

/*
 * The frame of the call of MPI that the thread is in; MPI's own calls within it have frames below.
 * A call that longjmp(3) or an exception has left is found out by the next one that is not below,
 * or by one below when what other functions keep there has taken the place of "self".
 */
struct mpi_frame {
	const struct mpi_frame *volatile self;
};

/* glibc has a place for it at once. */
#ifdef __GLIBC__
extern __thread const struct mpi_frame *mpi_outermost
	__attribute__((tls_model("initial-exec"), visibility("hidden")));
#else
extern __thread const struct mpi_frame *mpi_outermost __attribute__((visibility("hidden")));
#endif

/*
 * Returns the region of a call that counts, which ends by mpi_end() or mpi_leave(). NULL: it does
 * not count, since it belongs to another call of MPI's, or is not MPI's.
 */
static inline __attribute__((always_inline)) struct perfctr_region *
mpi_enter(struct mpi_function *function, struct mpi_frame *frame)
{
	struct perfctr_region *region = __atomic_load_n(&function->region, __ATOMIC_ACQUIRE);

	if (__builtin_expect(!region, 0)) {
		if (__atomic_load_n(&function->is_other, __ATOMIC_ACQUIRE))
			return NULL;
		region = mpi_find(function, __builtin_return_address(0));
		if (!region)
			return NULL;
	}
	if (__builtin_expect(frame < mpi_outermost, 0) && mpi_outermost->self == mpi_outermost)
		return NULL;
	frame->self = frame;
	mpi_outermost = frame;
	return region;
}

/* Whether it is MPI's; otherwise it does not count. */
static inline __attribute__((always_inline)) bool mpi_is_there(struct mpi_function *function)
{
	return __atomic_load_n(&function->region, __ATOMIC_ACQUIRE) ||
	       (!__atomic_load_n(&function->is_other, __ATOMIC_ACQUIRE) &&
		mpi_find(function, __builtin_return_address(0)));
}

/* A jump in the place of a call in the rare case would cost instructions in each. */
#define NO_JUMP __asm__ volatile("")

static inline void mpi_leave(void)
{
	mpi_outermost = NULL;
}

/* The monotonic clock, in ns; 0: nothing is measured. Adds the time since then. */
uint64_t mpi_clock(void);
void mpi_add_communication(uint64_t since);

/* Whether a call by Fortran succeeded: its last argument may be left out (mpi_f08), and is NULL. */
static inline bool mpi_succeeded(word error)
{
	return !error || *(const int *)error == 0;
}

/*
 * Whether a call with this root has data of the rank: the root is a rank, or, with two groups,
 * MPI_ROOT (-3 or -4) in the root itself, and MPI_PROC_NULL (-1 or -2) in the ranks beside it.
 */
static inline bool mpi_takes_part(int root, bool is_sender)
{
	return root >= 0 || (is_sender && root < -2);
}

/*
 * Add the bytes of that number of elements, for a call that succeeded: of C's arguments, or of
 * Fortran's, which are addresses. _buffer: it may be MPI_IN_PLACE, or 0, and the type may mean
 * nothing. _each: each rank of the communicator has that number; its own group's, if it has two.
 * _all: the buffer is as above, and there is a number for each rank; remote: of the other group's.
 */
void mpi_c_add(word count, word type);
void mpi_c_add_buffer(word buffer, word count, word type);
void mpi_c_add_each(word count, word type, word comm);
void mpi_c_add_all(word buffer, word counts, word type, word comm, bool remote);
void mpi_fortran_add(word count, word type);
void mpi_fortran_add_buffer(word buffer, word count, word type);
void mpi_fortran_add_each(word count, word type, word comm);
void mpi_fortran_add_all(word buffer, word counts, word type, word comm, bool remote);

/* What the program does between MPI_Init() and MPI_Finalize(). */
extern struct perfctr_region mpi_program;
void mpi_program_begin(void);
void mpi_program_end(void);

#endif /* PERFCTR_COLLECT_MPI_H */
