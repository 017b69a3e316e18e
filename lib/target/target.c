// SPDX-License-Identifier: LGPL-2.1-or-later
/* The target of counting or sampling: a thread, a process, processors, or a cgroup. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/base/word.h"
#include "lib/perf/counter.h"
#include "lib/perf/probe.h"
#include "lib/target/target.h"
#include "lib/target/threads.h"
#include "libperfctr.h"

static int no_memory(void)
{
	return perfctr_fail(ENOMEM, "no memory for a target");
}

/* ---- threads ---- */

static int open_thread(int id, int cpu, const struct perfctr_target_user *user)
{
	const struct perfctr_scope scope = { .tid = id, .cpu = cpu, .cgroup = -1 };
	const struct perfctr_scopes scopes = { .scope = &scope, .n = 1 };

	if (id < 0)
		return perfctr_fail(EINVAL, "%d is not a thread's id; 0 is the calling thread", id);
	return user->open(user->arg, &scopes);
}

/* Open on all threads that there are. */
static int open_threads(const struct perfctr_threads *threads,
			const struct perfctr_target_user *user)
{
	struct perfctr_scope *scope = calloc(threads->n + 1, sizeof(*scope));
	struct perfctr_scopes scopes = { .scope = scope, .n = threads->n, .process = true };
	unsigned int i;
	int result;

	if (!scope)
		return no_memory();
	for (i = 0; i < threads->n; i++)
		scope[i] = perfctr_scope_thread(threads->thread[i].tid);
	result = user->open(user->arg, &scopes);
	free(scope);
	return result;
}

static enum perfctr_census try_process(DIR *dir, struct perfctr_threads *threads,
				       const struct perfctr_target_user *user)
{
	enum perfctr_census census;

	if (perfctr_threads_list(dir, threads) < 0)
		return PERFCTR_CENSUS_FAILED;
	if (open_threads(threads, user) < 0)
		return PERFCTR_CENSUS_FAILED;
	census = perfctr_threads_census(dir, threads);
	if (census != PERFCTR_CENSUS_ALL)
		user->close(user->arg);
	return census;
}

static int open_process(int pid, const struct perfctr_target_user *user)
{
	enum perfctr_census census = PERFCTR_CENSUS_OTHERS;
	struct perfctr_threads threads = { NULL, 0, 0 };
	DIR *dir = perfctr_threads_open(pid);
	int tries;

	if (!dir)
		return -1;
	for (tries = 1; tries <= PERFCTR_THREADS_TRIES && census == PERFCTR_CENSUS_OTHERS; tries++)
		census = try_process(dir, &threads, user);
	if (census == PERFCTR_CENSUS_OTHERS)
		perfctr_fail(EAGAIN,
			     "process %d creates threads faster than they can be opened: they "
			     "had changed at each of %d attempts; try again, or stop it "
			     "meanwhile",
			     pid ? pid : (int)getpid(), PERFCTR_THREADS_TRIES);
	perfctr_threads_free(&threads);
	perfctr_call_closedir(dir);
	return census == PERFCTR_CENSUS_ALL ? 0 : -1;
}

/* ---- processors and cgroups ---- */

/* Processor cpu, or all (-1), within the cgroup if its descriptor is not -1. */
static int open_cpus(int cpu, int cgroup, const struct perfctr_target_user *user)
{
	struct perfctr_scopes scopes = { .every_cpu = cpu < 0 };
	struct perfctr_cpus_info *info;
	struct perfctr_scope *scope;
	unsigned int i;
	int result;

	if (cpu < -1)
		return perfctr_fail(EINVAL, "%d is not a processor; -1 is all of them", cpu);
	info = perfctr_cpus_info(-1);
	if (!info)
		return -1;
	scope = calloc(info->cpus->nrwords * 32, sizeof(*scope));
	scopes.scope = scope;
	for (i = 0; scope && i < info->cpus->nrwords * 32; i++)
		if (info->cpus->mask[i / 32] & 1u << i % 32 && (cpu < 0 || i == (unsigned int)cpu))
			scope[scopes.n++] = (struct perfctr_scope){
				.tid = -1,
				.cpu = (int)i,
				.cgroup = cgroup,
			};
	if (!scope)
		result = no_memory();
	else if (scopes.n == 0)
		result = perfctr_fail(ENODEV, "processor %d is not online", cpu);
	else
		result = user->open(user->arg, &scopes);
	free(scope);
	free(info);
	return result;
}

