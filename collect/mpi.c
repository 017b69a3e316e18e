// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions of a program's calls of MPI, by PMPI: this library is loaded before MPI's (LD_PRELOAD),
 * so that the program calls the functions that mpi.awk makes, and these call MPI's own. README.md
 * says which regions there are.
 */
#include <dlfcn.h>
#include <perfctr/regions.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "collect/mpi.h"

/* ---- MPI's own functions ---- */

/* A module of Python's, say, may have loaded MPI for itself alone. */
static void *find_in_library(const char *name)
{
	static const char *const libraries[] = { "libmpi.so.40",   "libmpi_mpifh.so.40",
						 "libmpich.so.12", "libmpichfort.so.12",
						 "libmpi.so.12",   "libmpifort.so.12" };
	void *library, *found = NULL;
	unsigned int i;

	for (i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && !found; i++) {
		library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		found = library ? dlsym(library, name) : NULL;
	}
	return found;
}

static void *find_function(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	return function ? function : find_in_library(name);
}

static __attribute__((noreturn)) void give_up(const char *name)
{
	fprintf(stderr, "libperfctr: --regions=mpi: there is no MPI with %s\n", name);
	abort();
}

/* The functions of MPI that this file calls itself, once MPI is there. */
static struct {
	int (*type_size)(word type, int *size);
	int (*comm_size)(word comm, int *n);
	int (*comm_test_inter)(word comm, int *inter);
	int (*comm_remote_size)(word comm, int *n);
} mpi;

/* Fortran's. */
static struct {
	void (*type_size)(word type, int *size, int *error);
	void (*comm_size)(word comm, int *n, int *error);
	void (*comm_test_inter)(word comm, int *inter, int *error);
	void (*comm_remote_size)(word comm, int *n, int *error);
} fortran;

static void find_own(void)
{
#define FIND(member, name) member = (__typeof__(member))find_function(name)
	FIND(mpi.type_size, "PMPI_Type_size");
	FIND(mpi.comm_size, "PMPI_Comm_size");
	FIND(mpi.comm_test_inter, "PMPI_Comm_test_inter");
	FIND(mpi.comm_remote_size, "PMPI_Comm_remote_size");
	FIND(fortran.type_size, "pmpi_type_size_");
	FIND(fortran.comm_size, "pmpi_comm_size_");
	FIND(fortran.comm_test_inter, "pmpi_comm_test_inter_");
	FIND(fortran.comm_remote_size, "pmpi_comm_remote_size_");
}

/*
 * Without MPI it is a function that has the same name by chance, as mpi_init() of a library for
 * long integers has: that is called, and not counted.
 */
struct perfctr_region *mpi_find(struct mpi_function *function)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	void *found = find_function(function->real_name);
	struct perfctr_region *region = found ? function->own_region : NULL;

	if (!found)
		found = dlsym(RTLD_NEXT, function->name);
	if (!found)
		give_up(function->real_name);
	pthread_once(&once, find_own);
	function->real = (void (*)(void))found;
	__atomic_store_n(&function->region, region, __ATOMIC_RELEASE);
	return region;
}

/* ---- calls ---- */

#ifdef __GLIBC__
__thread const char *mpi_outermost __attribute__((tls_model("initial-exec")));
#else
__thread const char *mpi_outermost;
#endif

void mpi_begin(struct perfctr_region *region)
{
	perfctr_region_begin(region);
}

void mpi_end(struct perfctr_region *region)
{
	mpi_leave();
	perfctr_region_end(region);
}

/* ---- bytes ---- */

/*
 * MPI_IN_PLACE and MPI_DATATYPE_NULL, by which a program says that arguments mean nothing: numbers
 * in MPICH, the addresses of variables in Open MPI, and in Fortran's of both.
 */
static word null_type, in_place[5];

static word find_variable(const char *name)
{
	void *variable = dlsym(RTLD_DEFAULT, name);

	return (word)(variable ? variable : find_in_library(name));
}

