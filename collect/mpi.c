// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions of a program's calls of MPI, by PMPI: this library is loaded before MPI's (LD_PRELOAD),
 * so that the program calls the functions that mpi.awk makes, and these call MPI's own. README.md
 * says which regions there are.
 */
#include <dlfcn.h>
#include <perfctr/regions.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "collect/mpi.h"

/* ---- MPI's own functions ---- */

/*
 * Some load MPI for themselves alone (RTLD_LOCAL), as modules of Python's do: it is among the
 * libraries of the file that has called, or a library of a known name.
 */
static void *find_in_file(const char *file, const char *name)
{
	void *library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
	void *found = library ? dlsym(library, name) : NULL;

	if (library)
		dlclose(library);
	return found;
}

static void *find_in_callers(const char *name, const void *caller)
{
	Dl_info info;

	return dladdr(caller, &info) && info.dli_fname ? find_in_file(info.dli_fname, name) : NULL;
}

static void *find_locally(const char *name, const void *caller)
{
	static const char *const libraries[] = { "libmpi.so.40",   "libmpi_mpifh.so.40",
						 "libmpich.so.12", "libmpichfort.so.12",
						 "libmpi.so.12",   "libmpifort.so.12" };
	void *found = find_in_callers(name, caller);
	unsigned int i;

	for (i = 0; i < sizeof(libraries) / sizeof(libraries[0]) && !found; i++)
		found = find_in_file(libraries[i], name);
	return found;
}

static void *find_function(const char *name, const void *caller)
{
	void *function = dlsym(RTLD_NEXT, name);

	return function ? function : find_locally(name, caller);
}

/* The program may have a copy of a library's variable. */
static void *find_variable(const char *name, const void *caller)
{
	void *variable = dlsym(RTLD_DEFAULT, name);

	return variable ? variable : find_locally(name, caller);
}

static __attribute__((noreturn)) void give_up(const char *name)
{
	fprintf(stderr, "libperfctr: --regions=mpi: there is no MPI with %s\n", name);
	abort();
}

/* The functions of MPI that this file calls itself: C's and Fortran's. */
static struct {
	int (*type_size)(word type, int *size);
	int (*comm_size)(word comm, int *n);
	int (*comm_test_inter)(word comm, int *inter);
	int (*comm_remote_size)(word comm, int *n);
} mpi;

static struct {
	void (*type_size)(word type, int *size, int *error);
	void (*comm_size)(word comm, int *n, int *error);
	void (*comm_test_inter)(word comm, int *inter, int *error);
	void (*comm_remote_size)(word comm, int *n, int *error);
} fortran;

static void find_once(void **place, void *find(const char *, const void *), const char *name,
		      const void *caller)
{
	void *found;

	if (__atomic_load_n(place, __ATOMIC_RELAXED))
		return;
	found = find(name, caller);
	if (found)
		__atomic_store_n(place, found, __ATOMIC_RELAXED);
}

