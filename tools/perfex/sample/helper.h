/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * helper.h - another process that reads input from outside with a library which such input may end,
 * or keep forever. Questions and answers are packets.
 */
#ifndef PERFCTR_TOOLS_HELPER_H
#define PERFCTR_TOOLS_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "tools/perfex/sample/symbols.h"

#define LONGEST_PACKET LONGEST_NAME

struct helper {
	/* Is called there at first. False: nothing can be answered. */
	bool (*begin)(void);
	/*
	 * Is called there with a question, which has n bytes and a 0 after them; writes the answer
	 * over it, at most LONGEST_PACKET bytes, and returns its length.
	 */
	size_t (*answer)(char *packet, size_t n);
	unsigned int megabytes; /* of memory that it may have beyond perfex's */
	unsigned int seconds;	/* that an answer may take */
	pid_t pid;		/* 0: it has not begun; -1: it has ended */
	int line;
};

/*
 * Begins, unless that was done, and asks. Returns the answer's length; 0: there is none in time, or
 * no process, and the helper has ended.
 */
size_t helper_ask(struct helper *helper, const void *question, size_t n, void *answer, size_t size);

/*
 * Fences the present process, which reads such input: it ends with the one that forked it, leaves
 * no core file, has so much more memory at most, and libdw fetches nothing from other machines.
 */
void helper_fence(unsigned int megabytes);

/* Ends it for good. */
void helper_end(struct helper *helper);

#endif /* PERFCTR_TOOLS_HELPER_H */
