/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ways.h - chains of calls by names: names are decoded and written once each, and chains with the
 * same names are put together.
 */
#ifndef PERFCTR_TOOLS_WAYS_H
#define PERFCTR_TOOLS_WAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/perfex/sample/stacks.h"

/* Between a process's and its thread's names, in one text. */
#define WAYS_BETWEEN '\x01'

struct ways;

/* What a name is of: flame graphs expect a mark after the last two, and brackets around a file. */
enum way_kind { WAY_FUNCTION, WAY_FILE, WAY_KERNEL, WAY_INLINED };

/* Begins with chains, and the names of processes by the numbers in these. Both stay. */
struct ways *ways_new(const struct stacks *stacks, char **names, size_t n);

/*
 * A frame has a name, as linkers know it. Functions that are inlined in it follow, the outermost
 * first; and then other frames.
 */
void ways_name(struct ways *ways, uint32_t frame, enum way_kind kind, const char *name);

/* There are no more names. */
void ways_end(struct ways *ways);

typedef void ways_way(void *arg, char *way, uint64_t samples, uint64_t events);

/* See histogram_ways(). */
void ways_each(const struct ways *ways, bool threads, ways_way *each, void *arg);

void ways_free(struct ways *ways);

#endif /* PERFCTR_TOOLS_WAYS_H */
