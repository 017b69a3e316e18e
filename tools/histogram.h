/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * histogram.h - samples by place: the function, or else the offset, in the file that was mapped
 * where the sample was. Calls come in the order of what happened.
 */
#ifndef PERFCTR_TOOLS_HISTOGRAM_H
#define PERFCTR_TOOLS_HISTOGRAM_H

#include <stdint.h>
#include <stdio.h>

struct histogram;

struct map {
	uint64_t start, length, offset;
	size_t file;
};

struct histogram *histogram_new(void);

/* The number of a file, for struct map. */
size_t histogram_file(struct histogram *histogram, const char *name);

/* A process maps a file, is created with its parent's mappings, executes a program. */
void histogram_map(struct histogram *histogram, uint32_t pid, const struct map *map);
void histogram_fork(struct histogram *histogram, uint32_t pid, uint32_t parent);
void histogram_exec(struct histogram *histogram, uint32_t pid);

/* A sample at an address, or in the kernel. */
void histogram_count(struct histogram *histogram, uint32_t pid, uint64_t address);
void histogram_count_kernel(struct histogram *histogram);

uint64_t histogram_samples(const struct histogram *histogram);

/* The places with most samples, one by one, and the rest in a row; nothing if there are none. */
void histogram_print(struct histogram *histogram, FILE *file);

void histogram_free(struct histogram *histogram);

#endif /* PERFCTR_TOOLS_HISTOGRAM_H */
