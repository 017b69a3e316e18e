// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The virtual TSC where the kernel is perf_events: ticks of the clock while the thread runs.
 *
 * If the kernel puts its clock into events' pages, a software event that is always on carries the
 * time for which the thread has run; read.h turns it into ticks without a system call: between two
 * switches of the thread differences are the clock's own, exact; across switches the kernel keeps
 * ns, so that each adds an error below one ns' ticks plus one. If not (clock unstable, or
 * paravirtual as in many virtual machines), the thread's CPU clock is asked, in ns.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#endif
#include "arch/cpu.h"
#include "internal.h"

#define RATE_BITS 60

/* 2^power / divisor, divisor > 0; long division, since it is done once. */
static uint64_t power_over(unsigned int power, uint64_t divisor)
{
	uint64_t quotient = 0, rest = 1;
	bool carry;

	if (divisor == 1)
		return power < 64 ? UINT64_C(1) << power : UINT64_MAX;
	while (power--) {
		carry = rest >> 63;
		rest <<= 1;
		if (quotient >> 63)
			return UINT64_MAX;
		quotient <<= 1;
		if (carry || rest >= divisor) {
			rest -= divisor;
			quotient |= 1;
		}
	}
	return quotient;
}

/* The product's bits from RATE_BITS on. */
static uint64_t multiply_high(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	return (uint64_t)((unsigned __int128)a * b >> RATE_BITS);
#else
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32),
		 middle2 = a0 * b1 + (uint32_t)middle;
	uint64_t high = a1 * b1 + (middle >> 32) + (middle2 >> 32);

	low = middle2 << 32 | (uint32_t)low;
	return high << (64 - RATE_BITS) | low >> RATE_BITS;
#endif
}

struct perfctr_rate perfctr_rate_from_page(uint32_t mult, unsigned int shift)
{
	/* ns = ticks * mult >> shift */
	struct perfctr_rate rate = { power_over(RATE_BITS + shift, mult ? mult : 1) };

	return rate;
}

struct perfctr_rate perfctr_rate_from_khz(uint64_t khz)
{
	/* khz / 10^6, of which only the fraction needs care: khz < 2^34 or nonsense */
	struct perfctr_rate rate = {
		(khz / 1000000 << RATE_BITS) +
			((khz % 1000000 << (RATE_BITS - 24)) / 1000000 << 24) +
			(((khz % 1000000 << (RATE_BITS - 24)) % 1000000 << 24) / 1000000),
	};

	return rate;
}

uint64_t perfctr_rate_ticks(struct perfctr_rate rate, uint64_t ns)
{
	return multiply_high(ns, rate.ticks_per_ns);
}

static uint64_t now_ns(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t) < 0)
		return UINT64_MAX;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t perfctr_crystal_khz(uint32_t eax, uint32_t ebx, uint32_t ecx)
{
	return eax ? (uint64_t)ecx * ebx / eax / 1000 : 0;
}

#if defined(__i386__) || defined(__x86_64__)

static uint64_t cpuid_khz(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(0x15, &eax, &ebx, &ecx, &edx) ? perfctr_crystal_khz(eax, ebx, ecx) : 0;
}

/* The clock's tick against the system's: 4 ms leave an error below 10^-5. */
static uint64_t measured_khz(void)
{
	uint64_t t0 = now_ns(CLOCK_MONOTONIC_RAW), c0 = perfctr_rdtsc(), t1, c1;

	do {
		t1 = now_ns(CLOCK_MONOTONIC_RAW);
		c1 = perfctr_rdtsc();
	} while (t1 - t0 < 4000000);
	return (c1 - c0) * 1000000 / (t1 - t0);
}

static uint64_t native_khz(void)
{
	uint64_t khz = cpuid_khz();

	return khz ? khz : measured_khz();
}

#elif defined(__aarch64__)

static uint64_t native_khz(void)
{
	uint64_t hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz / 1000;
}

#elif defined(__powerpc__)

static uint64_t native_khz(void)
{
	char text[4096], *line;

	/* "timebase\t: 33333333" ends the file on every platform that has it. */
	if (perfctr_file_read("/proc/cpuinfo", text, sizeof(text)) < 0)
		return 0;
	line = strstr(text, "timebase");
	line = line ? strchr(line, ':') : NULL;
	return line ? strtoull(line + 1, NULL, 10) / 1000 : 0;
}

#else

static uint64_t native_khz(void)
{
	return 0;
}

#endif

