// SPDX-License-Identifier: LGPL-2.1-or-later
/* What this processor allows, where the kernel shows its counters. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include "arch/cpu.h"
#include "arch/rules.h"
#include "lib/base/error.h"
#include "lib/isa/control.h"
#include "lib/isa/native.h"
#include "lib/perf/check.h"
#include "lib/perf/probe.h"
#include "libperfctr.h"

int perfctr_control_check(const struct perfctr_cpu_control *control, bool extended)
{
	struct perfctr_diagnosis diagnosis;
	const char *no_pmu;

	if (perfctr_control_diagnose(control, extended, &diagnosis) == 0)
		return 0;
	/* Where nothing can be counted, that is the news, and not a mistake in the control. */
	no_pmu = control->nractrs | control->nrictrs ? perfctr_no_pmu() : NULL;
	return no_pmu ? perfctr_fail(EOPNOTSUPP, "no hardware counters: %s", no_pmu)
		      : perfctr_control_fail(&diagnosis);
}

int perfctr_cpu_control_check(const struct perfctr_cpu_control *control)
{
	if (!control)
		return perfctr_fail(EINVAL,
				    "perfctr_cpu_control_check() needs a control, not NULL");
	return perfctr_control_check(control, true);
}

unsigned int perfctr_usable_type(void)
{
	const struct perfctr_cpu *cpu = perfctr_this_cpu();
	const char *why;

	return cpu->counters && perfctr_pmu_look(&why) == PERFCTR_PMU_THERE ? cpu->type
									    : PERFCTR_TYPE_GENERIC;
}
