#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Build the static programs for arm64, amd64 and i386, and run them in real kernels.
# usage: run.sh WORKDIR [NAME...]	NAME: machines of the list below; default: all
# The environment: PERFCTR_QEMU_PMU, a ready QEMU of qemu-pmu/build.sh (may be an .xz), else it is
# built; VM_TESTS, programs to run instead of the usual ones.
# Prints a line per test, "PASS machine: command"; exit status 0 if none failed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
mkdir -p "${1:?usage: run.sh WORKDIR [NAME...]}"
work=$(cd "$1" && pwd)
shift

# name arch model smp
machines='
arm64-1 arm64 max 1
arm64-2 arm64 max 2
skylake-1 amd64 Skylake-Client 1
skylake-2 amd64 Skylake-Client 2
epyc-2 amd64 EPYC 2
core2duo-1 amd64 core2duo 1
phenom-1 amd64 phenom 1
pentium3-1 i386 pentium3 1
'
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

# The driver, and its test, for the guest's kernel; the headers are installed as a package.
driver() {
	release=$(basename "$work"/kernel-amd64/boot/vmlinuz-* | sed 's/^vmlinuz-//')
	log "building the driver for $release"
	"$top/scripts/driver" "$work/driver" "/usr/src/linux-headers-$release" >"$work/driver.log" 2>&1 ||
		{ tail "$work/driver.log" >&2; exit 1; }
	strip -g -o "$work/files-amd64/perfctr.ko" "$work/driver/perfctr.ko"
	for program in vm/guest/driver vm/guest/perfex-driver vm/guest/remote bench/switch; do
		(cd "$work/build-amd64" && make -s LDFLAGS=-all-static "tests/$program") || exit 1
		cp "$work/build-amd64/tests/$program" "$work/files-amd64/bin/"
	done
	ln -sf counters "$work/files-amd64/bin/counters_driver"
}

# The guest's files for an architecture, in $work/files-ARCH.
files() {
	arch=$1 flags=
	[ -e "$work/files-$arch/.done" ] && return
	case $arch in
	arm64) host=aarch64-linux-gnu image=linux-image-arm64 ;;
	amd64) host= image=linux-image-amd64 ;;
	i386) host=i686-linux-gnu image=linux-image-686 ;;
	esac
	"$here/deb.sh" "$arch" "$image" "$work/kernel-$arch"
	"$here/deb.sh" "$arch" busybox-static "$work/busybox-$arch"
	log "building the programs for $arch"
	mkdir -p "$work/build-$arch" "$work/files-$arch/bin"
	(cd "$work/build-$arch" &&
	 "$top/configure" ${host:+--host="$host"} --disable-shared -q >configure.log &&
	 make -s -j2 LDFLAGS=-all-static perfex perfctr-info vm-programs >build.log 2>&1) ||
		{ tail "$work/build-$arch"/*.log >&2; exit 1; }
	for program in perfex perfctr-info tests/bench/bench tests/loops/step \
		       tests/vm/guest/counters tests/vm/guest/perfex-exact tests/vm/guest/loop; do
		cp "$work/build-$arch/$program" "$work/files-$arch/bin/"
	done
	cp "$work/build-$arch/tests/vm/init" "$work/files-$arch/init"
	cp "$work/busybox-$arch/bin/busybox" "$work/files-$arch/bin/"
	for applet in sh sort sleep cat chmod; do
		ln -sf busybox "$work/files-$arch/bin/$applet"
	done
	[ "$arch" != amd64 ] || driver
	touch "$work/files-$arch/.done"
}

failed=0
set -- "${*:-$(echo "$machines" | awk 'NF { printf "%s ", $1 }')}"
for name in $1; do
	line=$(echo "$machines" | awk -v n="$name" '$1 == n')
	[ -n "$line" ] || { log "there is no machine $name"; exit 2; }
	read -r _ arch model smp <<-EOT
	$line
	EOT
	files "$arch"
	[ "$arch" = arm64 ] || qemu
	kernel=$(echo "$work/kernel-$arch"/boot/vmlinuz-*)
	# The loops are stepped where that has not been done on the host.
	tests=${VM_TESTS:-counters perfex-exact}
	[ "$arch" != amd64 ] || [ -n "${VM_TESTS:-}" ] || tests="$tests driver counters_driver remote \
		perfex-driver"
	[ "$name" != arm64-1 ] || [ -n "${VM_TESTS:-}" ] || tests="$tests step"
	# shellcheck disable=SC2086
	"$here/boot.sh" "$arch" "$model" "$smp" "$kernel" "$work/files-$arch" \
		$tests >"$work/$name.log" || failed=1
	sed -n "s/^\(PASS\|FAIL\|SKIP\)/\1 $name:/p" "$work/$name.log"
	if grep -q '^FAIL' "$work/$name.log"; then
		sed "s/^/    /" "$work/$name.log"
	fi
done
exit $failed
