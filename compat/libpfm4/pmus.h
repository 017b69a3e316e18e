/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pmus.h - PMUs under libpfm4's names and numbers */
#ifndef PERFCTR_COMPAT_LIBPFM4_PMUS_H
#define PERFCTR_COMPAT_LIBPFM4_PMUS_H

#include <stdbool.h>
#include <stddef.h>

/* The modifiers of an event depend on what it is of: bits. */
enum {
	OF_INTEL = 1,
	OF_AMD = 2,
	OF_OTHER = 4,
	OF_KERNEL = 8,
	OF_SOFTWARE = 16,
	OF_RAW = 32,
	OF_THREADS = 64,    /* Intel: can count both threads of a core */
	OF_TSX = 128,	    /* Intel: has transactions */
	OF_EDGES = 2048,    /* Intel: counts edges without a threshold */
	OF_GUESTS = 256,    /* AMD: tells guests from the host */
	OF_LATENCY = 512,   /* Intel's event of load latencies */
	OF_FRONTEND = 1024, /* Intel's event of the front end */
};
#define OF_X86	(OF_INTEL | OF_AMD)
#define OF_CORE (OF_X86 | OF_OTHER)

struct pmu {
	int number;
	const char *name;
	const char *id; /* of libperfctr's table; NULL: the kernel's own names, and raw codes */
	unsigned short of;
	unsigned char counters, fixed;
};

/*
 * Whether the texts begin with the same letters, so many, and whether the name is the word of this
 * length; in any case of letters, which are ASCII whatever the program's locale is.
 */
bool pmus_same_letters(const char *a, const char *b, size_t n);
bool pmus_same_name(const char *name, const char *word, size_t length);

/* One more than the last number. */
int pmus_end(void);

/* The PMU of this number; NULL: none that libperfctr has a table of. */
const struct pmu *pmus_get(int number);

/* The PMU of this name, in any case of letters; NULL: there is none. */
const struct pmu *pmus_named(const char *name, size_t length);

/* The PMU of this machine's processor; of P-cores, if it has several types. NULL: it has no name.
 */
const struct pmu *pmus_native(void);

bool pmus_is_present(const struct pmu *pmu);

/* A sentence for people. */
const char *pmus_description(const struct pmu *pmu);

#endif /* PERFCTR_COMPAT_LIBPFM4_PMUS_H */
