#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Print the cost of a report of many regions of many threads, in instructions and in memory, and the evaluation of
# all of a processor's metrics. Exit status 1 if it does not grow as its lines do, or a limit below is missed.
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
max_row=16500	# instructions of a region of a thread, two lines, of which times have more or fewer digits
max_memory=300	# bytes of memory of a region of a thread
max_metric=1000	# instructions of a metric
max_more=106	# what twice as many cost, in percent of twice as much

# shellcheck disable=SC2086
$cc -std=gnu11 -D_GNU_SOURCE ${CFLAGS:--O2 -g} -I"$srcdir/include" "$srcdir/tests/bench/report.c" \
	-L"$lib" -lperfctr -Wl,-rpath,"$lib" -pthread -o "$work/report"
count() {	# FUNCTION ARGUMENT...
	function=$1
	shift
	GLIBC_TUNABLES=$plain valgrind -q --tool=callgrind --toggle-collect="$function" --callgrind-out-file="$work/out" "$work/report" "$@" \
		>"$work/counted"
	sed -n 's/^summary: //p' "$work/out"
}
missed=
limit() {	# WHAT COST MAX
	[ "$2" -le "$3" ] || missed="$missed FAIL limits: $1 costs $2, and not at most $3;"
}
echo "| a report, with each thread | instructions, thousands | memory of the visits, KiB |"
echo "| --- | ---: | ---: |"
while read -r sizes what; do
	instructions='' memory='' last='' last_kib=''
	for size in $(echo "$sizes" | tr , ' '); do
		threads=${size%x*} regions=${size#*x}
		# The largest is in both lines, and counted once.
		if [ ! -e "$work/$size" ]; then
			cost=$(count count_report regions "$threads" "$regions" 0 "$work/printed")
			kib=$("$work/report" regions "$threads" "$regions" 0 "$work/printed")
			[ "$(grep -c '^region-' "$work/printed")" = $((regions * (threads + 1))) ] || missed="$missed FAIL lines;"
			echo "$cost $kib" >"$work/$size"
		fi
		read -r cost kib <"$work/$size"
		limit "a report's region" $((cost / (threads + 1) / regions)) $max_row
		limit "a thread's region, bytes" $((kib * 1024 / threads / regions)) $max_memory
		[ -z "$last" ] || limit "$size" "$cost" $((last * 2 * max_more / 100))
		[ -z "$last_kib" ] || limit "$size, KiB" "$kib" $((last_kib * 2 * max_more / 100 + 512))
		instructions="$instructions, $((cost / 1000))" memory="$memory, $kib" last=$cost last_kib=$kib
	done
	echo "| of $what | ${instructions#, } | ${memory#, } |"
done <<EOT
10x1000,20x1000,40x1000 10, 20, 40 threads, 1,000 regions
40x250,40x500,40x1000 40 threads, 250, 500, 1,000 regions
EOT
echo
echo "| all metrics of | metrics | instructions |"
echo "| --- | ---: | ---: |"
for cpu in skylake zen4 neoverse-v1; do
	cost=$(($(count count_values metrics $cpu 101) - $(count count_values metrics $cpu 1)))
	n=$(cat "$work/counted")
	echo "| $cpu | $n | $((cost / 100)) |"
	limit "a metric of $cpu" $((cost / 100 / n)) $max_metric
done
if [ -z "$missed" ]; then
	echo "PASS limits"
else
	echo "${missed% }"
	exit 1
fi
