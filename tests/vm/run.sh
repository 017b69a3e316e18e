#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Build the static programs for arm64, amd64, i386, riscv64 and ppc64el, and the driver for each kernel; run them in
# real kernels.
# usage: run.sh WORKDIR [NAME...]	NAME: machines of the list below; default: all
# The environment: PERFCTR_QEMU_PMU, a ready QEMU of qemu-pmu/build.sh (may be an .xz), else it is
# built, once for all runs with PERFCTR_DEBS, see deb.sh; PERFCTR_LIKWID, see guest/pairs.sh; VM_TESTS, programs
# to run instead of the usual ones; VM_LONG, anything: the machines that are not for each day, too.
# Prints a line per test, "PASS machine: command", and per kernel, "PASS driver builds: 5.10 amd64"; exit
# status 0 if none failed.
set -eu
# Bytes of kernels are no letters of any language.
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
mkdir -p "${1:?usage: run.sh WORKDIR [NAME...]}"
work=$(cd "$1" && pwd)
shift

# name arch kernel's-suite processor smp [command...]; a + in a command is a blank. kasan and kcsan are kernels that look
# for mistakes, see README.md; pmu=on is the QEMU with x86 counters. P5 is made from
# a processor that has what the kernel needs. Of arm64's two processors QEMU makes one count, which spoils what has
# to be exact; riscv64 has one counter for cycles and one for instructions, and no driver. What takes long is first,
# so that all end together.
long='
debug-2 amd64 kasan Skylake-Client,pmu=on 2 driver driver_attack driver_perf remote counters_driver driver_sequences+1+200000 driver_fuzz+1+60 driver_siege coverage
kcsan-2 amd64 kcsan Skylake-Client,pmu=on 2 driver driver_attack driver_perf remote counters_driver driver_sequences+1+200000 driver_fuzz+1+60 driver_siege
long-arm64-1 arm64 bookworm max,pauth-impdef=on 1 driver_fuzz driver_siege storm-driver switch
long5.10-arm64-1 arm64 bullseye max,pauth-impdef=on 1 driver_attack remote perfex-driver driver_fuzz
long6.12-arm64-1 arm64 bookworm-backports max,pauth-impdef=on 1 driver_attack remote perfex-driver driver_fuzz
long-sid-arm64-1 arm64 sid max,pauth-impdef=on 1 remote perfex-driver driver_fuzz storm-driver
long-fuzz-2 amd64 bookworm Skylake-Client,pmu=on 2 driver_sequences_long
long-sapphirerapids-1 amd64 bookworm Icelake-Server,model=143,pmu=on 1 topdown
'
machines='
arm64-1 arm64 bookworm max,pauth-impdef=on 1
fuzz-2 amd64 bookworm Skylake-Client,pmu=on 2 driver_fuzz driver_sequences driver_siege
skylake-2 amd64 bookworm Skylake-Client,pmu=on 2 counters overflow global sets counters_driver overflow_driver driver_hotplug aux_area sources storm storm-driver
linux5.10-2 amd64 bullseye Skylake-Client,pmu=on 2
backports-2 amd64 trixie-backports Skylake-Client,pmu=on 2
skylake-1 amd64 bookworm Skylake-Client,pmu=on 1
icelake-1 amd64 bookworm Icelake-Server-v4,pmu=on 1 topdown
epyc-2 amd64 bookworm EPYC,pmu=on 2
core2duo-1 amd64 bookworm core2duo,pmu=on 1
linux6.12-2 amd64 bookworm-backports EPYC,pmu=on 2
sid-2 amd64 sid EPYC,pmu=on 2
linux5.10-arm64-1 arm64 bullseye max,pauth-impdef=on 1 counters_driver overflow_driver driver driver_share kernels
linux6.12-arm64-1 arm64 bookworm-backports max,pauth-impdef=on 1 counters_driver overflow_driver driver driver_share kernels
sid-arm64-1 arm64 sid max,pauth-impdef=on 1
pentium3-1 i386 bookworm pentium3,pmu=on 1
phenom-1 amd64 bookworm phenom,pmu=on 1
athlon-1 i386 bookworm athlon,pmu=on 1
p4-1 i386 bookworm pentium3,family=15,model=2,pmu=on 1 driver
p5-1 amd64 bookworm qemu64,vendor=GenuineIntel,family=5,model=4,level=1,pmu=on 1 driver
stock-1 amd64 bookworm EPYC 1 driver_tsc
riscv64-1 riscv64 trixie rv64,sscofpmf=on,smcntrpmf=on 1 riscv perfex-exact step regions silicon
riscv64-samples-1 riscv64 trixie rv64,sscofpmf=on,smcntrpmf=on 1 samples
riscv64-plain-1 riscv64 trixie rv64 1 riscv_plain
power8-1 ppc64el bookworm power8 1 power8
power9-1 ppc64el bookworm power9 1 power9 regions samples
power10-1 ppc64el bookworm power10 1 power10
arm64-2 arm64 bookworm max,pauth-impdef=on 2 counters overflow global sets counters_driver overflow_driver driver_hotplug aux_area sources storm storm-driver
core-types-2 arm64 bookworm max,pauth-impdef=on 2 core_types silicon_types
'
# What costs are compared on, beside PAPI's and LIKWID's, which wants more of the others than QEMU has.
costs='
nehalem-1 amd64 bookworm Nehalem,pmu=on 1 pairs
'
failed=0
log() { echo "run.sh: $*" >&2; }

