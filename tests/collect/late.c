// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Programs whose MPI comes late, for collect.sh, with the MPI that is made up: the arguments are
 * modules, which a program loads for itself alone, one after the other. MODULE: such a module,
 * which has Fortran's calls. NAMESAKE: a library with functions that have the names of MPI's by
 * chance.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

double mpi_test(double x, int *n);
int entry(void);

#if defined(MODULE)
extern void mpi_send_(const void *sent, const int *n, const int *type, const int *to,
		      const int *tag, const int *comm, int *error),
	mpi_allgather_(const void *sent, const int *n, const int *type, void *received,
		       const int *received_n, const int *received_type, const int *comm,
		       int *error);

int mpi_fortran_in_place_; /* as each of Fortran's modules has one */

int entry(void)
{
	const int world = MPI_COMM_WORLD, seven = 7, type = MPI_DOUBLE, zero = 0;
	double numbers[7] = { 0 };
	int error;

	mpi_allgather_(&mpi_fortran_in_place_, &seven, &type, numbers, &seven, &type, &world,
		       &error);
	if (error)
		return error;
	mpi_send_(numbers, &seven, &type, &zero, &zero, &world, &error);
	return error;
}
#elif defined(NAMESAKE)
__attribute__((noinline)) double mpi_test(double x, int *n)
{
	++*n;
	return 2 * x;
}

/* As often as would take minutes if each call looked for MPI. */
int entry(void)
{
	int n = 0, i;

	mpi_test(1.5, &n); /* nobody promises that the first one has the right number */
	for (i = 0; i < 1000000; i++)
		if (mpi_test(1.5, &n) != 3)
			return 2;
	return n != 1000001;
}
#else
int main(int argc, char **argv)
{
	int i;

#ifdef LINKED
	int n = 0;

	if (mpi_test(1.5, &n) != 3 || mpi_test(2.5, &n) != 5 || n != 2)
		return 1;
#elif !defined(NO_MPI)
	MPI_Init(NULL, NULL);
#endif
	for (i = 1; i < argc; i++) {
		void *module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		int (*enter)(void) = module ? (int (*)(void))dlsym(module, "entry") : NULL;

		if (!enter) {
			fprintf(stderr, "late: %s\n", dlerror());
			return 2;
		}
		if (enter())
			return 3;
	}
#if !defined(LINKED) && !defined(NO_MPI)
	MPI_Finalize();
#endif
	return 0;
}
#endif
