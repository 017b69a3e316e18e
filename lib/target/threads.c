// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists the threads of a process, which come and go while /proc lists them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "lib/base/call.h"
#include "lib/base/error.h"
#include "lib/base/file.h"
#include "lib/base/word.h"
#include "lib/target/threads.h"

DIR *perfctr_threads_open(int pid)
{
	char path[64];
	DIR *dir;

	if (pid < 0) {
		perfctr_fail(EINVAL, "%d is not a process's id; 0 is the calling process", pid);
		return NULL;
	}
	if (pid == 0)
		snprintf(path, sizeof(path), "/proc/self/task");
	else
		snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = perfctr_file_dir(path);
	if (dir)
		return dir;
	if (errno == ENOENT && pid != 0 && kill(pid, 0) < 0 && errno == ESRCH)
		perfctr_fail(ESRCH, "there is no process %d", pid);
	else
		perfctr_fail(errno == ENOMEM || errno == EMFILE || errno == ENFILE ? errno : ENOENT,
			     "the threads of process %d are not known: %s can't be read (%s); "
			     "mount /proc",
			     pid, path, strerror(errno));
	return NULL;
}

int perfctr_threads_list(DIR *dir, struct perfctr_threads *list)
{
	struct perfctr_thread *larger;
	struct dirent *entry;
	long tid;

	rewinddir(dir);
	list->n = 0;
	while ((entry = readdir(dir))) {
		tid = strtol(entry->d_name, NULL, 10);
		if (tid <= 0)
			continue;
		if (list->n == list->room) {
			larger = reallocarray(list->thread, list->room * 2 + 16, sizeof(*larger));
			if (!larger)
				return perfctr_fail(ENOMEM, "no memory for a list of threads");
			list->thread = larger;
			list->room = list->room * 2 + 16;
		}
		list->thread[list->n++] = (struct perfctr_thread){
			.tid = (pid_t)tid,
			.inode = entry->d_ino,
		};
	}
	return 0;
}

/* Whether all of a are in b. The kernel lists threads in the order of their creation. */
static bool is_part_of(const struct perfctr_threads *a, const struct perfctr_threads *b)
{
	unsigned int i, k = 0;

	for (i = 0; i < a->n; i++, k++) {
		while (k < b->n && (a->thread[i].tid != b->thread[k].tid ||
				    a->thread[i].inode != b->thread[k].inode))
			k++;
		if (k == b->n)
			return false;
	}
	return true;
}

/* Read "TID/name" in a process's directory. false: there is no such thread. */
static bool read_thread_file(DIR *dir, pid_t tid, const char *name, char *text, size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "%d/%s", (int)tid, name);
	fd = perfctr_call_openat(dirfd(dir), path);
	if (fd < 0)
		return false;
	n = perfctr_call_read(fd, text, size - 1);
	perfctr_call_close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* Creating a thread takes less time than this on a processor. */
#define CLONING_NS 1000000

/* How long a thread is waited for. */
#define SETTLE_MS 1000

enum state {
	SETTLED,
	SLEEPS, /* asleep until an event: it may be in a call that creates threads */
	RUNS,	/* or would, if it got a processor */
};

/* Whether a sleeping thread is in a call that creates threads, of this machine's 64 or 32 bits. */
static bool is_cloning(DIR *dir, pid_t tid)
{
	static const long calls[] = {
		SYS_clone, 435 /* clone3 */,
#ifdef SYS_vfork
		SYS_fork,  SYS_vfork,
#endif
#ifdef __x86_64__
		2,	   120,
		190, /* i386: fork, clone, vfork */
#endif
	};
	char text[256], *end;
	unsigned int i;
	long call;

	if (!read_thread_file(dir, tid, "syscall", text, sizeof(text)))
		return true; /* unknown, or it has ended */
	call = strtol(text, &end, 10);
	for (i = 0; i < ARRAY_SIZE(calls); i++)
		if (end == text || call == calls[i])
			return true;
	return false;
}