# shellcheck source=tests/vm/systems.sh
. "$here/systems.sh"
# shellcheck source=tests/vm/files.sh
. "$here/files.sh"

# NAME PROGRAM...: in the background, as soon as fewer machines run than there are processors: QEMU keeps one
# busy, however many it shows.
processors=$(nproc) running=0
rm -f "$work/ended"
mkfifo "$work/ended"
exec 3<>"$work/ended"
boot() {
	[ "$running" -lt "$processors" ] || report
	running=$((running + 1))
	(
		name=$1
		shift
		rm -f "$work/$name.failed"
		"$here/boot.sh" "$arch" "$model" "$smp" "$image" "$work/files-$arch" "$@" \
			>"$work/$name.log" 3>&- || touch "$work/$name.failed"
		times >"$work/$name.times"
		echo "$name" >&3
	) &
}

# What the next machine that ends did.
report() {
	read -r ended <&3
	running=$((running - 1))
	log "$ended took a processor $(tail -n 1 "$work/$ended.times")"
	# Behind what failed, what it said.
	awk -v machine="$ended" '
		/^(PASS|FAIL|SKIP)/ {
			print $1, machine ":" substr($0, 5)
			if ($1 == "FAIL")
				for (i = n > 20 ? n - 20 : 0; i < n; i++)
					print "| " said[i]
			n = 0
			next
		}
		{ said[n++] = $0 }' "$work/$ended.log"
	[ "$ended" != debug-2 ] || judge_coverage
	[ -e "$work/$ended.failed" ] || return 0
	sed "s/^/    /" "$work/$ended.log"
	failed=1
}

# Only all of the machine's own programs reach the lines that are asked for.
judge_coverage() {
	if [ -n "${VM_TESTS:-}" ] || [ ! -s "$work/debug-2.coverage" ]; then return; fi
	if "$here/coverage.sh" "$work/driver-amd64-kasan" "$work/debug-2.coverage" >"$work/debug-2.lines"; then
		echo "PASS coverage of the driver: $(tail -n 1 "$work/debug-2.lines")"
	else
		sed 's/^/| /' "$work/debug-2.lines"
		echo "FAIL coverage of the driver: $(tail -n 1 "$work/debug-2.lines")"
		failed=1
	fi
}

