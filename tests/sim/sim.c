// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The common part of all simulated processors: opening, closing, faults, and the counting of
 * accesses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sim.h"

static void fault(const struct sim_core *core, const char *what, uint32_t reg, uint64_t value,
		  const char *reason)
{
	fprintf(stderr, "%s: processor %u: %s(0x%X, 0x%llX) faults: %s\n", core->model->name,
		core->number, what, reg, (unsigned long long)value, reason);
	abort();
}

void sim_open(struct sim_core core[], unsigned int n, const struct sim_model *model)
{
	unsigned int i;

	memset(core, 0, n * sizeof(core[0]));
	for (i = 0; i < n; i++) {
		core[i].model = model;
		core[i].number = i;
		if (model->shared && i % 2) {
			core[i].sibling = &core[i - 1];
			core[i - 1].sibling = &core[i];
			core[i].registers = core[i - 1].registers;
			continue;
		}
		core[i].registers = calloc(1, model->size);
		if (!core[i].registers)
			abort();
		if (model->reset)
			model->reset(&core[i]);
	}
}

void sim_close(struct sim_core core[], unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!(core[i].model->shared && i % 2))
			free(core[i].registers);
}

void sim_write(struct sim_core *core, uint32_t reg, uint64_t value)
{
	const char *reason = core->model->write(core, reg, value);

	if (reason)
		fault(core, "write", reg, value, reason);
	core->register_writes++;
}

uint64_t sim_read(struct sim_core *core, uint32_t reg)
{
	uint64_t value = 0;
	const char *reason = core->model->read(core, reg, &value);

	if (reason)
		fault(core, "read", reg, value, reason);
	core->register_reads++;
	return value;
}

uint64_t sim_rdpmc(struct sim_core *core, uint32_t index)
{
	uint64_t value = 0;
	const char *reason = core->model->rdpmc ? core->model->rdpmc(core, index, &value)
						: "there is no such instruction";

	if (reason)
		fault(core, "rdpmc", index, value, reason);
	core->counter_reads++;
	return value;
}

void sim_run(struct sim_core *core, const struct sim_step *step)
{
	core->tsc += step->cycles;
	core->model->run(core, step);
}
