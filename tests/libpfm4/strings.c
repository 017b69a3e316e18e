// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Prints what libpfm4's own tests expect of its words, a line for each: the word, the result, and
 * the codes if that is 0. -DFILE_OF_TESTS is the file, -DTESTS the array in it.
 */
#define validate_arch unused
#include FILE_OF_TESTS

int main(void)
{
	const test_event_t *test;
	int i;

	for (test = TESTS; test < TESTS + NUM_TEST_EVENTS; test++) {
		printf("%s\t%d", test->name, test->ret);
		for (i = 0; i < test->count; i++)
			printf("\t%llx", (unsigned long long)test->codes[i]);
		putchar('\n');
	}
	return ferror(stdout) || fflush(stdout);
}
