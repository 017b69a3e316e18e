#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The judge of scripts/verify: facts as right, noisy, wrong and broken machines would have them; then every file that was
# sent in, and the program itself on this machine.
# The environment: srcdir; VERIFY: the program; PERFEX, which knows the names of all tables.
set -u
srcdir=${srcdir:-.} VERIFY=${VERIFY:-tests/silicon/verify} PERFEX=${PERFEX:-./perfex}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
judge() { awk -f "$srcdir/tests/silicon/judge.awk" "$srcdir/tests/silicon/expected" "$@"; }

cp "$srcdir/tests/silicon/made-right.txt" "$work/right"
chmod u+w "$work/right"
# WORD of the verdict, words of a line of it, and a change by sed.
says() {
	sed "$3" "$work/right" >"$work/facts"
	judge "$work/facts" >"$work/verdicts"
	tail -n 1 "$work/verdicts" | grep -q "^verdict $1:" && grep -q "^$2" "$work/verdicts" || cat "$work/verdicts"
	tail -n 1 "$work/verdicts" | grep -q "^verdict $1:" && grep -q "^$2" "$work/verdicts"
	check "$1: $2" $?
}
count='count inline instructions:u 1000'
says right 'verdict right: 12 right, 1 plausible, 1 unsteady, 1 unchecked, 0 noisy, 0 wrong, 1 refused' ''
says right 'refused FOO:BAR:u: the processor has no such event' ''
says right 'note the table of events: 6 are taken, 1 refused; 7 events have counted' ''
# Small pieces of code: where the error is below 1 % again.
small='note small pieces of code: 95 of 100 are off by less than 1 % from'
says right "$small 10 instructions on, all from 1000 instructions on" ''
says right "$small 1000 instructions on, all from no length on" 's/^small 100 .*/small 100 1001 0 1 2/; s/^small 1000 .*/small 1000 1001 0 9 10/'
says right "$small no length on, all from no length on" 's/^small 1000 .*/small 1000 1001 0 10 12/'
says incomplete 'verdict incomplete' 's/^small 1000 .*/small 1000 1001 0 10/'
# Less than half of them exact, but some.
says noisy 'noisy instructions:u inline 1000: 400 of 1001' "s/^$count .*/$count 1001 400 0 1 90/"
# A long loop that something always disturbs, a little.
says noisy 'noisy instructions:u inline 1000000:' 's/^count inline instructions:u 1000000 .*/count inline instructions:u 1000000 101 0 1 2 500/'
# The same surplus in each of a thousand short loops is none of an interrupt's.
says wrong 'wrong instructions:u inline 1000: never less than 1 too many' "s/^$count .*/$count 1001 0 1 1 90/"
# One count too few, once.
says wrong 'wrong instructions:u inline 1000: 1 too few' "s/^$count .*/$count 1001 1000 -1 0 0/"
says wrong 'wrong instructions:u beside 1000000: 1 too few' 's/^\(count beside.*\) 0 1 9$/\1 -1 1 9/'
# One in a thousand too many.
says wrong 'wrong instructions:u inline 1000000: never less than 1001' \
	's/^count inline instructions:u 1000000 .*/count inline instructions:u 1000000 101 0 1001 1001 1003/'
