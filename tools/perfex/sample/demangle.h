/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * demangle.h - decodes C++ names, by this machine's C++ library. The library is not safe against
 * malicious names, so another process calls it.
 */
#ifndef PERFCTR_TOOLS_DEMANGLE_H
#define PERFCTR_TOOLS_DEMANGLE_H

/* Returns the decoded name, or a copy if it is not C++'s; the caller frees it. */
char *demangle(const char *name);

/* There are no more. */
void demangle_end(void);

#endif /* PERFCTR_TOOLS_DEMANGLE_H */
