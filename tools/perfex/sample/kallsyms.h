/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kallsyms.h - reads function names that the kernel lists in /proc/kallsyms, and JIT compilers in
 * the map files that perf reads.
 */
#ifndef PERFCTR_TOOLS_KALLSYMS_H
#define PERFCTR_TOOLS_KALLSYMS_H

#include <sys/types.h>
#include "tools/perfex/sample/symbols.h"

/* /proc/kallsyms; without any if this user may not see where they are. */
struct symbols *kallsyms_read(void);

/*
 * Reads /tmp/perf-PID.map, which a compiler writes for its process. There are no names if the
 * file's owner is neither the process's nor perfex's user, or if others may write it.
 */
struct symbols *kallsyms_read_jit(uint32_t pid, uid_t owner);

#endif /* PERFCTR_TOOLS_KALLSYMS_H */
