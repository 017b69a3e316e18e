#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Build the static programs for arm64, amd64, i386, riscv64 and ppc64el, and the driver for each kernel; run them in
# real kernels, on the machines of the table beside this script.
# usage: run.sh WORKDIR [NAME...]	NAME: machines of the table; default: those of VM_TIER
# The environment: VM_TIER, test, all (default), night or long; PERFCTR_QEMU_PMU, a ready QEMU of qemu-pmu/build.sh (may be an
# .xz), else it is built, once for all runs with PERFCTR_DEBS, see deb.sh; PERFCTR_LIKWID, see guest/pairs.sh; VM_TESTS,
# programs to run instead of the table's; NATIVE_BUILD, a finished build of both kinds of library for this machine.
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
log() { echo "run.sh: $*" >&2; }

# shellcheck source=scripts/stages.sh
. "$top/scripts/stages.sh"
# shellcheck source=tests/hosts.sh
. "$top/tests/hosts.sh"
# shellcheck source=tests/vm/systems.sh
. "$here/systems.sh"
# shellcheck source=tests/vm/files.sh
. "$here/files.sh"

# Machines that are made ready at the same time share what is built: the one that comes second waits.
lock() { exec 8>"$work/lock-$1" && flock 8; }
unlock() { exec 8>&-; }

# A line of the table, its lists of programs written out; nothing if there is no such machine.
row() {	# NAME
	awk -v name="$1" '
		/^@/ { list = $1; sub(/^[^ ]* /, ""); lists[list] = $0 }
		$1 == name {
			for (i = 9; i <= NF; i++)
				if ($i in lists)
					$i = lists[$i]
			print
		}' "$here/machines"
}

# The machines of a tier: "all" has more than CI's list, see the table.
names() {	# TIER
	case $1 in
	all) tiers="all costs" ;;
	long) tiers="all costs night long" ;;
	*) tiers=$1 ;;
	esac
	awk -v tiers=" $tiers " '/^[^#@]/ && index(tiers, " " $2 " ") { print $1 }' "$here/machines"
}

# Adds a directory of $work to those whose files the guest has beside its own.
more() {	# DIRECTORY
	case " $MORE " in
	*" $work/$1 "*) ;;
	*) MORE="$MORE $work/$1" ;;
	esac
}

# Adds files that single programs want, beside those of their architecture.
equip() {	# PROGRAM
	case $1 in
	calls | calls-signed) files_dwarf ;;
	tutorial | pages) tutorial; more tutorial ;;
	openmp) openmp; more openmp ;;
	pairs) peers; more peers ;;
	small | papi_presets) small ;;
	cxx | fortran | rust | python) languages; more "languages-$arch" ;;
	core_types | core_readers) VM_TREE=$here/core-types.awk ;;
	coverage) VM_SECOND=$work/$name.coverage; rm -f "$VM_SECOND" ;;
	# These modules are not compressed in 6.1.
	driver_kvm)
		MODULES="$MODULES $(find "$dir/lib/modules" -name msr.ko -o -name irqbypass.ko -o -name ccp.ko -o \
			-name kvm.ko -o -name kvm-amd.ko)"
		;;
	aux_area | sources)
		case $MODULES in *auxpmu.ko*) ;; *)
			MODULES="$MODULES $work/auxpmu-$arch-$suite/auxpmu.ko $work/auxpmu-$arch-$suite/mempmu.ko" ;;
		esac
		;;
	esac
}

# The files in bin/ that only other machines' programs need, by the table, and by what these scripts call: a guest takes two
# seconds to unpack all.
unneeded() {	# PROGRAM...
	awk '/^@/ { $1 = ""; print } /^[^#@]/ { for (i = 1; i <= 8; i++) $i = ""; print }' "$here/machines" | tr -s ' ' '\n' |
		sed -n 's/+.*//; /^[^@]/p' | sort -u >"$work/$name.programs"
	for program; do
		program=${program%%+*}
		echo "$program"
		[ "$program" != storm-driver ] || echo storm
		readlink "$work/files-$arch/bin/$program" || :
	done | sort -u >"$work/$name.needed"
	comm -23 "$work/$name.programs" "$work/$name.needed" | sed 's/^calls$/& perfex-dwarf/; s/^kernels$/& works/; s/^silicon$/& verify/; s/^small$/& small-ours small-papi/'
	rm -f "$work/$name.programs" "$work/$name.needed"
}

