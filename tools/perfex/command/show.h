/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * show.h - prints information that needs no counting, on standard output. Calls return 0, and exit
 * on failure.
 */
#ifndef PERFCTR_TOOLS_SHOW_H
#define PERFCTR_TOOLS_SHOW_H

#include <stdbool.h>
#include "tools/perfex/command/table.h"

int show_text(const char *text);

/* Carries out --help: what people use every day, all, or what completions read. */
int show_help(enum help help);

/*
 * Carry out -i, -l, -L. A list has only the names that contain all words, in name or description
 * and in any case (words ends with NULL; NULL itself: every name).
 */
int show_info(void);
int show_list(bool with_text, char *const words[]);

/*
 * Carries out --cpu: prints another processor's events, or the control that counts the events of a
 * list (or NULL).
 */
/* Carries out -M list: prints the metrics of the processor (NULL: this one). */
int show_metrics(const char *cpu);

int show_cpu(const char *cpu, const char *names, bool list, bool with_text, char *const words[]);

#endif /* PERFCTR_TOOLS_SHOW_H */
