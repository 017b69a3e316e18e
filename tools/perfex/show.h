/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* show.h - what perfex only tells, on standard output. Calls return 0, and exit on failure. */
#ifndef PERFCTR_TOOLS_SHOW_H
#define PERFCTR_TOOLS_SHOW_H

#include <stdbool.h>

int show_text(const char *text);

/*
 * -i, -l, -L. Of a list only names that have all the words, whatever their case, in name or
 * description (words ends with NULL; NULL itself: every name).
 */
int show_info(void);
int show_list(bool with_text, char *const words[]);

/* --cpu: another processor's events, or the control that counts the events of a list (or NULL). */
/* -M list: the metrics of the processor (NULL: this one). */
int show_metrics(const char *cpu);

int show_cpu(const char *cpu, const char *names, bool list, bool with_text, char *const words[]);

#endif /* PERFCTR_TOOLS_SHOW_H */