# An interrupt's own instructions.
says wrong 'wrong instructions:u inline 1000: 1001 too many.*what others execute' "s/^$count .*/$count 1001 1000 0 0 1001/"
says wrong 'wrong instructions:u beside 1000000: 400000 too many.*what others execute' 's/^\(count beside.*\) 9$/\1 400000/'
says wrong 'wrong instructions:u threads 200000: 20001 too many' 's/^\(count threads.*\) 2$/\1 20001/'
says wrong 'wrong reads inline and by the kernel: 1 of 20000' 's/^order 20000 0/order 20000 1/'
says wrong 'wrong overflows of instructions:u: 99 of 100' 's/^\(overflow.*1000003 100\) 100 100/\1 99 99/'
says wrong 'wrong overflows of instructions:u: 120, and there were 100' 's/^\(overflow.*1000003 100\) 100 100/\1 120 120/'
says wrong 'wrong overflows of instructions:u: only 50 of 100' 's/^\(overflow.*1000003 100\) 100 100/\1 100 50/'
says noisy 'noisy overflows of instructions:u: 60 of 100.*throttled' 's/^\(overflow.*1000003 100\) 100 100 0/\1 60 60 1/'
says right 'right overflows of instructions:u: 60 of 100' 's/^\(overflow.*1000003 100\) 100 100 0 0/\1 60 60 0 40/'
# The table: exactly, at most, at least, and of which a machine is a reason.
says wrong 'wrong instructions: 20000 in the work "loop", which has 40000' 's/^event instructions:u 60 40064/event instructions:u 60 20060/'
says wrong 'wrong instructions: 80000 in the work "loop", which has 40000 at most' 's/^event instructions:u 60 40064/event instructions:u 60 80060/'
loads='event MEM_INST_RETIRED:ALL_LOADS:u 6'
says right 'right MEM_INST_RETIRED:ALL_LOADS: 0 in "loop", 20001 in "loads", 0 in "stores"' ''
says wrong 'wrong MEM_INST_RETIRED:ALL_LOADS: 10001 in the work "loads", which has 20000$' "s/^$loads 6 20007/$loads 6 10007/"
says wrong 'wrong MEM_INST_RETIRED:ALL_LOADS: 2000 in the work "loop", which has 200 at most' "s/^$loads 6/$loads 2006/"
says wrong 'wrong MEM_INST_RETIRED:ALL_LOADS: 20500 in the work "loads"' "s/^$loads 6 20007/$loads 6 20506+3/"
says noisy 'noisy MEM_INST_RETIRED:ALL_LOADS: 20500 in the work "loads"' "s/^$loads 6 20007/$loads 6 20506+900/"
says wrong 'wrong MEM_INST_RETIRED:ALL_LOADS: 70000 in the work "loads", which has 60070 instructions' "s/^$loads 6 20007/$loads 6 70000/"
says wrong 'wrong BR_MISP_RETIRED:ALL_BRANCHES: 999 in the work "random", which has 2000' 's/ 9000+400 / 1000 /'
says wrong 'wrong DTLB_LOAD_MISSES:MISS_CAUSES_A_WALK: 900 in the work "pages"' 's/ 1990+3 / 900 /'
says wrong 'wrong OTHER: 99999999 in the work "system", which has 9000 cycles' 's/^\(event OTHER:u.*\) 7$/\1 99999999/'
says right 'unsteady OTHER: 7 to 307 in "system"' 's/^\(event OTHER:u.*\) 7$/\1 7+300/'
says right 'plausible OTHER$' ''
none='0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0'
says right 'unchecked OTHER: no work' "s/^event OTHER:u.*/event OTHER:u $none/"
# The processor need not have what the architecture has.
says wrong 'wrong BR_RETIRED: 0 in the work "loop"' "s/^event OTHER:u.*/event BR_RETIRED:u $none/"
says right 'unchecked BR_RETIRED: no work makes it count; the table' "s/^event OTHER:u.*/event BR_RETIRED:u $none/; s/^processor skylake/processor pmuv3/"
# A work that this machine can't do is no reason.
says wrong 'wrong FP_ARITH_INST_RETIRED:128B_PACKED_DOUBLE: 0 in the work "packed", which has 20000' 's/ 20000 0 2000 500$/ 20000 20000 2000 500/'
says wrong 'wrong OTHER:u: 2 reads are less than one before' 's/^event OTHER:u.*/&\nbackwards OTHER:u 2/'
says wrong 'wrong cycles: they stand still' 's/^event cycles:u 100 20100/event cycles:u 0 0/'
says wrong 'wrong cycles: 200000 in 9000 ns' 's/^event cycles:u 100 20100/event cycles:u 100 200000/'
# Another user took a counter: the judge leaves out the measurements of that time, and judges the rest.
says noisy 'noisy count/inline: 3 left out, since somebody else' 's/^cost .*/&\nlost count\/inline 3/'
says noisy 'noisy order: 7 left out' 's/^order .*/lost order 7/'
says noisy 'noisy OTHER:u: 1 left out' 's/^event OTHER:u.*/lost OTHER:u 1/'
says right 'note a hypervisor: ' 's/^kernel/virtual QEMU\n&/'
says right 'note instructions:u: the kernel reads: no page' 's/^order/no-reader instructions:u: no page\n&/'
says nothing 'verdict nothing: .*; no PMU here' 's/^kernel.*/nothing: no PMU here/; /^count/,$d'
says incomplete verdict '$d'
for part in 'count inline' 'count kernel' 'count threads' 'count beside' order overflow table; do
	says incomplete verdict "/^$part/d"
