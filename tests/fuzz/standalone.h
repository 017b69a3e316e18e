/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* standalone.h - a fuzzer's main() without libFuzzer: the same mutations of its seeds in every run.
 */
#ifndef PERFCTR_TESTS_FUZZ_STANDALONE_H
#define PERFCTR_TESTS_FUZZ_STANDALONE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/harness/random.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Change an input; returns its size, which may be less. */
typedef size_t fuzz_mutate(uint8_t *data, size_t size);

/* Up to four bytes become one of the letters, or, one in eight, anything. */
static inline size_t fuzz_bytes(uint8_t *data, size_t size, const char *letters)
{
	uint32_t n, count = (uint32_t)strlen(letters);

	for (n = random_below(4) + 1; n && size; n--)
		data[random_below((uint32_t)size)] = random_below(8)
							     ? (uint8_t)letters[random_below(count)]
							     : (uint8_t)random_word();
	return size;
}

/* At most room bytes of each file of the command line, and so many mutations of it. */
static inline void fuzz_seeds(int argc, char **argv, size_t room, unsigned int mutations,
			      fuzz_mutate *mutate)
{
	uint8_t *seed = malloc(room), *data = malloc(room);
	unsigned int round;
	size_t size;
	FILE *file;
	int i;

	for (i = 1; i < argc; i++) {
		file = fopen(argv[i], "rb");
		if (!seed || !data || !file) {
			perror(argv[i]);
			exit(1);
		}
		size = fread(seed, 1, room, file);
		fclose(file);
		LLVMFuzzerTestOneInput(seed, size);
		for (round = 0; round < mutations; round++) {
			memcpy(data, seed, size);
			LLVMFuzzerTestOneInput(data, mutate(data, size));
		}
	}
	free(seed);
	free(data);
	printf("%d seeds, %u inputs\n", argc - 1, (unsigned int)(argc - 1) * (mutations + 1));
}

#endif /* PERFCTR_TESTS_FUZZ_STANDALONE_H */