/* Opens a cgroup's directory. A descriptor; -1 with errno (EINVAL: it is another directory). */
static int open_directory(const char *root, const char *path)
{
	char name[PATH_MAX];
	struct statfs fs;
	int fd, n = snprintf(name, sizeof(name), "%s%s", root, path);

	if (n < 0 || (size_t)n >= sizeof(name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = perfctr_call_open(name, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return -1;
	if (fstatfs(fd, &fs) == 0 &&
	    (fs.f_type == CGROUP2_SUPER_MAGIC || fs.f_type == CGROUP_SUPER_MAGIC))
		return fd;
	perfctr_call_close(fd);
	errno = EINVAL;
	return -1;
}

static int open_cgroup(const char *path)
{
	/* Where version 1 has perf_event, version 2 has not. */
	static const char roots[][32] = {
		"/sys/fs/cgroup/perf_event/",
		"/sys/fs/cgroup/",
		"/sys/fs/cgroup/unified/",
	};
	unsigned int i;
	int fd = -1, error = ENOENT;

	if (!path || !*path)
		return perfctr_fail(EINVAL, "PERFCTR_TARGET_CGROUP needs the name of a cgroup's "
					    "directory");
	if (*path == '/') {
		fd = open_directory("", path);
		error = errno;
	}
	/* Paths begin with a slash in /proc/PID/cgroup, too. */
	for (i = 0; i < ARRAY_SIZE(roots) && fd < 0; i++)
		fd = open_directory(roots[i], path);
	if (fd >= 0)
		return fd;
	if (error != ENOENT)
		errno = error;
	if (errno == EINVAL || errno == ENOTDIR)
		return perfctr_fail(EINVAL, "%.200s is not a cgroup's directory", path);
	if (errno == ENOENT)
		return perfctr_fail(ENOENT, "there is no cgroup %.200s%s under /sys/fs/cgroup",
				    path, *path == '/' ? ", nor one" : "");
	return perfctr_fail(errno, "cgroup %.200s can't be opened: %s", path, strerror(errno));
}

static int open_in_cgroup(const char *path, const struct perfctr_target_user *user)
{
	int cgroup = open_cgroup(path), error, result = -1;

	if (cgroup < 0)
		return -1;
	error = perfctr_cgroup_probe(cgroup, 0) < 0 ? errno : 0;
	if (error == EBADF || error == ENOENT)
		perfctr_fail(EOPNOTSUPP,
			     "cgroup %.200s can't be counted: it has no perf_event; write "
			     "+pids or so into its parent's cgroup.subtree_control, or name the "
			     "directory under the mount that has perf_event",
			     path);
	else if (error == EINVAL)
		perfctr_fail(EOPNOTSUPP,
			     "cgroup %.200s can't be counted: this kernel can't count "
			     "cgroups (CONFIG_CGROUP_PERF)",
			     path);
	else /* any other error comes again, and then it is about an event */
		result = open_cpus(-1, cgroup, user);
	perfctr_call_close(cgroup);
	return result;
}

/* ---- targets ---- */

bool perfctr_target_on_cpus(const struct perfctr_target *target)
{
	return target &&
	       (target->type == PERFCTR_TARGET_CPU || target->type == PERFCTR_TARGET_CGROUP);
}

static int check(const struct perfctr_target *target, unsigned int flags)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(target->reserved); i++)
		if (target->reserved[i])
			return perfctr_fail(EINVAL, "the target's reserved members must be 0");
	if (target->type == PERFCTR_TARGET_CPU && target->cpu && target->cpu != target->id)
		return perfctr_fail(EINVAL, "the processor of PERFCTR_TARGET_CPU is the target's "
					    "id; set cpu to 0");
	if (perfctr_target_on_cpus(target) && flags & (PERFCTR_INHERIT | PERFCTR_ON_EXEC))
		return perfctr_fail(EINVAL, "PERFCTR_INHERIT and PERFCTR_ON_EXEC are for threads; "
					    "on a processor all count");
	return 0;
}

int perfctr_target_open(const struct perfctr_target *target, unsigned int flags,
			const struct perfctr_target_user *user)
{
	if (!target)
		return open_thread(0, -1, user);
	if (check(target, flags) < 0)
		return -1;
	switch (target->type) {
	case PERFCTR_TARGET_THREAD: return open_thread(target->id, -1, user);
	case PERFCTR_TARGET_THREAD_ON_CPU:
		return target->cpu < 0 ? perfctr_fail(EINVAL, "%d is not a processor", target->cpu)
				       : open_thread(target->id, target->cpu, user);
	case PERFCTR_TARGET_PROCESS: return open_process(target->id, user);
	case PERFCTR_TARGET_CPU: return open_cpus(target->id, -1, user);
	case PERFCTR_TARGET_CGROUP: return open_in_cgroup(target->cgroup, user);
	}
	return perfctr_fail(EINVAL, "%u is not a type of target; those are PERFCTR_TARGET_*",
			    target->type);
}
