/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * sources.h - counts samples by the source of their data, in the library's words, and adds up their
 * weights: each as often as the sample stands for an event.
 */
#ifndef PERFCTR_TOOLS_SOURCES_H
#define PERFCTR_TOOLS_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct source {
	uint64_t count; /* 0: free */
	uint64_t events;
	uint64_t data_src;
	double weight; /* sum over all events */
	bool silent;   /* it does not say where */
};

struct sources {
	struct source *source; /* a hash table of a size that is a power of two */
	size_t used, size;
	uint64_t samples, silent; /* all; those that do not say it */
	uint64_t events;
};

/* A sample's data_src, its weight in cycles, and the events that it stands for. */
void sources_count(struct sources *sources, uint64_t data_src, uint32_t weight, uint64_t events);

/* The most frequent first; nothing if there are none. */
void sources_print(const struct sources *sources, FILE *file);

void sources_free(struct sources *sources);

#endif /* PERFCTR_TOOLS_SOURCES_H */
