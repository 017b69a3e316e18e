/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * sprs.h - the special purpose registers (SPRs) that programs may name.
 *
 * An instruction has its register's number in it, so that access by number needs an instruction for
 * each register. This is the one list for it: rules can use only names that are in it.
 */
#ifndef PERFCTR_ARCH_POWERPC_SPRS_H
#define PERFCTR_ARCH_POWERPC_SPRS_H

/* clang-format off */
#define PERFCTR_SPRS(X) \
	X(MMCR2, 944) X(PMC5, 945) X(PMC6, 946) X(BAMR, 951) X(MMCR0, 952) X(PMC1, 953) \
	X(PMC2, 954) X(MMCR1, 956) X(PMC3, 957) X(PMC4, 958)

#define PERFCTR_SPR_PMCS { SPR_PMC1, SPR_PMC2, SPR_PMC3, SPR_PMC4, SPR_PMC5, SPR_PMC6 }
/* clang-format on */

#define PERFCTR_SPR(name, number) SPR_##name = number,
enum { PERFCTR_SPRS(PERFCTR_SPR) };
#undef PERFCTR_SPR

#endif /* PERFCTR_ARCH_POWERPC_SPRS_H */
