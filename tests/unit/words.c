// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tests the checks of single words that library and driver share: arch/words.h, and the helpers of
 * arch/cpu.h.
 */
#include <string.h>
#include "lib/base/word.h"
#include "libperfctr.h"
#include "arch/cpu.h"
#include "arch/words.h"
#include "tests/harness/check.h"

/* Both major halves, bits 31-24 and 15-8, are ours; a minor one may be any. */
START_TEST(abi_versions)
{
	unsigned int bit;

	ck_assert_int_eq(perfctr_abi_is_ours(PERFCTR_ABI_VERSION), 1);
	for (bit = 0; bit < 32; bit++)
		ck_assert_int_eq(perfctr_abi_is_ours(PERFCTR_ABI_VERSION ^ 1u << bit),
				 !(bit >> 3 & 1));
	ck_assert_int_eq(perfctr_abi_is_ours(PERFCTR_ABI_VERSION ^ 0x00FF00FF), 1);
	ck_assert_int_eq(perfctr_abi_is_ours(0), 0);
}
END_TEST

START_TEST(flags)
{
	struct vperfctr_control control;
	unsigned int bit;

	memset(&control, 0, sizeof(control));
	ck_assert_int_eq(perfctr_control_has_known_flags(&control), 1);
	for (bit = 0; bit < 32; bit++) {
		control.flags = 1u << bit;
		ck_assert_int_eq(perfctr_control_has_known_flags(&control), bit < 2);
	}
	control.flags = VPERFCTR_CONTROL_CLOEXEC | VPERFCTR_CONTROL_EXTENDED;
	ck_assert_int_eq(perfctr_control_has_known_flags(&control), 1);
	control.flags = VPERFCTR_CONTROL_CLOEXEC | 4;
	ck_assert_int_eq(perfctr_control_has_known_flags(&control), 0);
}
END_TEST

START_TEST(signals)
{
	static const struct {
		int signo, good;
	} cases[] = { { -1, 0 }, { 0, 0 }, { 1, 1 }, { 2, 1 }, { 63, 1 }, { 64, 1 }, { 65, 0 } };
	struct vperfctr_control control;
	unsigned int i;

	memset(&control, 0, sizeof(control));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		control.si_signo = cases[i].signo;
		control.cpu_control.nractrs = 1;
		control.cpu_control.nrictrs = 0;
		ck_assert_int_eq(perfctr_control_has_signal(&control, 64), 1);
		control.cpu_control.nrictrs = 1;
		ck_assert_int_eq(perfctr_control_has_signal(&control, 64), cases[i].good);
	}
}
END_TEST

START_TEST(ids_that_are_the_same)
{
	ck_assert_int_eq(perfctr_same_id("", ""), 1);
	ck_assert_int_eq(perfctr_same_id("p4", "p4"), 1);
	ck_assert_int_eq(perfctr_same_id("p4", "p4m3"), 0);
	ck_assert_int_eq(perfctr_same_id("p4m3", "p4"), 0);
	ck_assert_int_eq(perfctr_same_id("p4", "p5"), 0);
	ck_assert_int_eq(perfctr_same_id("p4", ""), 0);
	ck_assert_int_eq(perfctr_same_id("", "p4"), 0);
	ck_assert_int_eq(perfctr_same_id("xp4", "yp4"), 0);
}
END_TEST

START_TEST(sets)
{
	unsigned int n;

	for (n = 0; n < 64; n++) {
		ck_assert_uint_eq(perfctr_mask(n), (UINT64_C(1) << n) - 1);
		ck_assert_uint_eq(perfctr_count_bits(perfctr_mask(n)), n);
		ck_assert_uint_eq(perfctr_count_bits(UINT64_C(1) << n), 1);
	}
	ck_assert_uint_eq(perfctr_mask(64), UINT64_MAX);
	ck_assert_uint_eq(perfctr_mask(65), UINT64_MAX);
	ck_assert_uint_eq(perfctr_mask(255), UINT64_MAX);
	ck_assert_uint_eq(perfctr_count_bits(UINT64_MAX), 64);
	ck_assert_uint_eq(perfctr_count_bits(UINT64_C(0x8000000100000005)), 4);
}
END_TEST

UNIT_MAIN("words", 60, abi_versions, flags, signals, ids_that_are_the_same, sets)
