// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What this machine's kernel can count, asked of it: whether there is a PMU, whether it knows a bit
 * of struct perf_event_attr.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include "arch/cpu.h"
#include "lib/base/call.h"
#include "lib/perf/probe.h"
#include "lib/perf/sys.h"
#include "libperfctr.h"
#if defined(__i386__) || defined(__x86_64__)
#include <cpuid.h>
#endif

static bool on_hypervisor(void)
{
#if defined(__i386__) || defined(__x86_64__)
	unsigned int eax, ebx, ecx, edx;

	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & PERFCTR_CPUID_HYPERVISOR;
#else
	return false;
#endif
}

const char *perfctr_no_pmu(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int error = errno, fd = perfctr_event_open(&attr, 0, -1, -1);
	const char *reason = NULL;

	/* Disabled, so a busy PMU is no obstacle; no permission says nothing about the PMU. */
	if (fd >= 0)
		perfctr_call_close(fd);
	else if (errno == ENOENT || errno == EOPNOTSUPP || errno == ENODEV || errno == ENXIO)
		reason =
			on_hypervisor()
				? "this virtual machine shows no PMU: enable it in the hypervisor "
				  "(QEMU/KVM: -cpu host,pmu=on), or run on the host"
				: "the kernel found no PMU in this machine: its firmware hides it, or the kernel "
				  "has no driver for it";
	errno = error;
	return reason;
}

int perfctr_cgroup_probe(int cgroup, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
	};
	int fd = perfctr_event_open_cgroup(&attr, cgroup, cpu, -1);

	if (fd < 0)
		return -1;
	perfctr_call_close(fd);
	return 0;
}

/* Bits that a kernel does not know are EINVAL. */
static bool is_known(struct perf_event_attr attr)
{
	int error = errno, fd;
	bool can;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.exclude_kernel = 1;
	fd = perfctr_event_open(&attr, 0, -1, -1);
	can = fd >= 0 || errno != EINVAL;
	if (fd >= 0)
		perfctr_call_close(fd);
	errno = error;
	return can;
}

bool perfctr_can_inherit_thread(void)
{
	return is_known((struct perf_event_attr){ .inherit_thread = 1 });
}

bool perfctr_can_remove_on_exec(void)
{
	return is_known((struct perf_event_attr){ .remove_on_exec = 1 });
}
