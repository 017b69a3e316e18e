/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fenced.h - unwinds samples in another process, by files and stacks that may end it or keep it
 * forever. It goes through the samples for itself, and sends the calls of one after the other.
 */
#ifndef PERFCTR_TOOLS_FENCED_H
#define PERFCTR_TOOLS_FENCED_H

#include <libperfctr.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/perfex/sample/unwind.h"

struct fenced {
	struct unwinder *unwinder;
	/* Is called there, to call fenced_send() with the sample at hand and with all after it. */
	void (*send_all)(void *arg);
	void *arg;
	pid_t pid; /* 0: it has not begun */
	int line;
	unsigned int failures;
};

/*
 * The calls of the sample at hand, as those of unwind(), of which all arguments but the unwinder
 * are. The first question begins the process. If it fails, another one is asked, which does not
 * have the memory that earlier samples took; if that fails, too, the sample's process gets no
 * calls.
 */
size_t fenced_next(struct fenced *fenced, uint32_t pid, const uint64_t **chain,
		   enum unwind_end *end);

void fenced_send(struct fenced *fenced, uint32_t pid, const struct perfctr_record_sample *sample);

/* Ends the process; another question begins it again. */
void fenced_end(struct fenced *fenced);

#endif /* PERFCTR_TOOLS_FENCED_H */
