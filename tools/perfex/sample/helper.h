/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * helper.h - another process that reads input from outside with a library which such input may end,
 * or keep forever. Questions and answers are packets.
 */
#ifndef PERFCTR_TOOLS_HELPER_H
#define PERFCTR_TOOLS_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define LONGEST_PACKET 65536

struct helper {
	/* Is called there at first. False: nothing can be answered. */
	bool (*begin)(void);
	/*
	 * Is called there with a question, which has n bytes and a 0 after them, and the file's
	 * descriptor, which it takes, or -1; writes the answer over it, at most LONGEST_PACKET
	 * bytes, and returns its length.
	 */
	size_t (*answer)(char *packet, size_t n, int fd);
	unsigned int megabytes; /* of memory that it may have beyond perfex's */
	unsigned int seconds;	/* that an answer may take */
	pid_t pid;		/* 0: it has not begun; -1: it failed */
	int line;
};

/*
 * Begins, unless that was done, and asks, about the file if fd is not -1. Returns the answer's
 * length; 0: it came too late, or there is no process, and no later question is answered until
 * helper_end().
 */
size_t helper_ask(struct helper *helper, const void *question, size_t n, int fd, void *answer,
		  size_t size);

/*
 * Fences the present process, which reads such input: it ends with the one that forked it, leaves
 * no core file, has so much more memory at most, and libdw fetches nothing from other machines.
 */
void helper_fence(unsigned int megabytes);

/*
 * Opens files as the owner of this one from now on, where perfex is root: libdw opens what a file
 * names, with no regard to whether it is a device, which the file's owner may not open.
 */
void helper_as_owner(int fd);

/* Ends it; the next question begins it again, whether or not it had failed. */
void helper_end(struct helper *helper);

#endif /* PERFCTR_TOOLS_HELPER_H */
