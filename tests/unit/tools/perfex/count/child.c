// SPDX-License-Identifier: LGPL-2.1-or-later
/* perfex's command, before it starts: signals of the terminal are for perfex, and not lost. */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/harness/apart.h"
#include "tests/harness/check.h"
#include "tools/perfex/base/die.h"
#include "tools/perfex/base/outfile.h"
#include "tools/perfex/count/child.h"

/* A shell lets its background commands ignore these two, and perfex leaves it so. */
static void as_from_a_terminal(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGQUIT, SIG_DFL);
	signal(SIGHUP, SIG_DFL); /* nohup ignores it */
	end_prepare();
}

/* How a process ends that gets the signal once its command waits, and then opens what has no
 * reader. */
static int end_of(int signal, const char *fifo)
{
	static char name[] = "true", *command[] = { name, NULL };
	pid_t pid = fork();
	struct child child;
	int status;

	if (pid == 0) {
		alarm(10);
		as_from_a_terminal();
		child_start(&child, command, NULL);
		raise(signal);
		outfile_open(fifo, O_WRONLY | O_CLOEXEC, 0600);
		_exit(0);
	}
	ck_assert_int_gt(pid, 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(early_signals)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP };
	char directory[] = "child.XXXXXX", fifo[32];
	unsigned int i;
	int status;

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(fifo, sizeof(fifo), "%s/fifo", directory);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		status = end_of(signals[i], fifo);
		ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == signals[i],
			      "signal %d: status 0x%x", signals[i], (unsigned int)status);
	}
	unlink(fifo);
	rmdir(directory);
}
END_TEST

/* The terminal's signals reach the command, too, which waits as well; SIGKILL ends it there and
 * then. */
static int end_with(int which, char *said, size_t size)
{
	static char name[] = "true", *command[] = { name, NULL };
	struct child child;
	siginfo_t info;
	int status, out[2];
	ssize_t n;
	pid_t pid;

	ck_assert_int_eq(pipe(out), 0);
	pid = fork();
	if (pid == 0) {
		alarm(10);
		as_from_a_terminal();
		signal(SIGTERM, SIG_DFL); /* Check has a handler */
		dup2(out[1], STDERR_FILENO);
		child_start(&child, command, NULL);
		kill(child.pid, which);
		if (which == SIGKILL)
			waitid(P_PID, (id_t)child.pid, &info, WEXITED | WNOWAIT);
		child_release(&child, *command);
		_exit(waitpid(child.pid, &status, 0) == child.pid ? status : 99);
	}
	close(out[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	n = read(out[0], said, size - 1);
	said[n > 0 ? n : 0] = '\0';
	close(out[0]);
	return status;
}

START_TEST(early_ends)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGKILL };
	char said[256], wanted[64];
	unsigned int i;
	int status;

	for (i = 0; i < ARRAY_SIZE(signals); i++) {
		status = end_with(signals[i], said, sizeof(said));
		ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == signals[i] &&
				      !WCOREDUMP(status),
			      "signal %d: status 0x%x", signals[i], (unsigned int)status);
		snprintf(wanted, sizeof(wanted), "perfex: true was not executed: signal %d (",
			 signals[i]);
		ck_assert_msg(!strncmp(said, wanted, strlen(wanted)), "%s", said);
	}
	/* Neither one that is ignored, nor one that says nothing. */
	status = end_with(SIGWINCH, said, sizeof(said));
	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(said, "");
}
END_TEST

/* Once it runs, the terminal's signals are the command's to take: perfex notes them. */
START_TEST(late_signals)
{
	static char name[] = "true", *command[] = { name, NULL };
	struct child child;
	int status;

	as_from_a_terminal();
	child_start(&child, command, NULL);
	child_release(&child, *command);
	raise(SIGINT);
	ck_assert_int_eq(waitpid(child.pid, &status, 0), child.pid);
	ck_assert(child_end());

	/* An early one is noted then, too. */
	child_start(&child, command, NULL);
	raise(SIGQUIT);
	child_release(&child, *command);
	ck_assert_int_eq(waitpid(child.pid, &status, 0), child.pid);
	ck_assert(child_end());

	child_start(&child, command, NULL);
	child_release(&child, *command);
	ck_assert_int_eq(waitpid(child.pid, &status, 0), child.pid);
	ck_assert(!child_end());
}
END_TEST

