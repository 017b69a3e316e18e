// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions of a program's calls of MPI, by PMPI: this library is loaded before MPI's (LD_PRELOAD),
 * so that the program calls the functions that mpi.awk makes, and these call MPI's own. README.md
 * says which regions there are.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <perfctr/regions.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "collect/mpi.h"

/* ---- calls ---- */

static struct perfctr_region regions[] = { MPI_REGIONS };

/* What the program does between MPI_Init() and MPI_Finalize(): without the calls, its own part. */
PERFCTR_REGION(program, "MPI (program)");

/* The number of calls of MPI that the thread is in; glibc has a place for it at once. */
#ifdef __GLIBC__
static __thread unsigned int inside __attribute__((tls_model("initial-exec")));
#else
static __thread unsigned int inside;
#endif

/* A module of Python's, say, may have loaded MPI for itself alone. */
static void *find_in_library(const char *name)
{
	static const char *const libraries[] = { "libmpi.so.40",   "libmpi_mpifh.so.40",
						 "libmpich.so.12", "libmpichfort.so.12",
						 "libmpi.so.12",   "libmpifort.so.12" };
	void *library, *function = NULL;
	unsigned int i;

	for (i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && !function; i++) {
		library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		function = library ? dlsym(library, name) : NULL;
	}
	return function;
}

/* Finds MPI's own function, without which the program would not have been linked. */
static void (*find(const char *name))(void)
{
	void *function = dlsym(RTLD_NEXT, name);

	if (!function)
		function = find_in_library(name);
	if (function)
		return (void (*)(void))function;
	fprintf(stderr, "libperfctr: --regions=mpi: there is no MPI with %s\n", name);
	abort();
}

/* It is apart, so that other calls save no registers. */
static __attribute__((noinline)) void begin_first(enum mpi_call call, void (**real)(void),
						  const char *name)
{
	__atomic_store_n(real, find(name), __ATOMIC_RELAXED);
	mpi_begin(call, real, name);
}

void mpi_begin(enum mpi_call call, void (**real)(void), const char *name)
{
	if (!__atomic_load_n(real, __ATOMIC_RELAXED))
		begin_first(call, real, name);
	else if (!inside++)
		perfctr_region_begin(&regions[call]);
}

/* Whether it was the outermost call. */
static bool end(enum mpi_call call)
{
	if (--inside)
		return false;
	perfctr_region_end(&regions[call]);
	return true;
}

void mpi_end(enum mpi_call call)
{
	end(call);
}

/* ---- bytes ---- */

struct count {
	uint64_t calls, bytes;
};

static struct count counts[MPI_CALLS];

static void add(enum mpi_call call, uint64_t n, int size)
{
	struct count *count = &counts[call];

	__atomic_fetch_add(&count->calls, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&count->bytes, n * (unsigned int)size, __ATOMIC_RELAXED);
}

static uint64_t sum(word values, int n)
{
	const int *value = (const int *)values;
	uint64_t sum_ = 0;

	while (value && n-- > 0)
		sum_ += (unsigned int)value[n];
	return sum_;
}

/* The functions of MPI that this file calls itself. */
#define OWN(type, name, real)                                                   \
	static __typeof__(type) *name(void)                                     \
	{                                                                       \
		static void (*found)(void);                                     \
                                                                                \
		if (!__atomic_load_n(&found, __ATOMIC_RELAXED))                 \
			__atomic_store_n(&found, find(real), __ATOMIC_RELAXED); \
		return (__typeof__(type) *)found;                               \
	}
OWN(int(word, int *), type_size, "PMPI_Type_size")
OWN(int(word, int *), comm_size, "PMPI_Comm_size")
OWN(int(word, int *), comm_rank, "PMPI_Comm_rank")
OWN(void(word, int *, int *), fortran_type_size, "pmpi_type_size_")
OWN(void(word, int *, int *), fortran_comm_size, "pmpi_comm_size_")
OWN(int(const void *, word, word, void *, word, word, word, word), gather, "PMPI_Gather")
OWN(int(char *, int *), library_version, "PMPI_Get_library_version")

void mpi_c_end(enum mpi_call call, word count, word type)
{
	int size = 0;

	if (!end(call))
		return;
	type_size()(type, &size);
	add(call, (unsigned int)count, size);
}

