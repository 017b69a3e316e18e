// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Fuzzes the reading of the file of "perfex --compare": with libFuzzer (clang -fsanitize=fuzzer),
 * or, compiled with -DSTANDALONE, by the files named on the command line and a fixed number of
 * mutations of them. What is refused has a line and a reason; what is taken can be compared.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tools/perfex/report/baseline.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned int taken, refused;

static void check(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "FAIL: %s\n", what);
	abort();
}

/* All with itself: nothing differs. */
static void compare(const struct baseline *baseline)
{
	struct comparison comparison = { .n = 0 };
	unsigned int i;

	for (i = 0; i < baseline->n; i++) {
		check(baseline->event[i].series.n == baseline->runs, "a value for each run");
		comparison_add(&comparison, baseline->event[i].name, "", 1,
			       &baseline->event[i].series, &baseline->event[i].series);
	}
	comparison_add(&comparison, "elapsed", "s", 1, &baseline->elapsed, &baseline->elapsed);
	comparison_decide(&comparison);
	check(comparison.differing == 0, "nothing differs from itself");
	comparison_free(&comparison);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct baseline baseline;
	char reason[256] = "";
	unsigned int line;

	if (baseline_parse(&baseline, (const char *)data, size, reason, sizeof(reason)) == 0) {
		taken++;
		compare(&baseline);
	} else {
		refused++;
		check(sscanf(reason, "line %u: ", &line) == 1 && line >= 1, "a line and a reason");
	}
	baseline_free(&baseline);
	return 0;
}

#ifdef STANDALONE

#include "tests/fuzz/standalone.h"

/* Some bytes become what JSON is made of, or anything; or a piece is left out. */
static size_t mutate(uint8_t *data, size_t size)
{
	static const char letters[] = "{}[]\",:\\u0123456789.eE+-ntf \n";
	uint32_t n = random_below(4) + 1, at, length;

	for (; n && size; n--) {
		at = random_below((uint32_t)size);
		length = random_below(8);
		if (random_below(8) == 0 && at + length < size) {
			memmove(data + at, data + at + length, size - at - length);
			size -= length;
		} else {
			data[at] = random_below(4) ? (uint8_t)letters[random_below(sizeof(letters))]
						   : (uint8_t)random_word();
		}
	}
	return size;
}

int main(int argc, char **argv)
{
	fuzz_seeds(argc, argv, 8192, 20000, mutate);
	printf("%u taken, %u refused\n", taken, refused);
	return !taken || !refused;
}

#endif
