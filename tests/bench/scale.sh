#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Print the cost of a set on many threads, with many events and on many processors, and whether that is linear; and of a short set.
# Exit status 1 if it is not, or a limit below is missed.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's .libs directory.
set -eu
srcdir=${srcdir:-.} cc=${CC:-cc}
lib=$(cd "${LIBPERFCTR:-lib/.libs}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v valgrind >/dev/null ||
	{ echo "valgrind, which counts the instructions, is missing: apt-get install valgrind" >&2; exit 1; }

# The C library chooses its functions for strings by the processor: it is told to take those that each x86-64 has.
plain=glibc.cpu.hwcaps=-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI2,-ERMS,-FSRM,-RTM,-SSE4_2,-SSE4_1,-SSSE3,-Fast_Unaligned_Copy,-Fast_Unaligned_Load
max_one=3250	# instructions of opening a set of one event, and of asking for its identity
max_short=4850	# of opening it, reading it twice and closing it
max_short_calls=8	# system calls of that; a program that makes them itself needs 4
max_more=105	# what the second 2N cost, in percent of twice what the first N more did

# A made-up /proc wants a file system whose directories have as many links as the kernel's.
TMPDIR=/dev/shm
[ -w "$TMPDIR" ] || TMPDIR=$work
export TMPDIR
wrap=
for name in syscall ioctl close openat openat64; do
	wrap="$wrap -Wl,--wrap=$name"
done
# shellcheck disable=SC2086
$cc -std=gnu11 -D_GNU_SOURCE ${CFLAGS:--O2 -g} -I"$srcdir/include" -I"$srcdir" $wrap \
	"$srcdir/tests/bench/scale.c" "$lib/libinternal.a" -pthread -o "$work/scale"
# Each variable of the environment costs getenv(3) some instructions.
env -i PATH="$PATH" TMPDIR="$TMPDIR" srcdir="$srcdir" GLIBC_TUNABLES=$plain valgrind -q --tool=callgrind --callgrind-out-file="$work/out" "$work/scale" >"$work/cases" ||
	{ cat "$work/cases"; exit 1; }
n=0
while read -r what many operation calls; do
	n=$((n + 1))
	echo "$what $many $operation $calls $(sed -n 's/^summary: //p' "$work/out.$n")"
done <"$work/cases" | awk -v max_one=$max_one -v max_more=$max_more -v max_short=$max_short -v max_short_calls=$max_short_calls '
	{
		if (!(($1, $3) in first))
			row[++n] = $1 SUBSEP $3
		first[$1, $3] = first[$1, $3] $2 " "
		calls[$1, $3, ++times[$1, $3]] = $4
		cost[$1, $3, times[$1, $3]] = $5
	}
	END {
		done["open"] = "opened on"
		done["read"] = "read on"
		done["close"] = "closed on"
		print "| a set | N, 2N, 4N | instructions | system calls |\n|---|---|---|---|"
		for (i = 1; i <= n; i++) {
			r = row[i]
			split(r, part, SUBSEP)
			if (part[1] == "one") {
				for (k = 1; k <= times[r]; k++)
					if (!least[part[2]] || cost[r, k] < least[part[2]])
						least[part[2]] = cost[r, k]
				asked[part[2]] = calls[r, 1]
				continue
			}
			many = first[r]
			if (part[1] == "events")
				sub(/on$/, "with", done[part[2]])
			gsub(/ $/, "", many)
			gsub(/ /, ", ", many)
			printf "| %s %s | %s | %d, %d, %d | %d, %d, %d |\n", done[part[2]], part[1], many,
				cost[r, 1], cost[r, 2], cost[r, 3], calls[r, 1], calls[r, 2], calls[r, 3]
			missed = missed linear(part[2] " of " part[1] ", instructions",
				cost[r, 2] - cost[r, 1], cost[r, 3] - cost[r, 2])
			missed = missed linear(part[2] " of " part[1] ", system calls",
				calls[r, 2] - calls[r, 1], calls[r, 3] - calls[r, 2])
		}
		one = least["open"]
		printf "\nopening a set of one event: %d instructions\n", one
		if (!one || one > max_one)
			missed = missed sprintf("FAIL one event: %d, and not at most %d\n", one, max_one)
		short = one + 2 * least["read"] + least["close"]
		short_calls = asked["open"] + 2 * asked["read"] + asked["close"]
		printf "| a short set | instructions | system calls |\n|---|---|---|\n"
		printf "| open, two reads and close of one event | %d | %d |\n", short, short_calls
		if (!least["read"] || !least["close"] || short > max_short || short_calls > max_short_calls)
			missed = missed sprintf("FAIL a short set: %d instructions, %d calls, and not at most %d, %d\n",
				short, short_calls, max_short, max_short_calls)
		if (n != 12)
			missed = missed "FAIL not everything was measured\n"
		printf "%s", missed ? missed : "PASS limits\n"
		exit missed != ""
	}
	function linear(what, second, fourth) {
		if (fourth * 100 <= 2 * second * max_more)
			return ""
		return sprintf("FAIL %s is not linear: %d more for N more, %d for 2N more\n", what, second,
			fourth)
	}'
