/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * descriptor.h - which descriptors are still the library's own. A program may close every number
 * that it does not know, and open files of its own in their place: a number is not an identity.
 */
#ifndef PERFCTR_LIB_BASE_DESCRIPTOR_H
#define PERFCTR_LIB_BASE_DESCRIPTOR_H

#include <stdbool.h>

/*
 * Notes that the library has opened this descriptor, which a child of fork(3) then closes at once,
 * since its file belongs to the parent process. Returns the identity of its file: of an event by
 * the kernel's id, of another file by its name in /proc, which has a socket's number; of an epoll
 * descriptor also by the upper half of the data that it watches with, so it must watch something.
 * 0: not known, or fd is -1.
 */
unsigned long perfctr_descriptor_own_event(int fd);
unsigned long perfctr_descriptor_own_file(int fd);

/*
 * Notes a descriptor of a program that closes none of the library's, with this identity: it is the
 * same without a question.
 */
#define PERFCTR_DESCRIPTOR_KEPT 1u
void perfctr_descriptor_own_kept(int fd);

/* Returns the identity that was noted for the number last; 0: none. */
unsigned long perfctr_descriptor_noted(int fd);

/*
 * Whether the descriptor is still that of this identity. It changes nothing in the file, whichever
 * it is. Another thread may close the number after this.
 */
bool perfctr_descriptor_is(int fd, unsigned long identity);

/* Close the descriptor, the first one if it is still that of this identity. errno is kept. */
void perfctr_descriptor_close(int fd, unsigned long identity);
void perfctr_descriptor_drop(int fd, unsigned long identity);

/*
 * Closes kept descriptors one after the other, and those whose numbers follow each other at once:
 * it begins zeroed, is given each, and then ended.
 */
struct perfctr_descriptor_run {
	int first, n;
};
void perfctr_descriptor_run_add(struct perfctr_descriptor_run *run, int fd);
void perfctr_descriptor_run_end(struct perfctr_descriptor_run *run);

/* The descriptor becomes the program's. */
void perfctr_descriptor_disown(int fd);

/* Returns -1 after perfctr_fail(ESTALE): what: the counters or the buffer that had it. */
int perfctr_descriptor_fail(const char *what);

#endif /* PERFCTR_LIB_BASE_DESCRIPTOR_H */
