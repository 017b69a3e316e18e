/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sources.h - counts samples by the source of their data, in the library's words, and adds up their
 * weights.
 */
#ifndef PERFCTR_TOOLS_SOURCES_H
#define PERFCTR_TOOLS_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct source {
	uint64_t count; /* 0: free */
	uint64_t data_src;
	double weight; /* sum over all */
	bool silent;   /* it does not say where */
};

struct sources {
	struct source *source; /* a hash table of a size that is a power of two */
	size_t used, size;
	uint64_t samples, silent; /* all; those that do not say it */
};

/* A sample's data_src, and its weight in cycles. */
void sources_count(struct sources *sources, uint64_t data_src, uint32_t weight);

/* The most frequent first; nothing if there are none. */
void sources_print(const struct sources *sources, FILE *file);

void sources_free(struct sources *sources);

#endif /* PERFCTR_TOOLS_SOURCES_H */
