/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* area.h - the AUX area, which a PMU writes into, in a format of its own */
#ifndef PERFCTR_LIB_PERF_AREA_H
#define PERFCTR_LIB_PERF_AREA_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/perf/counter.h"

struct perfctr_area {
	struct perf_event_mmap_page *page; /* its buffer of records' */
	const unsigned char *data;	   /* NULL: not mapped */
	size_t size;			   /* a power of two */
	bool overwrite;
	uint64_t position; /* after what has been handed out */
	uint64_t head;	   /* as last seen, or the end of a snapshot */
};

void perfctr_area_init(struct perfctr_area *area, struct perf_event_mmap_page *page,
		       const void *data, size_t size, bool overwrite);

/*
 * Map the area of an event whose buffer of records is mapped, to be written. 0, or -1 after
 * perfctr_fail(): EOPNOTSUPP, its PMU has none.
 */
int perfctr_area_map(struct perfctr_area *area, const struct perfctr_counter *counter,
		     const char *name, size_t size, bool overwrite);
void perfctr_area_unmap(const struct perfctr_area *area);

/* Give the kernel the room of what has been handed out, unless it overwrites anyway. */
void perfctr_area_release(const struct perfctr_area *area);

/*
 * Look how far the kernel is, unless it overwrites. 0, or -1 after perfctr_fail(EBADMSG), which
 * leaves out all that there is.
 */
int perfctr_area_refresh(struct perfctr_area *area);

/*
 * For one that is overwritten, and while nothing is written: what is handed out from then on is all
 * of it, the oldest first.
 */
void perfctr_area_snapshot(struct perfctr_area *area);

/* The next bytes that have been seen, in one piece: their number; 0: there are none. */
size_t perfctr_area_take(struct perfctr_area *area, const void **bytes);

#endif /* PERFCTR_LIB_PERF_AREA_H */
