#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Build the static programs for arm64, amd64 and i386, and the driver for each x86 kernel; run them in
# real kernels.
# usage: run.sh WORKDIR [NAME...]	NAME: machines of the list below; default: all
# The environment: PERFCTR_QEMU_PMU, a ready QEMU of qemu-pmu/build.sh (may be an .xz), else it is
# built; VM_TESTS, programs to run instead of the usual ones.
# Prints a line per test, "PASS machine: command", and per kernel, "PASS driver builds: 5.10 amd64"; exit
# status 0 if none failed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
mkdir -p "${1:?usage: run.sh WORKDIR [NAME...]}"
work=$(cd "$1" && pwd)
shift

# name arch kernel's-suite processor smp [program...]; pmu=on is the QEMU with x86 counters. P5 is made from
# a processor that has what the kernel needs. What takes long is first, so that all end together.
machines='
arm64-1 arm64 bookworm max,pauth-impdef=on 1
fuzz-2 amd64 bookworm Skylake-Client,pmu=on 2 driver_fuzz
skylake-2 amd64 bookworm Skylake-Client,pmu=on 2
linux5.10-2 amd64 bullseye Skylake-Client,pmu=on 2
backports-2 amd64 trixie-backports Skylake-Client,pmu=on 2
skylake-1 amd64 bookworm Skylake-Client,pmu=on 1
epyc-2 amd64 bookworm EPYC,pmu=on 2
core2duo-1 amd64 bookworm core2duo,pmu=on 1
linux6.12-2 amd64 bookworm-backports EPYC,pmu=on 2
sid-2 amd64 sid EPYC,pmu=on 2
sid-arm64-1 arm64 sid max,pauth-impdef=on 1
pentium3-1 i386 bookworm pentium3,pmu=on 1
phenom-1 amd64 bookworm phenom,pmu=on 1
athlon-1 i386 bookworm athlon,pmu=on 1
p4-1 i386 bookworm pentium3,family=15,model=2,pmu=on 1 driver
p5-1 amd64 bookworm qemu64,vendor=GenuineIntel,family=5,model=4,level=1,pmu=on 1 driver
stock-1 amd64 bookworm EPYC 1 driver_tsc
arm64-2 arm64 bookworm max,pauth-impdef=on 2
'
failed=0
log() { echo "run.sh: $*" >&2; }

qemu() {
	QEMU_PMU=$work/qemu-system-x86_64
	export QEMU_PMU
	[ -x "$QEMU_PMU" ] && return
	case ${PERFCTR_QEMU_PMU:-} in
	'') log "building a QEMU with x86 counters (minutes)" && "$here/qemu-pmu/build.sh" "$work" ;;
	*.xz) xz -dc "$PERFCTR_QEMU_PMU" >"$QEMU_PMU.new" && chmod +x "$QEMU_PMU.new" &&
		mv "$QEMU_PMU.new" "$QEMU_PMU" ;;
	*) cp "$PERFCTR_QEMU_PMU" "$QEMU_PMU" ;;
	esac
}

# The kernel, in $work/kernel-ARCH-SUITE; since 7.2 it is in a package of its own.
kernel() {
	arch=$1 suite=$2 dir=$work/kernel-$1-$2 flavour=$1
	[ "$arch" != i386 ] || flavour=686
	"$here/deb.sh" "$suite" "$arch" "linux-image-$flavour:linux-image-" "$dir"
	release=$(basename "$dir"/usr/share/doc/linux-image-* | sed 's/^linux-image-//')
	image=$dir/boot/vmlinuz-$release
	[ -e "$image" ] || {
		"$here/deb.sh" "$suite" "$arch" "linux-image-$release:linux-binary-" "$dir"
		image=$dir/usr/lib/modules/$release/vmlinuz
	}
}

