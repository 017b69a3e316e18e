/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* driver.h - guest.h for tests that make the driver's own calls, without the library. */
#ifndef PERFCTR_TESTS_DRIVER_H
#define PERFCTR_TESTS_DRIVER_H

#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <perfctr/calls.h>
#include "tests/harness/guest.h"

#define EVNTSEL_OS   0x00020000u
#define EVNTSEL_INT  0x00100000u
#define EVNTSEL_ANY  0x00200000u
#define INSTRUCTIONS 0x004100C0u /* of user mode; the same on architectural Intel and AMD */

static inline uint32_t rdpmc(uint32_t map)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(map) : "memory");
	return low;
}

/* A thread's counters: descriptor and page. */
struct handle {
	int fd;
	volatile const struct perfctr_cpu_state *page;
};

static inline int open_state(int device, struct handle *h)
{
	struct perfctr_call_open call = { .abi_version = PERFCTR_ABI_VERSION, .creat = 1 };
	void *page;

	h->fd = ioctl(device, PERFCTR_IOC_OPEN, &call);
	if (h->fd < 0)
		return -1;
	page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, h->fd, 0);
	if (page == MAP_FAILED)
		return -1;
	h->page = page;
	return 0;
}

static inline void close_state(struct handle *h)
{
	ioctl(h->fd, PERFCTR_IOC_UNLINK);
	munmap((void *)(uintptr_t)h->page, 4096);
	close(h->fd);
}

/*
 * An event of perf_events', of this thread's user mode or of everything on CPU 0: what shows the
 * driver which rights its user has. A descriptor, or -1.
 */
static inline int open_proof(bool everything)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = !everything,
	};

	return (int)syscall(SYS_perf_event_open, &attr, everything ? -1 : 0, everything ? 0 : -1,
			    -1, PERF_FLAG_FD_CLOEXEC);
}

static inline int set_control_with(int fd, const struct vperfctr_control *c, int proof)
{
	struct perfctr_call_control call = {
		.control = (uintptr_t)c,
		.control_size = sizeof(*c),
		.proof = (unsigned int)(proof + 1),
	};

	return ioctl(fd, PERFCTR_IOC_CONTROL, &call);
}

/* With what rights this user has. */
static inline int set_control(int fd, const struct vperfctr_control *c)
{
	int proof = geteuid() ? open_proof(false) : -1, error, result;

	result = set_control_with(fd, c, proof);
	error = errno;
	if (proof >= 0)
		close(proof);
	errno = error;
	return result;
}

static inline int read_state(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *c)
{
	struct perfctr_call_read call = {
		.sum = (uintptr_t)sum,
		.sum_size = sizeof(*sum),
		.control = (uintptr_t)c,
		.control_size = sizeof(*c),
	};

	return ioctl(fd, PERFCTR_IOC_READ, &call);
}

/* How often the loop below had to begin again. */
static __attribute__((unused)) _Thread_local unsigned int retries;

/* The documents' loop. */
static __attribute__((noinline, unused)) uint64_t read_pmc(const struct handle *h, unsigned int i)
{
	volatile const struct perfctr_cpu_state *s = h->page;
	uint32_t before, now, start;
	uint64_t sum;

	for (;;) {
		before = s->tsc_start;
		now = rdpmc(s->pmc[i].map);
		start = s->pmc[i].start;
		sum = s->pmc[i].sum;
		if (s->tsc_start == before)
			return sum + (uint32_t)(now - start);
		retries++;
	}
}

static __attribute__((noinline, unused)) uint64_t measure(const struct handle *h, unsigned int i,
							  unsigned long n)
{
	uint64_t before = read_pmc(h, i);

	loop(n);
	return read_pmc(h, i) - before;
}

/* Does counter i count a loop of known length to the instruction? Another turn of a read counts,
 * too. */
static inline bool counts_exactly(const struct handle *h, unsigned int i, unsigned long n)
{
	unsigned int tries = 0, before;
	uint64_t few, many;

	measure(h, i, 1);
	do {
		before = retries;
		few = measure(h, i, 1000);
		many = measure(h, i, 1000 + n);
	} while (retries != before && ++tries < 10);
	if (many - few == 2 * n)
		return true;
	printf("  counter %u: %llu and %llu\n", i, (unsigned long long)few,
	       (unsigned long long)many);
	return false;
}

static inline void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

#endif /* PERFCTR_TESTS_DRIVER_H */
