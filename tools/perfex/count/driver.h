/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * driver.h - events through the perfctr driver, for a command's first thread. It makes its own
 * counters and hands their descriptor to perfex; they go on through its exec, and their final sums
 * can be read when it has ended.
 */
#ifndef PERFCTR_TOOLS_DRIVER_H
#define PERFCTR_TOOLS_DRIVER_H

#include "tools/perfex/count/events.h"

struct driver {
	struct vperfctr_control control; /* has all events */
	int counters;			 /* the descriptor; -1: none */
};

/* Make one control of all events. NULL, or a clause that says why it can't be. */
const char *driver_control(struct driver *driver, struct events *events);

/*
 * Tries the events on perfex itself. false: the driver refuses them, for perfctr_error()'s reason.
 */
bool driver_try(struct driver *driver, struct events *events);

/* In the child: make its counters, and send their descriptor; then, last of all, start them. */
int driver_give(int socket);
void driver_start(const struct driver *driver, int socket, int fd);

/* In perfex: take the descriptor; find out, when the command runs, whether they started. */
void driver_take(struct driver *driver, struct events *events, int socket);
void driver_started(struct events *events, int socket);

/* Whether an exec has ended the counters of a command that runs: then the events get a reason. */
void driver_look(const struct driver *driver, struct events *events, pid_t pid);

/* Read the counters of a command that has ended, and give them back. */
void driver_read(struct driver *driver, struct events *events);
void driver_close(struct driver *driver);

#endif /* PERFCTR_TOOLS_DRIVER_H */
