// SPDX-License-Identifier: LGPL-2.1-or-later
/* What all processors execute in a tenth of a second. Takes the right to count others' programs. */
#include <libperfctr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Instructions in user mode, where there are counters; the clock everywhere. */
static struct perfctr_cpu_control what(const struct perfctr_info *info)
{
	struct perfctr_cpu_control control;

	memset(&control, 0, sizeof(control));
	control.tsc_on = 1;
	control.nractrs = perfctr_info_nrctrs(info) > 0;
#if defined(__x86_64__) || defined(__i386__)
	control.evntsel[0] = 0x004100C0;
#elif defined(__aarch64__)
	control.evntsel[0] = 0x80000008;
#elif defined(__riscv)
	control.pmc_map[0] = 2; /* instret */
	control.evntsel[0] = 2;
	control.evntsel_high[0] = 0x21000000;
#elif defined(__powerpc64__)
	control.evntsel[0] = 2;
	control.evntsel_high[0] = 0x20000000;
#endif
	return control;
}

static int is_in(const struct perfctr_cpu_mask *set, unsigned int cpu)
{
	return set->mask[cpu / 32] >> cpu % 32 & 1;
}

static int count(const struct gperfctr *global, const struct perfctr_cpus_info *cpus)
{
	struct gperfctr_cpu_control control;
	struct gperfctr_cpu_state state;
	struct perfctr_info info;
	unsigned int cpu;

	if (gperfctr_info(global, &info) < 0)
		return -1;
	memset(&control, 0, sizeof(control));
	control.cpu_control = what(&info);
	for (cpu = 0; cpu < cpus->cpus->nrwords * 32; cpu++) {
		control.cpu = cpu;
		if (is_in(cpus->cpus, cpu) && gperfctr_control(global, &control) < 0)
			return -1;
	}
	if (gperfctr_start(global, 0) < 0)
		return -1;
	usleep(100000);
	for (cpu = 0; cpu < cpus->cpus->nrwords * 32; cpu++) {
		state.cpu = cpu;
		if (!is_in(cpus->cpus, cpu))
			continue;
		if (gperfctr_read(global, &state) < 0)
			return -1;
		printf("processor %u\ntsc\t%llu\n", cpu, state.sum.tsc);
		if (state.cpu_control.nractrs)
			printf("pmc[0]\t%llu\n", state.sum.pmc[0]);
	}
	return gperfctr_stop(global);
}

int main(void)
{
	struct gperfctr *global = gperfctr_open();
	struct perfctr_cpus_info *cpus = global ? gperfctr_cpus_info(global) : NULL;

	/* Not permitted, or not possible here: that is no failure of an example. */
	if (!cpus || count(global, cpus) < 0)
		printf("%s\n", perfctr_error());
	free(cpus);
	gperfctr_close(global);
	return 0;
}
