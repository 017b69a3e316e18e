/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* kind.h - the kind of a handle, see lib/base/head.h, and calls on a wrong one */
#ifndef PERFCTR_LIB_VIRTUAL_KIND_H
#define PERFCTR_LIB_VIRTUAL_KIND_H

#include "lib/base/head.h"

struct perfctr_head perfctr_head_of(enum perfctr_kind kind);

/*
 * Fails with EINVAL: the handle is not the one needed, such as "a set of perfctr_set_open()".
 * Returns -1.
 */
int perfctr_wrong_kind(const void *handle, const char *needed) __attribute__((cold));

#endif /* PERFCTR_LIB_VIRTUAL_KIND_H */
