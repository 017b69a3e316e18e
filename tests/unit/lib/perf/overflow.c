// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Overflows of groups of events. Page faults overflow like the processor's events do, and can be
 * made at will; the exact tests are in tests/vm/guest/overflow.c.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "lib/perf/counter.h"
#include "lib/perf/events.h"
#include "lib/perf/overflow.h"
#include "libperfctr.h"
#include "tests/harness/check.h"

enum { LEADER = 100, MEMBER = 40 };
static const int ireset[] = { -LEADER, -MEMBER };

static volatile sig_atomic_t signals, descriptor;

static void count_signal(int signo, siginfo_t *info, void *context)
{
	(void)signo, (void)context;
	signals++;
	descriptor = info->si_fd;
}

/* Two i-mode events, the first ones, and one that only counts. */
static void open_group(struct perfctr_events *group, struct perfctr_counter *counter,
		       unsigned int nr)
{
	struct sigaction action = { .sa_sigaction = count_signal, .sa_flags = SA_SIGINFO };
	unsigned int k;

	sigaction(SIGUSR1, &action, NULL);
	signals = 0;
	perfctr_events_init(group, &perfctr_this_thread, 0, counter, 3);
	for (k = 0; k < 3; k++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_SOFTWARE,
			.config = PERF_COUNT_SW_PAGE_FAULTS,
			.exclude_kernel = 1,
			.exclude_hv = 1,
			.sample_period = k < nr ? -(uint64_t)(int64_t)ireset[k] : 0,
			.sample_type = PERF_SAMPLE_READ,
		};

		ck_assert_int_eq(perfctr_events_add(group, &attr, "page-faults"), 0);
		if (k < nr)
			ck_assert_int_eq(perfctr_counter_arm(&group->counter[k], SIGUSR1), 0);
	}
}

