/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* threads.h - lists all threads of a process while they come and go */
#ifndef PERFCTR_LIB_TARGET_THREADS_H
#define PERFCTR_LIB_TARGET_THREADS_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/types.h>

#define PERFCTR_THREADS_TRIES 20 /* attempts to find the threads while none comes or goes */

/* A thread is known by its inode in /proc, too, because the next thread with its id has another. */
struct perfctr_thread {
	pid_t tid;
	ino_t inode;
	unsigned long long ran; /* ns on a processor, when first looked at; 0: not yet */
	bool settled;
};

/* A list; all zero, it is empty. */
struct perfctr_threads {
	struct perfctr_thread *thread;
	unsigned int n, room;
};

/* The directory that lists the threads of a process (0: this one); NULL after perfctr_fail(). */
DIR *perfctr_threads_open(int pid);

/* Lists the threads. 0, or -1 after perfctr_fail(ENOMEM). */
int perfctr_threads_list(DIR *dir, struct perfctr_threads *list);
void perfctr_threads_free(struct perfctr_threads *list);

/*
 * Whether the process has only the threads listed, and none was being created at the call: threads
 * that these create from now on inherit the events that were opened on them before. This waits for
 * threads that may be creating another one.
 */
enum perfctr_census {
	PERFCTR_CENSUS_ALL,
	PERFCTR_CENSUS_OTHERS, /* there are, or may be, others */
	PERFCTR_CENSUS_FAILED, /* after perfctr_fail() */
};
enum perfctr_census perfctr_threads_census(DIR *dir, struct perfctr_threads *list);

#endif /* PERFCTR_LIB_TARGET_THREADS_H */
