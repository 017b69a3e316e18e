#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Parallel constructs, where instructions are counted exactly. Four threads have twice as much to do the second time: the
# least counts of each, of ten constructs, differ by that, to the last instruction; in some libomp has more to do, to wait and to
# wake up others. What a construct costs a thread beyond libomp's own is printed, and has its limit.
mkdir -p /dev/shm # libomp's
cd /tmp || exit
PERFCTR_REGIONS=instructions:u PERFCTR_REGIONS_KEEP=threads,moments PERFCTR_REGIONS_FORMAT=csv
OMP_DYNAMIC=false OMP_WAIT_POLICY=passive
export PERFCTR_REGIONS PERFCTR_REGIONS_KEEP PERFCTR_REGIONS_FORMAT OMP_DYNAMIC OMP_WAIT_POLICY
failed=0
# The instructions of each thread's visits, in order.
counts() {	# LENGTH
	PERFCTR_REGIONS_OUTPUT=/tmp/report /openmp/openmp "$1" || exit
	awk -F, '$4 ~ /^omp parallel/ && $5 != "all" && $9 ~ /^instructions/ && $6 == 10 && !$7 && !$8 { print $14 }' report | sort -n
}
counts 100000 >few
counts 200000 >"more"
paste() { awk 'NR == FNR { few[FNR] = $1; next } { print few[FNR], $1 }' few more; }
paste | awk '
	{ threads++; wrong += $2 - $1 != 2 * 100000; own = $1 - (2 * 100000 + 1); print "a thread: " $1 ", then " $2 ", of which libomp has " own " in a construct" }
	END { if (threads != 4 || wrong) { print threads + 0 " threads, " wrong + 0 " wrong"; exit 1 } }' || failed=1
PERFCTR_REGIONS_KEEP=threads PERFCTR_REGIONS_OUTPUT=/dev/null /openmp/openmp cost >cost || failed=1
cat cost
awk '{ n += $2 > 200 && $2 <= 500 } END { exit n != 2 }' cost || { echo "a construct costs more than 500 instructions"; failed=1; }
exit $failed
