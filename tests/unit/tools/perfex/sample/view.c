// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Files as processes see them: in other roots and namespaces, behind links, after the first thread
 * has ended; and what is not the file that was mapped.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/elf.h"
#include "tools/perfex/sample/view.h"

static char directory[32];

static void run(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && %s", directory, command);
	ck_assert_msg(system(line) == 0, "%s", line);
}

static void make_directory(void)
{
	strcpy(directory, "/tmp/view.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
}

/* Has a child do this, and wait. Its number, once it has done so; 0: it may not. */
static pid_t begin(bool (*work)(void))
{
	int line[2];
	char done = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(line), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		close(line[0]);
		if (!work() || write(line[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(line[1]);
	if (read(line[0], &done, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = 0;
	}
	close(line[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* What is in a file of a view; "": it can't be opened. */
static const char *content(const struct view *view, const char *path, bool links)
{
	static char text[32];
	int fd = view_open(view, path, links);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

START_TEST(own)
{
	struct views *views = views_new();
	struct stat mounts;

	ck_assert_ptr_eq(views_process(views, (uint32_t)getpid()), views_own(views));
	ck_assert_int_eq(stat("/proc/self/ns/mnt", &mounts), 0);
	ck_assert_ptr_eq(views_namespace(views, mounts.st_ino), views_own(views));
	ck_assert_ptr_null(views_namespace(views, 1));
	ck_assert_ptr_null(views_process(views, INT32_MAX));
	ck_assert_uint_eq(view_inner_pid((uint32_t)getpid()), (uint32_t)getpid());
	ck_assert_uint_eq(view_inner_pid(INT32_MAX), INT32_MAX);
	ck_assert_int_lt(view_open(views_own(views), "/dev/null", true), 0);
	ck_assert_int_lt(view_open(views_own(views), "/", true), 0);
	ck_assert_int_lt(view_open(views_own(views), "/no/such/file", true), 0);
	views_free(views);
}
END_TEST

static bool change_root(void)
{
	return chdir(directory) == 0 && chroot(".") == 0;
}

/* Links lead to the root's own files, and not out of it. */
START_TEST(of_a_root)
{
	struct views *views = views_new();
	const struct view *view;
	char other[64];
	pid_t pid;

	make_directory();
	run("mkdir a && printf inside >a/file && ln -s /a/file absolute && ln -s ../../../a/file "
	    "a/up && ln -s file a/link && ln -s /proc/1/root magic && mkfifo pipe");
	pid = begin(change_root);
	if (pid) {
		view = views_process(views, (uint32_t)pid);
		ck_assert_ptr_nonnull(view);
		ck_assert_ptr_ne(view, views_own(views));
		ck_assert_ptr_eq(views_process(views, (uint32_t)pid), view);
		end(pid);
		ck_assert_str_eq(content(view, "/a/file", true), "inside");
		ck_assert_str_eq(content(view, "/../a/file", true), "inside");
		ck_assert_str_eq(content(view, "/absolute", true), "inside");
		ck_assert_str_eq(content(view, "/a/up", true), "inside");
		ck_assert_str_eq(content(view, "/a/link", true), "inside");
		ck_assert_str_eq(content(view, "/a/link", false), "");
		ck_assert_str_eq(content(view, "/pipe", true), "");
		snprintf(other, sizeof(other), "%s/a/file", directory);
		ck_assert_str_eq(content(view, other, true), "");
		ck_assert_str_eq(content(views_own(views), other, true), "inside");
		ck_assert_ptr_null(views_process(views, (uint32_t)pid));
	}
	views_free(views);
	run("rm -rf \"$PWD\"");
}
END_TEST

static bool change_mounts(void)
{
	FILE *file;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("none", directory, "tmpfs", 0, NULL) < 0 || chdir(directory) < 0)
		return false;
	file = fopen("file", "w");
	return file && fputs("its own", file) >= 0 && fclose(file) == 0;
}

/* A namespace stays after its last process. */
START_TEST(of_a_namespace)
{
	struct views *views = views_new();
	struct stat mounts;
	const struct view *view;
	char path[64];
	pid_t pid;

	make_directory();
	run("printf outside >file");
	pid = begin(change_mounts);
	if (pid) {
		snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)pid);
		ck_assert_int_eq(stat(path, &mounts), 0);
		view = views_process(views, (uint32_t)pid);
		ck_assert_ptr_nonnull(view);
		ck_assert_ptr_eq(views_namespace(views, mounts.st_ino), view);
		end(pid);
		snprintf(path, sizeof(path), "%s/file", directory);
		ck_assert_str_eq(content(view, path, true), "its own");
		ck_assert_str_eq(content(views_own(views), path, true), "outside");
	}
	views_free(views);
	run("rm -rf \"$PWD\"");
}
END_TEST

static bool change_pids(void)
{
	pid_t pid;

	if (unshare(CLONE_NEWPID) < 0)
		return false;
	pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	return true;
}

START_TEST(inner_pids)
{
	char path[64], command[128];
	unsigned int inner;
	FILE *file;
	pid_t pid = begin(change_pids);

	if (!pid)
		return;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	file = fopen(path, "r");
	if (file && fscanf(file, "%u", &inner) == 1) {
		ck_assert_uint_eq(view_inner_pid(inner), 1);
		snprintf(command, sizeof(command), "kill -9 %u", inner);
		ck_assert_int_eq(system(command), 0);
	}
	if (file)
		fclose(file);
	end(pid);
}
END_TEST

static void *wait_for_ever(void *arg)
{
	pause();
	return arg;
}

/* Has another thread continue when the first one has ended. */
static pid_t begin_threads(void)
{
	pid_t pid = fork();
	pthread_t thread;

	if (pid == 0) {
		pthread_create(&thread, NULL, wait_for_ever, NULL);
		pthread_exit(NULL);
	}
	return pid;
}

START_TEST(first_thread_ended)
{
	struct views *views = views_new();
	char path[64], before[32], line[256];
	pid_t pid = begin_threads();
	FILE *file;

	ck_assert_int_gt(pid, 0);
	snprintf(before, sizeof(before), "/proc/%d", (int)pid);
	do
		view_directory((uint32_t)pid, path, sizeof(path));
	while (!strcmp(path, before));
	ck_assert_msg(!strncmp(path, before, strlen(before)), "%s", path);
	strcat(path, "/maps");
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
	fclose(file);
	ck_assert_ptr_eq(views_process(views, (uint32_t)pid), views_own(views));
	end(pid);
	views_free(views);
}
END_TEST

/* Opens a file that the kernel knows by these. */
static enum view_result opened(const struct perfctr_record_mmap *mmap)
{
	struct views *views = views_new();
	enum view_result result;
	int fd = -1;

	result = view_open_mapped(views, views_own(views), mmap, &fd);
	ck_assert_int_eq(fd >= 0, result == VIEW_FOUND);
	if (fd >= 0)
		close(fd);
	views_free(views);
	return result;
}

START_TEST(mapped)
{
	struct perfctr_record_mmap mmap = { .pid = INT32_MAX };
	char path[64], deleted[96];
	struct stat stat_;

	make_directory();
	run("printf one >file");
	snprintf(path, sizeof(path), "%s/file", directory);
	mmap.file = path;
	ck_assert_int_eq(opened(&mmap), VIEW_FOUND); /* nothing is known of it */
	ck_assert_int_eq(stat(path, &stat_), 0);
	mmap.major = major(stat_.st_dev);
	mmap.minor = minor(stat_.st_dev);
	mmap.inode = stat_.st_ino;
	ck_assert_int_eq(opened(&mmap), VIEW_FOUND);
	mmap.inode++;
	ck_assert_int_eq(opened(&mmap), VIEW_REPLACED);
	mmap.inode--;
	mmap.minor++;
	ck_assert_int_eq(opened(&mmap), VIEW_REPLACED);
	mmap.minor--;
	run("printf two >other && mv other file");
	ck_assert_int_eq(opened(&mmap), VIEW_REPLACED);
	snprintf(deleted, sizeof(deleted), "%s (deleted)", path);
	mmap.file = deleted;
	ck_assert_int_eq(opened(&mmap), VIEW_REPLACED);
	run("rm file");
	ck_assert_int_eq(opened(&mmap), VIEW_UNSEEN);
	run("rm -rf \"$PWD\"");
}
END_TEST

#ifdef HAVE_LIBELF
/* A build ID counts more than anything else. */
START_TEST(build_ids)
{
	struct perfctr_record_mmap mmap = { .pid = INT32_MAX };
	int fd = elf_open_file("/proc/self/exe");
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	ck_assert_int_gt(n, 0);
	path[n] = '\0';
	mmap.file = path;
	mmap.build_id_size = elf_build_id(fd, mmap.build_id);
	close(fd);
	if (!mmap.build_id_size)
		return; /* the linker makes none */
	mmap.inode = 1;
	ck_assert_int_eq(opened(&mmap), VIEW_FOUND);
	mmap.build_id[0] ^= 1;
	ck_assert_int_eq(opened(&mmap), VIEW_REPLACED);
	mmap.build_id[0] ^= 1;
	mmap.build_id_size--;
	ck_assert_int_eq(opened(&mmap), VIEW_REPLACED);
}
END_TEST
#endif

UNIT_MAIN("view", 60, own, of_a_root, of_a_namespace, inner_pids, first_thread_ended, mapped
#ifdef HAVE_LIBELF
	  ,
	  build_ids
#endif
)
