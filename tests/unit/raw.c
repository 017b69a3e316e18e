// SPDX-License-Identifier: LGPL-2.1-or-later
/* The driver's calls, on a machine without the driver: how they fail. */
#include <fcntl.h>
#include <unistd.h>
#include "unit.h"
#include "lib/provider.h"

static struct vperfctr_control tsc_only(void)
{
	struct vperfctr_control control;

	memset(&control, 0, sizeof(control));
	control.cpu_control.tsc_on = 1;
	return control;
}

START_TEST(raw_calls_need_the_driver)
{
	struct vperfctr_control control = tsc_only();
	struct perfctr_sum_ctrs sum;
	int fd = open("/dev/null", O_RDWR), k;

	ck_assert_int_ge(fd, 0);
	ck_fails(sys_vperfctr_open(0, 1), EOPNOTSUPP, "vperfctr_open()");
	ck_fails(sys_vperfctr_open(getpid(), 0), EOPNOTSUPP, "modprobe perfctr");
	ck_fails(sys_vperfctr_open(-2, 1), EINVAL, "-2");
	ck_fails(_vperfctr_open(1), EOPNOTSUPP, "/dev/perfctr");
	/* Another file's descriptor, and none at all. */
	for (k = 0; k < 2; k++) {
		ck_fails(sys_vperfctr_control(fd, &control), EOPNOTSUPP, "driver");
		ck_fails(sys_vperfctr_read(fd, &sum, NULL), EOPNOTSUPP, "driver");
		ck_fails(sys_vperfctr_unlink(fd), EOPNOTSUPP, "driver");
		ck_fails(sys_vperfctr_iresume(fd), EOPNOTSUPP, "driver");
		ck_fails(_vperfctr_control(fd, &control), EOPNOTSUPP, "driver");
		ck_fails(_vperfctr_read_sum(fd, &sum), EOPNOTSUPP, "driver");
		ck_fails(_vperfctr_read_control(fd, &control), EOPNOTSUPP, "driver");
		close(fd);
	}
	ck_fails(sys_vperfctr_control(fd, NULL), EINVAL, "NULL");
}
END_TEST

/* Each has an explanation of its own. */
START_TEST(what_is_wrong_with_the_device)
{
	static const int errors[] = { ENOENT, EACCES, EPROTO, EMFILE };
	struct perfctr_info info;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(errors); i++)
		for (k = 0; k < i; k++)
			ck_assert_str_ne(perfctr_device_problem(errors[i]),
					 perfctr_device_problem(errors[k]));
	ck_assert_str_eq(perfctr_device_problem(EPERM), perfctr_device_problem(EACCES));
	ck_assert_str_eq(perfctr_device_problem(ENXIO), perfctr_device_problem(ENOENT));
	ck_assert_int_eq(perfctr_device_open(&info), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_fails(perfctr_device_info(&info), EOPNOTSUPP, "modprobe perfctr");
}
END_TEST

UNIT_MAIN("raw", 60, raw_calls_need_the_driver, what_is_wrong_with_the_device)
