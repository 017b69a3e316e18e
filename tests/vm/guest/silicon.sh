#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# What scripts/verify would write here, and its judge's verdicts: instructions are right, and what QEMU makes up is not.
# It has no event for branches, loads and stores; on arm64 and RISC-V it loses overflows.
verify quick >/tmp/facts
status=$?
awk -f /judge.awk /tmp/facts >/tmp/verdicts
cat /tmp/facts /tmp/verdicts
[ $status = 0 ] || exit 1
[ "$(grep -c '^right instructions:u ' /tmp/verdicts)" -ge 10 ] || exit 1
grep -q '^right reads inline and by the kernel:' /tmp/verdicts || exit 1
case $(uname -m) in
x86_64)
	grep -q '^right overflows of instructions:u: 100 of 100$' /tmp/verdicts || exit 1
	grep -q '^wrong branches:u inline 500: ' /tmp/verdicts || exit 1
	;;
*) grep -q '^wrong overflows of instructions:u: ' /tmp/verdicts || exit 1 ;;
esac
for what in overflows branches branches:u L1-dcache-loads L1-dcache-load-misses BR_INST_RETIRED:ALL_BRANCHES \
	MEM_INST_RETIRED:ALL_LOADS MEM_INST_RETIRED:ALL_STORES RETIRED_BRANCH_INSTRUCTIONS \
	RETIRED_BRANCH_INSTRUCTIONS_MISPREDICTED LD_RETIRED ST_RETIRED BR_RETIRED BR_MIS_PRED_RETIRED LD_SPEC ST_SPEC \
	branch-misses; do
	echo "$what"
done >/tmp/known
! sed -n 's/^wrong \([^ ]*\).*/\1/p' /tmp/verdicts | sed 's/:$//' | grep -vxFf /tmp/known
