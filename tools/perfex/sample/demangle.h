/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * demangle.h - decodes C++ names, by this machine's C++ library, and Rust's. The library is not
 * safe against malicious names, so another process calls it.
 */
#ifndef PERFCTR_TOOLS_DEMANGLE_H
#define PERFCTR_TOOLS_DEMANGLE_H

#include <stddef.h>

/* Returns the decoded name, or a copy if it is in neither language; the caller frees it. */
char *demangle(const char *name);

/* Decodes many by few questions; the caller frees each text. */
void demangle_all(const char *const *names, char **texts, size_t n);

/* Ends the process, until the next name. */
void demangle_end(void);

#endif /* PERFCTR_TOOLS_DEMANGLE_H */
