// SPDX-License-Identifier: LGPL-2.1-or-later
/* A file that is replaced at once: its mode, its links, and what stays if that fails. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/base/outfile.h"

static char directory[] = "outfile.XXXXXX";

static void begin(void)
{
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
	umask(022);
}

static unsigned int entries(const char *name)
{
	DIR *files = opendir(name);
	unsigned int n = 0;

	ck_assert_ptr_nonnull(files);
	while (readdir(files))
		n++;
	closedir(files);
	return n;
}

static void end(void)
{
	ck_assert_int_eq(chdir(".."), 0);
	ck_assert_int_eq(rmdir(directory), 0);
}

static void write_file(const char *name, const char *words, mode_t mode)
{
	FILE *file = fopen(name, "w");

	ck_assert_ptr_nonnull(file);
	fputs(words, file);
	fclose(file);
	ck_assert_int_eq(chmod(name, mode), 0);
}

static const char *words_of(const char *name)
{
	static char words[64];
	FILE *file = fopen(name, "r");

	ck_assert_ptr_nonnull(file);
	if (!fgets(words, sizeof(words), file))
		*words = '\0';
	fclose(file);
	return words;
}

static mode_t mode_of(const char *name)
{
	struct stat status;

	ck_assert_int_eq(lstat(name, &status), 0);
	return status.st_mode;
}

/* Write the words in a file's place; nothing else is left. */
static void replace(const char *name, const char *words, bool private)
{
	struct replacement replacement;

	ck_assert_int_eq(replace_begin(&replacement, name, private), 0);
	fputs(words, replacement.file);
	ck_assert_int_eq(replace_end(&replacement), 0);
	ck_assert_str_eq(words_of(name), words);
}

START_TEST(modes)
{
	begin();
	replace("new", "1", false);
	ck_assert_uint_eq(mode_of("new"), S_IFREG | 0644);
	replace("private", "2", true);
	ck_assert_uint_eq(mode_of("private"), S_IFREG | 0600);
	write_file("old", "before", 0640);
	replace("old", "3", false);
	ck_assert_uint_eq(mode_of("old"), S_IFREG | 0640);
	replace("old", "4", true);
	ck_assert_uint_eq(mode_of("old"), S_IFREG | 0600);
	ck_assert_uint_eq(entries("."), 2 + 3);
	unlink("new");
	unlink("private");
	unlink("old");
	end();
}
END_TEST

/* Links stay links, to one that was not there, too. */
START_TEST(links)
{
	begin();
	write_file("file", "before", 0644);
	ck_assert_int_eq(symlink("file", "link"), 0);
	replace("link", "after", false);
	ck_assert_uint_eq(mode_of("link") & S_IFMT, S_IFLNK);
	ck_assert_str_eq(words_of("file"), "after");
	ck_assert_uint_eq(entries("."), 2 + 2);
	unlink("link");
	unlink("file");
	end();
}
END_TEST

/* A descriptor's link may name what is no file of that name. */
START_TEST(deleted)
{
	struct replacement replacement;
	char link[32];
	int fd, pipes[2];

	begin();
	fd = open("gone", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_eq(unlink("gone"), 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ck_assert_int_eq(replace_begin(&replacement, link, false), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_int_eq(pipe(pipes), 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", pipes[1]);
	ck_assert_int_eq(replace_begin(&replacement, link, false), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_uint_eq(entries("."), 2);
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
	end();
}
END_TEST

/* What was there stays, and nothing beside it. */
START_TEST(not_replaced)
{
	struct replacement replacement;

	begin();
	write_file("file", "before", 0600);
	ck_assert_int_eq(replace_begin(&replacement, "file", false), 0);
	fputs("half", replacement.file);
	replace_cancel(&replacement);
	ck_assert_str_eq(words_of("file"), "before");
	ck_assert_int_eq(replace_begin(&replacement, ".", false), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_int_eq(replace_begin(&replacement, "no/file", false), -1);
	ck_assert_int_eq(errno, ENOENT);

	/* Its place is taken meanwhile by what no file can replace. */
	ck_assert_int_eq(replace_begin(&replacement, "file", false), 0);
	unlink("file");
	ck_assert_int_eq(mkdir("file", 0700), 0);
	ck_assert_int_eq(replace_end(&replacement), -1);
	ck_assert_int_eq(errno, EISDIR);
	ck_assert_uint_eq(entries("."), 2 + 1);
	rmdir("file");
	end();
}
END_TEST

/* A pipe's writer waits for its reader as usual; signals mean what they meant. */
START_TEST(pipes)
{
	struct sigaction before, after;
	int reader, writer;

	begin();
	signal(SIGINT, SIG_IGN);
	sigaction(SIGINT, NULL, &before);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	reader = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	writer = outfile_open("fifo", O_WRONLY | O_CLOEXEC, 0600);
	ck_assert_int_ge(writer, 0);
	ck_assert_int_eq(fcntl(writer, F_GETFL) & O_NONBLOCK, 0);
	sigaction(SIGINT, NULL, &after);
	ck_assert(before.sa_handler == after.sa_handler);
	errno = 0;
	ck_assert_int_eq(outfile_open("no/file", O_WRONLY | O_CLOEXEC, 0600), -1);
	ck_assert_int_eq(errno, ENOENT);
	close(writer);
	close(reader);
	unlink("fifo");
	end();
}
END_TEST

/* Another user can't give the file to its group: what that may do, the own group may not. */
START_TEST(another_group)
{
	int status = -1;
	pid_t pid;

	begin();
	write_file("file", "before", 0664);
	ck_assert_int_eq(chmod(".", 0777), 0);
	pid = geteuid() == 0 ? fork() : -1;
	if (pid == 0) {
		struct replacement replacement;

		if (setgid(65534) != 0 || setuid(65534) != 0 ||
		    replace_begin(&replacement, "file", false) < 0)
			_exit(2); /* it can't reach the directory */
		_exit(replace_end(&replacement) < 0 || mode_of("file") != (S_IFREG | 0604));
	}
	if (pid > 0) {
		ck_assert_int_eq(waitpid(pid, &status, 0), pid);
		ck_assert(WIFEXITED(status) && WEXITSTATUS(status) != 1);
	}
	unlink("file");
	end();
}
END_TEST

/* A signal that was ignored goes on being, while the reader is waited for. */
START_TEST(ignored_signals)
{
	int reader, status = -1;
	pid_t pid;

	begin();
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	signal(SIGINT, SIG_IGN);
	pid = fork();
	if (pid == 0)
		_exit(outfile_open("fifo", O_WRONLY | O_CLOEXEC, 0600) < 0);
	usleep(200000);
	kill(pid, SIGINT);
	usleep(50000);
	reader = open("fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ck_assert_int_ge(reader, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	close(reader);
	unlink("fifo");
	end();
}
END_TEST

UNIT_MAIN("outfile", 20, modes, links, deleted, not_replaced, pipes, another_group, ignored_signals)
