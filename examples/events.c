// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Events by the processor's own names, as a control: events [EVENT,...]
 * Without an argument, the first event of this processor's table that has a control.
 */
#include <libperfctr.h>
#include <stdio.h>
#include <string.h>

static char event[128];

/* Ends the tour with 1. */
static int first_that_fits(void *arg, const struct perfctr_event_name *name)
{
	snprintf(event, sizeof(event), "%s", name->name);
	return perfctr_cpu_control_events(arg, event) > 0;
}

/* Many events can't be counted on many machines, and that is no failure. */
static int give_up(void)
{
	printf("%s\n", perfctr_error());
	return 0;
}

int main(int argc, char **argv)
{
	struct vperfctr_control control;
	struct perfctr_sum_ctrs before, after;
	struct vperfctr *self;
	volatile int k;
	int i, n;

	memset(&control, 0, sizeof(control));
	control.flags = VPERFCTR_CONTROL_EXTENDED; /* all that an event may need counts */
	if (argc > 1)
		n = perfctr_cpu_control_events(&control.cpu_control, argv[1]);
	else
		n = perfctr_cpu_event_list(NULL, first_that_fits, &control.cpu_control);
	if (n < 0)
		return give_up();
	printf("control of %s:\n", argc > 1 ? argv[1] : event);
	perfctr_cpu_control_print(&control.cpu_control);
	if (perfctr_cpu_control_check(&control.cpu_control) < 0)
		return give_up();

	self = vperfctr_open();
	if (!self)
		return give_up();
	if (vperfctr_control(self, &control) < 0) {
		give_up();
	} else {
		vperfctr_read_ctrs(self, &before);
		for (k = 0; k < 1000000; k++)
			;
		vperfctr_read_ctrs(self, &after);
		for (i = 0; i < n; i++)
			printf("pmc[%d]\t%llu\n", i, after.pmc[i] - before.pmc[i]);
		vperfctr_unlink(self);
	}
	vperfctr_close(self);
	return 0;
}
