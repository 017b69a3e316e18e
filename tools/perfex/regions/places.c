// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tools/perfex/regions/places.h"

#ifdef HAVE_LIBDW
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/perfex/sample/demangle.h"
#include "tools/perfex/sample/helper.h"
#include "tools/perfex/sample/libdw.h"
#include "tools/perfex/sample/lines.h"
#include "tools/perfex/sample/maps.h"
#include "tools/perfex/sample/view.h"

/* So much of a region's name is left for the place: "omp distribute " and " #2048" have the rest.
 */
#define LONGEST 104

/* In seconds; collectors wait for ten. */
#define LONGEST_ANSWER 9

/* ---- names ---- */

/* The process that was asked about last, with its files. */
static Dwfl *dwfl;

/* A process that is looked at. */
struct look {
	const struct views *views;
	const struct view *view;
	uint64_t sum; /* of all mappings of files */
};

static void add_to_sum(void *arg, const struct perfctr_record_mmap *mmap)
{
	const uint64_t words[] = { mmap->addr,	mmap->length, mmap->offset,
				   mmap->inode, mmap->major,  mmap->minor };
	struct look *look = arg;
	unsigned int i;

	for (i = 0; *mmap->file == '/' && i < sizeof(words) / sizeof(words[0]); i++)
		look->sum = (look->sum ^ words[i]) * UINT64_C(0x9E3779B97F4A7C15);
}

static void report_file(void *arg, const struct perfctr_record_mmap *mmap)
{
	const struct libdw_place place = { mmap->addr, mmap->length, mmap->offset };
	const struct look *look = arg;
	int fd;

	if (*mmap->file != '/' ||
	    view_open_mapped(look->views, look->view, mmap, &fd) != VIEW_FOUND)
		return;
	libdw_report(dwfl, mmap->file, fd, &place, 0);
	close(fd);
}

/* Reads the files that a process has mapped; false: they can't be read. */
static bool report_files(uint32_t pid, struct look *look)
{
	static const Dwfl_Callbacks callbacks = { .find_debuginfo = libdw_find_debug_file };
	char name[16];

	if (dwfl)
		dw.dwfl_end(dwfl);
	dwfl = dw.dwfl_begin(&callbacks);
	if (!dwfl)
		return false;
	dw.dwfl_report_begin(dwfl);
	maps_read(pid, name, report_file, look);
	return dw.dwfl_report_end(dwfl, NULL, NULL) == 0;
}

/* Looks at a process's mappings again; files are read if there are others. */
static bool look_at(pid_t pid)
{
	static pid_t process;
	static uint64_t sum;
	struct views *views = views_new();
	struct look look = { .views = views, .view = views_process(views, (uint32_t)pid) };
	char name[16];
	bool usable;

	maps_read((uint32_t)pid, name, add_to_sum, &look);
	usable = dwfl && process == pid && sum == look.sum;
	if (!usable)
		usable = report_files((uint32_t)pid, &look);
	process = usable ? pid : 0;
	sum = look.sum;
	views_free(views);
	return usable;
}

/*
 * Compilers make functions of a construct's statements: "main._omp_fn.0" (GCC), ".omp_outlined."
 * and "main.omp_outlined" (clang).
 */
static void without_outlined(char *name)
{
	static const char *const marks[] = { "._omp_fn.", ".omp_outlined", ".omp_task_entry" };
	unsigned int i;
	char *mark;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		mark = strstr(name, marks[i]);
		if (mark)
			*mark = '\0';
	}
}

static char *find_function(Dwfl_Module *module, Dwarf_Addr address)
{
	const char *symbol = dw.dwfl_module_addrname(module, address);
	char *copy = strdup(symbol ? symbol : ""), *name = copy;

	if (copy) {
		without_outlined(copy);
		name = demangle(copy);
		free(copy);
	}
	return name;
}

/* "FUNCTION (FILE:LINE)", of which the function is cut if all is too long. False: unknown. */
static bool find_place(char *text, pid_t pid, uint64_t address)
{
	Dwfl_Module *module = look_at(pid) ? dw.dwfl_addrmodule(dwfl, address - 1) : NULL;
	char line[80], *function;
	int room;

	if (!module)
		return false;
	lines_print(line, sizeof(line), module, address - 1);
	function = find_function(module, address - 1);
	if (!function || (!*function && !*line)) {
		free(function);
		return false;
	}
	room = LONGEST - (int)strlen(line) - 3;
	if (*line)
		snprintf(text, LONGEST + 1, "%.*s%s%s%s%s", room, function, *function ? " " : "",
			 "(", line, ")");
	else
		snprintf(text, LONGEST + 1, "%s", function);
	free(function);
	return true;
}

