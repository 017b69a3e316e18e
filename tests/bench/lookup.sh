#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Print the cost of looking event names up, here and with Debian's libpfm4 (package libpfm4-dev), that of
# evaluating all metrics of a processor, and what the shared libraries cost a program that does not use them.
# The environment: srcdir; CC, CFLAGS; LIBPERFCTR, the build's .libs directory. Exit status 1 if a
# limit below is missed.
set -eu
srcdir=${srcdir:-.} cc=${CC:-cc}
lib=$(cd "${LIBPERFCTR:-lib/.libs}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v valgrind >/dev/null ||
	{ echo "valgrind, which counts the instructions, is missing: apt-get install valgrind" >&2; exit 1; }

# The C library chooses its functions for strings by the processor: it is told to take those that each x86-64 has.
plain=glibc.cpu.hwcaps=-AVX512VL,-AVX512BW,-AVX2,-AVX,-BMI2,-ERMS,-FSRM,-RTM,-SSE4_2,-SSE4_1,-SSSE3,-Fast_Unaligned_Copy,-Fast_Unaligned_Load
max_instructions=1000	# of a look-up of a right name
max_mean=600		# of all right names of the table, the mean
max_preset=990		# of one of PAPI's presets and the event that it is, the mean
max_check=1075		# of perfctr_event_check() for a right name of the processor, the mean
max_allocations=0
max_relocations=239
max_start=25000		# instructions of a program's start, more than without the library
max_size=1600000	# bytes, stripped; 2,300,000 before tables shared their events; 2,290,000 before samplers were counted and counters named; 2,170,000 before PAPI's presets and LIKWID's groups; 1,925,000 before there were the whole trees of top-down analysis; 1,900,000 before perf's syntax; 1,790,000 before aliases; 1,240,000 before descriptions, regions, metrics, RISC-V and POWER
max_evaluation=100000	# instructions that all metrics of a processor take

# shellcheck disable=SC2086
$cc -std=gnu11 -D_GNU_SOURCE ${CFLAGS:--O2 -g} -I"$srcdir/include" -I"$srcdir" \
	"$srcdir/tests/bench/lookup.c" "$lib/libinternal.a" -pthread -ldl -o "$work/lookup"
"$work/lookup" time >"$work/times"
pfm=
if grep -q '^pfm ' "$work/times"; then
	pfm=libpfm4
else
	echo "There is no libpfm4 here (Debian: apt-get install libpfm4-dev); our own figures:"
	echo
fi

# ---- look-ups ----

GLIBC_TUNABLES=$plain valgrind -q --tool=callgrind --callgrind-out-file="$work/out" "$work/lookup" instructions
n=1
while [ -e "$work/out.$n" ]; do
	sed -n 's/^desc: Trigger: Client Request: //p' "$work/out.$n" | tr '\n' ' '
	sed -n 's/^summary: //p' "$work/out.$n"
	n=$((n + 1))
done >"$work/costs"

# Memory taken by the right names, one pass of them more.
allocations() {	# KIND
	for passes in 1 2; do
		valgrind "$work/lookup" repeat "$1" $passes 2>&1 >/dev/null |
			sed -n 's/.*total heap usage: \([0-9,]*\) allocs.*/\1/p' | tr -d ,
	done | awk '{ n = $1 - n } END { print n }'
}

# The id of the processor that valgrind shows to programs, which is not the machine's.
shown=$(valgrind -q --log-file=/dev/null "$work/lookup" repeat table 0 |
	sed -n 's/^cpu \([^ ]*\) .*/\1/p')
awk -v pfm="$pfm" -v shown="$shown" -v limit=$max_instructions -v mean_limit=$max_mean -v check_limit=$max_check -v preset_limit=$max_preset '
	function row(what, kind, name,    other) {
		other = kind == "wrong" ? "pfm-wrong" : "pfm"
		printf "| %s | %d | %d |", what, cost[kind, name] - nothing, time[kind, name]
		if (pfm)
			printf " %d | %d |", cost[other, name] - nothing, time[other, name]
		print ""
	}
	function summary(what, kind, ns) {
		if (!count[kind])
			return
		printf "| %s, %d names: mean | %d | %s |%s\n", what, count[kind],
			sum[kind] / count[kind] - nothing, ns, pfm ? " | |" : ""
		printf "| most: `%s` | %d | |%s\n", most_name[kind], most[kind] - nothing,
			pfm ? " | |" : ""
		# The limit is for a look-up. The whole call also parses the list, asks for kernel
		# names, and fills in the attributes: there it is for the mean, and so is that of
		# presets, of which some are events with several masks.
		mean = kind == "check-all" ? check_limit : kind == "preset-all" ? preset_limit : 0
		bound = mean ? sum[kind] / count[kind] : most[kind]
		if (bound - nothing > (mean ? mean : limit))
			missed = missed sprintf("FAIL %s: %d of %d names take more than %d " \
				"instructions, %s %d\n", what, above[kind], count[kind], limit,
				most_name[kind], most[kind] - nothing)
		if (kind == "table-all" && sum[kind] / count[kind] - nothing > mean_limit)
			missed = missed sprintf("FAIL %s: the mean is more than %d\n", what, mean_limit)
	}
	FNR == NR { time[$1, $2] = $3; if ($1 == "check-all") { here = $2; here_ns = $3 } next }
	$1 == "nothing" { nothing = $3; next }
	{ cost[$1, $2] = $3; count[$1]++; sum[$1] += $3; above[$1] += $3 - nothing > limit }
	$3 > most[$1] { most[$1] = $3; most_name[$1] = $2 }
	$1 == "table" || $1 == "wrong" { kind[++n] = $1; name[n] = $2 }
	END {
		printf "| look-up in skylakex | instructions | ns |%s\n|---|---|---|%s\n",
			pfm ? " libpfm4: instructions | ns |" : "", pfm ? "---|---|" : ""
		for (i = 1; i <= n; i++)
			row("`" name[i] "`" (kind[i] == "wrong" ? ", which is wrong" : ""), kind[i],
			    name[i])
		summary("the whole table", "table-all", "")
		summary("PAPI\047s presets that are one event", "preset-all", "")
		summary("`perfctr_event_check()` on " shown, "check-all",
			here == "" ? "" : here_ns (here == shown ? "" : " (" here ")"))
		printf "| `perfctr_event_check(\"%s\")`, which is wrong | %d | |%s\n", name[n],
			cost["check-wrong", name[n]] - nothing, pfm ? " | |" : ""
		if (pfm)
			printf "| `pfm_initialize()`, once | | | %d | |\n",
				cost["pfm-start", "-"] - nothing
		printf "%s", missed >"/dev/stderr"
	}' "$work/times" "$work/costs" 2>"$work/missed"
ours=$(($(allocations table) + $(allocations check)))
printf '| memory allocations, all right names | %d | |' "$ours"
[ -z "$pfm" ] || printf ' %d | |' "$(allocations pfm)"
echo

# ---- metrics ----

# shellcheck disable=SC2086
$cc -std=gnu11 -D_GNU_SOURCE ${CFLAGS:--O2 -g} -I"$srcdir/include" -I"$srcdir" \
	"$srcdir/tests/bench/metrics.c" "$lib/libinternal.a" -pthread -ldl -o "$work/metrics"
echo
echo "| all metrics of | number | instructions |"
echo "|---|---|---|"
: >"$work/evaluations"
for cpu in skylake cascadelakex graniterapids lioncove gracemont zen5 neoverse-v3; do
	evaluation=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		--toggle-collect=perfctr_metrics_values "$work/metrics" $cpu 2>&1 >"$work/number" |
		sed -n 's/.*Collected : //p')
	echo "| $cpu | $(cat "$work/number") | $evaluation |"
	echo "$cpu $evaluation" >>"$work/evaluations"
