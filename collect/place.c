// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "collect/place.h"

#define PATIENCE 10 /* seconds, for perfex's answer */

/* Returns a socket that is connected with perfex, or -1 with errno. */
static int call_perfex(void)
{
	const char *directory = secure_getenv("PERFCTR_REGIONS_LEFT");
	struct sockaddr_un perfex = { .sun_family = AF_UNIX };
	const struct timeval patience = { .tv_sec = PATIENCE };
	int fd, length, error;

	errno = 0;
	if (!directory || *directory != '/')
		return -1;
	length = snprintf(perfex.sun_path, sizeof(perfex.sun_path), "%s/.places", directory);
	if (length >= (int)sizeof(perfex.sun_path))
		return -1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(fd, (const struct sockaddr *)&perfex, sizeof(perfex)) == 0)
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

/* Whether a call was interrupted, as by the program's timer, and there is time to repeat it. */
static bool interrupted(const struct timespec *begin)
{
	const int error = errno;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return error == EINTR && now.tv_sec - begin->tv_sec <= PATIENCE;
}

static int ask_perfex(char *place, size_t size, uint64_t address)
{
	struct timespec begin;
	ssize_t n = 0;
	int fd;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		fd = call_perfex();
	while (fd < 0 && interrupted(&begin));
	if (fd < 0)
		return 0;
	if (send(fd, &address, sizeof(address), MSG_NOSIGNAL) == (ssize_t)sizeof(address))
		do
			n = recv(fd, place, size - 1, 0);
		while (n < 0 && interrupted(&begin));
	close(fd);
	if (n <= 0)
		return 0;
	place[n] = '\0';
	return 1;
}

static void find_file(char *place, size_t size, const void *address)
{
	const char *file, *slash;
	Dl_info info;

	if (!dladdr(address, &info) || !info.dli_fname) {
		snprintf(place, size, "%p", address);
		return;
	}
	file = info.dli_fname;
	slash = strrchr(file, '/');
	snprintf(place, size, "%s+0x%zx", slash ? slash + 1 : file,
		 (size_t)((const char *)address - (const char *)info.dli_fbase));
}

void place_name(char name[PLACE_SIZE], const char *kind, const void *address)
{
	int error = errno, state, length;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	length = snprintf(name, PLACE_SIZE, address ? "%s " : "%s", kind);
	if (address && !ask_perfex(name + length, PLACE_SIZE - (size_t)length, (uintptr_t)address))
		find_file(name + length, PLACE_SIZE - (size_t)length, address);
	pthread_setcancelstate(state, NULL);
	errno = error;
}