static void answer(int fd, pid_t asker)
{
	const struct timeval patience = { .tv_sec = 1 };
	char text[LONGEST + 1];
	uint64_t address;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (recv(fd, &address, sizeof(address), 0) == (ssize_t)sizeof(address) &&
	    find_place(text, asker, address))
		send(fd, text, strlen(text), MSG_NOSIGNAL);
}

/* ---- what takes too long ---- */

/*
 * Files of some programs take too long, or end the process that reads them. What is known of that
 * is in memory that the next such process has, too: the program that is asked about, and those that
 * are not looked at again.
 */
struct program {
	dev_t device;
	ino_t inode;
};

#define BAD 64
struct known {
	struct program asked, bad[BAD];
	unsigned int nbad; /* the last ones are kept */
};

static struct known *known;

static struct program program_of(pid_t pid)
{
	char path[32];
	struct stat status = { .st_dev = 0 };

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	if (stat(path, &status) < 0)
		status.st_dev = 0, status.st_ino = 0;
	return (struct program){ status.st_dev, status.st_ino };
}

static bool is_bad(const struct program *program)
{
	unsigned int i;

	for (i = 0; i < BAD; i++)
		if (known->bad[i].inode == program->inode &&
		    known->bad[i].device == program->device)
			return true;
	return false;
}

/* ---- the processes that answer ---- */

/*
 * SIGALRM ends the process if a file takes too long: a pipe, or contents that libdw never leaves.
 * A program that has ended has no number, and is not looked at.
 */
static void answer_in_time(int fd)
{
	struct ucred asker;
	socklen_t size = sizeof(asker);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &asker, &size) < 0)
		return;
	known->asked = program_of(asker.pid);
	if (is_bad(&known->asked))
		return;
	alarm(LONGEST_ANSWER);
	answer(fd, asker.pid);
	alarm(0);
	known->asked = (struct program){ 0, 0 };
}

static void allow_alarms(void)
{
	sigset_t set;

	signal(SIGALRM, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Limits itself, since files may have any contents. */
static void __attribute__((noreturn)) answer_all(int fd, pid_t parent)
{
	int one;

	helper_fence(4096);
	if (getppid() != parent || libdw_load())
		_exit(0);
	allow_alarms();
	while ((one = accept4(fd, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
		answer_in_time(one);
		close(one);
	}
	_exit(0);
}

/*
 * Has a process answer, and another one if a program's file has ended that. perfex may have ended
 * before it asks for the signal: nobody would send it.
 */
static void __attribute__((noreturn)) serve(int fd, pid_t parent)
{
	const pid_t own = getpid();
	int status = 0;
	pid_t worker;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	do {
		known->asked = (struct program){ 0, 0 };
		worker = fork();
		if (worker == 0)
			answer_all(fd, own);
		if (worker < 0)
			break;
		while (waitpid(worker, &status, 0) < 0 && errno == EINTR)
			;
		known->bad[known->nbad++ % BAD] = known->asked;
	} while (WIFSIGNALED(status) && known->asked.inode);
	_exit(0);
}

static int open_socket(const char *directory)
{
	struct sockaddr_un place = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(place.sun_path, sizeof(place.sun_path), "%s/.places", directory);
	if (fd >= 0 && bind(fd, (const struct sockaddr *)&place, sizeof(place)) == 0 &&
	    listen(fd, 1024) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

static pid_t helper;

void places_begin(const char *directory)
{
	const pid_t own = getpid();
	int fd = open_socket(directory);

	if (fd < 0)
		return;
	known = mmap(NULL, sizeof(*known), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	helper = known != MAP_FAILED ? fork() : -1;
	if (helper == 0)
		serve(fd, own);
	close(fd);
}

void places_end(void)
{
	if (helper > 0) {
		kill(helper, SIGKILL);
		waitpid(helper, NULL, 0);
	}
	helper = 0;
}
#else
void places_begin(const char *directory)
{
	(void)directory;
}

void places_end(void)
{
}
#endif
