// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counting through the perfctr driver. The command's first thread makes its own counters and hands
 * their descriptor to perfex; they go on through its exec, and their final sums can be read when it
 * has ended.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "die.h"
#include "driver.h"

static const char tsc[] = "msr/tsc/";

/* ---- the control ---- */

static struct vperfctr_control whole_control(const struct events *events)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	control.cpu_control = events->control;
	control.flags = VPERFCTR_CONTROL_EXTENDED;
	control.cpu_control.tsc_on = 1;
	return control;
}

/* The names of all events but the TSC, each with the suffix, as one list; to be freed. */
static char *all_names(const struct events *events, const char *suffix)
{
	size_t size = 1, used = 0;
	unsigned int i;
	char *list;

	for (i = 0; i < events->n; i++)
		size += strlen(events->event[i].name) + strlen(suffix) + 1;
	list = need(calloc(size, 1));
	for (i = 0; i < events->n; i++)
		if (strcmp(events->event[i].name, tsc) != 0)
			used += (size_t)snprintf(list + used, size - used, "%s%s%s",
						 used ? "," : "", events->event[i].name, suffix);
	return list;
}

static bool make_control(struct events *events, const char *suffix)
{
	char *list = all_names(events, suffix);
	bool good = !*list || perfctr_cpu_control_events(&events->control, list) >= 0;

	free(list);
	return good;
}

const char *driver_control(struct events *events)
{
	unsigned int i, k, numbers = 0;
	int counter = 0;

	for (i = 0; i < events->nspecs; i++) {
		const struct spec *spec = &events->spec[i];

		numbers += spec->text ? 0 : spec->n;
		for (k = 0; k < spec->n; k++) {
			struct event *event = &events->event[spec->first + k];

			/* The one that comes with numbers is only called "tsc". */
			event->counter = spec->text && (!strcmp(spec->text, tsc) ||
							!strcmp(event->name, tsc))
						 ? -1
						 : counter++;
		}
	}
	if (!numbers)
		return make_control(events, "") ? NULL : perfctr_error();
	return numbers == (unsigned int)counter
		       ? NULL
		       : "events given as names and as numbers don't make one control";
}

static bool try_once(const struct events *events)
{
	struct vperfctr_control control = whole_control(events);
	int fd = sys_vperfctr_open(0, 1), error;
	bool good;

	if (fd < 0)
		return false;
	good = sys_vperfctr_control(fd, &control) == 0;
	error = errno;
	sys_vperfctr_unlink(fd);
	close(fd);
	errno = error;
	return good;
}

/* Whether all events are names without modifiers, so that they can be restricted to user mode. */
static bool plain_names(const struct events *events)
{
	unsigned int i;

	for (i = 0; i < events->nspecs; i++)
		if (!events->spec[i].text || strchr(events->spec[i].text, ':'))
			return false;
	return true;
}

static void name_user_mode(struct events *events)
{
	unsigned int i;
	char *name;

	for (i = 0; i < events->n; i++) {
		if (events->event[i].counter < 0)
			continue;
		name = need(malloc(strlen(events->event[i].name) + 3));
		sprintf(name, "%s:u", events->event[i].name);
		free(events->event[i].name);
		events->event[i].name = name;
	}
}

void driver_refuses(struct events *events, const char *reason)
{
	unsigned int i;

	for (i = 0; i < events->n; i++)
		if (!events->event[i].reason)
			events->event[i].reason = need(strdup(reason));
}

bool driver_try(struct events *events)
{
	if (try_once(events))
		return true;
	/* As over perf_events: if only kernel mode is forbidden, count user mode, and say so. */
	if (errno == EPERM && plain_names(events) && make_control(events, ":u") &&
	    try_once(events)) {
		name_user_mode(events);
		return true;
	}
	return false;
}

/* ---- the command's side ---- */

/* One message: an errno, and if that is 0 a descriptor. */
static int send_counters(int socket, int fd, int error)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} space;
	struct iovec data = { .iov_base = &error, .iov_len = sizeof(error) };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };
	struct cmsghdr *header;

	if (!error) {
		memset(&space, 0, sizeof(space));
		message.msg_control = &space;
		message.msg_controllen = sizeof(space);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	return sendmsg(socket, &message, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

int driver_give(int socket)
{
	int fd = sys_vperfctr_open(0, 1);

	return send_counters(socket, fd, fd < 0 ? errno : 0) < 0 ? -1 : fd;
}

void driver_start(const struct events *events, int socket, int fd)
{
	struct vperfctr_control control = whole_control(events);

	if (fd >= 0 && sys_vperfctr_control(fd, &control) < 0)
		send_counters(socket, -1, errno);
}

/* ---- perfex's side ---- */

void driver_take(struct events *events, int socket)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} space;
	int error = EPIPE;
	struct iovec data = { .iov_base = &error, .iov_len = sizeof(error) };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = &space,
		.msg_controllen = sizeof(space),
	};
	struct cmsghdr *header;
	ssize_t n;

	do {
		n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	header = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(&events->counters, CMSG_DATA(header), sizeof(events->counters));
	else
		driver_refuses(events, strerror(error));
}

void driver_started(struct events *events, int socket)
{
	int error;

	/* Closed by the exec, unless something was wrong. */
	if (recv(socket, &error, sizeof(error), 0) == sizeof(error))
		driver_refuses(events, strerror(error));
}

/*
 * Whether the thread still has memory. When it ends it loses that before its counters, or, in newer
 * kernels, right after them.
 */
static bool is_alive(pid_t pid)
{
	char path[64], line[128];
	bool alive = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	file = fopen(path, "re");
	while (file && !alive && fgets(line, sizeof(line), file))
		alive = strncmp(line, "VmSize:", 7) == 0;
	if (file)
		fclose(file);
	return alive;
}

void driver_look(struct events *events, pid_t pid)
{
	struct perfctr_sum_ctrs sum;

	/* As long as the thread has its counters, they are out of another process's reach. */
	if (events->counters < 0 || sys_vperfctr_read(events->counters, &sum, NULL) < 0)
		return;
	if (is_alive(pid) && usleep(1000) == 0 && is_alive(pid))
		driver_refuses(
			events,
			"the counters ended when the command executed a program with "
			"more rights than perfex (set-user-ID or the like), or unlinked them");
}

void driver_read(struct events *events)
{
	struct perfctr_sum_ctrs sum;
	unsigned int i;

	if (events->counters < 0)
		return;
	memset(&sum, 0, sizeof(sum));
	if (sys_vperfctr_read(events->counters, &sum, NULL) < 0)
		die("%s", perfctr_error());
	for (i = 0; i < events->n; i++) {
		struct event *event = &events->event[i];

		memset(&event->reading, 0, sizeof(event->reading));
		event->reading.value = event->counter < 0 ? sum.tsc : sum.pmc[event->counter];
		event->reading.quality = PERFCTR_EXACT;
	}
}
