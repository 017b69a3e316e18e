#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Boot a kernel in QEMU and run command lines in it.
# usage: boot.sh ARCH MODEL SMP KERNEL FILES TEST...
#	ARCH	arm64, amd64, i386, riscv64 or ppc64el
#	MODEL	the processor, QEMU's argument of -cpu; with pmu=on at its end it has x86 counters
#	KERNEL	vmlinuz; of riscv64 and ppc64el vmlinux
#	FILES	a directory, copied to the guest's /; it holds init, and the programs in bin/
#	TEST	a command line, split at spaces
# The environment: QEMU_PMU, the QEMU built by qemu-pmu/build.sh, for pmu=on; QEMU_RISCV, the directory with QEMU 10
# and OpenSBI, for riscv64; QEMU_POWER, the directory with QEMU 10, for ppc64el; DRIVER, a perfctr.ko for the
# guest's /; MODULES and MORE, separated by blanks: more modules for it, and directories with
# more files; VM_TIMEOUT, seconds (900) without a line from the guest after which it counts as hung: how
# long all tests take together is the host's affair; VM_APPEND, words for the kernel's command line; VM_TREE, an awk
# script through which arm64's device tree goes; VM_SECOND, a file for what the guest writes to its second serial line;
# VM_WITHOUT, names in FILES/bin of what the guest does not get.
# Prints what init.c prints. Exit status 0 if the kernel ran to its end and no test failed.
set -eu
[ $# -ge 6 ] || { sed -n '3,17s/^# //p' "$0" >&2; exit 2; }
arch=$1 model=$2 smp=$3 kernel=$4 files=$5
shift 5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$files" "$work/root"
case $arch in
arm64) strip=aarch64-linux-gnu-strip ;;
*) strip="strip" ;;
esac
for name in ${VM_WITHOUT:-}; do
	rm -f "$work/root/bin/$name"
done
[ -z "${DRIVER:-}" ] || $strip -g -o "$work/root/perfctr.ko" "$DRIVER"
# shellcheck disable=SC2086
[ -z "${MODULES:-}" ] || cp $MODULES "$work/root/"
for more in ${MORE:-}; do
	cp -r "$more/." "$work/root/"
done
mkdir -p "$work/root/dev" "$work/root/tmp"
printf '%s\n' "$@" >"$work/root/tests"
(cd "$work/root" && find . | cpio -o -H newc --quiet) >"$work/initrd"

# A kernel that panics prints all of its log, which says why. Its ciphers' tests of themselves take half of a boot's time.
append="cryptomgr.notests quiet loglevel=1 panic=-1 panic_on_warn=1 panic_print=0x20 nokaslr nmi_watchdog=0${VM_APPEND:+ $VM_APPEND}"
case $arch,$model in
arm64,*)
	machine=virt,gic-version=3
	set -- qemu-system-aarch64 -M "$machine"
	console=ttyAMA0
	if [ -n "${VM_TREE:-}" ]; then
		qemu-system-aarch64 -M "$machine,dumpdtb=$work/dtb" -cpu "$model" -smp "$smp" -m 512 -nodefaults -display none 2>"$work/errors"
		dtc -q -I dtb -O dts "$work/dtb" | awk -f "$VM_TREE" | dtc -q -I dts -O dtb -o "$work/tree"
		set -- "$@" -dtb "$work/tree"
	fi
	;;
riscv64,*)
	riscv=${QEMU_RISCV:?set QEMU_RISCV to the directory where run.sh unpacks QEMU 10 and OpenSBI}
	set -- "$riscv/usr/bin/qemu-system-riscv64" -L "$riscv/usr/share/qemu" -M virt \
		-bios "$riscv/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin"
	console=ttyS0
	;;
ppc64el,*)
	# Mitigations that it does not emulate; without Open Firmware's own code, which takes a while.
	power=${QEMU_POWER:?set QEMU_POWER to the directory where run.sh unpacks QEMU 10}
	set -- "$power/usr/bin/qemu-system-ppc64" -L "$power/usr/share/qemu" -vga none \
		-M pseries,x-vof=on,cap-cfpc=broken,cap-sbbc=broken,cap-ibs=broken,cap-ccf-assist=off
	console=hvc0
	;;
*,pmu=on)
	# If QEMU 7.2 ends a processor's turn after a CMPXCHG16B the flags are garbage.
	model=$model,-cx16
	set -- "${QEMU_PMU:?set QEMU_PMU to the QEMU that qemu-pmu/build.sh makes}" \
		-L /usr/share/seabios -L /usr/share/qemu -vga none -accel tcg
	console=ttyS0
	;;
*)
	set -- qemu-system-x86_64 -vga none -accel tcg
	console=ttyS0
	;;
esac
# To look for ISA's cards takes i386 a third of its boot.
[ "$arch" != i386 ] || append="$append noisapnp"
limit=${VM_TIMEOUT:-900}
"$@" -cpu "$model" -icount shift=0,sleep=off -smp "$smp" -m 512 -nodefaults -display none \
	-serial stdio ${VM_SECOND:+-serial "file:$VM_SECOND"} -no-reboot -kernel "$kernel" -initrd "$work/initrd" \
	-append "console=$console $append" </dev/null 2>"$work/errors" >"$work/raw" &
guest=$!
trap 'kill "$guest" 2>/dev/null || :; rm -rf "$work"' EXIT
size=-1 silent=0
while kill -0 "$guest" 2>/dev/null && [ "$silent" -lt "$limit" ]; do
	sleep 1
	now=$(wc -c <"$work/raw") silent=$((silent + 1))
	[ "$now" = "$size" ] || silent=0
	size=$now
done
[ "$silent" -lt "$limit" ] || kill "$guest"
wait "$guest" || :
tr -d '\r' <"$work/raw" | tee "$work/console"
result=$(sed -n 's/^DONE //p' "$work/console" | tail -n 1)
if [ -z "$result" ]; then
	echo "FAIL (the kernel did not reach its end, or was silent for $limit s)"
	grep -v "warning: TCG doesn't support" "$work/errors" >&2 || :
	exit 1
fi
case $result in
*' 0 '*) exit 0 ;;
*) exit 1 ;;
esac