# The driver for the kernel of the last kernel(), in $work/driver-ARCH-SUITE.
driver() {
	base=${release%-"$flavour"} version=$(echo "$release" | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
	"$here/deb.sh" "$suite" "$arch" "linux-headers-$release" "$dir"
	"$here/deb.sh" "$suite" "$arch" "linux-headers-$base-common" "$dir"
	# Its programs run here.
	"$here/deb.sh" "$suite" amd64 "linux-headers-$base-amd64:linux-kbuild-" "$dir"
	for program in scripts/mod/modpost.real-lsb-64 tools/objtool/objtool.real-x86; do
		make_runnable "$dir/usr/lib/linux-kbuild-$base/$program"
	done
	sed -i "s|\([ =]\)/usr/src/|\1$dir/usr/src/|" "$dir/usr/src/linux-headers-$release/Makefile"
	build_driver "$version $arch" "driver-$arch-$suite" W=1
	# sparse can't follow locks that are taken on a condition.
	[ "$version" != 6.1 ] ||
		build_driver "$version $arch, sparse" "sparse-$arch" C=2 CHECK=sparse CF=-Wno-context
}

# PROGRAM: one that was built for a younger C library than the system's gets that of its suite.
make_runnable() {
	if [ ! -e "$1" ] || ! "$1" --version 2>&1 </dev/null | grep -q 'GLIBC_.* not found'; then return; fi
	libraries=$work/libraries-${suite%-backports}
	for library in libc6 libelf1t64 libzstd1 zlib1g; do
		"$here/deb.sh" "${suite%-backports}" amd64 "$library" "$libraries"
	done
	mv "$1" "$1.elf"
	printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "$libraries/usr/lib64/ld-linux-x86-64.so.2" \
		"$libraries/usr/lib/x86_64-linux-gnu" "$1.elf" >"$1"
	chmod +x "$1"
}

# WHAT FOLDER MAKE-VARIABLE...: a warning fails, but not about what the kernel itself was built with. Types
# for BPF, which headers of 6.12 would have made by a pahole of their own age, are left out, and options and
# attributes that the compiler is too old for.
build_driver() {
	what=$1 out=$work/$2
	shift 2
	[ ! -e "$out/.done" ] || return 0
	log "building the driver for $what"
	rm -rf "$out"
	leave_out="CONFIG_DEBUG_INFO_BTF_MODULES= CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= KCFLAGS=-Wno-attributes"
	if CC=gcc MAKEFLAGS="-j2 $leave_out $*" "$top/scripts/driver" "$out" \
		"$dir/usr/src/linux-headers-$release" >"$out.log" 2>&1 &&
	   ! grep -v 'warning: \(the compiler\|pahole version\) differs' "$out.log" | grep -qi 'warning'; then
		echo "PASS driver builds: $what"
		"$top/tests/layers.sh" "$out" >"$out.log" || failed=1
		sed "s/^\(PASS\|FAIL\) /\1 layers of the driver for $what: /" "$out.log"
		touch "$out/.done"
	else
		sed 's/^/    /' "$out.log"
		echo "FAIL driver builds: $what"
		failed=1
	fi
}

# The guest's files for an architecture, in $work/files-ARCH.
files() {
	[ -e "$work/files-$arch/.done" ] && return
	case $arch in
	arm64) host=aarch64-linux-gnu more="" ;;
	amd64) host="" more="tests/vm/guest/driver tests/vm/guest/driver_attack
		tests/vm/guest/driver_fuzz tests/vm/guest/driver_perf tests/vm/guest/perfex-driver
		tests/vm/guest/storm-driver
		tests/bench/switch" ;;
	i386) host=i686-linux-gnu more="tests/vm/guest/driver" ;;
	esac
	"$here/deb.sh" bookworm "$arch" busybox-static "$work/busybox-$arch"
	log "building the programs for $arch"
	mkdir -p "$work/build-$arch" "$work/files-$arch/bin"
	# shellcheck disable=SC2086
	(cd "$work/build-$arch" &&
	 "$top/configure" ${host:+--host="$host"} --disable-shared --without-libelf -q \
		>configure.log &&
	 make -s -j2 LDFLAGS=-all-static perfex perfctr-info vm-programs $more >build.log 2>&1) ||
		{ tail "$work/build-$arch"/*.log >&2; exit 1; }
	for program in perfex perfctr-info tests/bench/bench tests/loops/step tests/storm/storm $more \
		       tests/vm/guest/counters tests/vm/guest/global tests/vm/guest/loop \
		       tests/vm/guest/overflow tests/vm/guest/perfex-exact tests/vm/guest/remote \
		       tests/vm/guest/samples tests/vm/guest/sets; do
		cp "$work/build-$arch/$program" "$work/files-$arch/bin/"
	done
	cp "$work/build-$arch/tests/vm/init" "$work/files-$arch/init"
	cp "$work/busybox-$arch/bin/busybox" "$work/files-$arch/bin/"
	for applet in sh sort sleep cat chmod grep; do
		ln -sf busybox "$work/files-$arch/bin/$applet"
	done
	ln -sf counters "$work/files-$arch/bin/counters_driver"
	ln -sf overflow "$work/files-$arch/bin/overflow_driver"
	ln -sf driver "$work/files-$arch/bin/driver_tsc"
	ln -sf remote "$work/files-$arch/bin/remote_perf"
	touch "$work/files-$arch/.done"
}

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
		echo "$name" >&3
	) &
}

# What the next machine that ends did.
report() {
	read -r ended <&3
	running=$((running - 1))
	sed -n "s/^\(PASS\|FAIL\|SKIP\)/\1 $ended:/p" "$work/$ended.log"
	[ -e "$work/$ended.failed" ] || return 0
	sed "s/^/    /" "$work/$ended.log"
	failed=1
}

set -- "${*:-$(echo "$machines" | awk 'NF { printf "%s ", $1 }')}"
for name in $1; do
	line=$(echo "$machines" | awk -v n="$name" '$1 == n')
	[ -n "$line" ] || { log "there is no machine $name"; exit 2; }
	read -r _ arch suite model smp tests <<-EOT
	$line
	EOT
	kernel "$arch" "$suite"
	files
	usual="counters overflow perfex-exact samples"
	[ "$arch" = i386 ] || usual="$usual global sets"
	# The loops are stepped where that has not been done on the host.
	[ "$name" != arm64-1 ] || usual="$usual step remote_perf"
	DRIVER=
	if [ "$arch" != arm64 ]; then
		qemu
		driver
		DRIVER=$work/driver-$arch-$suite/perfctr.ko
		usual="$usual driver counters_driver overflow_driver"
		[ "$arch" != amd64 ] || usual="$usual remote remote_perf perfex-driver driver_perf driver_attack"
	fi
	case $name in
	arm64-2) usual="$usual storm" ;;
	skylake-2) usual="$usual storm storm-driver" ;;
	esac
	export DRIVER
	# shellcheck disable=SC2086
	boot "$name" ${VM_TESTS:-${tests:-$usual}}
done
while [ "$running" != 0 ]; do
	report
done
exit $failed
