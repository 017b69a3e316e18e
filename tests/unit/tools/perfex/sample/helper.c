// SPDX-License-Identifier: LGPL-2.1-or-later
/* Questions, answers and ends of a helping process, where signals interrupt each call that waits.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/check.h"
#include "tools/perfex/sample/helper.h"

/* So many of the next calls are interrupted; the helping process begins with a copy. */
static unsigned int interruptions;

static bool is_interrupted(void)
{
	if (!interruptions)
		return false;
	interruptions--;
	errno = EINTR;
	return true;
}

ssize_t __real_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags);
pid_t __real_waitpid(pid_t pid, int *status, int options);
pid_t __wrap_waitpid(pid_t pid, int *status, int options);

ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
	return is_interrupted() ? -1 : __real_recvmsg(fd, message, flags);
}

pid_t __wrap_waitpid(pid_t pid, int *status, int options)
{
	return is_interrupted() ? -1 : __real_waitpid(pid, status, options);
}

static bool begin(void)
{
	return true;
}

/* Answers with the question and the file's size, or "-". */
static size_t answer(char *packet, size_t n, int fd)
{
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		strcpy(packet + n, " -");
	else
		sprintf(packet + n, " %d", (int)status.st_size);
	if (fd >= 0)
		close(fd);
	return strlen(packet);
}

static struct helper helper = { .begin = begin, .answer = answer, .megabytes = 64, .seconds = 60 };

static void is_answered(const char *question, int fd, const char *expected)
{
	char text[64] = "";

	ck_assert_uint_eq(helper_ask(&helper, question, strlen(question), fd, text, sizeof(text)),
			  strlen(expected));
	ck_assert_str_eq(text, expected);
}

/* No zombie is left, and the next question begins another process. */
static void ends(void)
{
	pid_t pid = helper.pid;

	interruptions = 3;
	helper_end(&helper);
	ck_assert_uint_eq(interruptions, 0);
	ck_assert_int_eq(helper.pid, 0);
	errno = 0;
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

START_TEST(interrupted)
{
	char path[] = "/tmp/perfctr-helper-XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	unlink(path);
	ck_assert_int_eq(write(fd, "seven b", 7), 7);
	interruptions = 3;
	is_answered("one", fd, "one 7");
	interruptions = 0;
	is_answered("two", -1, "two -");
	ends();
	is_answered("three", fd, "three 7");
	ends();
	close(fd);
}
END_TEST

UNIT_MAIN("helper", 60, interrupted)
