/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * kallsyms.h - reads function names that the kernel lists in /proc/kallsyms, and JIT compilers in
 * the map files that perf reads.
 */
#ifndef PERFCTR_TOOLS_KALLSYMS_H
#define PERFCTR_TOOLS_KALLSYMS_H

#include <stdio.h>
#include <sys/types.h>
#include "tools/perfex/sample/symbols.h"
#include "tools/perfex/sample/view.h"

/* /proc/kallsyms; without any if this user may not see where they are. */
struct symbols *kallsyms_read(void);

/*
 * Opens /tmp/perf-PID.map, which a compiler writes for its process, by the number that the process
 * has for itself, in its view. NULL: there is none, its owner is neither the process's nor perfex's
 * user, or others may write it.
 */
FILE *kallsyms_open_jit(const struct view *view, uint32_t inner_pid, uid_t owner);

/*
 * Reads it, if it is not NULL, and closes it. Of several lines that have an address the last one is
 * taken. *old becomes the rank of the first line that begins after the first "size" bytes.
 */
struct symbols *kallsyms_read_jit(FILE *file, off_t size, int *old);

#endif /* PERFCTR_TOOLS_KALLSYMS_H */
