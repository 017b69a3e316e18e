// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The data that a descriptor of a state over perf_events holds for its readers.
 *
 * Such a descriptor is one end of a pair of sockets. In its queue waits one datagram with the
 * state: the control, the numbers to add to the events' counts, and the descriptors of the events
 * that run, which live as long as the datagram. Readers look at it and leave it there (MSG_PEEK).
 * The other end is the state's own; it puts a new datagram after the old one, which it then takes
 * out, so that there is always one. Only the thread that has the state writes; its own reads don't
 * come here.
 *
 * Any program could have made the data that is read here: nothing in it is used before it has been
 * checked.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/descriptor.h"
#include "lib/base/error.h"
#include "lib/isa/tsc.h"
#include "lib/perf/counter.h"
#include "lib/perf/events.h"
#include "lib/perf/why.h"
#include "lib/virtual/queue.h"
#include "libperfctr.h"
#include "perfctr/read.h"

/* "perfctr", a letter for the kind of datagram, and the version of its layout in the last byte. */
#define MAGIC_STATE UINT64_C(0x7065726663747201)
#define MAGIC_FACTS UINT64_C(0x7065726663746601) /* of a thread without a state */

union rights {
	struct cmsghdr header;
	char room[CMSG_SPACE(PERFCTR_PUBLISHED_FDS * sizeof(int))];
};

/* ---- writing ---- */

void perfctr_queue_init(struct perfctr_queue *queue)
{
	queue->reader = queue->writer = -1;
}

int perfctr_queue_open(struct perfctr_queue *queue)
{
	int pair[2];

	perfctr_queue_init(queue);
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) < 0)
		return perfctr_fail(errno, "the counters can't get a descriptor: %s",
				    strerror(errno));
	queue->reader = pair[0];
	queue->writer = pair[1];
	queue->readers_identity = perfctr_descriptor_own_file(queue->reader);
	queue->writers_identity = perfctr_descriptor_own_file(queue->writer);
	return 0;
}

void perfctr_queue_close(struct perfctr_queue *queue)
{
	int error = errno;

	if (queue->reader >= 0) {
		perfctr_descriptor_close(queue->reader, queue->readers_identity);
		perfctr_descriptor_close(queue->writer, queue->writers_identity);
	}
	perfctr_queue_init(queue);
	errno = error;
}

/* Whether a number that the program may have closed is still the queue's. */
static bool has_reader(const struct perfctr_queue *queue)
{
	return perfctr_descriptor_is(queue->reader, queue->readers_identity);
}

