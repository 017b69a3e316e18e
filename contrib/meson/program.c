// SPDX-License-Identifier: LGPL-2.1-or-later
/* A user's program: it counts an event that every kernel has. */
#include <libperfctr.h>
#include <perfctr/read.h>
#include <stdio.h>

int main(void)
{
	struct perfctr_set *set = perfctr_set_open("task-clock", NULL, 0);
	struct perfctr_reading reading;

	if (!set || perfctr_set_read(set, &reading) < 0) {
		fprintf(stderr, "%s\n", perfctr_error());
		return 1;
	}
	perfctr_set_close(set);
	return reading.quality != PERFCTR_EXACT;
}