void mpi_c_end_of_all(enum mpi_call call, word values, word type, word comm)
{
	int size = 0, n = 0;

	if (!end(call))
		return;
	type_size()(type, &size);
	comm_size()(comm, &n);
	add(call, sum(values, n), size);
}

void mpi_fortran_end(enum mpi_call call, word count, word type)
{
	int size = 0, error;

	if (!end(call))
		return;
	fortran_type_size()(type, &size, &error);
	add(call, *(const unsigned int *)count, size);
}

void mpi_fortran_end_of_all(enum mpi_call call, word values, word type, word comm)
{
	int size = 0, n = 0, error;

	if (!end(call))
		return;
	fortran_type_size()(type, &size, &error);
	fortran_comm_size()(comm, &n, &error);
	add(call, sum(values, n), size);
}

/* ---- the bytes of all ranks, at the end ---- */

struct handles {
	word world, byte;
};

/* The linker may have put it into the program, where it is found first. */
static word find_variable(const char *name)
{
	void *variable = dlsym(RTLD_DEFAULT, name);

	return variable ? (word)variable : (word)find(name);
}

/* Open MPI's are the addresses of variables, and those of MPICH and its relatives numbers. */
static struct handles find_handles(void)
{
	struct handles handles = { 0x44000000, 0x4c00010d };
	char version[8192] = ""; /* MPI_MAX_LIBRARY_VERSION_STRING */
	int length;

	library_version()(version, &length);
	if (strstr(version, "Open MPI"))
		handles = (struct handles){ find_variable("ompi_mpi_comm_world"),
					    find_variable("ompi_mpi_byte") };
	return handles;
}

static const char *const names[] = { MPI_NAMES };

static void print_call(enum mpi_call call, const struct count *all, unsigned int ranks)
{
	const struct count *one = &all[call], *least = one, *most = one;
	struct count sum_ = { 0, 0 };
	unsigned int i;

	for (i = 0; i < ranks; i++, one += MPI_CALLS) {
		sum_.calls += one->calls;
		sum_.bytes += one->bytes;
		least = one->bytes < least->bytes ? one : least;
		most = one->bytes > most->bytes ? one : most;
	}
	if (sum_.calls)
		fprintf(stderr,
			"%-25s %12" PRIu64 " %15" PRIu64 " %15" PRIu64 " (rank %td) %15" PRIu64
			" (rank %td)\n",
			names[call], sum_.calls, sum_.bytes, least->bytes,
			(least - all) / MPI_CALLS, most->bytes, (most - all) / MPI_CALLS);
}

static void print_all(const struct count *all, unsigned int ranks)
{
	enum mpi_call call;

	fprintf(stderr, "Bytes of MPI's calls in %u rank%s\n\n%-25s %12s %15s %15s %24s\n", ranks,
		ranks == 1 ? "" : "s", "call", "calls", "bytes", "least", "most");
	for (call = 0; call < MPI_CALLS; call++)
		print_call(call, all, ranks);
	fputc('\n', stderr);
}

/* Each rank sends its counts to the first one, which prints them. */
static void report_bytes(void)
{
	const struct handles handles = find_handles();
	struct count *all = NULL;
	int rank = 0, ranks = 1;

	if (comm_rank()(handles.world, &rank) != 0 || comm_size()(handles.world, &ranks) != 0)
		return;
	if (rank == 0)
		all = calloc((size_t)ranks, sizeof(counts));
	if (rank == 0 && !all)
		abort(); /* the others wait */
	if (gather()(counts, sizeof(counts), handles.byte, all, sizeof(counts), handles.byte, 0,
		     handles.world) == 0 &&
	    all)
		print_all(all, (unsigned int)ranks);
	free(all);
}

/* ---- MPI_Init() and MPI_Finalize() ---- */

void mpi_init_begin(void (**real)(void), const char *name)
{
	*real = find(name);
	inside++;
}

void mpi_init_end(void)
{
	if (!--inside)
		perfctr_region_begin(&program);
}

void mpi_finalize_begin(void (**real)(void), const char *name)
{
	*real = find(name);
	if (inside++)
		return;
	perfctr_region_end(&program);
	if (perfctr_region_ways.begin)
		report_bytes();
}

void mpi_finalize_end(void)
{
	inside--;
}
