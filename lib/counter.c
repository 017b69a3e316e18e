// SPDX-License-Identifier: LGPL-2.1-or-later
/* One event of perf_event_open(2): all of perf_events' system calls are made here. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "internal.h"

/* arm64, attr.config1: a 64-bit counter; readable in user space (Documentation/arm64/perf.rst). */
#define ARM64_LONG	1u
#define ARM64_RDPMC	2u

int perfctr_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu, int group_fd)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);
}

/* Only the calling thread's own hardware events can be read in user space. */
static bool wants_user_access(const struct perf_event_attr *attr, pid_t tid, int cpu)
{
#ifdef __aarch64__
	return tid == 0 && cpu == -1 && attr->config1 == 0 && !attr->inherit &&
	       (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
		attr->type == PERF_TYPE_RAW);
#else
	(void)attr, (void)tid, (void)cpu;
	return false;
#endif
}

int perfctr_counter_open(struct perfctr_counter *counter, const struct perf_event_attr *attr,
			 const char *name, pid_t tid, int cpu, const struct perfctr_counter *leader,
			 unsigned int members)
{
	/* Best first: not every PMU has 64-bit event counters, not every kernel user access. */
	static const unsigned int access[] = { ARM64_LONG | ARM64_RDPMC, ARM64_RDPMC, 0 };
	struct perf_event_attr wanted = *attr;
	int group_fd = leader ? leader->fd : -1;
	unsigned int i;

	counter->page = NULL;
	if (!wants_user_access(attr, tid, cpu)) {
		counter->fd = perfctr_event_open(attr, tid, cpu, group_fd);
	} else {
		for (i = 0; i < ARRAY_SIZE(access); i++) {
			wanted.config1 = access[i];
			counter->fd = perfctr_event_open(&wanted, tid, cpu, group_fd);
			if (counter->fd >= 0 || (errno != EINVAL && errno != EOPNOTSUPP))
				break;
		}
	}
	if (counter->fd < 0)
		return perfctr_why_not(errno, attr, name, tid, members);
	return 0;
}

bool perfctr_counter_map(struct perfctr_counter *counter, enum perfctr_page_use use)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int error = errno;
	void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, counter->fd, 0);

	if (page == MAP_FAILED) {
		errno = error;	/* not an error: reads go through the kernel */
		return false;
	}
	counter->page = page;
	counter->size = (unsigned int)size;
	if (use == PERFCTR_PAGE_COUNT ? PERFCTR_HAVE_RDPMC && counter->page->cap_user_rdpmc :
					PERFCTR_HAVE_RDTSC && counter->page->cap_user_time)
		return true;
	munmap(page, size);
	counter->page = NULL;
	return false;
}

int perfctr_counter_arm(struct perfctr_counter *counter, const char *name, pid_t tid, int signo)
{
	struct f_owner_ex owner = {
		.type = F_OWNER_TID, .pid = tid ? tid : (pid_t)syscall(SYS_gettid),
	};
	size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
	/* Read-only, so that the kernel overwrites what is old, and never has to wait. */
	void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, counter->fd, 0);

	if (page == MAP_FAILED && (errno == EPERM || errno == ENOMEM))
		return perfctr_fail(
		    errno,
		    "%s can't interrupt on overflow: no memory is left that may "
		    "be locked, %zu bytes for its buffer; raise the limit (ulimit -l, or "
		    "sysctl kernel.perf_event_mlock_kb) or use fewer i-mode counters",
		    name, size);
	if (page == MAP_FAILED)
		return perfctr_fail(errno, "%s can't interrupt on overflow: it gets no buffer: %s",
				    name, strerror(errno));
	counter->page = page;
	counter->size = (unsigned int)size;
	if (fcntl(counter->fd, F_SETOWN_EX, &owner) < 0 ||
	    fcntl(counter->fd, F_SETSIG, signo) < 0 || fcntl(counter->fd, F_SETFL, O_ASYNC) < 0)
		return perfctr_fail(errno,
				    "%s can't interrupt on overflow: signal %d can't be sent: %s",
				    name, signo, strerror(errno));
	return 0;
}

void perfctr_counter_close(struct perfctr_counter *counter)
{
	int error = errno;

	if (counter->page)
		munmap(counter->page, counter->size);
	if (counter->fd >= 0)
		close(counter->fd);
	counter->page = NULL;
	counter->fd = -1;
	errno = error;
}

void perfctr_counter_reader(const struct perfctr_counter *counter, struct perfctr_reader *reader)
{
	/* Its index is 0: "not in a register". */
	static const struct perf_event_mmap_page nowhere;

	memset(reader, 0, sizeof(*reader));
	reader->page = counter->page ? counter->page : &nowhere;
	/* The width is the PMU's, not the moment's; a nonsensical one would shift out of range. */
	if (counter->page) {
		unsigned int width = counter->page->pmc_width;

		if (width >= 1 && width <= 64)
			reader->shift = 64 - width;
		else
			reader->page = &nowhere;
	}
}

int perfctr_counter_read(const struct perfctr_counter *counter, struct perfctr_group_values *values,
			 size_t n)
{
	size_t size = offsetof(struct perfctr_group_values, values) + n * sizeof(values->values[0]);
	ssize_t got;

	do {
		got = read(counter->fd, values, size);
	} while (got < 0 && errno == EINTR);
	if (got == 0)
		return 1;
	if (got < 0)
		return perfctr_fail(EIO, "reading the counters failed: %s", strerror(errno));
	if ((size_t)got != size || values->nr != n)
		return perfctr_fail(EIO, "the kernel returned %zd bytes for a group of %zu counters",
				    got, n);
	return 0;
}

int perfctr_counter_ioctl(const struct perfctr_counter *counter, unsigned long request,
			  unsigned long argument)
{
	int result;

	do {
		result = ioctl(counter->fd, request, argument);
	} while (result < 0 && errno == EINTR);
	if (result < 0)
		return perfctr_fail(errno, "the kernel refused to switch the counters: %s",
				    strerror(errno));
	return 0;
}
