// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Overflow signals: i-mode counters over perf_events.
 *
 * An i-mode event may overflow once (PERF_EVENT_IOC_REFRESH). In the interrupt the kernel stops it,
 * and with it the whole group if it is the leader, which the first i-mode event is; puts a record
 * with the counts of all members into the event's buffer; and sends the signal. The first record
 * suspends a group, with the counts in it. If another event than the leader has overflowed, the
 * others go on counting until the leader is stopped, and may even overflow; all that is taken back
 * when the counters are resumed: each i-mode event then begins a new period, or continues with the
 * rest of its period at the first record.
 *
 * So the buffers alone say which group is suspended, and at which counts. There is one per event,
 * and not one for all, because user space reads each event by a page of its own. An event writes
 * one sample between two resumes, and perhaps two records of the throttle, which ends with each
 * resume.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "lib/perf/events.h"
#include "lib/perf/overflow.h"
#include "libperfctr.h"
#include "perfctr/read.h"

/*
 * The length of a sample: struct perf_event_header, then the data that read(2) returns for the
 * group.
 */
#define RECORD_WORDS(n) (1 + offsetof(struct perfctr_group_values, values) / sizeof(uint64_t) + (n))

/*
 * Some processors can't count shorter periods (Broadwell's erratum BDM11 is the worst), and the
 * kernel refuses these there. The rest of a period may be less: then the interrupt is late.
 */
#define LEAST_PERIOD 128

void perfctr_overflow_init(struct perfctr_overflow *overflow, unsigned int nr, const int *ireset)
{
	unsigned int k;

	overflow->nr = nr;
	for (k = 0; k < nr; k++) {
		overflow->event[k].seen = 0;
		overflow->event[k].due = overflow->event[k].period = -(uint64_t)(int64_t)ireset[k];
	}
}

int perfctr_overflow_start(const struct perfctr_overflow *overflow,
			   const struct perfctr_events *group, unsigned int again)
{
	const struct perfctr_counter *counter = group->counter;
	unsigned int k;

	/* The leader is last: it starts all. */
	for (k = overflow->nr; k-- > 1;)
		if (again >> k & 1 &&
		    perfctr_counter_ioctl(&counter[k], PERF_EVENT_IOC_REFRESH, 1) < 0)
			return -1;
	return overflow->nr && again & 1 ? perfctr_counter_ioctl(counter, PERF_EVENT_IOC_REFRESH, 1)
					 : perfctr_counter_ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
}

/*
 * The end of the records. On 32-bit machines an interrupt may come between the reads of its halves.
 */
static uint64_t records_end(const struct perfctr_counter *counter)
{
	const volatile struct perf_event_mmap_page *page = counter->page;
	uint64_t end;

	do {
		end = page->data_head;
	} while (end != page->data_head);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return end;
}

/* Finds the counts in the first sample between seen and the end, if there is one. */
static bool find_sample(const struct perfctr_counter *counter, uint64_t seen, unsigned int n,
			uint64_t *values)
{
	size_t size = counter->size / 2, words = size / sizeof(uint64_t), i;
	const volatile uint64_t *data =
		(const volatile uint64_t *)((const char *)counter->page + size);
	struct perf_event_header header;
	uint64_t end = records_end(counter), word, at;

	if (perfctr_likely(end == seen) || end - seen > size)
		return false;
	for (at = seen / sizeof(word); at < end / sizeof(word); at += header.size / sizeof(word)) {
		word = data[at % words];
		memcpy(&header, &word, sizeof(header));
		if (header.size < sizeof(header) || header.size % sizeof(word))
			return false;
		if (header.type != PERF_RECORD_SAMPLE)
			continue;
		if (header.size != RECORD_WORDS(n) * sizeof(word) || data[(at + 1) % words] != n)
			return false;
		for (i = 0; i < n; i++)
			values[i] = data[(at + RECORD_WORDS(i)) % words];
		return true;
	}
	return false;
}

