/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * perfctr/abi-x86.h - the structures of 32- and 64-bit x86.
 *
 * Layout: "PERFCTRS X86 LOW-LEVEL API" of the perfctr 2.7 documentation (2004). One layout serves
 * 32- and 64-bit programs: every 64-bit member lies on a multiple of 8 by construction.
 * Include <perfctr/abi.h>, which picks the native ISA, unless you handle another ISA's data.
 */
#ifndef PERFCTR_ABI_X86_H
#define PERFCTR_ABI_X86_H

/* Room in the per-counter arrays; a Pentium 4 has this many counters. */
#define PERFCTR_NR_CTRS 18

/* Counter values, as read calls deliver them. Only the counters in use are written or zeroed. */
struct perfctr_sum_ctrs {
	unsigned long long tsc;
	unsigned long long pmc[PERFCTR_NR_CTRS];
};

/*
 * The control: the events to count. Written by the user, only read by the kernel and the library.
 */
struct perfctr_cpu_control {
	unsigned int tsc_on;		       /* non-zero: sample the TSC */
	unsigned int nractrs;		       /* counters [0, nractrs) accumulate (a-mode) */
	unsigned int nrictrs;		       /* the next nrictrs interrupt on overflow (i-mode) */
	unsigned int pmc_map[PERFCTR_NR_CTRS]; /* RDPMC number of each counter */
	unsigned int evntsel[PERFCTR_NR_CTRS]; /* event select; CCCR on P4; half a CESR on P5 */
	__extension__ union {
		struct {
			unsigned int escr[PERFCTR_NR_CTRS]; /* P4: ESCR of each counter */
			unsigned int pebs_enable;	    /* P4: replay tagging */
			unsigned int pebs_matrix_vert;	    /* P4: replay tagging */
		} p4;
		__extension__ struct {
			/* AMD family 10h and later: bits 63-32 of each event select */
			unsigned int evntsel_high[PERFCTR_NR_CTRS];
			/*
			 * Intel Nehalem and later: MSR_OFFCORE_RSP_0 and _1; Nova Lake: OMR_0 and
			 * _2, OMR_1 and _3
			 */
			unsigned int offcore_rsp[2];
		};
		struct {
			unsigned int _padding[PERFCTR_NR_CTRS];
			unsigned int offcore_rsp[2]; /* the same under 2.6's name */
		} nhlm;
	};
	int ireset[PERFCTR_NR_CTRS]; /* i-mode (re)start values, < 0 */
	__extension__ union {
		__extension__ struct {
			unsigned int _reserved1; /* ignored, but... */
			unsigned int _reserved2;
			unsigned int _reserved3;
			unsigned int _reserved4;
		};
		__extension__ struct {
			/*
			 * ...with VPERFCTR_CONTROL_EXTENDED, on Intel Sandy Bridge and later: the
			 * upper halves of offcore_rsp[],
			 */
			unsigned int offcore_rsp_high[2];
			/* and on Skylake and later MSR_PEBS_FRONTEND, of FRONTEND_RETIRED's events
			 */
			unsigned int pebs_frontend;
		};
	};
};

/* The state page of a thread's counters. Written by the kernel, only read by the user. */
struct perfctr_cpu_state {
	unsigned int cstatus; /* see perfctr_mk_cstatus() */
	struct {	      /* opaque to users */
		unsigned int id;
		int isuspend_cpu;
	} k1;
	/* These are not in a sub-struct, since x86-64 would pad it. */
	unsigned int tsc_start;	    /* TSC, low half, when this period began */
	unsigned long long tsc_sum; /* TSC ticks of all periods before it */
	struct {
		unsigned int map;	/* RDPMC number */
		unsigned int start;	/* counter, low half, when this period began */
		unsigned long long sum; /* events of all periods before it */
	} pmc[PERFCTR_NR_CTRS];		/* the size is not part of the user ABI */
#if defined(__KERNEL__) || defined(PERFCTR_KERNEL_STATE)
	struct perfctr_cpu_control control;
	unsigned int p4_escr_map[PERFCTR_NR_CTRS]; /* MSR number of each counter's ESCR */
#endif
};

/* perfctr_info.cpu_type. The first 24 are perfctr's historical numbers. */
#define PERFCTR_X86_GENERIC	 0 /* any x86 with rdtsc */
#define PERFCTR_X86_INTEL_P5	 1 /* no rdpmc */
#define PERFCTR_X86_INTEL_P5MMX	 2
#define PERFCTR_X86_INTEL_P6	 3
#define PERFCTR_X86_INTEL_PII	 4
#define PERFCTR_X86_INTEL_PIII	 5
#define PERFCTR_X86_CYRIX_MII	 6
#define PERFCTR_X86_WINCHIP_C6	 7 /* no rdtsc */
#define PERFCTR_X86_WINCHIP_2	 8 /* no rdtsc */
#define PERFCTR_X86_AMD_K7	 9
#define PERFCTR_X86_VIA_C3	 10 /* no pmc0 */
#define PERFCTR_X86_INTEL_P4	 11 /* model 0 and 1 */
#define PERFCTR_X86_INTEL_P4M2	 12 /* model 2 */
#define PERFCTR_X86_AMD_K8	 13
#define PERFCTR_X86_INTEL_PENTM	 14 /* Pentium M */
#define PERFCTR_X86_AMD_K8C	 15 /* revision C */
#define PERFCTR_X86_INTEL_P4M3	 16 /* model 3 and above */
#define PERFCTR_X86_INTEL_CORE	 17
#define PERFCTR_X86_INTEL_CORE2	 18
#define PERFCTR_X86_AMD_FAM10H	 19
#define PERFCTR_X86_AMD_FAM10	 PERFCTR_X86_AMD_FAM10H
#define PERFCTR_X86_INTEL_ATOM	 20
#define PERFCTR_X86_INTEL_NHLM	 21
#define PERFCTR_X86_INTEL_COREI7 PERFCTR_X86_INTEL_NHLM
#define PERFCTR_X86_INTEL_WSTMR	 22
#define PERFCTR_X86_INTEL_SNB	 23
#define PERFCTR_X86_INTEL_ARCH	 24 /* other Intel with architectural counters (CPUID 0AH) */
#define PERFCTR_X86_AMD_CORE	 25 /* AMD and Hygon family 15h and later */

/* Version of the structures above; see PERFCTR_ABI_VERSION. */
#define PERFCTR_CPU_VERSION 0x0501 /* 5.1 */

#endif /* PERFCTR_ABI_X86_H */
