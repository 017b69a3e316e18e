// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The AUX area, into which a PMU writes data in a format of its own (Intel PT, Arm SPE). It lies
 * after the buffer of records and has positions of its own in the control page, which are used as
 * in ring.c: acquire aux_head, read, release aux_tail. But the kernel reads all 64 bits of
 * aux_tail.
 *
 * In an area that is overwritten, aux_head is an offset: some PMUs count on after a lap, others
 * don't.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lib/base/error.h"
#include "lib/perf/area.h"
#include "lib/perf/counter.h"
#include "lib/perf/ring.h"
#include "lib/perf/why.h"
#include "perfctr/read.h"

static unsigned long read_head(const struct perfctr_area *area)
{
	return __atomic_load_n(perfctr_ring_half(&area->page->aux_head), __ATOMIC_ACQUIRE);
}

void perfctr_area_init(struct perfctr_area *area, struct perf_event_mmap_page *page,
		       const void *data, size_t size, bool overwrite)
{
	*area = (struct perfctr_area){
		.page = page,
		.data = data,
		.size = size,
		.overwrite = overwrite,
	};
}

int perfctr_area_map(struct perfctr_area *area, const struct perfctr_counter *counter,
		     const char *name, size_t size, bool overwrite)
{
	struct perf_event_mmap_page *page = counter->page;
	void *data;

	page->aux_offset = counter->size;
	page->aux_size = size;
	/* Without PROT_WRITE a program can't say how far it has read: the PMU then overwrites. */
	data = mmap(NULL, size, PROT_READ | (overwrite ? 0 : PROT_WRITE), MAP_SHARED, counter->fd,
		    (off_t)counter->size);
	if (data == MAP_FAILED)
		return perfctr_why_no_area(errno, name, size);
	perfctr_area_init(area, page, data, size, overwrite);
	return 0;
}

void perfctr_area_unmap(const struct perfctr_area *area)
{
	if (area->data)
		munmap((void *)area->data, area->size);
}

/*
 * A 32-bit program writes two halves. Once in 4 GiB a 64-bit kernel may read between them: then the
 * area seems full, and the event stops as if it were.
 */
void perfctr_area_release(const struct perfctr_area *area)
{
	unsigned long *low = perfctr_ring_half(&area->page->aux_tail);

	if (area->overwrite)
		return;
	if (sizeof(*low) < sizeof(area->position))
		__atomic_store_n(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? low - 1 : low + 1,
				 (unsigned long)(area->position >> 32), __ATOMIC_RELEASE);
	__atomic_store_n(low, (unsigned long)area->position, __ATOMIC_RELEASE);
}

int perfctr_area_refresh(struct perfctr_area *area)
{
	unsigned long unread;

	if (area->overwrite)
		return 0;
	unread = read_head(area) - (unsigned long)area->position;
	area->head = area->position + unread;
	if (perfctr_likely(unread <= area->size))
		return 0;
	area->position = area->head;
	return perfctr_fail(EBADMSG,
			    "the buffer's control page says that %lu bytes are in an AUX area of "
			    "%zu: somebody else wrote into it; everything in the area is left out",
			    unread, area->size);
}

void perfctr_area_snapshot(struct perfctr_area *area)
{
	area->position = read_head(area) & (area->size - 1);
	area->head = area->position + area->size;
}

size_t perfctr_area_take(struct perfctr_area *area, const void **bytes)
{
	size_t offset = (size_t)area->position & (area->size - 1);
	uint64_t left = area->head - area->position;
	size_t n = left < area->size - offset ? (size_t)left : area->size - offset;

	*bytes = area->data + offset;
	area->position += n;
	return n;
}