# Makes the kernel that the machine boots, and the driver for it.
make_kernel() {
	lock "kernel-$arch-$suite"
	case $suite in
	kasan | kcsan) debug_kernel || { echo "FAIL $name: its kernel can't be built"; return 1; } ;;
	*) kernel "$arch" "$suite" ;;
	esac
	DRIVER=''
	if [ "$driver" = driver ]; then
		driver
		DRIVER=$work/driver-$arch-$suite/perfctr.ko
	fi
	case " $programs " in *' aux_area '* | *' sources '*) auxpmu ;; esac
	unlock
}

make_emulator() {
	case $arch,$model in
	riscv64,*) lock qemu-riscv; qemu_riscv ;;
	ppc64el,*) lock qemu-power; qemu_power ;;
	*pmu=on*) lock qemu-pmu; qemu || { echo "FAIL $name: there is no QEMU with x86 counters for it"; return 1; } ;;
	esac
	unlock
}

# NAME and the rest of its line: makes it ready, and boots it. What it says itself is in $work/NAME.log.
machine() {
	name=$1 arch=$3 suite=$4 model=$5 smp=$6 driver=$7 VM_APPEND=$8
	shift 8
	programs=$* MODULES='' MORE='' VM_SECOND='' VM_TREE='' failed=0
	rm -f "$work/$name.log"
	make_kernel
	make_emulator
	lock "files-$arch"
	files
	for program in $programs; do
		equip "${program%%+*}"
	done
	unlock
	[ "$failed" = 0 ] || return 1
	[ "$VM_APPEND" != - ] || VM_APPEND=
	VM_APPEND=$(echo "$VM_APPEND" | tr + ' ')
	# Every boundary of the loops, not each third; long tables.
	[ "${VM_TIER:-}" != long ] || VM_APPEND="$VM_APPEND STEP_QUICK=1 BENCH_LONG=1 OFTEN=1"
	# shellcheck disable=SC2086
	VM_WITHOUT=$(unneeded $programs)
	export DRIVER MODULES MORE VM_APPEND VM_SECOND VM_TREE VM_WITHOUT
	for program in $programs; do
		shift
		set -- "$@" "$(echo "$program" | tr + ' ')"
	done
	"$here/boot.sh" "$arch" "$model" "$smp" "$image" "$work/files-$arch" "$@" >"$work/$name.log"
}

# Prints the log of its making; then the results of the machine, with the last lines before each failure.
report() {	# NAME STATUS
	log "$1 took a processor $(processor_time "$1")"
	cat "$stages/$1.log"
	[ "$2" = 0 ] || failed=1
	if [ ! -e "$work/$1.log" ]; then
		grep -q '^FAIL' "$stages/$1.log" || echo "FAIL $1: it can't be made ready"
		return
	fi
	awk -v machine="$1" '
		/^(PASS|FAIL|SKIP)/ {
			print $1, machine ":" substr($0, 5)
			if ($1 == "FAIL")
				for (i = n > 20 ? n - 20 : 0; i < n; i++)
					print "| " said[i]
			n = 0
			next
		}
		{ said[n++] = $0 }' "$work/$1.log"
	[ ! -s "$work/$1.coverage" ] || judge_coverage "$work/$1"
	[ "$2" = 0 ] || sed "s/^/    /" "$work/$1.log"
}

# Only all of the machine's own programs reach the lines that are asked for.
judge_coverage() {	# FILE
	[ -z "${VM_TESTS:-}" ] || return 0
	if "$here/coverage.sh" "$work/driver-amd64-kasan" "$1.coverage" >"$1.lines"; then
		echo "PASS coverage of the driver: $(tail -n 1 "$1.lines")"
	else
		sed 's/^/| /' "$1.lines"
		echo "FAIL coverage of the driver: $(tail -n 1 "$1.lines")"
		failed=1
	fi
}

failed=0
# shellcheck disable=SC2046
[ $# != 0 ] || set -- $(names "${VM_TIER:-all}")
for name; do
	[ -n "$(row "$name")" ] || { log "there is no machine $name"; exit 2; }
done
begin_stages "$work/logs"
for name; do
	line=$(row "$name")
	[ -z "${VM_TESTS:-}" ] || line="$(echo "$line" | cut -d ' ' -f 1-8) $VM_TESTS"
	# shellcheck disable=SC2086
	stage "$name" machine $line
done
end_stages
exit $failed