done
# Trials never took place, and part of the table is missing, or all of it.
says incomplete verdict 's/^\(count beside instructions:u 1000000\) 200 11/\1 0 0/'
says incomplete verdict 's/^order.*/order 0 0 0/'
says incomplete verdict 's/^overflow.*/overflow instructions:u 1000003 0 0 0 0 0/'
says noisy 'noisy overflows of instructions:u: none of 100' 's/^overflow.*/overflow instructions:u 1000003 100 0 0 0 100/'
says incomplete 'note missing: events$' '/^event [A-Z]/d'
says incomplete 'note missing: events$' '/^event OTHER:u/d'
says incomplete 'note missing: events$' '/^refused FOO/d'
# The kernel's own names are none of its.
generic=$(sed -n '/generic\[\] = /,/};/s/.*"\(.*\)".*/\1/p' "$srcdir/tests/silicon/verify.c")
for name in $generic; do
	says incomplete 'note missing: events$' "s/^event OTHER:u/event $name:u/"
	says right "refused $name:u: it has none" "s/^works.*/&\nrefused $name:u: it has none/"
done
says wrong 'wrong the table of events: the kernel takes none' \
	's/^event \([A-Z][^ ]*\) .*/refused \1: driver does not accept this event code/; s/^table.*/table 0 7/'
says wrong 'wrong the table of events: the kernel takes none' '/^event [A-Z]/d; /^refused/d; s/^table.*/table 0 0/'
says right 'refused beside: no memory' 's/^count beside.*/refused beside: no memory/'
says right verdict 's/^overflow.*/refused overflow: no interrupt/'
says right verdict 's/^table.*/no-table there is none/'
says incomplete verdict 's/^\(event OTHER:u.*\) 7$/\1/'
says incomplete verdict 's/^\(rounds.*\) 500$/\1/'
says incomplete verdict '/^works/d'
says incomplete verdict 's/^\(count threads.*\) 2$/\1/'
says incomplete verdict '1s/2 /1 /'
says incomplete verdict 1d

# ---- several parts: two core types, and the driver ----
{
	sed '/^count/,$d' "$work/right"
	echo 'types 2'
	echo 'count moved instructions:u 100000 200 150 0 0 12'
	for part in 'cpu_core goldencove 0-3' 'cpu_atom gracemont 4-7' driver; do
		echo "part $part"
		[ "$part" = driver ] && end=/^works/ || end=/^end/
		sed "1,/^kernel/d; $end,\$d" "$work/right"
	done
	echo end
} >"$work/parts"
mv "$work/parts" "$work/right"
atom='/^part cpu_atom/,/^part driver/'
says right 'verdict right: 32 right, 2 plausible, 2 unsteady, 2 unchecked, 0 noisy, 0 wrong, 2 refused$' ''
says right 'part cpu_atom right: 12 right, 1 plausible, 1 unsteady, 1 unchecked, 0 noisy, 0 wrong, 1 refused$' ''
says right 'part driver right: 7 right, ' ''
says right 'right cpu_atom MEM_INST_RETIRED:ALL_LOADS: .* 20001 in "loads"' ''
says wrong 'part cpu_core right: 12 right' "${atom}s/ 20007 / 10007 /"
says wrong 'wrong cpu_atom MEM_INST_RETIRED:ALL_LOADS: 10001' "${atom}s/ 20007 / 10007 /"
says wrong 'wrong driver overflows of instructions:u: 99 of 100' '/^part driver/,$s/ 100 100 0 0$/ 99 99 0 0/'
says incomplete 'note missing: cpu_atom/order$' "${atom}{/^order/d}"
says incomplete 'note missing: driver/overflow$' '/^part driver/,${/^overflow/d}'
says incomplete 'note missing: count/moved$' '/^count moved/d'
says incomplete 'note missing: a part$' "${atom}{/^part driver/!d}"
says right 'note driver nothing is verified: Permission denied' '/^part driver/,$c part driver\nno-driver Permission denied\nend'
says right 'note cpu_atom nothing is verified: it may not' "${atom}c part cpu_atom gracemont 4-7\\
no-processor it may not\\
part driver\\
no-driver -"
: >"$work/right"
says incomplete verdict ''

# ---- what is expected ----
# Each line is of some event: of a table, or one of the kernel's own.
"$PERFEX" --cpu list </dev/null | while read -r id _; do
	"$PERFEX" --cpu "$id" -l </dev/null | sed 's/^ *\([^ ]*\).*/\1/'
