#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# coverage: what a kernel with gcov has counted in the driver so far, also in one that has been unloaded, as a cpio
# archive on the second serial line. On the host ../coverage.sh reads it.
set -e
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null || :
cd /sys/kernel/debug/gcov
mkdir /tmp/coverage
# These files have no size until they are read.
find . -name '*.gcda' | while read -r file; do
	mkdir -p "/tmp/coverage/${file%/*}"
	cat "$file" >"/tmp/coverage/$file"
done
cd /tmp/coverage
stty -F /dev/ttyS1 raw 115200
find . -type f | cpio -o -H newc >/dev/ttyS1
cd /
rm -r /tmp/coverage
