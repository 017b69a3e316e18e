/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * msrs.h - numbers of model-specific registers that more than one file uses; rules.h has the rest.
 */
#ifndef PERFCTR_ARCH_MSRS_H
#define PERFCTR_ARCH_MSRS_H

#define CESR	      0x11  /* P5: both event selects */
#define CTR0	      0x12  /* P5: the first counter */
#define PERFCTR0      0xC1  /* P6 and its successors */
#define EVNTSEL0      0x186 /* the same */
#define OFFCORE_RSP0  0x1A6
#define OFFCORE_RSP1  0x1A7
#define P4_COUNTER0   0x300
#define PEBS_LD_LAT   0x3F6
#define PEBS_FRONTEND 0x3F7
#define OMR_0	      0x3E0 /* off-module responses: this and three more */

#endif /* PERFCTR_ARCH_MSRS_H */
