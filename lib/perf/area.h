/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* area.h - the AUX area, into which a PMU writes data in a format of its own */
#ifndef PERFCTR_LIB_PERF_AREA_H
#define PERFCTR_LIB_PERF_AREA_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "lib/perf/counter.h"

struct perfctr_area {
	struct perf_event_mmap_page *page; /* of the event's buffer of records */
	const unsigned char *data;	   /* NULL: not mapped */
	size_t size;			   /* a power of two */
	bool overwrite;
	uint64_t position; /* the end of the data that has been handed out */
	uint64_t head;	   /* the kernel's position at the last look; or the end of a snapshot */
};

void perfctr_area_init(struct perfctr_area *area, struct perf_event_mmap_page *page,
		       const void *data, size_t size, bool overwrite);

/*
 * Maps the area of an event, whose buffer of records must be mapped writable. 0, or -1 after
 * perfctr_fail(): EOPNOTSUPP if its PMU has no area.
 */
int perfctr_area_map(struct perfctr_area *area, const struct perfctr_counter *counter,
		     const char *name, size_t size, bool overwrite);
void perfctr_area_unmap(const struct perfctr_area *area);

/* Frees the data that has been handed out for the kernel's use, unless it overwrites anyway. */
void perfctr_area_release(const struct perfctr_area *area);

/*
 * Looks how far the kernel has written, unless it overwrites. 0, or -1 after perfctr_fail(EBADMSG),
 * which skips all data in the area.
 */
int perfctr_area_refresh(struct perfctr_area *area);

/*
 * Takes a snapshot of an area that is overwritten, while nothing is written: all of it is handed
 * out from then on, oldest first.
 */
void perfctr_area_snapshot(struct perfctr_area *area);

/* Hands out the next bytes, in one piece. Returns their number; 0: there are none. */
size_t perfctr_area_take(struct perfctr_area *area, const void **bytes);

#endif /* PERFCTR_LIB_PERF_AREA_H */
