// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/base/word.h"
#include "libperfctr.h"

/* These tell LeakSanitizer, if it is there, that handles in this memory point to other memory. */
void __lsan_register_root_region(const void *memory, size_t size) __attribute__((weak));
void __lsan_unregister_root_region(const void *memory, size_t size) __attribute__((weak));

void *perfctr_memory_map(size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error = errno;

	if (memory == MAP_FAILED) {
		perfctr_fail(ENOMEM, "no memory for %zu bytes", size);
		return NULL;
	}
	madvise(memory, size, MADV_WIPEONFORK);
	if (__lsan_register_root_region)
		__lsan_register_root_region(memory, size);
	errno = error;
	return memory;
}

void *perfctr_memory_share(size_t size)
{
	int error = errno;
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	errno = error;
	return memory == MAP_FAILED ? NULL : memory;
}

void perfctr_memory_unmap(void *memory, size_t size)
{
	int error = errno;

	if (!memory || !size)
		return;
	if (__lsan_unregister_root_region)
		__lsan_unregister_root_region(memory, size);
	munmap(memory, size);
	errno = error;
}

/*
 * Cleared, each in a place of its own: without a lock that a child of fork() might find held. The
 * child has the same pages.
 */
static _Atomic(void *) kept[64];

void *perfctr_memory_take(size_t size)
{
	void *memory;
	size_t i;

	if (size > PERFCTR_MEMORY_TAKEN)
		return perfctr_memory_map(size);
	for (i = 0; i < ARRAY_SIZE(kept); i++) {
		if (!atomic_load_explicit(&kept[i], memory_order_relaxed))
			continue;
		memory = atomic_exchange(&kept[i], NULL);
		if (memory)
			return memory;
	}
	return perfctr_memory_map(PERFCTR_MEMORY_TAKEN);
}

void perfctr_memory_give(void *memory, size_t size)
{
	void *none;
	size_t i;

	if (size > PERFCTR_MEMORY_TAKEN) {
		perfctr_memory_unmap(memory, size);
		return;
	}
	memset(memory, 0, size);
	for (i = 0; i < ARRAY_SIZE(kept); i++) {
		none = NULL;
		if (atomic_compare_exchange_strong(&kept[i], &none, memory))
			return;
	}
	perfctr_memory_unmap(memory, PERFCTR_MEMORY_TAKEN);
}

PERFCTR_THREAD char perfctr_thread_mark;
