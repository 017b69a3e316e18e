/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * call.h - replacements for system calls that are cancellation points: these are none. A thread
 * that is cancelled goes on to the end of the library's call, with its locks and descriptors.
 * tests/layers.sh finds other callers of such system calls.
 */
#ifndef PERFCTR_LIB_BASE_CALL_H
#define PERFCTR_LIB_BASE_CALL_H

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Close-on-exec. A path of openat is one in the directory, to be read. */
int perfctr_call_open(const char *path, int flags);
int perfctr_call_openat(int directory, const char *path);
ssize_t perfctr_call_read(int fd, void *bytes, size_t size);
ssize_t perfctr_call_write(int fd, const void *bytes, size_t size);

/* Wait until it can be written, or has failed. -1: also if there was a signal (EINTR). */
int perfctr_call_wait_to_write(int fd);

/* Takes these signals if they are pending; errno is kept. */
void perfctr_call_take_signals(const sigset_t *signals);

/* Opens a file to be written, at its end. fresh: the file must not exist. */
int perfctr_call_create(const char *path, bool fresh);

/* It is there, and no regular file itself: a device, a pipe, a symbolic link. */
bool perfctr_call_is_special(const char *path);
void perfctr_call_close(int fd); /* errno is kept */

/* Closes all descriptors from the first to the last one; errno is kept. */
void perfctr_call_close_range(int first, int last);

DIR *perfctr_call_opendir(const char *path);
void perfctr_call_closedir(DIR *dir); /* errno is kept */

ssize_t perfctr_call_sendmsg(int fd, const struct msghdr *message, int flags);
ssize_t perfctr_call_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t perfctr_call_recv(int fd, void *bytes, size_t size, int flags);

/* No cancellation point anywhere; but the C libraries differ on the request's type. */
int perfctr_call_ioctl(int fd, unsigned long request, unsigned long argument);

/*
 * The same, and then the thread's signal mask becomes this one, whether the ioctl was refused or
 * not; it is the kernel's, with which a sigset_t begins. The ioctl starts counters, so as few
 * instructions as possible follow it: on x86-64 and arm64 both system calls are made in assembler.
 * 0, or -errno; errno is kept.
 */
int perfctr_call_ioctl_and_mask(int fd, unsigned long request, unsigned long argument,
				const uint64_t *mask);

struct epoll_event;
int perfctr_call_epoll_wait(int fd, struct epoll_event *events, int n); /* without waiting */

/* Whether the file reports POLLHUP now. */
bool perfctr_call_hangs_up(int fd);

void perfctr_call_sleep(unsigned int us);

/* Blocks all signals. The caller restores the old mask by pthread_sigmask(). */
void perfctr_signals_block(sigset_t *old);

/* The kernel's id of an event; 0: the descriptor is not an event's. It is safe for any descriptor.
 */
unsigned long perfctr_call_event_id(int fd);

#endif /* PERFCTR_LIB_BASE_CALL_H */
