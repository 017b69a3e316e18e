// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "tools/perfex/base/die.h"
#include "tools/perfex/count/driver.h"

/* ---- the control ---- */

static bool is_tsc(const struct events *events, unsigned int i)
{
	return events->event[i].is.flags & PERFCTR_EVENT_TSC || (i == 0 && events->tsc);
}

/* Whether event i counts in all modes, as far as is known. */
static bool is_all_modes(const struct events *events, unsigned int i)
{
	struct perf_event_attr attr;

	return perfctr_list_attr(events->list, i, 0, &attr, NULL, NULL, 0) < 0 ||
	       !(attr.exclude_user || attr.exclude_kernel || attr.exclude_hv);
}

/* A control of all names; in user mode, as far as they don't say another. */
static bool make_control(struct driver *driver, struct events *events, bool user)
{
	struct perfctr_cpu_control *control = &driver->control.cpu_control;
	size_t size = strlen(events->names) + events->n * 3 + 1, used = 0;
	char *list = need(calloc(size, 1));
	unsigned int i;
	bool good;

	for (i = 0; i < events->n; i++)
		if (!is_tsc(events, i))
			used += (size_t)sprintf(list + used, "%s%s%s", used ? "," : "",
						events->event[i].is.name,
						user && is_all_modes(events, i) ? ":u" : "");
	good = !used || perfctr_cpu_control_events(control, list) >= 0;
	free(list);
	control->tsc_on = 1;
	return good;
}

const char *driver_control(struct driver *driver, struct events *events)
{
	unsigned int i, names = events->first[EVENTS_NUMBERS], others = 0;

	memset(driver, 0, sizeof(*driver));
	driver->control.cpu_control = events->control;
	driver->control.cpu_control.tsc_on = 1;
	driver->control.flags = VPERFCTR_CONTROL_EXTENDED;
	driver->counters = -1;
	if (!events->control.nractrs)
		return make_control(driver, events, false) ? NULL : perfctr_error();
	for (i = 0; i < names; i++)
		others += !is_tsc(events, i);
	return others ? "events given as names and as numbers don't make one control" : NULL;
}

static bool try_once(const struct driver *driver)
{
	int fd = sys_vperfctr_open(0, 1), error;
	bool good;

	if (fd < 0)
		return false;
	good = sys_vperfctr_control(fd, &driver->control) == 0;
	error = errno;
	sys_vperfctr_unlink(fd);
	close(fd);
	errno = error;
	return good;
}

static void name_user_mode(struct events *events)
{
	char name[256];
	unsigned int i;

	for (i = 0; i < events->n; i++) {
		if (is_tsc(events, i) || !is_all_modes(events, i))
			continue;
		snprintf(name, sizeof(name), "%s:u", events->event[i].is.name);
		events_to_user(events, i, name);
	}
}

bool driver_try(struct driver *driver, struct events *events)
{
	if (try_once(driver))
		return true;
	/*
	 * This is as over perf_events: if only the kernel's mode is forbidden, user mode is
	 * counted.
	 */
	if (errno != EPERM || events->control.nractrs || !make_control(driver, events, true) ||
	    !try_once(driver))
		return false;
	name_user_mode(events);
	return true;
}

/* ---- the command's side ---- */

/* A message: an errno, and room for a descriptor. */
struct parcel {
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(int))];
	int error;
	struct iovec data;
	struct msghdr message;
};

static void make_parcel(struct parcel *parcel, int error)
{
	memset(parcel, 0, sizeof(*parcel));
	parcel->error = error;
	parcel->data.iov_base = &parcel->error;
	parcel->data.iov_len = sizeof(parcel->error);
	parcel->message.msg_iov = &parcel->data;
	parcel->message.msg_iovlen = 1;
	parcel->message.msg_control = parcel->space;
	parcel->message.msg_controllen = sizeof(parcel->space);
}

/* The descriptor goes with an errno of 0. */
static int send_counters(int socket, int fd, int error)
{
	struct parcel parcel;
	struct cmsghdr *header;

	make_parcel(&parcel, error);
	if (error) {
		parcel.message.msg_controllen = 0;
	} else {
		header = CMSG_FIRSTHDR(&parcel.message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	return sendmsg(socket, &parcel.message, MSG_NOSIGNAL) < 0 ? -1 : 0;
}

int driver_give(int socket)
{
	int fd = sys_vperfctr_open(0, 1);

	return send_counters(socket, fd, fd < 0 ? errno : 0) < 0 ? -1 : fd;
}

void driver_start(const struct driver *driver, int socket, int fd)
{
	if (fd >= 0 && sys_vperfctr_control(fd, &driver->control) < 0)
		send_counters(socket, -1, errno);
}

/* ---- perfex's side ---- */

void driver_take(struct driver *driver, struct events *events, int socket)
{
	struct parcel parcel;
	struct cmsghdr *header;
	ssize_t n;

	make_parcel(&parcel, EPIPE);
	do {
		n = recvmsg(socket, &parcel.message, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	header = n > 0 ? CMSG_FIRSTHDR(&parcel.message) : NULL;
	if (header && header->cmsg_type == SCM_RIGHTS)
		memcpy(&driver->counters, CMSG_DATA(header), sizeof(driver->counters));
	else
		events_refuse(events, 0, events->n, strerror(parcel.error));
}

void driver_started(struct events *events, int socket)
{
	int error;

	/* Closed by the exec, unless something was wrong. */
	if (recv(socket, &error, sizeof(error), 0) == sizeof(error))
		events_refuse(events, 0, events->n, strerror(error));
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

void driver_look(const struct driver *driver, struct events *events, pid_t pid)
{
	struct perfctr_sum_ctrs sum;

	/* Another process can't reach the sums while the thread has its counters. */
	if (driver->counters < 0 || sys_vperfctr_read(driver->counters, &sum, NULL) < 0)
		return;
	if (is_alive(pid) && usleep(1000) == 0 && is_alive(pid))
		events_refuse(
			events, 0, events->n,
			"the counters ended when the command executed a program with "
			"more rights than perfex (set-user-ID or the like), or unlinked them");
}

/* The sums lie in the events' order; the TSC is none of the counters. */
static void use_sums(struct events *events, const struct perfctr_sum_ctrs *sum)
{
	const unsigned long long *pmc = sum->pmc;
	unsigned int i;

	for (i = 0; i < events->n; i++)
		events->event[i].reading = (struct perfctr_reading){
			.value = is_tsc(events, i) ? sum->tsc : *pmc++,
			.quality = PERFCTR_EXACT,
		};
}

void driver_read(struct driver *driver, struct events *events)
{
	struct perfctr_sum_ctrs sum;

	if (driver->counters < 0)
		return;
	memset(&sum, 0, sizeof(sum));
	if (sys_vperfctr_read(driver->counters, &sum, NULL) < 0)
		die("%s", perfctr_error());
	use_sums(events, &sum);
}

void driver_close(struct driver *driver)
{
	if (driver->counters >= 0)
		close(driver->counters);
	driver->counters = -1;
}