uint64_t perfctr_tsc_khz(void)
{
	/* Once per process: every handle must use the same frequency. */
	static _Atomic uint32_t known;
	uint32_t khz = atomic_load(&known), nobody = 0;
	uint64_t found;

	if (!khz) {
		found = native_khz();
		khz = found && found <= UINT32_MAX ? (uint32_t)found : 1000000;
		if (!atomic_compare_exchange_strong(&known, &nobody, khz))
			khz = nobody; /* another thread was first */
	}
	return khz;
}

static const struct perf_event_attr clock_attr = {
	.type = PERF_TYPE_SOFTWARE,
	.size = sizeof(clock_attr),
	.config = PERF_COUNT_SW_DUMMY,
	.read_format = PERFCTR_READ_FORMAT,
	.exclude_kernel = 1,
	.exclude_hv = 1,
};

void perfctr_clock_open(struct perfctr_clock *clock)
{
	int error = errno;

	clock->tid = (pid_t)syscall(SYS_gettid);
	clock->exec = (struct perfctr_counter){ .fd = -1 };
	clock->event.page = NULL;
	clock->event.fd = perfctr_event_open(&clock_attr, 0, -1, -1);
	if (clock->event.fd >= 0 && perfctr_counter_map(&clock->event, PERFCTR_PAGE_CLOCK)) {
		clock->rate = perfctr_rate_from_page(clock->event.page->time_mult,
						     clock->event.page->time_shift);
	} else {
		perfctr_counter_close(&clock->event);
		clock->rate = perfctr_rate_from_khz(perfctr_tsc_khz());
	}
	errno = error;
}

/*
 * An event that execve(2) removes looks like one that waits for its thread. That it has been
 * removed is seen by another one, which the same execve(2) enables.
 */
int perfctr_clock_watch(struct perfctr_clock *clock, pid_t tid, bool until_exec)
{
	struct perf_event_attr attr = clock_attr, exec = clock_attr;

	clock->tid = tid;
	clock->rate = perfctr_rate_from_khz(perfctr_tsc_khz());
	clock->exec = (struct perfctr_counter){ .fd = -1 };
	attr.remove_on_exec = until_exec;
	if (perfctr_counter_open(&clock->event, &attr, "the TSC", tid, -1, NULL, 0) < 0)
		return -1;
	exec.disabled = exec.enable_on_exec = 1;
	if (!until_exec ||
	    perfctr_counter_open(&clock->exec, &exec, "the TSC", tid, -1, NULL, 0) == 0)
		return 0;
	perfctr_counter_close(&clock->event);
	return -1;
}

static bool has_executed(const struct perfctr_clock *clock)
{
	struct perfctr_group_values values;

	return clock->exec.fd >= 0 && perfctr_counter_read(&clock->exec, &values, 1) == 0 &&
	       values.enabled > 0;
}

int perfctr_clock_is_on(const struct perfctr_clock *clock)
{
	int fd;

	if (has_executed(clock))
		return 0;
	/* Only an event of the same thread may join the clock's group. */
	fd = perfctr_event_open(&clock_attr, clock->tid, -1, clock->event.fd);
	if (fd >= 0)
		return close(fd) == 0;
	if (errno == ESRCH || errno == EINVAL || errno == ENODEV)
		return 0;
	return perfctr_why_not(errno, &clock_attr, "the TSC", clock->tid, 0);
}

void perfctr_clock_close(struct perfctr_clock *clock)
{
	perfctr_counter_close(&clock->exec);
	perfctr_counter_close(&clock->event);
}

int perfctr_clock_read(const struct perfctr_clock *clock, bool own, uint64_t *ticks)
{
	struct perfctr_group_values values;
	uint64_t now, lag, ns;

	if (own && clock->event.page && perfctr_page_read_clock(clock->event.page, &now, &lag)) {
		*ticks = now - perfctr_rate_ticks(clock->rate, lag);
		return 0;
	}
	if (clock->event.fd >= 0) {
		if (perfctr_counter_read(&clock->event, &values, 1) != 0)
			return perfctr_fail(EIO, "the clock of thread %d can't be read",
					    (int)clock->tid);
		ns = values.enabled;
	} else {
		/* The CPU clock of one thread, by its id: <linux/posix-timers.h> CPUCLOCK_*. */
		ns = now_ns(own ? CLOCK_THREAD_CPUTIME_ID
				: (clockid_t)(~(unsigned int)clock->tid << 3 | 6));
		if (ns == UINT64_MAX)
			return perfctr_fail(ESRCH,
					    "the clock of thread %d can't be read: it has ended",
					    (int)clock->tid);
	}
	*ticks = perfctr_rate_ticks(clock->rate, ns);
	return 0;
}