static void find_constants(void)
{
	static const char names[][24] = { "mpi_fortran_in_place", "mpi_fortran_in_place_",
					  "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE" };
	const word *mpich = (const word *)find_variable("MPIR_F_MPI_IN_PLACE");
	unsigned int i;

	null_type = find_variable("ompi_mpi_datatype_null");
	for (i = 0; i < 4; i++)
		in_place[i] = find_variable(names[i]);
	in_place[4] = mpich ? *mpich : 0;
}

/* Whether C's buffer counts, and is no MPI_IN_PLACE, which is 1 or -1. */
static bool counts(word buffer, word type)
{
	return buffer != 1 && buffer != (word)-1 && type != null_type &&
	       (unsigned int)type != 0x0c000000;
}

static bool counts_in_fortran(word buffer, word type)
{
	const unsigned int number = *(const unsigned int *)type;
	unsigned int i;

	for (i = 0; i < sizeof(in_place) / sizeof(in_place[0]); i++)
		if (buffer == in_place[i] && buffer)
			return false;
	return number && number != 0x0c000000;
}

static uint64_t sum(word values, int n)
{
	const int *value = (const int *)values;
	uint64_t sum_ = 0;

	while (value && n-- > 0)
		sum_ += (unsigned int)value[n];
	return sum_;
}

static void add(uint64_t n, int size)
{
	perfctr_region_add_bytes(n * (unsigned int)size);
}

void mpi_c_begin(struct perfctr_region *region, word count, word type)
{
	int size = 0;

	perfctr_region_begin(region);
	mpi.type_size(type, &size);
	add((unsigned int)count, size);
}

void mpi_c_begin_buffer(struct perfctr_region *region, word buffer, word count, word type)
{
	int size = 0;

	perfctr_region_begin(region);
	if (!counts(buffer, type))
		return;
	mpi.type_size(type, &size);
	add((unsigned int)count, size);
}

void mpi_c_begin_all(struct perfctr_region *region, word buffer, word values, word type, word comm,
		     bool remote)
{
	int size = 0, n = 0, inter = 0;

	perfctr_region_begin(region);
	if (!counts(buffer, type))
		return;
	mpi.type_size(type, &size);
	if (remote)
		mpi.comm_test_inter(comm, &inter);
	(inter ? mpi.comm_remote_size : mpi.comm_size)(comm, &n);
	add(sum(values, n), size);
}

void mpi_fortran_begin(struct perfctr_region *region, word count, word type)
{
	int size = 0, error;

	perfctr_region_begin(region);
	fortran.type_size(type, &size, &error);
	add(*(const unsigned int *)count, size);
}

void mpi_fortran_begin_buffer(struct perfctr_region *region, word buffer, word count, word type)
{
	int size = 0, error;

	perfctr_region_begin(region);
	if (!counts_in_fortran(buffer, type))
		return;
	fortran.type_size(type, &size, &error);
	add(*(const unsigned int *)count, size);
}

void mpi_fortran_begin_all(struct perfctr_region *region, word buffer, word values, word type,
			   word comm, bool remote)
{
	int size = 0, n = 0, inter = 0, error;

	perfctr_region_begin(region);
	if (!counts_in_fortran(buffer, type))
		return;
	fortran.type_size(type, &size, &error);
	if (remote)
		fortran.comm_test_inter(comm, &inter, &error);
	(inter ? fortran.comm_remote_size : fortran.comm_size)(comm, &n, &error);
	add(sum(values, n), size);
}

/* ---- the program's part ---- */

/* Without the calls within, it is the program's own part. */
struct perfctr_region mpi_program = PERFCTR_REGION_INIT("MPI (program)");

void mpi_program_begin(void)
{
	find_constants();
	perfctr_region_begin(&mpi_program);
}

void mpi_program_end(void)
{
	perfctr_region_end(&mpi_program);
}
