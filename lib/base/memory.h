/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memory.h - memory that a child of fork() finds cleared */
#ifndef PERFCTR_LIB_BASE_MEMORY_H
#define PERFCTR_LIB_BASE_MEMORY_H

#include <stddef.h>
#include "lib/base/word.h"

/*
 * Maps size zeroed bytes that a child of fork() finds zeroed again (Linux 4.14 and later): the
 * resources that they describe, mapped pages above all, stay with the parent. NULL after
 * perfctr_fail(ENOMEM).
 */
void *perfctr_memory_map(size_t size);
/* Map memory that children of fork() share. NULL: no memory. errno is kept. */
void *perfctr_memory_share(size_t size);

void perfctr_memory_unmap(void *memory, size_t size);

/*
 * Does the same for what comes and goes: of at most PERFCTR_MEMORY_TAKEN bytes, some memory
 * that was given back is kept for the next ones, which saves system calls.
 */
#define PERFCTR_MEMORY_TAKEN 8192
void *perfctr_memory_take(size_t size);
void perfctr_memory_give(void *memory, size_t size);

/* Its address identifies the calling thread: it differs among all living threads. */
extern PERFCTR_THREAD char perfctr_thread_mark __attribute__((visibility("hidden")));

#endif /* PERFCTR_LIB_BASE_MEMORY_H */