static int put(const struct perfctr_queue *queue, const struct perfctr_published *now,
	       const int *fds, unsigned int nr_fds)
{
	struct iovec part = { .iov_base = (void *)(uintptr_t)now, .iov_len = sizeof(*now) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	union rights rights;
	ssize_t sent;

	if (nr_fds) {
		memset(&rights, 0, sizeof(rights));
		rights.header.cmsg_level = SOL_SOCKET;
		rights.header.cmsg_type = SCM_RIGHTS;
		rights.header.cmsg_len = (socklen_t)CMSG_LEN(nr_fds * sizeof(int));
		memcpy(CMSG_DATA(&rights.header), fds, nr_fds * sizeof(int));
		message.msg_control = &rights;
		message.msg_controllen = (socklen_t)CMSG_SPACE(nr_fds * sizeof(int));
	}
	do {
		sent = perfctr_call_sendmsg(queue->writer, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	if (sent == (ssize_t)sizeof(*now))
		return 0;
	if (errno == ETOOMANYREFS)
		return perfctr_fail(EMFILE,
				    "too many descriptors are held by this user's descriptors of "
				    "counters; raise the limit (ulimit -n), or close some");
	return perfctr_fail(errno == EAGAIN ? ENOMEM : errno,
			    "the counters can't be passed to the holders of their descriptor: %s",
			    strerror(errno));
}

int perfctr_queue_put(const struct perfctr_queue *queue, struct perfctr_published *now,
		      const int *fds, unsigned int nr_fds)
{
	bool replaces;

	if (!has_reader(queue) || !perfctr_descriptor_is(queue->writer, queue->writers_identity))
		return perfctr_descriptor_fail("the queue of the counters' descriptor");
	replaces = perfctr_call_recv(queue->reader, NULL, 0, MSG_PEEK | MSG_DONTWAIT) == 0;

	now->magic = MAGIC_STATE;
	if (put(queue, now, fds, nr_fds) < 0)
		return -1;
	if (replaces && perfctr_call_recv(queue->reader, NULL, 0, MSG_DONTWAIT) < 0)
		return perfctr_fail(EIO, "the counters' descriptor has lost them: %s",
				    strerror(errno));
	return 0;
}

int perfctr_queue_descriptor(const struct perfctr_queue *queue)
{
	int fd;

	if (!has_reader(queue))
		return perfctr_descriptor_fail("the queue of the counters' descriptor");
	fd = fcntl(queue->reader, F_DUPFD_CLOEXEC, 0);
	return fd < 0 ? perfctr_fail(errno, "the counters can't get a descriptor: %s",
				     strerror(errno))
		      : fd;
}

bool perfctr_queue_is(const struct perfctr_queue *queue, int fd)
{
	struct stat own, other;

	return queue->reader >= 0 && has_reader(queue) && fstat(queue->reader, &own) == 0 &&
	       fstat(fd, &other) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

/* ---- reading ---- */

struct received {
	struct perfctr_published now;
	unsigned int nr_fds;
	int fd[PERFCTR_PUBLISHED_FDS];
};

static void close_received(struct received *received)
{
	int error = errno;

	while (received->nr_fds)
		perfctr_call_close(received->fd[--received->nr_fds]);
	errno = error;
}

/* musl's macro converts signs. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
static struct cmsghdr *next_header(struct msghdr *message, struct cmsghdr *header)
{
	return CMSG_NXTHDR(message, header);
}
#pragma GCC diagnostic pop

/* Takes the descriptors out of a message. False: one is of another kind, and has been closed. */
static bool take_descriptors(struct msghdr *message, struct received *received)
{
	struct cmsghdr *header;
	bool good = true;
	size_t n, i;
	int fd;

	for (header = CMSG_FIRSTHDR(message); header; header = next_header(message, header)) {
		if (header->cmsg_level != SOL_SOCKET)
			continue;
		/* Sockets get SCM_RIGHTS; and SCM_PIDFD (4) if they ask for it. */
		if (header->cmsg_type != SCM_RIGHTS && header->cmsg_type != 4)
			continue;
		good &= header->cmsg_type == SCM_RIGHTS;
		n = (header->cmsg_len - CMSG_LEN(0)) / sizeof(fd);
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(header) + i * sizeof(fd), sizeof(fd));
			if (received->nr_fds < PERFCTR_PUBLISHED_FDS)
				received->fd[received->nr_fds++] = fd;
			else
				perfctr_call_close(fd);
		}
	}
	return good;
}

/* Whether fd is a perf event, and not some file whose read might never return. */
static bool is_perf_event(int fd)
{
	static const char event[] = "anon_inode:[perf_event]";
	char path[32], target[sizeof(event)];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, target, sizeof(target));
	return length == (ssize_t)sizeof(event) - 1 &&
	       memcmp(target, event, sizeof(event) - 1) == 0;
}

/* Whether the numbers make sense together. */
static bool is_sound(const struct perfctr_published *now)
{
	const struct perfctr_cpu_control *cpu = &now->control.cpu_control;

	return cpu->nractrs <= PERFCTR_NR_CTRS && cpu->nrictrs <= PERFCTR_NR_CTRS - cpu->nractrs &&
	       (now->cstatus == 0 ||
		now->cstatus == perfctr_mk_cstatus(cpu->tsc_on, cpu->nractrs, cpu->nrictrs));
}

/* The number of descriptors that belong to it. */
static unsigned int running(const struct perfctr_published *now)
{
	return perfctr_cstatus_has_ictrs(now->cstatus)
		       ? 0
		       : perfctr_cstatus_nrctrs(now->cstatus) +
				 (perfctr_cstatus_has_tsc(now->cstatus) != 0);
}

static int fail_not_ours(int fd)
{
	return perfctr_fail(EBADF, "descriptor %d is not one that sys_vperfctr_open() made", fd);
}

/*
 * Reads a descriptor's datagram. 0, with the events' descriptors, which the caller closes; or -1.
 */
static int receive(int fd, struct received *received)
{
	struct iovec part = { .iov_base = &received->now, .iov_len = sizeof(received->now) };
	union rights rights;
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &rights,
		.msg_controllen = sizeof(rights),
	};
	ssize_t got = perfctr_call_recvmsg(fd, &message,
					   MSG_PEEK | MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	unsigned int i, wanted;
	bool good;

	received->nr_fds = 0;
	if (got < 0)
		return fail_not_ours(fd);
	good = take_descriptors(&message, received) && got == (ssize_t)sizeof(received->now) &&
	       !(message.msg_flags & MSG_TRUNC) &&
	       (received->now.magic == MAGIC_STATE || received->now.magic == MAGIC_FACTS) &&
	       is_sound(&received->now);
	wanted = good ? running(&received->now) : 0;
	if (good && message.msg_flags & MSG_CTRUNC && received->nr_fds < wanted) {
		close_received(received);
		return perfctr_fail(EMFILE,
				    "not enough file descriptors are left to read the counters; "
				    "raise the limit (ulimit -n)");
	}
	good = good && received->nr_fds == wanted;
	for (i = 0; i < wanted && good; i++)
		good = is_perf_event(received->fd[i]);
	if (good)
		return 0;
	close_received(received);
	return fail_not_ours(fd);
}

static int read_events(const struct received *received, struct perfctr_sum_ctrs *sum)
{
	const struct perfctr_published *now = &received->now;
	struct perfctr_counter counter[PERFCTR_PUBLISHED_FDS];
	struct perfctr_events group = {
		.n = perfctr_cstatus_nrctrs(now->cstatus),
		.companion.fd = -1,
		.counter = counter,
	};
	struct perfctr_group_values found;
	unsigned int i;

	for (i = 0; i < received->nr_fds; i++)
		counter[i] = (struct perfctr_counter){ .fd = received->fd[i],
						       .identity = PERFCTR_DESCRIPTOR_KEPT };
	if (group.n && perfctr_events_values(&group, &found) < 0)
		return -1;
	for (i = 0; i < group.n; i++)
		sum->pmc[i] += found.values[i];
	if (!perfctr_cstatus_has_tsc(now->cstatus))
		return 0;
	if (perfctr_counter_read(&counter[group.n], &found, 1) != PERFCTR_READ_DONE)
		return perfctr_fail(EIO, "the clock of these counters can't be read");
	sum->tsc += perfctr_rate_ticks(now->rate, found.enabled);
	return 0;
}

static int fail_no_state(int fd)
{
	return perfctr_fail(EINVAL,
			    "descriptor %d has no counters: its thread had none when "
			    "_vperfctr_open(0) made it; create them with _vperfctr_open(1)",
			    fd);
}

int perfctr_queue_read(int fd, struct perfctr_sum_ctrs *sum, struct vperfctr_control *control)
{
	struct received received;
	struct perfctr_sum_ctrs found;
	int result = 0;

	if (receive(fd, &received) < 0)
		return -1;
	if (received.now.magic == MAGIC_FACTS) {
		result = fail_no_state(fd);
	} else if (sum && perfctr_cstatus_has_ictrs(received.now.cstatus)) {
		result = perfctr_fail(EOPNOTSUPP,
				      "over perf_events only their own thread can read i-mode "
				      "counters that run");
	} else if (sum) {
		found.tsc = received.now.tsc_sum;
		static_assert(sizeof(found.pmc) == sizeof(received.now.sum), "64 bits each");
		memcpy(found.pmc, received.now.sum, sizeof(found.pmc));
		result = running(&received.now) ? read_events(&received, &found) : 0;
		if (result == 0)
			*sum = found;
	}
	if (result == 0 && control)
		*control = received.now.control;
	close_received(&received);
	return result;
}

bool perfctr_queue_has_state(int fd)
{
	struct perfctr_published now;

	/* No descriptors are made, since there is no room for them. */
	return perfctr_call_recv(fd, &now, sizeof(now), MSG_PEEK | MSG_DONTWAIT | MSG_TRUNC) ==
		       (ssize_t)sizeof(now) &&
	       (now.magic == MAGIC_STATE || now.magic == MAGIC_FACTS);
}

int perfctr_queue_facts(void)
{
	struct perfctr_published now;
	struct perfctr_queue queue;

	if (perfctr_queue_open(&queue) < 0)
		return -1;
	memset(&now, 0, sizeof(now));
	now.magic = MAGIC_FACTS;
	if (put(&queue, &now, NULL, 0) < 0) {
		perfctr_queue_close(&queue);
		return -1;
	}
	perfctr_descriptor_drop(queue.writer, queue.writers_identity);
	perfctr_descriptor_disown(queue.reader); /* it is the program's descriptor from now on */
	return queue.reader;
}

/* Says why this thread can only read a descriptor; 0: all has ended. */
int perfctr_queue_check(int fd)
{
	struct received received;
	int result = -1;

	if (receive(fd, &received) < 0)
		return -1;
	if (received.now.magic == MAGIC_FACTS)
		fail_no_state(fd);
	else if (received.now.ended)
		result = 0;
	else
		perfctr_fail(ESRCH,
			     "these counters belong to another thread, which alone can control "
			     "them over perf_events; or their thread has ended, or executed "
			     "another program");
	close_received(&received);
	return result;
}
