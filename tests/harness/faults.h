/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * faults.h - controls that count page faults. They stand in for the processor's events: they
 * overflow as those do, and can be made at will. The program is linked with --wrap of what is
 * defined here.
 */
#ifndef PERFCTR_TESTS_FAULTS_H
#define PERFCTR_TESTS_FAULTS_H

#include <linux/perf_event.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libperfctr.h"

int __wrap_perfctr_thread_control_check(const struct vperfctr_control *control);
int __wrap_perfctr_control_attr(const struct perfctr_cpu_control *control, unsigned int i,
				struct perf_event_attr *attr, char *name, size_t size);

int __wrap_perfctr_thread_control_check(const struct vperfctr_control *control)
{
	(void)control;
	return 0;
}

int __wrap_perfctr_control_attr(const struct perfctr_cpu_control *control, unsigned int i,
				struct perf_event_attr *attr, char *name, size_t size)
{
	(void)control, (void)i;
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_PAGE_FAULTS;
	attr->exclude_kernel = attr->exclude_hv = 1;
	snprintf(name, size, "page-faults");
	return 0;
}

/* n page faults, and perhaps a few. */
static inline void fault(unsigned int n)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(NULL, n * page, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int k;

	if (memory == MAP_FAILED)
		abort();
	/* Huge ones would make one fault of many. */
	madvise((void *)memory, n * page, MADV_NOHUGEPAGE);
	for (k = 0; k < n; k++)
		memory[k * page] = 1;
	munmap((void *)memory, n * page);
}

enum { PERIOD = 40 };

/* Each i-mode counter overflows after PERIOD. */
static inline struct vperfctr_control counting(unsigned int nractrs, unsigned int nrictrs)
{
	struct vperfctr_control control;
	unsigned int i;

	memset(&control, 0, sizeof(control));
	control.si_signo = SIGUSR1;
	control.cpu_control.tsc_on = 1;
	control.cpu_control.nractrs = nractrs;
	control.cpu_control.nrictrs = nrictrs;
	for (i = 0; i < nractrs + nrictrs; i++) {
		control.cpu_control.pmc_map[i] = i;
		control.cpu_control.ireset[i] = -PERIOD;
	}
	return control;
}

#endif /* PERFCTR_TESTS_FAULTS_H */
