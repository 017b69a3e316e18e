#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What regions cost, by this library, PAPI and LIKWID, one after the other: prints a Markdown table, and fails if ours cost
# more than they may, or the others were not measured.
export LD_LIBRARY_PATH=/lib/x86_64-linux-gnu PATH=/peers:$PATH
insmod /msr.ko || exit
cd /tmp || exit
{
	pairs "libperfctr, nothing is measured"
	pairs "libperfctr, time and 1 counter" instructions:u
	pairs "libperfctr, time and 4 counters" instructions:u,cycles:u,branches:u,branch-misses:u
	pairs-papi "PAPI, time and 1 counter" PAPI_TOT_INS
	pairs-papi "PAPI, time and 4 counters" PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_BR_INS,PAPI_BR_MSP
	pairs-likwid "LIKWID, nothing is measured"
	pairs-likwid "LIKWID, time and 1 counter" INSTR_RETIRED_ANY:FIXC0
	pairs-likwid "LIKWID, time and 4 counters" \
		INSTR_RETIRED_ANY:FIXC0,CPU_CLK_UNHALTED_CORE:FIXC1,BR_INST_RETIRED_ALL_BRANCHES:PMC0,BR_MISP_RETIRED_ALL_BRANCHES:PMC1
} >rows 2>&1
echo "| begin and end of a region | instructions | system calls |"
echo "| --- | ---: | ---: |"
cat rows
awk -F ' *[|] *' '
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
		split("PAPI LIKWID", peers, " ")
		for (i in peers) {
			if (cost[peers[i] ", " one] < 100 || cost[peers[i] ", " four again] < 100) {
				print "not measured: " peers[i]
				failed = 1
			}
		}
		exit failed
	}' rows