silence=${VM_TIMEOUT:-}
# Of kernels that look for mistakes, and have much to say of each.
slow="TEST_SECONDS=3600 TEST_SLOW=10 printk.time=1 log_buf_len=2M"
set -- "${*:-$(echo "$machines$costs${VM_LONG:+$long}" | awk 'NF { printf "%s ", $1 }')}"
for name in $1; do
	line=$(echo "$machines$costs$long" | awk -v n="$name" '$1 == n')
	[ -n "$line" ] || { log "there is no machine $name"; exit 2; }
	read -r _ arch suite model smp tests <<-EOT
	$line
	EOT
	case $suite in
	kasan | kcsan) debug_kernel || { echo "FAIL $name: its kernel can't be built"; failed=1; continue; } ;;
	*) kernel "$arch" "$suite" ;;
	esac
	files
	usual="counters overflow perfex-exact samples"
	[ "$arch" = i386 ] || usual="$usual global kernels sets"
	# Their costs are known with one processor, and where the counters are as wide as most.
	case $name in arm64-1 | skylake-1 | sid-arm64-1) usual="$usual regions" ;; esac
	# The loops are stepped where that has not been done on the host.
	[ "$name" != arm64-1 ] || usual="$usual step remote_perf calls calls-signed"
	DRIVER='' MODULES='' MORE=''
	case $arch in
	riscv64) qemu_riscv ;;
	ppc64el) qemu_power ;;
	arm64) driver ;;
	*)
		qemu || { echo "FAIL $name: there is no QEMU with x86 counters for it"; failed=1; continue; }
		driver
		;;
	esac
	case $arch in riscv64 | ppc64el) ;; *) DRIVER=$work/driver-$arch-$suite/perfctr.ko ;; esac
	usual="$usual counters_driver overflow_driver"
	case $arch in
	amd64) usual="$usual driver remote remote_perf perfex-driver driver_perf driver_attack" ;;
	i386) usual="$usual driver" ;;
	esac
	case $name in
	arm64-1) usual="$usual driver driver_attack driver_share remote perfex-driver" ;;
	*arm64-1) usual="$usual driver driver_attack driver_share" ;;
	esac
	case $name in
	# What things cost, and may cost.
	skylake-1)
		tutorial
		MORE=$work/tutorial
		usual="$usual bench silicon switch tutorial"
		;;
	nehalem-1)
		peers
		MORE=$work/peers
		;;
	arm64-1) usual="$usual bench silicon" ;;
	sid-2) usual="$usual aux_area sources" ;;
	linux5.10-2) usual="$usual sources" ;;
	# QEMU has AMD's virtualization only. These modules are not compressed in 6.1.
	epyc-2)
		usual="$usual driver_kvm silicon"
		MODULES=$(find "$dir/lib/modules" -name msr.ko -o -name irqbypass.ko -o -name ccp.ko -o \
			-name kvm.ko -o -name kvm-amd.ko)
		;;
	esac
	VM_APPEND='' VM_SECOND='' VM_TIMEOUT=$silence
	case $name in
	# What is freed is poisoned, and the kernel is preempted wherever it can be.
	fuzz-2) VM_APPEND="slub_debug=FZP preempt=full" ;;
	# Millions of operations.
	long-fuzz-2) VM_APPEND="slub_debug=FZP preempt=full TEST_SECONDS=1200" ;;
	# KCSAN says more than one thing before a test ends, and the log is searched for all.
	debug-2)
		VM_APPEND="$slow" VM_TIMEOUT=3600 VM_SECOND=$work/$name.coverage
		rm -f "$VM_SECOND"
		;;
	kcsan-2) VM_APPEND="$slow panic_on_warn=0" VM_TIMEOUT=3600 ;;
	esac
	# Every boundary of the loops, not each third.
	[ -z "${VM_LONG:-}" ] || VM_APPEND="$VM_APPEND STEP_QUICK=1"
	case " ${VM_TESTS:-${tests:-$usual}} " in *' calls'*) files_dwarf ;; esac
	case " ${VM_TESTS:-${tests:-$usual}} " in *' aux_area'* | *' sources'*)
		auxpmu
		MODULES="$MODULES $work/auxpmu-$arch-$suite/auxpmu.ko $work/auxpmu-$arch-$suite/mempmu.ko"
		;;
	esac
	VM_TREE=
	[ "$name" != core-types-2 ] || VM_TREE=$here/core-types.awk
	export DRIVER MODULES MORE VM_APPEND VM_SECOND VM_TIMEOUT VM_TREE
	blanks=$IFS
	IFS='
'
	# shellcheck disable=SC2046
	set -- $(echo "${VM_TESTS:-${tests:-$usual}}" | tr -s ' ' '\n' | tr + ' ')
	IFS=$blanks
	boot "$name" "$@"
done
while [ "$running" != 0 ]; do
	report
done
exit $failed