bool perfctr_overflow_find(const struct perfctr_overflow *overflow,
			   const struct perfctr_events *group, uint64_t *values,
			   unsigned int *reached, unsigned int *stopped)
{
	uint64_t found[PERFCTR_NR_CTRS], sum, least = UINT64_MAX;
	unsigned int i, k, first = 0;

	*reached = *stopped = 0;
	for (k = 0; k < overflow->nr; k++) {
		if (!find_sample(&group->counter[k], perfctr_load(&overflow->event[k].seen),
				 group->n, found))
			continue;
		*stopped |= 1u << k;
		/* Counts only grow, so that the smallest are the first. */
		for (sum = 0, i = 0; i < group->n; i++)
			sum += found[i];
		if (sum < least) {
			least = sum;
			first = k;
			memcpy(values, found, group->n * sizeof(found[0]));
		}
	}
	if (!*stopped)
		return false;
	*reached = 1u << first;
	for (k = 0; k < overflow->nr; k++)
		if (values[k] >= perfctr_load(&overflow->event[k].due))
			*reached |= 1u << k;
	return true;
}

/* Sets a stopped event's period; *period becomes the one that the kernel accepted. */
static int set_period(const struct perfctr_counter *counter, uint64_t *period)
{
	int error = errno;

	if (perfctr_counter_ioctl(counter, PERF_EVENT_IOC_PERIOD, (unsigned long)period) == 0)
		return 0;
	if (errno != EINVAL || *period >= LEAST_PERIOD)
		return -1;
	*period = LEAST_PERIOD;
	errno = error;
	return perfctr_counter_ioctl(counter, PERF_EVENT_IOC_PERIOD, (unsigned long)period);
}

int perfctr_overflow_rewind(struct perfctr_overflow *overflow, const struct perfctr_events *group,
			    const uint64_t *counts, unsigned long *request)
{
	const struct perfctr_counter *counter = group->counter;
	uint64_t values[PERFCTR_NR_CTRS], period;
	unsigned int k, reached, again;

	perfctr_overflow_find(overflow, group, values, &reached, &again);
	for (k = overflow->nr; k-- > 0;) {
		period = overflow->event[k].period;
		if (set_period(&counter[k], &period) < 0 ||
		    (k && again >> k & 1 &&
		     perfctr_counter_ioctl(&counter[k], PERF_EVENT_IOC_REFRESH, 1) < 0))
			return -1;
		overflow->event[k].seen = records_end(&counter[k]);
		overflow->event[k].due = counts[k] + period;
	}
	*request = again & 1 ? PERF_EVENT_IOC_REFRESH : PERF_EVENT_IOC_ENABLE;
	return 0;
}

int perfctr_overflow_renew(const struct perfctr_overflow *overflow,
			   const struct perfctr_events *group, const int *ireset,
			   struct perfctr_overflow *next, uint64_t *values, uint64_t *missed,
			   unsigned int *again)
{
	const struct perfctr_counter *counter = group->counter;
	struct perfctr_group_values now;
	unsigned int i, k, reached;
	uint64_t left;

	if (!perfctr_overflow_find(overflow, group, values, &reached, again))
		return perfctr_fail(EINVAL, "no i-mode counter has overflowed: nothing to resume");
	/* Other events than the leader may overflow until it stops. */
	if (!(*again & 1) && perfctr_events_disable(group) < 0)
		return -1;
	perfctr_overflow_find(overflow, group, values, &reached, again);
	if (perfctr_events_values(group, &now) < 0)
		return -1;
	for (i = 0; i < group->n; i++)
		missed[i] = now.values[i] - values[i];
	perfctr_overflow_copy(next, overflow);
	for (k = 0; k < overflow->nr; k++) {
		next->event[k].seen = records_end(&counter[k]);
		/* After an overflow the kernel begins another period of the same length. */
		if (*again >> k & 1)
			next->event[k].due += next->event[k].period;
		left = reached >> k & 1 ? -(uint64_t)(int64_t)ireset[k]
					: overflow->event[k].due - values[k];
		if (next->event[k].due - now.values[k] == left)
			continue;
		if (set_period(&counter[k], &left) < 0)
			return -1;
		next->event[k].period = left;
		next->event[k].due = now.values[k] + left;
	}
	return 0;
}
