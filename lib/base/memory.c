// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "libperfctr.h"

/* LeakSanitizer, where there is one, is to find what handles in this memory point to. */
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

PERFCTR_THREAD char perfctr_thread_mark;
