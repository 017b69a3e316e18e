// SPDX-License-Identifier: LGPL-2.1-or-later
/* Totals over threads. A set holds its states, so that they outlive handles and threads. */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/provider.h"
#include "libperfctr.h"

/* Both lie in memory that a child of fork() finds cleared, whoever held the lock. */
struct perfctr_process {
	bool open;
	pthread_mutex_t lock;
	size_t n, room;
	struct vperfctr **thread;
};

struct perfctr_process *perfctr_process_create(void)
{
	struct perfctr_process *process = perfctr_memory_map(sizeof(*process));

	if (!process)
		return NULL;
	process->open = true;
	pthread_mutex_init(&process->lock, NULL);
	return process;
}

static int make_room(struct perfctr_process *process)
{
	size_t size = process->room * sizeof(*process->thread);
	struct vperfctr **larger = perfctr_memory_map(2 * size + 4096);

	if (!larger)
		return -1;
	if (size) {
		memcpy(larger, process->thread, size);
		perfctr_memory_unmap(process->thread, size);
	}
	process->thread = larger;
	process->room = (2 * size + 4096) / sizeof(*larger);
	return 0;
}

static int add(struct perfctr_process *process, struct vperfctr *self)
{
	size_t i;

	for (i = 0; i < process->n; i++)
		if (process->thread[i] == self)
			return perfctr_fail(EEXIST, "these counters are in the set already");
	if (process->n == process->room && make_room(process) < 0)
		return -1;
	perfctr_hold(self);
	process->thread[process->n++] = self;
	return 0;
}

int perfctr_process_add(struct perfctr_process *process, const struct vperfctr *self)
{
	int result;

	if (!process || !self)
		return perfctr_fail(EINVAL,
				    "perfctr_process_add() needs a set and a handle, not NULL");
	if (!process->open)
		return perfctr_not_ours();
	if (!perfctr_provider_of(self))
		return -1;
	pthread_mutex_lock(&process->lock);
	result = add(process, (struct vperfctr *)self);
	pthread_mutex_unlock(&process->lock);
	return result;
}

int perfctr_process_read(struct perfctr_process *process, struct perfctr_sum_ctrs *sum,
			 unsigned int *nthreads)
{
	struct perfctr_sum_ctrs total = { 0 }, one;
	const struct vperfctr *self;
	unsigned int i;
	int result = 0;
	size_t t;

	if (!process || !sum)
		return perfctr_fail(EINVAL,
				    "perfctr_process_read() needs a set and a place for the "
				    "counts, not NULL");
	if (!process->open)
		return perfctr_not_ours();
	pthread_mutex_lock(&process->lock);
	for (t = 0; t < process->n; t++) {
		/* Not vperfctr_read_ctrs(), which leaves counters alone that don't run. */
		self = process->thread[t];
		result = self->provider->read_state(self, &one, NULL);
		if (result < 0)
			break;
		total.tsc += one.tsc;
		for (i = 0; i < PERFCTR_NR_CTRS; i++)
			total.pmc[i] += one.pmc[i];
	}
	if (nthreads)
		*nthreads = (unsigned int)process->n;
	pthread_mutex_unlock(&process->lock);
	if (result == 0)
		*sum = total;
	return result;
}

void perfctr_process_destroy(struct perfctr_process *process)
{
	size_t t;

	if (!process || !process->open)
		return;
	for (t = 0; t < process->n; t++)
		vperfctr_close(process->thread[t]);
	pthread_mutex_destroy(&process->lock);
	if (process->room)
		perfctr_memory_unmap(process->thread, process->room * sizeof(*process->thread));
	perfctr_memory_unmap(process, sizeof(*process));
}
