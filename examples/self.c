// SPDX-License-Identifier: LGPL-2.1-or-later
/* A thread counts a piece of its own work, as programs for perfctr always did. */
#include <libperfctr.h>
#include <stdio.h>
#include <string.h>

static unsigned int factorial(unsigned int n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

int main(void)
{
	struct perfctr_sum_ctrs before, after;
	struct vperfctr_control control;
	struct perfctr_info info;
	struct vperfctr *self = vperfctr_open();
	unsigned int result;

	if (!self || vperfctr_info(self, &info) < 0) {
		fprintf(stderr, "%s\n", perfctr_error());
		return 1;
	}
	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	/* Where there are counters, count instructions in user mode. */
	control.cpu_control.nractrs = perfctr_info_nrctrs(&info) > 0;
#if defined(__x86_64__) || defined(__i386__)
	control.cpu_control.evntsel[0] = 0x004100C0;
#elif defined(__aarch64__)
	control.cpu_control.evntsel[0] = 0x80000008;
#elif defined(__riscv)
	control.cpu_control.pmc_map[0] = 2; /* instret */
	control.cpu_control.evntsel[0] = 2;
	control.cpu_control.evntsel_high[0] = 0x21000000;
#elif defined(__powerpc64__)
	control.cpu_control.evntsel[0] = 2;
	control.cpu_control.evntsel_high[0] = 0x20000000;
#endif
	if (vperfctr_control(self, &control) < 0) {
		fprintf(stderr, "%s\n", perfctr_error());
		return 1;
	}
	vperfctr_read_ctrs(self, &before);
	result = factorial(12);
	vperfctr_read_ctrs(self, &after);
	printf("factorial(12) is %u\ntsc\t%llu\n", result, after.tsc - before.tsc);
	if (control.cpu_control.nractrs)
		printf("pmc[0]\t%llu\n", after.pmc[0] - before.pmc[0]);
	vperfctr_unlink(self);
	vperfctr_close(self);
	return 0;
}
