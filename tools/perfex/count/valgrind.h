/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * valgrind.h - runs a command in valgrind, which counts for a model of a processor that is the same
 * everywhere: caches of 32 KiB and 8 MiB. Each process is counted from its beginning to its end, or
 * to the next program that it executes.
 */
#ifndef PERFCTR_TOOLS_VALGRIND_H
#define PERFCTR_TOOLS_VALGRIND_H

#include <sys/resource.h>
#include "tools/perfex/count/child.h"
#include "tools/perfex/count/emulator.h"

struct valgrind {
	char version[64]; /* "valgrind-3.19.0" */
	struct emulator emulator;
	const char *doubt; /* why the counts are not all; NULL: they are */
	char remark[256];  /* the last one in its logs; "": none */
	uint64_t count[COLUMNS];
	struct process *process;
	bool waits; /* for all processes of a command */
};

/* Exits if there is no valgrind. */
void valgrind_begin(struct valgrind *valgrind, const struct events *events);

/* The command line that runs a command in it, for these events; to be freed. */
char **valgrind_command(const struct valgrind *valgrind, const struct events *events,
			char **command);

/*
 * Go on until the child, which is traced, has ended, or no process of its is left; its end. The
 * counts are in events then. Returns the number of processes that still run. Exits if valgrind
 * could not start the command.
 */
unsigned int valgrind_run(struct valgrind *valgrind, const struct child *child,
			  struct events *events, int *status, struct rusage *usage);

/* Remove its files. */
void valgrind_end(void);

#endif /* PERFCTR_TOOLS_VALGRIND_H */
