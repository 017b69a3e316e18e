/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tsc.h - the clock that perfctr_rdtsc() reads: its frequency, and ns in its ticks */
#ifndef PERFCTR_LIB_ISA_TSC_H
#define PERFCTR_LIB_ISA_TSC_H

#include <stdint.h>
#include <sys/types.h>

/* Ticks per ns as a fixed-point number with PERFCTR_RATE_BITS bits after the point. */
#define PERFCTR_RATE_BITS 60
struct perfctr_rate {
	uint64_t ticks_per_ns;
};
struct perfctr_rate perfctr_rate_from_khz(uint64_t khz);
struct perfctr_rate perfctr_rate_from_page(uint32_t mult, unsigned int shift);

static inline uint64_t perfctr_rate_ticks(struct perfctr_rate rate, uint64_t ns)
{
#ifdef __SIZEOF_INT128__
	return (uint64_t)((unsigned __int128)ns * rate.ticks_per_ns >> PERFCTR_RATE_BITS);
#else
	uint64_t a0 = (uint32_t)ns, a1 = ns >> 32;
	uint64_t b0 = (uint32_t)rate.ticks_per_ns, b1 = rate.ticks_per_ns >> 32;
	uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32),
		 middle2 = a0 * b1 + (uint32_t)middle;
	uint64_t high = a1 * b1 + (middle >> 32) + (middle2 >> 32);

	low = middle2 << 32 | (uint32_t)low;
	return high << (64 - PERFCTR_RATE_BITS) | low >> PERFCTR_RATE_BITS;
#endif
}

/* Reads a clock of the kernel, in ns. UINT64_MAX: there is none, or its thread has ended. */
uint64_t perfctr_clock_ns(clockid_t id);

/* Frequency of the clock that perfctr_rdtsc() reads; 1000000 (ns) if there is none. */
uint64_t perfctr_tsc_khz(void);

/*
 * Computes the frequency from CPUID leaf 15H, SDM vol. 3B 19.7.3: crystal (ECX, Hz) * EBX / EAX. 0:
 * unknown.
 */
uint64_t perfctr_crystal_khz(uint32_t eax, uint32_t ebx, uint32_t ecx);

#endif /* PERFCTR_LIB_ISA_TSC_H */