done

# ---- linking ----

echo 'int main(void) { return 0; }' >"$work/empty.c"
# Instructions from the first one of ld.so to the end.
starting() {	# [argument of the linker...]
	# shellcheck disable=SC2086
	$cc ${CFLAGS:-} "$work/empty.c" -Wl,--no-as-needed "$@" -o "$work/empty"
	LD_LIBRARY_PATH=$lib valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$work/empty" 2>&1 | sed -n 's/.*Collected : //p'
}
relocations() { readelf -rW "$1" | grep -c R_; }
stripped() { strip -o "$work/stripped" "$1" && wc -c <"$work/stripped"; }

none=$(starting)
start=$(($(starting -L"$lib" -lperfctr) - none))
relocations=$(relocations "$lib/libperfctr.so") size=$(stripped "$lib/libperfctr.so")
start_pfm='' relocations_pfm='' size_pfm=''
if [ -n "$pfm" ]; then
	library=$($cc -print-file-name=libpfm.so)
	start_pfm=$(($(starting -lpfm) - none))
	relocations_pfm=$(relocations "$library") size_pfm=$(stripped "$library")
fi
cat <<EOT

A program that links neither takes $none instructions to start.

| shared library | libperfctr | ${pfm:+libpfm4} |
|---|---|---|
| added to the start of a program that links it, at most | $start | $start_pfm |
| dynamic relocations | $relocations | $relocations_pfm |
| size in bytes, stripped, at most | $size | $size_pfm |
EOT

# ---- limits ----

limit() {	# WHAT FOUND MAX
	[ "$2" -le "$3" ] || echo "FAIL $1: $2, and not at most $3"
}
{
	limit "memory allocations" "$ours" $max_allocations
	limit "dynamic relocations" "$relocations" $max_relocations
	limit "instructions at the start" "$start" $max_start
	limit "bytes, stripped" "$size" $max_size
	while read -r cpu evaluation; do
		limit "instructions of all metrics of $cpu" "$evaluation" $max_evaluation
	done <"$work/evaluations"
} >>"$work/missed"
echo
[ -s "$work/missed" ] || { echo "PASS limits"; exit 0; }
cat "$work/missed"
exit 1