/* What a shell says of its own. */
static bool holds(const char *condition)
{
	char shell[] = "sh", option[] = "-c", words[256],
	     *command[] = { shell, option, words, NULL };
	struct child child;
	int status;

	snprintf(words, sizeof(words), "%s", condition);
	child_start(&child, command, NULL);
	child_release(&child, *command);
	ck_assert_int_eq(waitpid(child.pid, &status, 0), child.pid);
	child_end();
	return status == 0;
}

/* perfex has all descriptors that it may have, and lives on where a file becomes too large; the
 * command has what perfex was started with. */
START_TEST(limits)
{
	struct rlimit limit;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_uint_gt(limit.rlim_max, 100);
	limit.rlim_cur = 100;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
	signal(SIGXFSZ, SIG_DFL);
	limits_raise();
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
	ck_assert_uint_eq(limit.rlim_cur, limit.rlim_max);
	ck_assert(holds("test $(ulimit -Sn) = 100"));
	/* SIGXFSZ ends a process whose file may have no byte. */
	ck_assert(holds("file=$(mktemp) || exit; (ulimit -f 0; exec 2>&-; printf x >$file); "
			"s=$?; rm $file; test $s -gt 128"));
	signal(SIGXFSZ, SIG_IGN);
	limits_raise();
	ck_assert(!holds("file=$(mktemp) || exit; (ulimit -f 0; exec 2>&-; printf x >$file); "
			 "s=$?; rm $file; test $s -gt 128"));
}
END_TEST

/* Of SIGINT, SIGQUIT, SIGCHLD, SIGTERM and SIGHUP those are blocked that have a letter. */
static void blocked(const char *letters)
{
	static const int signals[] = { SIGINT, SIGQUIT, SIGCHLD, SIGTERM, SIGHUP };
	char found[] = "iqcth";
	unsigned int i;
	sigset_t set;

	sigprocmask(SIG_SETMASK, NULL, &set);
	for (i = 0; i < ARRAY_SIZE(signals); i++)
		if (!sigismember(&set, signals[i]))
			found[i] = '-';
	ck_assert_str_eq(found, letters);
}

START_TEST(masks)
{
	char name[] = "true", *command[] = { name, NULL };
	struct child child;
	int status;

	blocked("-----");
	child_start(&child, command, NULL);
	blocked("iqcth");
	child_release(&child, name);
	blocked("--cth");
	ck_assert_int_eq(waitpid(child.pid, &status, 0), child.pid);
	child_end();
	blocked("-----");
}
END_TEST

static void run_true(struct child *child)
{
	static char name[] = "true", *command[] = { name, NULL };
	int status;

	child_start(child, command, NULL);
	child_release(child, name);
	ck_assert_int_eq(waitpid(child->pid, &status, 0), child->pid);
	ck_assert_int_eq(status, 0);
}

static bool is_handled(int signal)
{
	struct sigaction action;

	sigaction(signal, NULL, &action);
	return action.sa_handler != SIG_DFL;
}

/* Signals stay as they are from one command of a series to the next one; the command's are not. */
START_TEST(in_series)
{
	struct child child;

	as_from_a_terminal();
	child_series(true);
	run_true(&child);
	ck_assert(!child_end());
	blocked("--cth");
	ck_assert(is_handled(SIGINT) && is_handled(SIGQUIT));
	ck_assert(holds("test $(sed -n 's/^SigBlk:\t//p' /proc/self/status) = 0000000000000000"));
	blocked("--cth");
	/* The last one's end restores them, */
	child_series(true);
	run_true(&child);
	ck_assert(!child_end());
	child_series(false);
	blocked("-----");
	ck_assert(!is_handled(SIGINT) && !is_handled(SIGQUIT));
	run_true(&child);
	ck_assert(!child_end());
	blocked("-----");
	/* and so does an interruption's. */
	child_series(true);
	run_true(&child);
	raise(SIGINT);
	ck_assert(child_end());
	blocked("-----");
	ck_assert(!is_handled(SIGINT) && !is_handled(SIGQUIT));
	child_series(false);
}
END_TEST

