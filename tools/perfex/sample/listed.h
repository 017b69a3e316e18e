/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* listed.h - names of functions in lists: the kernel's, and those of JIT compilers. */
#ifndef PERFCTR_TOOLS_LISTED_H
#define PERFCTR_TOOLS_LISTED_H

#include <sys/types.h>
#include "tools/perfex/sample/symbols.h"

/* /proc/kallsyms; without any if this user may not see where they are. */
struct symbols *listed_kernel(void);

/*
 * /tmp/perf-PID.map, which a compiler writes for its process; without any if the file is not the
 * process' owner's, or perfex' user's, or others may write it.
 */
struct symbols *listed_process(uint32_t pid, uid_t owner);

#endif /* PERFCTR_TOOLS_LISTED_H */