/* n pages, to be touched for the first time. */
static volatile char *pages(unsigned int n)
{
	void *memory = mmap(NULL, n * (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(memory, MAP_FAILED);
	/* Huge ones would make one fault of many. */
	madvise(memory, n * (size_t)sysconf(_SC_PAGESIZE), MADV_NOHUGEPAGE);
	return memory;
}

/* Touch pages until a signal comes, n at most. */
static void fault(volatile char *memory, unsigned int n)
{
	int before = signals;
	unsigned int k;

	for (k = 0; k < n && signals == before; k++) {
		memory[k * (size_t)sysconf(_SC_PAGESIZE)] = 1;
		sched_yield(); /* where valgrind delivers signals */
	}
}

START_TEST(leader_stops_all)
{
	struct perfctr_counter counter[3];
	struct perfctr_events group;
	struct perfctr_overflow overflow, next;
	struct perfctr_group_values now;
	uint64_t values[3], missed[3];
	unsigned int reached, stopped, again, round;

	open_group(&group, counter, 1);
	perfctr_overflow_init(&overflow, 1, ireset);
	ck_assert_int_eq(perfctr_overflow_start(&overflow, &group, ~0u), 0);
	ck_assert(!perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
	ck_fails(perfctr_overflow_renew(&overflow, &group, ireset, &next, values, missed, &again),
		 EINVAL, "nothing to resume");
	for (round = 1; round < 200; round++) {
		fault(pages(2 * LEADER), 2 * LEADER);
		ck_assert_int_eq(signals, (int)round);
		ck_assert_int_eq(descriptor, counter[0].fd);
		ck_assert(perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
		ck_assert_uint_eq(reached, 1);
		ck_assert_uint_eq(stopped, 1);
		/* Nothing counts, and nothing overflows a second time. */
		fault(pages(LEADER), LEADER);
		fault(pages(LEADER), LEADER);
		ck_assert_int_eq(signals, (int)round);
		ck_assert_int_eq(perfctr_counter_read(&counter[0], &now, 3), PERFCTR_READ_DONE);
		ck_assert_uint_eq(now.values[0], values[0]);
		ck_assert_uint_eq(values[0], round * (uint64_t)LEADER);
		ck_assert_uint_ge(values[2] + round, values[0]);
		ck_assert_int_eq(perfctr_overflow_renew(&overflow, &group, ireset, &next, values,
							missed, &again),
				 0);
		ck_assert_uint_eq(missed[0], 0);
		overflow = next;
		ck_assert_int_eq(perfctr_overflow_start(&overflow, &group, again), 0);
	}
	perfctr_events_end(&group);
}
END_TEST

/* What is counted after the first overflow is known; periods end where they would have. */
START_TEST(member_overflows)
{
	struct perfctr_counter counter[3];
	struct perfctr_events group;
	struct perfctr_overflow overflow, next;
	uint64_t values[3], missed[3], gone[3] = { 0 };
	unsigned int reached, stopped, again, round, ends[2] = { 0, 0 };

	open_group(&group, counter, 2);
	perfctr_overflow_init(&overflow, 2, ireset);
	ck_assert_int_eq(perfctr_overflow_start(&overflow, &group, ~0u), 0);
	for (round = 1; round < 100; round++) {
		fault(pages(2 * LEADER), 2 * LEADER);
		ck_assert(perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
		ends[0] += reached & 1;
		ends[1] += reached >> 1 & 1;
		ck_assert_uint_eq((values[0] - gone[0]) / LEADER, ends[0]);
		ck_assert_uint_eq((values[1] - gone[1]) / MEMBER, ends[1]);
		/* The leader goes on, and even overflows. */
		if (round % 3 == 0)
			fault(pages(2 * LEADER), 2 * LEADER);
		ck_assert_int_eq(perfctr_overflow_renew(&overflow, &group, ireset, &next, values,
							missed, &again),
				 0);
		ck_assert_uint_eq(again & reached, reached);
		if (round % 3 == 0 && reached == 2)
			ck_assert_uint_gt(missed[0], 0);
		gone[0] += missed[0];
		gone[1] += missed[1];
		overflow = next;
		ck_assert_int_eq(perfctr_overflow_start(&overflow, &group, again), 0);
	}
	ck_assert_uint_gt(ends[0], 20);
	ck_assert_uint_gt(ends[1], 2 * ends[0]);
	perfctr_events_end(&group);
}
END_TEST

/* Bytes that make no sense are no overflow. */
START_TEST(strange_records)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *page = (struct perf_event_mmap_page *)(uintptr_t)pages(2);
	uint64_t *data = (uint64_t *)(uintptr_t)((char *)page + size), values[3];
	struct perfctr_counter counter = { .fd = -1, .page = page };
	const struct perfctr_events group = { .n = 1, .counter = &counter };
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 40 };
	struct perfctr_overflow overflow;
	unsigned int reached, stopped, k;

	counter.size = (unsigned int)(2 * size);
	memset(&overflow, 0x5A, sizeof(overflow));
	perfctr_overflow_init(&overflow, 1, ireset);
	ck_assert_uint_eq(overflow.event[0].due, LEADER);
	/* There is one event, and nothing is known of another. */
	ck_assert_uint_eq(overflow.event[1].due, UINT64_C(0x5A5A5A5A5A5A5A5A));
	data[1] = 1;
	data[4] = LEADER;
	memcpy(data, &header, sizeof(header));
	ck_assert(!perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
	page->data_head = 40;
	ck_assert(perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
	ck_assert_uint_eq(reached, 1);
	ck_assert_uint_eq(values[0], LEADER);
	/* Another number of counters, sizes that end nowhere or elsewhere, other records. */
	data[1] = 2;
	ck_assert(!perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
	data[1] = 1;
	for (k = 0; k < 200; k++) {
		header.size = (uint16_t)(k == 40 ? 0 : k);
		memcpy(data, &header, sizeof(header));
		ck_assert(!perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
	}
	header.size = 40;
	header.type = PERF_RECORD_THROTTLE;
	memcpy(data, &header, sizeof(header));
	ck_assert(!perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
	/* What stands after the end is of old. */
	page->data_head = 8;
	header = (struct perf_event_header){ .type = PERF_RECORD_THROTTLE, .size = 8 };
	memcpy(data, &header, sizeof(header));
	header = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE, .size = 40 };
	memcpy(&data[1], &header, sizeof(header));
	data[2] = 1;
	ck_assert(!perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
	page->data_head = 48;
	data[5] = LEADER + 1;
	ck_assert(perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
	ck_assert_uint_eq(values[0], LEADER + 1);
	data[1] = 1;
	memcpy(data, &header, sizeof(header));
	/* As much as the buffer holds, and more. */
	page->data_head = size;
	ck_assert(perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
	page->data_head = size + 8;
	ck_assert(!perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
	/* A record that goes on at the beginning of the buffer. */
	overflow.event[0].seen = size - 16;
	page->data_head = size + 24;
	memcpy(&data[size / 8 - 2], &header, sizeof(header));
	data[size / 8 - 1] = 1;
	data[2] = LEADER + 5;
	ck_assert(perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
	ck_assert_uint_eq(values[0], LEADER + 5);
	munmap(page, 2 * size);
}
END_TEST

/* A group that is started and stopped begins whole periods, whichever was over before. */
START_TEST(periods_begin_again)
{
	static const unsigned int before[] = { 0, MEMBER - 1, MEMBER, LEADER, LEADER + 1 };
	uint64_t values[3], begun;
	struct perfctr_counter counter[3];
	struct perfctr_events group;
	struct perfctr_overflow overflow;
	struct perfctr_group_values now;
	unsigned int reached, stopped, i, k;
	unsigned long request;

	for (i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		open_group(&group, counter, 2);
		perfctr_overflow_init(&overflow, 2, ireset);
		ck_assert_int_eq(perfctr_overflow_start(&overflow, &group, ~0u), 0);
		for (k = 0; k < before[i]; k++)
			fault(pages(1), 1);
		ck_assert_int_eq(perfctr_events_disable(&group), 0);
		ck_assert_int_eq(perfctr_events_values(&group, &now), 0);
		begun = now.values[0];
		ck_assert_int_eq(perfctr_overflow_rewind(&overflow, &group, now.values, &request),
				 0);
		ck_assert_uint_eq(request,
				  begun < LEADER ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_REFRESH);
		ck_assert(!perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
		ck_assert_uint_eq(overflow.event[0].due, begun + LEADER);
		ck_assert_uint_eq(overflow.event[1].due, now.values[1] + MEMBER);
		signals = 0;
		ck_assert_int_eq(perfctr_counter_ioctl(&counter[0], request, 1), 0);
		fault(pages(LEADER), LEADER);
		ck_assert(perfctr_overflow_find(&overflow, &group, values, &reached, &stopped));
		ck_assert_uint_eq(stopped, 2);
		ck_assert_uint_eq(reached, 2);
		ck_assert_uint_eq(values[1] - now.values[1], MEMBER);
		signals = 0;
		fault(pages(LEADER), LEADER);
		ck_assert_int_eq(signals, 1);
		ck_assert_int_eq(perfctr_events_values(&group, &now), 0);
		ck_assert_uint_eq(now.values[0] - begun, LEADER);
		perfctr_events_end(&group);
	}
}
END_TEST

UNIT_MAIN("overflow", 60, leader_stops_all, member_overflows, strange_records, periods_begin_again)
