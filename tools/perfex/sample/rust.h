/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * rust.h - decodes Rust's names, in both of their manglings, as rustc's own tool does, without the
 * hashes that differ from build to build.
 */
#ifndef PERFCTR_TOOLS_RUST_H
#define PERFCTR_TOOLS_RUST_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the decoded name, with a 0 at its end; false: it is not one of Rust's, or is too long. */
bool rust_demangle(const char *name, char *text, size_t size);

#endif /* PERFCTR_TOOLS_RUST_H */
