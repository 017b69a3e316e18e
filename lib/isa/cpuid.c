// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads CPUID. It is a file of its own, since tests put other processors in its place. */
#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#include "arch/x86/cpuid.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "lib/isa/identify.h"
#include "libperfctr.h"

static inline void perfctr_cpuid_leaf(uint32_t leaf, uint32_t subleaf, uint32_t word[4])
{
	__cpuid_count(leaf, subleaf, word[0], word[1], word[2], word[3]);
}

void perfctr_cpuid_read(struct perfctr_cpuid *id)
{
	memset(id, 0, sizeof(*id));
	/* The first x86 processors have no CPUID. */
	if (__get_cpuid_max(0, NULL))
		perfctr_cpuid_all(id);
}
#else
typedef int perfctr_no_cpuid; /* a translation unit has something */
#endif
