/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * perfctr/abi-powerpc.h - the structures of PowerPC.
 *
 * Layout: "PERFCTRS PPC32 LOW-LEVEL API" of the perfctr 2.7 documentation (2004).
 * Include <perfctr/abi.h>, which picks the native ISA, unless you handle another ISA's data.
 */
#ifndef PERFCTR_ABI_POWERPC_H
#define PERFCTR_ABI_POWERPC_H

/* Room in the per-counter arrays; a 7450 has six counters. */
#define PERFCTR_NR_CTRS 8

/* Counter values, as read calls deliver them. Only the counters in use are written or zeroed. */
struct perfctr_sum_ctrs {
	unsigned long long tsc;
	unsigned long long pmc[PERFCTR_NR_CTRS];
};

/*
 * The control: the events to count. Written by the user, only read by the kernel and the library.
 */
struct perfctr_cpu_control {
	unsigned int tsc_on;		       /* non-zero: sample the time base */
	unsigned int nractrs;		       /* counters [0, nractrs) accumulate (a-mode) */
	unsigned int nrictrs;		       /* the next nrictrs interrupt on overflow (i-mode) */
	unsigned int pmc_map[PERFCTR_NR_CTRS]; /* counter number, 0 to 5 (PMC1 to PMC6) */
	unsigned int evntsel[PERFCTR_NR_CTRS]; /* the PMCnSEL field of that counter */
	int ireset[PERFCTR_NR_CTRS];	       /* i-mode (re)start values, [0, 0x7fffffff] */
	struct {
		unsigned int mmcr0; /* without PMC1SEL and PMC2SEL */
		unsigned int mmcr2; /* only THRESHMULT */
	} ppc;
	unsigned int _reserved1; /* ignored */
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
	unsigned int tsc_start;	    /* time base, low half, when this period began */
	unsigned long long tsc_sum; /* time base ticks of all periods before it */
	struct {
		unsigned int map;	/* counter number */
		unsigned int start;	/* counter when this period began */
		unsigned long long sum; /* events of all periods before it */
	} pmc[PERFCTR_NR_CTRS];		/* the size is not part of the user ABI */
#if defined(__KERNEL__) || defined(PERFCTR_KERNEL_STATE)
	unsigned int ppc_mmcr[3]; /* MMCR0, MMCR1, MMCR2 */
	struct perfctr_cpu_control control;
#endif
};

/* perfctr_info.cpu_type: perfctr's historical numbers. */
#define PERFCTR_PPC_GENERIC 0 /* any PowerPC with a time base */
#define PERFCTR_PPC_604	    1
#define PERFCTR_PPC_604e    2
#define PERFCTR_PPC_750	    3
#define PERFCTR_PPC_7400    4
#define PERFCTR_PPC_7450    5

/* Version of the structures above; see PERFCTR_ABI_VERSION. */
#define PERFCTR_CPU_VERSION 0x0501 /* 5.1 */

#endif /* PERFCTR_ABI_POWERPC_H */
