/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * perfctr/abi.h - the structures that kernel and user space share.
 *
 * A translation unit sees the structures of exactly one ISA: its own, or, in code that handles
 * another ISA's data, the one whose header it included first. Structures grow at their end only.
 */
#ifndef PERFCTR_ABI_H
#define PERFCTR_ABI_H

#if defined(PERFCTR_ABI_X86_H) || defined(PERFCTR_ABI_POWERPC_H) || defined(PERFCTR_ABI_GENERIC_H)
/* the includer chose */
#elif defined(__i386__) || defined(__x86_64__)
#include <perfctr/abi-x86.h>
#elif defined(__powerpc__) && !defined(__powerpc64__)
#include <perfctr/abi-powerpc.h>
#else
#include <perfctr/abi-generic.h>
#endif

/* The abilities of the processor and the provider. Written by the provider. */
struct perfctr_info {
	unsigned int abi_version;     /* PERFCTR_ABI_VERSION of the provider */
	char driver_version[32];      /* a string */
	unsigned int cpu_type;	      /* PERFCTR_X86_*, PERFCTR_PPC_*, ... */
	unsigned int cpu_features;    /* PERFCTR_FEATURE_* */
	unsigned int cpu_khz;	      /* core clock; 0 if not known */
	unsigned int tsc_to_cpu_mult; /* core clocks per TSC tick; 0 if not known */
	unsigned int _reserved2;
	unsigned int _reserved3;
	unsigned int _reserved4;
};

/* perfctr_info.cpu_features */
#define PERFCTR_FEATURE_RDPMC 0x01 /* counters can be read in user space */
#define PERFCTR_FEATURE_RDTSC 0x02 /* the clock can be read in user space */
#define PERFCTR_FEATURE_PCINT 0x04 /* counters can interrupt on overflow */

/*
 * A set of processors. The caller sets nrwords to the room in mask[]; the provider sets it to the
 * words needed, and fails with EOVERFLOW if that is more than the room.
 */
struct perfctr_cpu_mask {
	unsigned int nrwords;
	unsigned int mask[1]; /* nrwords of them; processor n: bit n % 32 of mask[n / 32] */
};

/* The user's view of a mapped state. */
struct vperfctr_state {
	struct perfctr_cpu_state cpu_state;
};

/* Parameter of vperfctr_control(). Clear all of it before setting members. */
struct vperfctr_control {
	int si_signo; /* signal on i-mode overflow */
	struct perfctr_cpu_control cpu_control;
	unsigned int preserve;	 /* bit n: counter n keeps its sum */
	unsigned int flags;	 /* VPERFCTR_CONTROL_* */
	unsigned int _reserved2; /* ignored */
	unsigned int _reserved3;
	unsigned int _reserved4;
};

/* vperfctr_control.flags */
#define VPERFCTR_CONTROL_CLOEXEC 0x01 /* unlink the state on exec */
#define VPERFCTR_CONTROL_EXTENDED \
	0x02 /* members that lie in words which perfctr 2.6 reserved count */

/* Parameter of gperfctr_control(). */
struct gperfctr_cpu_control {
	unsigned int cpu;
	struct perfctr_cpu_control cpu_control;
	unsigned int _reserved1; /* ignored */
	unsigned int _reserved2;
	unsigned int _reserved3;
	unsigned int _reserved4;
};

/* Result of gperfctr_read(). */
struct gperfctr_cpu_state {
	unsigned int cpu;
	struct perfctr_cpu_control cpu_control;
	struct perfctr_sum_ctrs sum;
	unsigned int _reserved1;
	unsigned int _reserved2;
	unsigned int _reserved3;
	unsigned int _reserved4;
};

/*
 * perfctr_info.abi_version: the API's version in the upper half, the ISA's structures' version in
 * the lower, each major << 8 | minor. The same major means compatible. It is the version of the
 * structures and of their meaning, perfctr 2.6.42's, for which programs ask. The calls from the
 * library to the driver (<perfctr/calls.h>) are not part of it: perfctr 2.6's driver does not know
 * these calls, nor does this one know 2.6's.
 */
#define PERFCTR_API_VERSION 0x0502 /* 5.2 */
#define PERFCTR_ABI_VERSION ((unsigned int)PERFCTR_API_VERSION << 16 | PERFCTR_CPU_VERSION)

/*
 * cstatus re-encodes tsc_on, nractrs and nrictrs for cheap tests:
 * bit 31 TSC; bits 22-16 non-zero if there are i-mode counters; bits 14-8 all counters; bits 6-0
 * a-mode counters. Zero means that nothing runs.
 */
static __inline__ unsigned int __perfctr_mk_cstatus(unsigned int tsc_on, unsigned int have_ictrs,
						    unsigned int nrictrs, unsigned int nractrs)
{
	return (tsc_on ? 1u << 31 : 0) | have_ictrs << 16 | (nractrs + nrictrs) << 8 | nractrs;
}

static __inline__ unsigned int perfctr_mk_cstatus(unsigned int tsc_on, unsigned int nractrs,
						  unsigned int nrictrs)
{
	return __perfctr_mk_cstatus(tsc_on, nrictrs, nrictrs, nractrs);
}

static __inline__ unsigned int perfctr_cstatus_enabled(unsigned int cstatus)
{
	return cstatus;
}

static __inline__ int perfctr_cstatus_has_tsc(unsigned int cstatus)
{
	return (cstatus >> 31) != 0;
}

static __inline__ unsigned int perfctr_cstatus_nractrs(unsigned int cstatus)
{
	return cstatus & 0x7F;
}

static __inline__ unsigned int perfctr_cstatus_nrctrs(unsigned int cstatus)
{
	return cstatus >> 8 & 0x7F;
}

static __inline__ unsigned int perfctr_cstatus_has_ictrs(unsigned int cstatus)
{
	return cstatus & 0x7Fu << 16;
}

/*
 * The overflow signal: si_code is SI_PMC_OVF, and the first word of the siginfo's payload is the
 * mask of overflowed counters: in any C library's siginfo_t the word that is si_pid in other
 * signals.
 */
#define SI_PMC_OVF	('P')
#define si_pmc_ovf_mask si_pid

#endif /* PERFCTR_ABI_H */
