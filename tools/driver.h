/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* driver.h - the same through the perfctr driver, for the command's first thread. */
#ifndef PERFCTR_TOOLS_DRIVER_H
#define PERFCTR_TOOLS_DRIVER_H

#include "events.h"

/* Make one control of all events. NULL, or a clause that says why it can't be. */
const char *driver_control(struct events *events);

/* Try it on perfex itself. false: the driver refuses it, as perfctr_error() says. */
bool driver_try(struct events *events);

/* Give this reason to all events that have none. */
void driver_refuses(struct events *events, const char *reason);

/* In the child: make its counters, and send their descriptor; then, last of all, start them. */
int driver_give(int socket);
void driver_start(const struct events *events, int socket, int fd);

/* In perfex: take the descriptor; learn, when the command runs, whether they started. */
void driver_take(struct events *events, int socket);
void driver_started(struct events *events, int socket);

/* Whether an exec has ended the counters of a command that runs: then the events get a reason. */
void driver_look(struct events *events, pid_t pid);

/* Read the counters of a command that has ended. */
void driver_read(struct events *events);

#endif /* PERFCTR_TOOLS_DRIVER_H */