/*
 * A thread is settled if it is not in a clone(2) that began before it was first looked at: then it
 * sleeps elsewhere, or has run long enough since. A new thread inherits the events that were open
 * early in clone(2), and appears in /proc only at the end of it.
 */
static enum state state_of(DIR *dir, struct perfctr_thread *thread)
{
	char text[512], *state;
	unsigned long long ran;
	bool asleep;

	if (!read_thread_file(dir, thread->tid, "stat", text, sizeof(text)))
		return SETTLED;
	/* The state follows the name, which may have any characters. */
	state = strrchr(text, ')');
	if (!state || strlen(state) < 3 || !strchr("RD", state[2]))
		return SETTLED;
	asleep = state[2] == 'D';
	if (asleep && !is_cloning(dir, thread->tid))
		return SETTLED;
	if (!read_thread_file(dir, thread->tid, "schedstat", text, sizeof(text)))
		return SETTLED;
	ran = strtoull(text, NULL, 10);
	if (!thread->ran)
		thread->ran = ran;
	if (ran - thread->ran >= CLONING_NS || ran == 0)
		return SETTLED;
	return asleep ? SLEEPS : RUNS;
}

/*
 * Waits until all threads but the calling one are settled. A thread that sleeps all that time waits
 * for its child: it is vfork(2)'s parent. 0, or -1 after perfctr_fail(EAGAIN).
 */
static int settle(DIR *dir, const struct perfctr_threads *threads)
{
	pid_t self = (pid_t)syscall(SYS_gettid), running = 0;
	unsigned int i, ms;

	for (ms = 0; ms < SETTLE_MS; ms++) {
		bool all = true;

		running = 0;
		for (i = 0; i < threads->n; i++) {
			struct perfctr_thread *thread = &threads->thread[i];
			enum state state = SETTLED;

			if (!thread->settled && thread->tid != self)
				state = state_of(dir, thread);
			thread->settled = state == SETTLED;
			all &= thread->settled;
			if (state == RUNS)
				running = thread->tid;
		}
		if (all)
			return 0;
		perfctr_call_sleep(1000);
	}
	if (!running)
		return 0;
	return perfctr_fail(EAGAIN,
			    "thread %d is ready to run but got no processor in %d ms, so it may "
			    "be creating another thread; try again, or remove what keeps it from "
			    "running (a cgroup's cpu.max, a real-time program)",
			    (int)running, SETTLE_MS);
}

/*
 * Compares with the threads listed before. A listing may omit a thread while another one ends. But
 * the threads of two equal listings have lived all the time between, and if the kernel had as many
 * then (the directory's links), there were no others.
 */
static enum perfctr_census compare(DIR *dir, const struct perfctr_threads *before,
				   struct perfctr_threads list[2])
{
	const struct perfctr_threads *last = before;
	struct stat directory;
	int tries;

	for (tries = 0; tries < PERFCTR_THREADS_TRIES; tries++) {
		struct perfctr_threads *now = &list[tries % 2];

		if (fstat(dirfd(dir), &directory) < 0) {
			perfctr_fail(EIO, "a process's directory in /proc can't be read: %s",
				     strerror(errno));
			return PERFCTR_CENSUS_FAILED;
		}
		if (perfctr_threads_list(dir, now) < 0)
			return PERFCTR_CENSUS_FAILED;
		if (!is_part_of(now, before))
			break;
		if (now->n == last->n && is_part_of(now, last) && directory.st_nlink == now->n + 2)
			return PERFCTR_CENSUS_ALL;
		last = now;
	}
	return PERFCTR_CENSUS_OTHERS;
}

enum perfctr_census perfctr_threads_census(DIR *dir, struct perfctr_threads *list)
{
	struct perfctr_threads later[2] = { { NULL, 0, 0 }, { NULL, 0, 0 } };
	enum perfctr_census census;

	if (settle(dir, list) < 0)
		return PERFCTR_CENSUS_FAILED;
	census = compare(dir, list, later);
	perfctr_threads_free(&later[0]);
	perfctr_threads_free(&later[1]);
	return census;
}

void perfctr_threads_free(struct perfctr_threads *list)
{
	int error = errno;

	free(list->thread);
	errno = error;
}