done | sort -u >"$work/names"
echo "$generic" >>"$work/names"
awk '
	FNR == NR { names[$1]; next }
	/^#/ || NF == 0 { next }
	{
		split($1, halves, "!")
		for (name in names)
			if (name ~ "^(" halves[1] ")$" && (halves[2] == "" || name !~ "^(" halves[2] ")$"))
				next
		print "no event:", $0
		failed = 1
	}
	END { exit failed }' "$work/names" "$srcdir/tests/silicon/expected"
check "an event for each line" $?
# And of a work.
sed -n '/works\[\] = {/,/};/s/^	{ "\([a-z]*\)".*/\1/p' "$srcdir/tests/silicon/works.h" >"$work/works"
awk 'FNR == NR { works[$1]; next } /^#/ || NF == 0 || $2 == "<=" || $2 in works { next } { print; failed = 1 }
	END { exit failed }' "$work/works" "$srcdir/tests/silicon/expected"
check "a work for each line" $?

# ---- what was sent in ----
for file in "$srcdir"/tests/data/silicon/*.txt; do
	[ -e "$file" ] || continue
	judge "$file" >"$work/verdicts"
	verdict=$(tail -n 1 "$work/verdicts")
	case $verdict in
	'verdict right:'* | 'verdict noisy:'* | 'verdict wrong:'*) check "${file##*/}: $verdict" 0 ;;
	*) check "${file##*/}: $verdict" 1 ;;
	esac
done

# ---- virtual machines, whose PMU is not the processor's ----
# Whether a machine that has such a FILE is one: yes or no.
virtual() {	# YES FILE CONTENT
	rm -rf "$work/root"
	mkdir -p "$work/root/${2%/*}"
	printf %b "$3" >"$work/root/$2"
	shown=$2:$(tr '\000\n\t' '   ' <"$work/root/$2")
	case $1:$("$VERIFY" virtual "$work/root") in
	yes:virtual\ * | no:) check "virtual, $1: $shown" 0 ;;
	*) check "virtual, $1: $shown" 1 ;;
	esac
}
virtual no sys/class/dmi/id/sys_vendor 'Dell Inc.\n'
virtual no proc/cpuinfo 'processor\t: 0\nflags\t\t: fpu vme\nx: hypervisor\n'
virtual yes proc/cpuinfo 'processor\t: 0\nflags\t\t: fpu hypervisor lahf_lm\n'
for vendor in QEMU Xen Hetzner 'Amazon EC2' 'OpenStack Foundation'; do
	virtual yes sys/class/dmi/id/sys_vendor "$vendor\n"
done
for product in KVM 'Alibaba Cloud ECS' 'Apple Virtualization Generic Platform' 'OpenStack Nova' 'Virtual Machine'; do
	virtual yes sys/class/dmi/id/product_name "$product\n"
done
virtual no proc/device-tree/compatible 'raspberrypi,4-model-b\000brcm,bcm2711\000'
virtual yes proc/device-tree/compatible 'linux,dummy-virt\000'
virtual yes proc/device-tree/compatible 'qemu,pseries\000'
virtual yes proc/device-tree/compatible 'maker,board\000riscv,qemu\000'
virtual yes proc/device-tree/hypervisor/compatible 'linux,kvm\000'
virtual yes sys/hypervisor/type 'xen\n'
virtual yes sys/bus/virtio/devices/virtio0/device '0x0001\n'
virtual no sys/bus/virtio/devices/virtio0/device '0x0007\n'
virtual yes sys/bus/vmbus/devices/0f7e/device '0x1\n'

# ---- here ----
"$VERIFY" quick >"$work/facts" 2>"$work/errors"
status=$?
judge "$work/facts" >"$work/verdicts"
verdict=$(tail -n 1 "$work/verdicts")
case $status:$verdict in
'77:verdict nothing:'*'; '?*) check "here: $verdict" 0 ;;
# A mistake of the silicon or of the hypervisor is none of these.
'0:verdict right:'* | '0:verdict noisy:'* | '0:verdict wrong:'*) check "here: $verdict" 0 ;;
*)
	cat "$work/facts" "$work/errors" "$work/verdicts"
	check "here: status $status, $verdict" 1
	;;
esac
# Lines of no other kind than the README has: the file is sent to others.
sed -n 's/^| \(`.*\) | .*/\1/p' "$srcdir/tests/silicon/README.md" | grep -o '`[a-z-]*' | tr -d '`' | sort -u >"$work/kinds"
cut -d' ' -f1 "$work/facts" | tr -d : | sort -u | grep -vxFf "$work/kinds"
[ $? = 1 ]
check "no line that the README does not have" $?
exit $failed
