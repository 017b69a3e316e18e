// SPDX-License-Identifier: LGPL-2.1-or-later
/* The clock that perfctr_rdtsc() reads: its frequency, and ns in its ticks. */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "lib/base/file.h"
#include "lib/isa/tsc.h"
#include "libperfctr.h"
#include "perfctr/read.h"
#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#endif

/* 2^power / divisor, divisor > 0, in digits of 32 bits. */
static uint64_t power_over(unsigned int power, uint32_t divisor)
{
	unsigned int digits = power / 32;
	uint64_t rest = UINT64_C(1) << power % 32, quotient = rest / divisor;

	while (digits--) {
		if (quotient >> 32)
			return UINT64_MAX;
		rest = rest % divisor << 32;
		quotient = quotient << 32 | rest / divisor;
	}
	return quotient;
}

struct perfctr_rate perfctr_rate_from_page(uint32_t mult, unsigned int shift)
{
	/* ns = ticks * mult >> shift */
	struct perfctr_rate rate = { power_over(PERFCTR_RATE_BITS + shift, mult ? mult : 1) };

	return rate;
}

struct perfctr_rate perfctr_rate_from_khz(uint64_t khz)
{
	/* khz / 10^6, of which only the fraction needs care: khz < 2^34 or nonsense */
	struct perfctr_rate rate = {
		(khz / 1000000 << PERFCTR_RATE_BITS) +
			((khz % 1000000 << (PERFCTR_RATE_BITS - 24)) / 1000000 << 24) +
			(((khz % 1000000 << (PERFCTR_RATE_BITS - 24)) % 1000000 << 24) / 1000000),
	};

	return rate;
}

uint64_t perfctr_clock_ns(clockid_t id)
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

#if defined(__i386__) || defined(__x86_64__) || defined(__powerpc64__) || \
	(defined(__riscv) && __riscv_xlen == 64)

/* Measures the clock against the system's: 4 ms leave an error below 10^-5. */
static uint64_t measured_khz(void)
{
	uint64_t t0 = perfctr_clock_ns(CLOCK_MONOTONIC_RAW), c0 = perfctr_rdtsc(), t1, c1;

	do {
		t1 = perfctr_clock_ns(CLOCK_MONOTONIC_RAW);
		c1 = perfctr_rdtsc();
		if (t0 == UINT64_MAX || t1 == UINT64_MAX)
			return 0; /* a seccomp filter forbids it */
	} while (t1 - t0 < 4000000);
	return (c1 - c0) * 1000000 / (t1 - t0);
}

#endif

#if defined(__i386__) || defined(__x86_64__)

static uint64_t cpuid_khz(void)
{
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(0x15, &eax, &ebx, &ecx, &edx) ? perfctr_crystal_khz(eax, ebx, ecx) : 0;
}

static uint64_t native_khz(void)
{
	uint64_t khz = cpuid_khz();

	return khz ? khz : measured_khz();
}

#elif defined(__riscv) && __riscv_xlen == 64

/* Linux 6.11 and later report it (riscv_hwprobe(2), RISCV_HWPROBE_KEY_TIME_CSR_FREQ). */
static uint64_t native_khz(void)
{
	struct {
		int64_t key;
		uint64_t value;
	} frequency = { 8, 0 };
	long error = syscall(258, &frequency, (size_t)1, (size_t)0, NULL, 0u);

	return error == 0 && frequency.key == 8 && frequency.value >= 1000 ? frequency.value / 1000
									   : measured_khz();
}

#elif defined(__aarch64__)

static uint64_t native_khz(void)
{
	uint64_t hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return hz / 1000;
}

#elif defined(__powerpc64__)

/* /proc/cpuinfo tells it at its end, which is far away where there are hundreds of processors. */
static uint64_t native_khz(void)
{
	return measured_khz();
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
	/* It is measured once per process: every handle must use the same frequency. */
	static _Atomic uint32_t known;
	uint32_t khz = atomic_load(&known), nobody = 0;
	uint64_t found;
	int error = errno;

	if (!khz) {
		found = native_khz();
		errno = error; /* a look that finds nothing is no failure */
		khz = found && found <= UINT32_MAX ? (uint32_t)found : 1000000;
		if (!atomic_compare_exchange_strong(&known, &nobody, khz))
			khz = nobody; /* another thread was first */
	}
	return khz;
}
