/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* units.h - the PMUs that one name means, such as a machine's memory controllers */
#ifndef PERFCTR_LIB_NAMES_UNITS_H
#define PERFCTR_LIB_NAMES_UNITS_H

#include <stddef.h>
#include "lib/base/file.h"

struct perfctr_units {
	unsigned int n;
	char (*name)[PERFCTR_NAME_SIZE]; /* in the order of their numbers */
};

/*
 * Finds the PMUs of this machine that are called as the word says and a number, as uncore_imc_0 and
 * uncore_imc_1 are by "uncore_imc"; or that match it, if it is a pattern as the shell's. "uncore_"
 * may be left out. 0, perhaps without any; or -1 after perfctr_fail(ENOMEM).
 */
int perfctr_units_find(const char *word, size_t length, struct perfctr_units *units);
void perfctr_units_free(struct perfctr_units *units); /* errno is kept */

#endif /* PERFCTR_LIB_NAMES_UNITS_H */