/* Fortran's part may be loaded long after C's, by a module. */
static void find_own(const void *caller)
{
#define FIND(member, name) find_once((void **)&member, find_function, name, caller)
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
 * MPI_IN_PLACE and MPI_DATATYPE_NULL, by which a program says that arguments mean nothing: numbers
 * in MPICH, the addresses of variables in Open MPI. In Fortran MPI_IN_PLACE is such a variable in
 * both; MPICH has its address from Fortran's first call on.
 */
static word null_type, *mpich_in_place, in_place[8];

/* A module of Fortran's that is loaded for itself has a variable of its own. */
static void note_in_place(word variable)
{
	unsigned int i;
	word none;

	for (i = 0; i < sizeof(in_place) / sizeof(in_place[0]); i++) {
		none = 0;
		if (__atomic_compare_exchange_n(&in_place[i], &none, variable, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
		    none == variable)
			return;
	}
}

static void find_constants(const void *caller)
{
	static const char names[][24] = { "mpi_fortran_in_place", "mpi_fortran_in_place_",
					  "mpi_fortran_in_place__", "MPI_FORTRAN_IN_PLACE" };
	unsigned int i;
	word variable;

	find_once((void **)&null_type, find_variable, "ompi_mpi_datatype_null", caller);
	find_once((void **)&mpich_in_place, find_variable, "MPIR_F_MPI_IN_PLACE", caller);
	for (i = 0; i < 4; i++) {
		variable = (word)find_variable(names[i], caller);
		if (variable)
			note_in_place(variable);
	}
}

/* Without MPI it is a function that has the same name by chance. */
static void call_other(struct mpi_function *function, void *other)
{
	function->real = (void (*)(void))other;
	__atomic_store_n(&function->is_other, true, __ATOMIC_RELEASE);
}

static void set_real(struct mpi_function *function, void *found)
{
	__atomic_store_n(&function->real, (void (*)(void))found, __ATOMIC_RELAXED);
	__atomic_store_n(&function->region, function->own_region, __ATOMIC_RELEASE);
}

/*
 * Threads may do so at once, and find the same: a lock here and the dynamic linker's own could wait
 * for each other.
 */
struct perfctr_region *mpi_find(struct mpi_function *function, const void *caller)
{
	void *found = find_function(function->real_name, caller);

	if (found) {
		find_own(caller);
		find_constants(caller);
		if (function->usual)
			set_real(function->usual, found);
		set_real(function, found);
		return function->own_region;
	}
	found = dlsym(RTLD_NEXT, function->name);
	if (!found)
		found = find_in_callers(function->name, caller);
	if (!found)
		give_up(function->real_name);
	call_other(function, found);
	return NULL;
}

/*
 * A function that is not MPI's may be called with numbers in registers that a look-up uses. Those
 * that the program is linked with are found before.
 */
static __attribute__((constructor)) void find_others(void)
{
	unsigned int i;
	void *other;

	for (i = 0; i < mpi_nfunctions; i++) {
		other = dlsym(RTLD_NEXT, mpi_functions[i].name);
		if (other && !dlsym(RTLD_NEXT, mpi_functions[i].real_name))
			call_other(&mpi_functions[i], other);
	}
}

/* ---- calls ---- */

#ifdef __GLIBC__
__thread const struct mpi_frame *mpi_outermost __attribute__((tls_model("initial-exec")));
#else
__thread const struct mpi_frame *mpi_outermost;
#endif

/* ---- elapsed time ---- */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t mpi_clock(void)
{
	return PERFCTR_REGION_WAY(end) ? now() : 0;
}

void mpi_add_communication(uint64_t since)
{
	if (since)
		perfctr_region_add_communication(now() - since);
}

/* ---- bytes ---- */

static bool is_in_place(word buffer)
{
	unsigned int i;

	for (i = 0; i < sizeof(in_place) / sizeof(in_place[0]) && in_place[i]; i++)
		if (buffer == in_place[i])
			return true;
	return mpich_in_place && buffer == *mpich_in_place;
}

/* Whether the arguments count. Where a type means nothing, programs have 0, too. */
static bool counts_in_c(word buffer, word type)
{
	return buffer != 1 && buffer != (word)-1 /* MPI_IN_PLACE */ && type && type != null_type &&
	       (unsigned int)type != 0x0c000000;
}

static bool counts_in_fortran(word buffer, word type)
{
	const unsigned int number = *(const unsigned int *)type;

	return !(buffer && is_in_place(buffer)) && number && number != 0x0c000000;
}

static uint64_t sum(word values, int n)
{
	const int *value = (const int *)values;
	uint64_t sum_ = 0;

	while (value && n-- > 0)
		sum_ += (unsigned int)value[n];
	return sum_;
}

static void add_in_c(uint64_t n, word type)
{
	int size = 0;

	mpi.type_size(type, &size);
	perfctr_region_add_bytes(n * (unsigned int)size);
}

static void add_in_fortran(uint64_t n, word type)
{
	int size = 0, error;

	fortran.type_size(type, &size, &error);
	perfctr_region_add_bytes(n * (unsigned int)size);
}

void mpi_c_add(word count, word type)
{
	add_in_c((unsigned int)count, type);
}

void mpi_c_add_buffer(word buffer, word count, word type)
{
	if (counts_in_c(buffer, type))
		mpi_c_add(count, type);
}

void mpi_c_add_each(word count, word type, word comm)
{
	int n = 0;

	mpi.comm_size(comm, &n);
	add_in_c((uint64_t)(unsigned int)count * (unsigned int)n, type);
}

void mpi_c_add_all(word buffer, word values, word type, word comm, bool remote)
{
	int n = 0, inter = 0;

	if (!counts_in_c(buffer, type))
		return;
	if (remote)
		mpi.comm_test_inter(comm, &inter);
	(inter ? mpi.comm_remote_size : mpi.comm_size)(comm, &n);
	add_in_c(sum(values, n), type);
}

void mpi_fortran_add(word count, word type)
{
	add_in_fortran(*(const unsigned int *)count, type);
}

void mpi_fortran_add_buffer(word buffer, word count, word type)
{
	if (counts_in_fortran(buffer, type))
		mpi_fortran_add(count, type);
}

void mpi_fortran_add_each(word count, word type, word comm)
{
	const uint64_t each = *(const unsigned int *)count;
	int n = 0, error;

	fortran.comm_size(comm, &n, &error);
	add_in_fortran(each * (unsigned int)n, type);
}

void mpi_fortran_add_all(word buffer, word values, word type, word comm, bool remote)
{
	int n = 0, inter = 0, error;

	if (!counts_in_fortran(buffer, type))
		return;
	if (remote)
		fortran.comm_test_inter(comm, &inter, &error);
	(inter ? fortran.comm_remote_size : fortran.comm_size)(comm, &n, &error);
	add_in_fortran(sum(values, n), type);
}

/* ---- the program's part ---- */

/* Without the calls within, it is the program's own part. */
struct perfctr_region mpi_program = PERFCTR_REGION_INIT("MPI (program)");

void mpi_program_begin(void)
{
	perfctr_region_begin(&mpi_program);
}

void mpi_program_end(void)
{
	perfctr_region_end(&mpi_program);
}

/* ---- calls that are not seen ---- */

static bool was_called(void)
{
	unsigned int i;

	for (i = 0; i < mpi_nfunctions; i++)
		if (__atomic_load_n(&mpi_functions[i].real, __ATOMIC_RELAXED) &&
		    !mpi_functions[i].is_other)
			return true;
	return false;
}

/*
 * A program may get MPI's own functions from dlsym(3), by the handle of MPI's library. Called by
 * exit(3), and not by a destructor: musl opens no library any more then.
 */
static void tell_unseen(void)
{
	int (*initialized)(int *flag);
	int flag = 0;

	if (was_called())
		return;
	initialized = (int (*)(int *))find_function("PMPI_Initialized",
						    (const void *)&mpi_functions);
	if (initialized && initialized(&flag) == 0 && flag)
		fprintf(stderr,
			"libperfctr: --regions=mpi: the program called MPI by addresses that "
			"dlsym(3) found in MPI's library: its calls are not measured; link it with "
			"MPI, or give dlsym(3) RTLD_DEFAULT\n");
}

static __attribute__((constructor)) void tell_at_exit(void)
{
	atexit(tell_unseen);
}
