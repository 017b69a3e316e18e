#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Make the <linux/...> headers that the driver's sources include: each is tests/explore/kernel.h.
# usage: include.sh TOP DIRECTORY
set -eu
rm -rf "$2"
# Its existence alone tells of a kernel since 7.2; the one that kernel.h describes is older.
for header in $(sed -n 's/^#include <\(\(linux\|trace\)\/.*\)>.*/\1/p' "$1"/driver/*.[ch] "$1"/driver/compat/*.h | grep -v exec_state | sort -u); do
	mkdir -p "$2/${header%/*}"
	echo '#include "tests/explore/kernel.h"' >"$2/$header"
done
touch "$2/made"
