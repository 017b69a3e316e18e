#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Try events that this kernel's PMU does not offer, in each way of naming them, which are refused, and others, which count: on a
# Granite Rapids whose kernel does not know it, and on QEMU's arm64, which implements few of the common events.
devices=/sys/bus/event_source/devices
failed=0
fail() { echo "FAIL $*"; failed=1; }

refused() {	# EVENT WORDS
	if perfex --strict -e "$1" true >/tmp/out 2>&1; then
		fail "$1 counts"
		cat /tmp/out
	elif ! grep -q "$2" /tmp/out; then
		fail "$1 is not refused with \"$2\""
		cat /tmp/out
	fi
}
counts() {	# EVENT
	perfex --strict -e "$1" true >/tmp/out 2>&1 || { fail "$1 does not count"; cat /tmp/out; }
}
lists() {	# EVENT
	grep -qi "^ *$1\b" /tmp/list || fail "perfex -l does not list $1"
}
lists_not() {	# EVENT
	! grep -i "^ *$1\b" /tmp/list || fail "perfex -l lists $1"
}
perfex -l >/tmp/list || exit 1

if [ -e $devices/cpu/type ]; then
	grep -q generic_arch $devices/cpu/caps/pmu_name || { echo "this kernel knows the processor"; exit 1; }
	field="it needs the field offcore_rsp, which Linux .* does not have here, for it does not know the Intel Granite Rapids; use Linux 6.4 or later"
	refused OCR.DEMAND_DATA_RD.L3_MISS:u "$field"
	refused cpu/OCR.DEMAND_DATA_RD.L3_MISS/u "$field"
	refused cpu/event=0x2a,umask=1,config1=0x3fbfc00001/u "$field"
	refused r12a/config1=0x3fbfc00001/u "$field"
	refused cpu/event=0x2a,umask=1,offcore_rsp=1/ offcore_rsp
	# QEMU's machine has four counters; these events count on the first only.
	refused TOPDOWN.BAD_SPEC_SLOTS:u "not all counters can count it"
	refused r4a4:u "not all counters can count it"
	refused cpu/event=0xa4,umask=8/ "not all counters can count it"
	refused TOPDOWN.SLOTS:u "not all counters can count it"
	refused r400:u "not all counters can count it"
	for event in INST_RETIRED.ANY CPU_CLK_UNHALTED.THREAD INST_RETIRED.ANY_P cycles instructions:u rc0:u r5300c0 \
		BR_INST_RETIRED.ALL_BRANCHES:u MEM_LOAD_RETIRED.L3_MISS:u; do
		counts $event
	done
	lists INST_RETIRED:ANY_P
	lists_not OCR
	lists_not FRONTEND_RETIRED
	lists_not TOPDOWN:BAD_SPEC_SLOTS
	perfctr-info >/tmp/out
	grep -q "does not know the Intel Granite Rapids" /tmp/out || fail "perfctr-info does not say so"
else
	pmu=$(cd "$devices" && echo *pmuv3*)
	absent="this processor does not implement it"
	for event in L1D_CACHE:u l1d_cache_refill:u BR_RETIRED:u r04:u r21 $pmu/event=0x04/ $pmu/L1D_CACHE/u $pmu/r04/ STALL_SLOT; do
		refused "$event" "$absent"
	done
	refused "{INST_RETIRED:u,L1D_CACHE:u}" "$absent"
	for event in INST_RETIRED:u CPU_CYCLES:u r08:u r8000 r40 $pmu/event=0x11/ cycles instructions; do
		counts $event
	done
	ls $devices/$pmu/events | while read -r event; do
		perfex -e "$event" true >/tmp/out 2>&1 || { echo "FAIL $event"; cat /tmp/out; }
	done >/tmp/listed
	[ ! -s /tmp/listed ] || { cat /tmp/listed; failed=1; }
	lists INST_RETIRED
	lists_not L1D_CACHE
	lists_not BR_RETIRED
fi
exit $failed