/* How a process ends that gets the signal between two commands of a series, or after them. */
static int end_between(int signal, bool after)
{
	struct child child;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(10);
		as_from_a_terminal();
		child_series(true);
		run_true(&child);
		child_end();
		raise(signal);
		if (after)
			child_series(false);
		else
			run_true(&child);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(between_commands)
{
	static const int signals[] = { SIGINT, SIGQUIT };
	unsigned int i;
	int status;

	for (i = 0; i < 2 * ARRAY_SIZE(signals); i++) {
		status = end_between(signals[i / 2], i % 2);
		ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == signals[i / 2] &&
				      !WCOREDUMP(status),
			      "signal %d: status 0x%x", signals[i / 2], (unsigned int)status);
	}
}
END_TEST

#if defined(__x86_64__) || defined(__aarch64__)
#ifdef __x86_64__
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

/* A program whose second segment, of two, says where the interpreter's name stands. */
static size_t make_program(char *bytes, size_t offset, size_t size)
{
	const Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = MACHINE,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(head),
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
	};
	const Elf64_Phdr segments[2] = {
		{ .p_type = PT_NOTE, .p_offset = 4, .p_filesz = 4 },
		{ .p_type = PT_INTERP, .p_offset = offset, .p_filesz = size },
	};

	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), segments, sizeof(segments));
	strcpy(bytes + sizeof(head) + sizeof(segments), "/none/ld.so");
	return sizeof(head) + sizeof(segments) + sizeof("/none/ld.so");
}
#else
static size_t make_program(char *bytes, size_t offset, size_t size)
{
	(void)offset, (void)size;
	strcpy(bytes, "#!/none/ld.so");
	return strlen(bytes);
}
#endif

static void write_file(const char *path, const char *bytes, size_t size, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	ck_assert_int_eq(write(fd, bytes, size), (ssize_t)size);
	ck_assert_int_eq(fchmod(fd, mode) | close(fd), 0);
}

static void become(const void *command)
{
	char *all[] = { strdup(command), NULL };

	child_become(all);
}

/* The process that would be the command says so, and exits with this status. */
static void becomes(const char *command, int status, const char *words)
{
	char said[512];
	int ended = run_apart(become, command, said, sizeof(said));

	ck_assert_msg(ended == status << 8 && strstr(said, words), "0x%x, %s", (unsigned int)ended,
		      said);
}

/* Why a command can't be executed: the interpreter that it needs is told. */
START_TEST(unexecuted)
{
	static const struct {
		const char *contents, *interpreter;
	} scripts[] = {
		{ "#!/none/sh\n", "/none/sh" },
		{ "#! \t/none/sh -x\n", "/none/sh" },
		{ "#!/none/sh\t-x\n", "/none/sh" },
		{ "#!/none/sh", "/none/sh" },
	};
	char directory[] = "./child.XXXXXX", path[64], wanted[128], bytes[512];
	unsigned int i;
	size_t size;

	ck_assert_ptr_nonnull(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/command", directory);
	becomes(path, 127, "command: command not found\n");
	becomes("perfex-none", 127, "perfex: perfex-none: command not found\n");
	becomes(directory, 126, "can't be executed: Permission denied\n");
	for (i = 0; i < ARRAY_SIZE(scripts); i++) {
		write_file(path, scripts[i].contents, strlen(scripts[i].contents), 0700);
		snprintf(wanted, sizeof(wanted),
			 "command: can't be executed: its interpreter %s is not there\n",
			 scripts[i].interpreter);
		becomes(path, 126, wanted);
	}
	setenv("PATH", "/none", 1);
	becomes("command", 127, "perfex: command: command not found\n");
	setenv("PATH", directory, 1);
	becomes("command", 126, "its interpreter /none/sh is not there\n");
	unsetenv("PATH");
	write_file(path, "#!/none/sh\n", 11, 0600);
	becomes(path, 126, "command: can't be executed: Permission denied\n");
	size = make_program(bytes, sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr), 12);
	write_file(path, bytes, size, 0700);
	becomes(path, 126,
		"command: can't be executed: its interpreter /none/ld.so is not there\n");
	unlink(path);
	ck_assert_int_eq(rmdir(directory), 0);
}
END_TEST

UNIT_MAIN("child", 50, early_signals, early_ends, late_signals, limits, masks, in_series,
	  between_commands, unexecuted)
