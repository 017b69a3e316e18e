/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sample.h - --sample: where the command is when an event happens. */
#ifndef PERFCTR_TOOLS_SAMPLE_H
#define PERFCTR_TOOLS_SAMPLE_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct sampling;

/* event may be NULL, period and frequency 0; exits on bad input. */
struct sampling *sampling_new(const char *event, uint64_t period, uint64_t frequency);

/* Sample the process from its exec on; exits on failure. */
void sampling_open(struct sampling *sampling, pid_t pid);

/* Take what has been recorded out of the kernel's buffers. */
void sampling_read(struct sampling *sampling);

void sampling_print(struct sampling *sampling, FILE *file, char **command);
void sampling_free(struct sampling *sampling);

#endif /* PERFCTR_TOOLS_SAMPLE_H */
