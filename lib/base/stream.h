/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stream.h - descriptors of this process that have the names of files, such as /dev/stdout */
#ifndef PERFCTR_LIB_BASE_STREAM_H
#define PERFCTR_LIB_BASE_STREAM_H

/*
 * Returns the descriptor that a name stands for, itself or by symbolic links; -1: none. It need not
 * be open. It can't be opened again by its name if it is a socket; a file can, but then has two
 * positions, and what is written at one overwrites what was written at the other.
 */
int perfctr_stream_named(const char *name);

#endif /* PERFCTR_LIB_BASE_STREAM_H */
