#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Measures the cost of regions, by this library, PAPI and LIKWID, one after the other: prints a Markdown table, and fails if ours cost
# more than they may, or the others were not measured. LIKWID over perf_events is among them if PERFCTR_LIKWID told
# run.sh where one was made:
#	apt-get source likwid && cd likwid-*/
#	make ACCESSMODE=perf_event BUILDDAEMON=false BUILDFREQ=false BUILDAPPDAEMON=false INSTRUMENT_BENCH=false \
#		LUA_INCLUDE_DIR=/usr/include/lua5.3 LUA_LIB_DIR=/usr/lib/x86_64-linux-gnu LUA_LIB_NAME=lua5.3 \
#		HWLOC_INCLUDE_DIR=/usr/include HWLOC_LIB_DIR=/usr/lib/x86_64-linux-gnu HWLOC_LIB_NAME=hwloc liblikwid.so
export LD_LIBRARY_PATH=/lib/x86_64-linux-gnu PATH=/peers:$PATH
insmod /msr.ko || exit
cd /tmp || exit
one=INSTR_RETIRED_ANY:FIXC0
four=$one,CPU_CLK_UNHALTED_CORE:FIXC1,BR_INST_RETIRED_ALL_BRANCHES:PMC0,BR_MISP_RETIRED_ALL_BRANCHES:PMC1

# As likwid-perfctr -m --execpid does: the counters are the thread's.
pairs_over_perf_events() {
	LIKWID_MODE=-1 LIKWID_THREADS=0 LIKWID_PIN=0 LIKWID_FILEPATH=/tmp/likwid.out LIKWID_PERF_EXECPID=1 LIKWID_EVENTS=$2 \
		pairs-likwid-perf "LIKWID over perf_events, $1" "$2"
}

{
	pairs "libperfctr, nothing is measured"
	pairs "libperfctr, time and 1 counter" instructions:u
	pairs "libperfctr, time and 4 counters" instructions:u,cycles:u,branches:u,branch-misses:u
	pairs-papi "PAPI, time and 1 counter" PAPI_TOT_INS
	pairs-papi "PAPI, time and 4 counters" PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_BR_INS,PAPI_BR_MSP
	pairs-likwid "LIKWID, nothing is measured"
	pairs-likwid "LIKWID, time and 1 counter" $one
	pairs-likwid "LIKWID, time and 4 counters" $four
	if [ -x /peers/pairs-likwid-perf ]; then
		pairs_over_perf_events "time and 1 counter" $one
		pairs_over_perf_events "time and 4 counters" $four
	fi
} >rows 2>&1
echo "| begin and end of a region | instructions | system calls |"
echo "| --- | ---: | ---: |"
cat rows
[ -x /peers/pairs-likwid-perf ] && perf=1
awk -F ' *[|] *' -v perf="${perf:-0}" '
	{ cost[$2] = $3; calls[$2] = $4 }
	END {
		ours = "libperfctr, "
		one = "time and 1 counter"
		four = "time and 4 counters"
		again = ", within another region"
		limit["nothing is measured"] = limit["nothing is measured" again] = 10
		limit[one] = 110
		limit[one again] = 130
		limit[four] = 230
		limit[four again] = 280
		for (what in limit) {
			if (cost[ours what] == "" || cost[ours what] > limit[what] || calls[ours what] > 0) {
				print "of ours, more than " limit[what] " instructions: " what
				failed = 1
			}
		}
		n = split("PAPI,LIKWID,LIKWID over perf_events", peers, ",")
		if (!perf)
			n--
		for (i = 1; i <= n; i++) {
			if (cost[peers[i] ", " one] < 100 || cost[peers[i] ", " four again] < 100) {
				print "not measured: " peers[i]
				failed = 1
			}
		}
		exit failed
	}' rows
