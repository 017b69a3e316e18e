/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * reads.h - the permission of user mode to read a set's counters: the memory has it in which the
 * owner's process has mapped the page, while there are counters to read. One function has all
 * events of the mappings and the actions that follow; access.c carries them out. It uses nothing of
 * the kernel, so that a test can try all events in every order.
 */
#ifndef PERFCTR_DRIVER_READS_H
#define PERFCTR_DRIVER_READS_H

struct mm_struct;

struct reads {
	struct mm_struct *memory; /* the owner's, which maps the page; NULL: none does */
	unsigned int mappings;	  /* how often */
	unsigned char counts;	  /* there are counters to read: the hardware is ours */
	unsigned char allowed;	  /* the memory is counted as one that may read */
};

/* Each event comes with a memory; one that is not the last READS_MAPPED's changes nothing. */
enum reads_event {
	READS_MAPPED,	    /* by the owner's process, in its memory */
	READS_MAPPED_AGAIN, /* once more: moved, copied, or mapped after the owner's end */
	READS_UNMAPPED,	    /* once less */
	READS_RESERVED,	    /* there are counters to read; their owner has this memory now */
	READS_RELEASED,	    /* there are none any more, for any memory */
};

/* The actions, in this order: first for the previous memory, then for the event's. */
enum {
	READS_FORBID = 1, /* it is no longer counted */
	READS_DROP = 2,	  /* nothing refers to it any more */
	READS_GRAB = 4,	  /* it is named */
	READS_ALLOW = 8,  /* it is counted */
	READS_LOOK = 16,  /* it may read: does every CPU let it? */
};

static inline unsigned int reads_forbid(struct reads *reads)
{
	unsigned int steps = reads->allowed ? READS_FORBID : 0;

	reads->allowed = 0;
	return steps;
}

static inline unsigned int reads_allow(struct reads *reads)
{
	unsigned int steps = reads->allowed ? READS_LOOK : READS_ALLOW | READS_LOOK;

	reads->allowed = 1;
	return steps;
}

/* The last mapping goes, or others keep those that the owner had before it executed a program. */
static inline unsigned int reads_leave(struct reads *reads)
{
	unsigned int steps = reads->memory ? reads_forbid(reads) | READS_DROP : 0;

	reads->memory = 0;
	reads->mappings = 0;
	return steps;
}

static inline unsigned int reads_step(struct reads *reads, enum reads_event event,
				      struct mm_struct *memory)
{
	unsigned int steps = 0;

	switch (event) {
	case READS_MAPPED:
		if (reads->memory != memory) {
			steps = reads_leave(reads) | READS_GRAB;
			reads->memory = memory;
		}
		reads->mappings++;
		return steps | (reads->counts ? reads_allow(reads) : 0);
	case READS_MAPPED_AGAIN: reads->mappings += reads->memory == memory; return 0;
	case READS_UNMAPPED:
		if (reads->memory != memory || --reads->mappings)
			return 0;
		return reads_leave(reads);
	case READS_RESERVED:
		reads->counts = 1;
		return memory && reads->memory == memory ? reads_allow(reads) : reads_forbid(reads);
	case READS_RELEASED: reads->counts = 0; return reads_forbid(reads);
	}
	return 0;
}

#endif /* PERFCTR_DRIVER_READS_H */
