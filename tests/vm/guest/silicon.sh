#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Prints the file that scripts/verify would write here, and its judge's verdicts: QEMU's counts are right, and the judge
# finds the events that it makes up.
# On x86 it makes up a number for each event that it does not know, elsewhere it is 0; on arm64 and RISC-V it loses overflows, not always.
# Called silicon_types it wants a part for each core type, and does without the driver.
driver=
if [ "${0##*/}" = silicon ] && [ -e /perfctr.ko ]; then
	insmod /perfctr.ko || exit 1
	driver=1
fi
verify quick >/tmp/facts
status=$?
awk -f /judge.awk /expected /tmp/facts >/tmp/verdicts
cat /tmp/facts /tmp/verdicts
[ $status = 0 ] || exit 1
[ ! "$driver" ] || rmmod perfctr || exit 1

has() {	# LEAST PATTERN
	[ "$(grep -cE "^$2" /tmp/verdicts)" -ge "$1" ] || { echo "not $1 times: $2"; exit 1; }
}
hasnt() {	# PATTERN
	! grep -E "^$1" /tmp/verdicts || { echo "that is wrong"; exit 1; }
}
# Known loops, and reads, of a part.
counts() {	# PART LEAST
	has "$2" "right ${1}instructions:u (inline|kernel|threads|beside|moved) "
	has 1 "right ${1}reads inline and by the kernel:"
}
# The table: what it counts is right, all that is wrong is of other names.
real='instructions|cycles|INST_RETIRED(:ANY|:ANY_P)?|CPU_CLK_UNHALTED:THREAD(_P)?|CPU_CYCLES|INSTRUCTIONS'
real="$real|RETIRED_INSTRUCTIONS|CYCLES_NOT_IN_HALT"
case $(uname -m) in
x86_64) found='wrong (branches|BR_INST_RETIRED:ALL_BRANCHES|MEM_INST_RETIRED:ALL_LOADS|RETIRED_BRANCH_INSTRUCTIONS)' ;;
aarch64) found='' ;; # what it does not implement is refused
*) found='' ;;
esac
table() {	# PART
	has 4 "right $1($real): [0-9]+ in \"loop\""
	hasnt "(wrong|noisy|unsteady|unchecked) $1($real): "
	[ ! "$found" ] || has 2 "${found%% *} $1${found#* }: "
}

if [ "${0##*/}" = silicon_types ]; then
	hasnt 'verdict (incomplete|nothing)'
	for type in armv8_cortex_a57 armv8_cortex_a53; do
		grep -qE "^part $type pmuv3 [01]\$" /tmp/facts || exit 1
		has 1 "part $type "
		counts "$type " 8
		table "$type "
	done
	exit 0
fi
counts '' 10
table ''
# How small a piece of code may be.
if [ "$(uname -m)" != riscv64 ]; then
	has 1 'note small pieces of code: 95 of 100 are off by less than 1 % from 10 instructions on, all from 10 instructions on'
	perfctr-info --cost >/tmp/costs
	grep '^the least piece that is counted to 1 %  *-  *- *10  user space' /tmp/costs || { cat /tmp/costs; exit 1; }
fi
[ ! "$driver" ] || counts 'driver ' 9
hasnt '(wrong|noisy) (driver )?(instructions:u (inline|kernel|threads|beside|moved) |reads |(count/[a-z]+|order|cost):|.* less than one before)'
if [ "$(uname -m)" = x86_64 ]; then
	has 1 'right overflows of instructions:u: 100 of 100$'
	[ ! "$driver" ] || has 1 'right driver overflows of instructions:u: 100 of 100$'
	has 1 'wrong branches:u inline 500: '
else
	has 1 '(right|wrong) overflows of instructions:u: '
fi
