// SPDX-License-Identifier: LGPL-2.1-or-later
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include "collect/visits.h"

__thread struct visits *visits_own;

static pthread_key_t key;
static bool has_key;

static void forget(void *visits)
{
	visits_own = NULL;
	free(visits);
}

static void make_key(void)
{
	has_key = pthread_key_create(&key, forget) == 0;
}

/* A thread may have visits in other destructors of its data, after its own ran: they run again. */
struct visits *visits_new(void)
{
	static struct visits full;
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct visits *visits = calloc(1, sizeof(*visits));

	pthread_once(&once, make_key);
	if (visits && has_key && pthread_setspecific(key, visits) == 0) {
		visits_own = visits;
		return visits;
	}
	free(visits);
	full.depth = UINT_MAX / 2;
	return &full;
}
