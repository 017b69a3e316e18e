/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* beside.h - commands that belong to a run and are not counted, such as "make clean". */
#ifndef PERFCTR_TOOLS_BESIDE_H
#define PERFCTR_TOOLS_BESIDE_H

#include <stdbool.h>

/*
 * Runs the shell command that the option --pre or --post has, NULL: none. False: it failed, which
 * was reported.
 */
bool run_beside(const char *option, const char *command);

#endif /* PERFCTR_TOOLS_BESIDE_H */
