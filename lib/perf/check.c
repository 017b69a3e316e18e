// SPDX-License-Identifier: LGPL-2.1-or-later
/* Checks a control, against the rules and against this processor. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include "arch/isa.h"
#include "arch/words.h"
#include "lib/base/error.h"
#include "lib/isa/native.h"
#include "lib/perf/check.h"
#include "lib/perf/probe.h"
#include "libperfctr.h"

static int check_flags(const struct vperfctr_control *control)
{
	if (!perfctr_control_has_known_flags(control))
		return perfctr_fail(EINVAL,
				    "invalid control: flags has 0x%08X: only "
				    "VPERFCTR_CONTROL_CLOEXEC and _EXTENDED are known",
				    control->flags);
	return 0;
}

static int check_signal(const struct vperfctr_control *control)
{
	if (!perfctr_control_has_signal(control, SIGRTMAX))
		return perfctr_fail(EINVAL,
				    "invalid control: si_signo is %d: i-mode counters need the "
				    "number of the signal that an overflow sends",
				    control->si_signo);
	return 0;
}

/* Whether this processor can count by the control. -1: the reason is in *diagnosis. */
static int diagnose(const struct perfctr_cpu_control *control, bool extended,
		    struct perfctr_diagnosis *diagnosis)
{
	const struct perfctr_cpu *cpu = perfctr_this_cpu();
	struct perfctr_program program;

	return cpu->isa->compile(cpu, control, extended ? PERFCTR_COMPILE_EXTENDED : 0, &program,
				 diagnosis);
}

static int fail_rule(const struct perfctr_diagnosis *d)
{
	int error = d->forbidden ? EPERM : EINVAL;

	if (d->index >= 0)
		return perfctr_fail(error, "invalid control: %s[%d] has 0x%08X: %s", d->field,
				    d->index, d->bits, d->rule);
	return perfctr_fail(error, "invalid control: %s has 0x%08X: %s", d->field, d->bits,
			    d->rule);
}

int perfctr_control_check(const struct perfctr_cpu_control *control, bool extended)
{
	struct perfctr_diagnosis diagnosis;
	const char *no_pmu;

	if (diagnose(control, extended, &diagnosis) == 0)
		return 0;
	/* Without a PMU that is the error to report, and not a mistake in the control. */
	no_pmu = control->nractrs | control->nrictrs ? perfctr_no_pmu() : NULL;
	return no_pmu ? perfctr_fail(EOPNOTSUPP, "no hardware counters: %s", no_pmu)
		      : fail_rule(&diagnosis);
}

int perfctr_thread_control_check(const struct vperfctr_control *control)
{
	return check_flags(control) < 0 || check_signal(control) < 0
		       ? -1
		       : perfctr_control_check(&control->cpu_control,
					       control->flags & VPERFCTR_CONTROL_EXTENDED);
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
