// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Probes this machine's kernel: whether there is a PMU, whether the kernel knows a bit of struct
 * perf_event_attr, what its watchdog needs.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "arch/cpu.h"
#include "lib/base/call.h"
#include "lib/base/file.h"
#include "lib/isa/pmu.h"
#include "lib/perf/guests.h"
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

static const char *why_there_is_none(void)
{
	return on_hypervisor()
		       ? "this virtual machine shows no PMU: enable it in the hypervisor (QEMU/KVM: "
			 "-cpu host,pmu=on), or run on the host"
		       : "the kernel found no PMU in this machine: its firmware hides it, or the "
			 "kernel has no driver for it";
}

/* Looks in sysfs, where no event can be opened: it lists the PMUs that have a driver. */
static enum perfctr_pmu_state look_in_sysfs(void)
{
	struct perfctr_pmu pmus[PERFCTR_VARIANTS_MAX];
	long type;
	int n = perfctr_core_pmus(pmus);

	if (n > 0)
		return PERFCTR_PMU_THERE;
	/* The kernel's own events are always listed. */
	return n == 0 && perfctr_file_number(PERFCTR_DEVICES "/software/type", &type) == 0
		       ? PERFCTR_PMU_NONE
		       : PERFCTR_PMU_UNKNOWN;
}

enum perfctr_pmu_state perfctr_pmu_look(const char **why)
{
	struct perf_event_attr attr = perfctr_attr_user(PERF_TYPE_HARDWARE,
							PERF_COUNT_HW_CPU_CYCLES);
	int error = errno, fd = perfctr_guests_probe(&attr, 0, -1);
	enum perfctr_pmu_state state = PERFCTR_PMU_THERE;

	/*
	 * The event is disabled, so that a busy PMU is no obstacle; a lack of permission says
	 * nothing about the PMU.
	 */
	if (fd >= 0)
		perfctr_call_close(fd);
	else if (errno == ENOENT || errno == EOPNOTSUPP || errno == ENODEV || errno == ENXIO)
		state = PERFCTR_PMU_NONE;
	else if (errno != EINVAL && errno != EBUSY)
		state = look_in_sysfs();
	*why = state == PERFCTR_PMU_NONE ? why_there_is_none()
	       : state == PERFCTR_PMU_UNKNOWN
		       ? "this program may not open events, and /sys/bus/event_source/devices does "
			 "not tell either; allow perf_event_open(2), or mount /sys"
		       : NULL;
	errno = error;
	return state;
}

const char *perfctr_no_pmu(void)
{
	const char *why;

	return perfctr_pmu_look(&why) == PERFCTR_PMU_NONE ? why : NULL;
}

/* Whether the kernel was built with an option, by its configuration file, if that is installed. */
static bool is_configured(const char *option)
{
	static const size_t size = 1 << 20;
	char path[128], *text = malloc(size);
	struct utsname kernel;
	bool found = false;
	int error = errno;

	if (text && uname(&kernel) == 0) {
		snprintf(path, sizeof(path), "/boot/config-%.64s", kernel.release);
		found = perfctr_file_read(path, text, size) > 0 && strstr(text, option);
	}
	free(text);
	errno = error;
	return found;
}

/*
 * Since Linux 6.5 processors can watch each other by timers instead ("buddy"). Debian's kernels
 * have only that where perf's interrupts are no NMIs.
 */
enum perfctr_watchdog perfctr_watchdog(void)
{
	int error = errno;
	long on;

	if (perfctr_file_number("/proc/sys/kernel/nmi_watchdog", &on) < 0) {
		errno = error;
		return PERFCTR_WATCHDOG_UNKNOWN;
	}
	if (!on)
		return PERFCTR_WATCHDOG_OFF;
	return is_configured("\nCONFIG_HARDLOCKUP_DETECTOR_BUDDY=y\n") ? PERFCTR_WATCHDOG_TIMERS
								       : PERFCTR_WATCHDOG_COUNTS;
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

/* A kernel answers EINVAL to bits that it does not know. */
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
