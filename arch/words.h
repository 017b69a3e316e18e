/* SPDX-License-Identifier: LGPL-2.1-or-later OR GPL-2.0-only */
/*
 * words.h - checks that library and driver share: the words around a control's counters, and
 * versions. perfctr_<isa>_compile() checks the counters.
 */
#ifndef PERFCTR_ARCH_WORDS_H
#define PERFCTR_ARCH_WORDS_H

#include <perfctr/abi.h>

/*
 * The major halves of an ABI version, of the API and of the structures, are those of this release.
 */
static inline int perfctr_abi_is_ours(unsigned int abi_version)
{
	return ((abi_version ^ PERFCTR_ABI_VERSION) & 0xFF00FF00) == 0;
}

/* Whether all flags are known. */
static inline int perfctr_control_has_known_flags(const struct vperfctr_control *control)
{
	const unsigned int known = VPERFCTR_CONTROL_CLOEXEC | VPERFCTR_CONTROL_EXTENDED;

	return !(control->flags & ~known);
}

/* There is a signal for i-mode counters, if there are any. last: the highest number of a signal. */
static inline int perfctr_control_has_signal(const struct vperfctr_control *control, int last)
{
	return !control->cpu_control.nrictrs ||
	       (control->si_signo >= 1 && control->si_signo <= last);
}

#endif /* PERFCTR_ARCH_WORDS_H */
