// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The state attached to the calling thread: there is at most one, of either provider. It lives as
 * long as a handle, its thread or a total (total.c) uses it, and ends counting with the thread or
 * when it is unlinked.
 */
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include "lib/base/error.h"
#include "lib/base/memory.h"
#include "lib/virtual/kind.h"
#include "lib/virtual/provider.h"
#include "libperfctr.h"

#define OPEN_FLAGS                                                              \
	(VPERFCTR_OPEN_CREAT_EXCL | VPERFCTR_OPEN_DRIVER | VPERFCTR_OPEN_PERF | \
	 VPERFCTR_OPEN_BRIEF | PERFCTR_MULTIPLEX)

static pthread_key_t thread_end;
static int thread_end_error;

/* Stops the counters and gives back everything that belongs to the thread. The sums stay. */
static int detach(struct vperfctr *self)
{
	int result = self->provider->detach(self);

	self->owner = NULL;
	perfctr_attach(NULL);
	perfctr_release(self);
	return result;
}

static void at_thread_end(void *value)
{
	struct vperfctr *self = value;

	/* A thread's value in a child of fork() is the parent's state, which is cleared there. */
	if (self->provider)
		detach(self);
}

static void make_key(void)
{
	thread_end_error = pthread_key_create(&thread_end, at_thread_end);
}

static struct vperfctr *create(const struct perfctr_provider *provider, unsigned int mode)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct vperfctr *self;

	pthread_once(&once, make_key);
	if (thread_end_error) {
		perfctr_fail(ENOMEM, "no thread-specific data keys are left (pthread_key_create)");
		return NULL;
	}
	self = perfctr_memory_take(provider->state_size);
	if (!self)
		return NULL;
	if (pthread_setspecific(thread_end, self) != 0) {
		perfctr_fail(ENOMEM, "no memory for thread-specific data");
	} else if (provider->create(self, mode) == 0) {
		self->provider = provider;
		self->owner = &perfctr_thread_mark;
		atomic_init(&self->references, 2); /* the handle's and the thread's */
		perfctr_attach(self);
		return self;
	}
	pthread_setspecific(thread_end, NULL);
	perfctr_memory_give(self, provider->state_size);
	return NULL;
}

struct vperfctr *vperfctr_open_mode(unsigned int mode)
{
	const unsigned int creating = mode & VPERFCTR_OPEN_CREAT_EXCL;
	const struct perfctr_provider *provider = perfctr_provider_choose(mode);
	struct vperfctr *attached;

	if (!provider)
		return NULL;
	if (mode & ~(unsigned int)OPEN_FLAGS ||
	    (creating && creating != VPERFCTR_OPEN_CREAT_EXCL)) {
		perfctr_fail(EINVAL, "open mode 0x%x is not made of VPERFCTR_OPEN_* flags", mode);
		return NULL;
	}
	/* In a child of fork() this is NULL, since the parent's state is cleared there. */
	attached = perfctr_attached();
	if (creating && attached) {
		perfctr_fail(EEXIST, "this thread has counters already; open them with "
				     "vperfctr_open_mode(0), or unlink them first");
		return NULL;
	}
	/*
	 * The kernel may have a state that the library does not know: made through a descriptor, or
	 * before an exec.
	 */
	if (!attached)
		return create(provider, mode);
	if (mode & (VPERFCTR_OPEN_DRIVER | VPERFCTR_OPEN_PERF) && attached->provider != provider) {
		perfctr_fail(ENODEV,
			     "this thread's counters are those of the other provider, \"%s\"; open "
			     "them with vperfctr_open_mode(0)",
			     attached->provider->name);
		return NULL;
	}
	perfctr_hold(attached);
	return attached;
}

struct vperfctr *vperfctr_open(void)
{
	return vperfctr_open_mode(VPERFCTR_OPEN_CREAT_EXCL);
}

int vperfctr_unlink(const struct vperfctr *self)
{
	const struct perfctr_provider *provider = perfctr_provider_of(self);

	if (!provider)
		return -1;
	if (!perfctr_is_provider(provider))
		return perfctr_wrong_kind(self, "a handle of vperfctr_open()");
	if (!self->owner)
		return 0;
	if (!perfctr_is_own(self))
		return perfctr_fail(ESRCH,
				    "these counters belong to another thread, which alone can "
				    "unlink them");
	pthread_setspecific(thread_end, NULL);
	return detach(perfctr_attached());
}

void vperfctr_close(struct vperfctr *self)
{
	/*
	 * In a child of fork() there is nothing to give back: the state was cleared with its
	 * handle.
	 */
	if (!self || !self->provider)
		return;
	if (perfctr_is_provider(self->provider))
		perfctr_release(self);
	else
		perfctr_wrong_kind(self, "a handle of vperfctr_open()");
}
