/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * topdown.h - the tree of top-down analysis that this processor has, by the names of its metrics:
 * its vendor's (tma_...), or the library's (topdown-...).
 */
#ifndef PERFCTR_TOOLS_TOPDOWN_H
#define PERFCTR_TOOLS_TOPDOWN_H

struct topdown;

/* The tree of a processor, by its id (NULL: this one); returns NULL if there is none. */
struct topdown *topdown_of(const char *cpu);

/* This processor's; exits if there is none. option is what asks for it. */
struct topdown *topdown_new(const char *option);

/* Names of all down to a level, with commas between, to be freed. */
char *topdown_names(const struct topdown *topdown, unsigned int level);

/* Names of all parts of those in a list of names, to be freed; NULL: they have none. */
char *topdown_parts(const struct topdown *topdown, const char *names);

/* How many levels it has. */
unsigned int topdown_levels(const struct topdown *topdown);

void topdown_free(struct topdown *topdown);

#endif /* PERFCTR_TOOLS_TOPDOWN_H */
