/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * access.h - a process that maps its thread's page reads the counters itself: who may, and from
 * when on it works wherever the process runs.
 */
#ifndef PERFCTR_DRIVER_ACCESS_H
#define PERFCTR_DRIVER_ACCESS_H

#include <linux/mm_types.h>
#include <linux/mutex.h>

struct access {
	struct mutex lock;     /* of all below */
	struct mm_struct *mm;  /* the owner's memory, which maps the page; NULL: none does */
	unsigned int mappings; /* how often */
	bool counts;	       /* there are counters to read: the hardware is ours */
	bool allowed;	       /* mm is counted as one that may read */
	bool works;	       /* on every CPU; looked at without the lock */
};

int access_init(void);
void access_exit(void);

void access_create(struct access *self);

/*
 * The page is mapped by its owner's process in mm, the current one; there it is mapped once more,
 * or once less. What another memory does, which was the owner's or is a copy, changes nothing. Has
 * it become readable, or might it have been before, the caller shows so in the page. May sleep.
 */
void access_map(struct access *self, struct mm_struct *mm);
void access_map_again(struct access *self, struct mm_struct *mm);
void access_unmap(struct access *self, struct mm_struct *mm);

/* There are counters to read, or no more. Before the hardware is given back. May sleep. */
void access_change(struct access *self, bool counts);

#endif /* PERFCTR_DRIVER_ACCESS_H */
