/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/* auxpmu.h - the data that auxpmu.ko writes, and that tests/vm/guest/aux_area.c expects */
#ifndef PERFCTR_TESTS_AUXPMU_H
#define PERFCTR_TESTS_AUXPMU_H

/* The nth byte: what stands at another place is another one, most of the time. */
static inline unsigned char auxpmu_byte(unsigned long long n)
{
	return (unsigned char)(n * 0x9E3779B97F4A7C15ull >> 56);
}

/* What is skipped, as SPE's driver does for alignment; no record tells of it. */
#define AUXPMU_PAD 0xEE

#endif /* PERFCTR_TESTS_AUXPMU_H */
