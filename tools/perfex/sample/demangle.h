/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * demangle.h - C++'s names as its programmers write them, by the C++ library that this machine has.
 * The library was not made for names that want to harm it, so another process calls it.
 */
#ifndef PERFCTR_TOOLS_DEMANGLE_H
#define PERFCTR_TOOLS_DEMANGLE_H

/* The name, or as it is if it is none of C++'s; to be freed. */
char *demangle(const char *name);

/* There are no more. */
void demangle_end(void);

#endif /* PERFCTR_TOOLS_DEMANGLE_H */
