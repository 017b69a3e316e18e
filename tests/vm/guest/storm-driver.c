// SPDX-License-Identifier: LGPL-2.1-or-later
/* The storms of tests/storm through the driver, which can be unloaded when they are over. */
#include <sys/wait.h>
#include "tests/harness/guest.h"

static int storms(void)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		setenv("PERFCTR_PROVIDER", "driver", 1);
		execlp("storm", "storm", (char *)NULL);
		_exit(127);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0, "status 0x%x", (unsigned int)status);
	return 0;
}

int main(void)
{
	static const struct guest_test tests[] = { { .name = "storms", .run = storms } };

	return run_guest_tests(tests, 1);
}
