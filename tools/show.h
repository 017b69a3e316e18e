/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* show.h - what perfex only tells, on standard output. Calls return 0, and exit on failure. */
#ifndef PERFCTR_TOOLS_SHOW_H
#define PERFCTR_TOOLS_SHOW_H

#include <stdbool.h>

int show_text(const char *text);

/* -i, -l, -L. */
int show_info(void);
int show_list(bool with_text);

/* --cpu: another processor's events, or the control that counts the events of a list (or NULL). */
int show_cpu(const char *cpu, const char *names, bool list, bool with_text);

#endif /* PERFCTR_TOOLS_SHOW_H */
