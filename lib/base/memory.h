/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* memory.h - memory that does not outlive a fork */
#ifndef PERFCTR_LIB_BASE_MEMORY_H
#define PERFCTR_LIB_BASE_MEMORY_H

#include <stddef.h>
#include "lib/base/word.h"

/*
 * size zeroed bytes that a child of fork() finds zeroed again (Linux 4.14 and later): what they
 * describe, mapped pages above all, stays with the parent. NULL after perfctr_fail(ENOMEM).
 */
void *perfctr_memory_map(size_t size);
void perfctr_memory_unmap(void *memory, size_t size);

/*
 * The same, of at most 4096 bytes, for what threads have that come and go: some of what they give
 * back is kept for the next ones, which costs no system call.
 */
void *perfctr_memory_take(size_t size);
void perfctr_memory_give(void *memory, size_t size);

/* Its address is the calling thread's own: different for all threads that live. */
extern PERFCTR_THREAD char perfctr_thread_mark __attribute__((visibility("hidden")));

#endif /* PERFCTR_LIB_BASE_MEMORY_H */
