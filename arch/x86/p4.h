/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* p4.h - the ESCRs that each counter of a Pentium 4 reaches. */
#ifndef PERFCTR_ARCH_P4_H
#define PERFCTR_ARCH_P4_H

#include "arch/cpu.h"

/* The MSR number of the ESCR that the counter reads with this ESCR SELECT; 0: none. */
uint32_t perfctr_p4_escr(unsigned int counter, unsigned int select);

#endif /* PERFCTR_ARCH_P4_H */
