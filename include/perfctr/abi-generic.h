/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * perfctr/abi-generic.h - the structures of every ISA that perfctr never ran on: arm64 and the
 * rest.
 *
 * On arm64 the words mean what PMUv3 says (Arm ARM, "The Performance Monitors Extension"):
 * evntsel[] and evntsel_high[] are the two halves of PMEVTYPERn_EL0, pmc_map[] is n, 31 the cycle
 * counter. On riscv64 pmc_map[] is n of csr 0xC00 + n, and of the 64 bits of an event select 61
 * (SINH) and 60 (UINH) exclude supervisor and user mode, as in Sscofpmf's mhpmevent; bits 47-0 are
 * the processor's own event code, or with bit 56 the SBI's number of an event, such as 1 for cycles
 * and 2 for instructions. On 64-bit PowerPC pmc_map[] is n of PMC(n+1), and of the 64 bits of an
 * event select 61 and 60 exclude the kernel and user mode; the rest is the kernel's raw event code,
 * whose bits 63 and 62 must be clear. Elsewhere evntsel[] and evntsel_high[] are the kernel's raw
 * event code. Include <perfctr/abi.h>, which picks the native ISA, unless you handle another ISA's
 * data.
 */
#ifndef PERFCTR_ABI_GENERIC_H
#define PERFCTR_ABI_GENERIC_H

/* Room in the per-counter arrays: 31 event counters and the cycle counter of PMUv3. */
#define PERFCTR_NR_CTRS 32

/* Counter values, as read calls deliver them. Only the counters in use are written or zeroed. */
struct perfctr_sum_ctrs {
	unsigned long long tsc;
	unsigned long long pmc[PERFCTR_NR_CTRS];
};

/*
 * The control: the events to count. Written by the user, only read by the kernel and the library.
 */
struct perfctr_cpu_control {
	unsigned int tsc_on;		       /* non-zero: sample the clock (CNTVCT on arm64) */
	unsigned int nractrs;		       /* counters [0, nractrs) accumulate (a-mode) */
	unsigned int nrictrs;		       /* the next nrictrs interrupt on overflow (i-mode) */
	unsigned int pmc_map[PERFCTR_NR_CTRS]; /* hardware counter number */
	unsigned int evntsel[PERFCTR_NR_CTRS]; /* event select, bits 31-0 */
	unsigned int evntsel_high[PERFCTR_NR_CTRS]; /* event select, bits 63-32 */
	int ireset[PERFCTR_NR_CTRS];		    /* i-mode (re)start values, < 0 */
	unsigned int _reserved1;		    /* ignored */
	unsigned int _reserved2;
	unsigned int _reserved3;
	unsigned int _reserved4;
};

/* The state page of a thread's counters. Written by the kernel, only read by the user. */
struct perfctr_cpu_state {
	unsigned int cstatus; /* see perfctr_mk_cstatus() */
	struct {	      /* opaque to users */
		unsigned int id;
		int isuspend_cpu;
	} k1;
	unsigned int tsc_start;	    /* clock, low half, when this period began */
	unsigned long long tsc_sum; /* clock ticks of all periods before it */
	struct {
		unsigned int map;	/* hardware counter number */
		unsigned int start;	/* counter, low half, when this period began */
		unsigned long long sum; /* events of all periods before it */
	} pmc[PERFCTR_NR_CTRS];		/* the size is not part of the user ABI */
#if defined(__KERNEL__) || defined(PERFCTR_KERNEL_STATE)
	struct perfctr_cpu_control control;
#endif
};

/* perfctr_info.cpu_type */
#define PERFCTR_GENERIC	     0 /* a clock, no counters */
#define PERFCTR_ARM64_PMUV3  1 /* any arm64 with PMUv3 */
#define PERFCTR_RISCV_SBI    2 /* any riscv64 with the SBI's PMU extension */
#define PERFCTR_POWER_ISA207 3 /* 64-bit PowerPC since POWER8 */

/* Version of the structures above; see PERFCTR_ABI_VERSION. */
#define PERFCTR_CPU_VERSION 0x0100 /* 1.0 */

#endif /* PERFCTR_ABI_GENERIC_H */
