# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2034,SC2154
# Makes the parts of run.sh's machines, once for all of them, in $work: QEMUs, Debian's kernels, the driver and modules
# for these. Uses $here, $top, $work, log() and, of the machine, $arch, $suite and $model; sets $failed.

# A ready one of an older patch has no slots.
qemu() {
	QEMU_PMU=$work/qemu-system-x86_64
	export QEMU_PMU
	[ -x "$QEMU_PMU" ] || case ${PERFCTR_QEMU_PMU:-} in
	'') build_qemu ;;
	*.xz) xz -dc "$PERFCTR_QEMU_PMU" >"$QEMU_PMU.new" && chmod +x "$QEMU_PMU.new" &&
		mv "$QEMU_PMU.new" "$QEMU_PMU" ;;
	*) cp "$PERFCTR_QEMU_PMU" "$QEMU_PMU" ;;
	esac || return
	case $model in
	Icelake*) "$QEMU_PMU" --version | grep -qF "$("$here/qemu-pmu/build.sh" --mark)" || build_qemu ;;
	esac
}

# Another may be running.
build_qemu() {
	built=${PERFCTR_DEBS:-$work}/$("$here/qemu-pmu/build.sh" --mark)
	[ -e "$built" ] || log "building a QEMU with x86 counters (minutes)"
	"$here/qemu-pmu/build.sh" "$built" >"$work/qemu.log" 2>&1 || { tail "$work/qemu.log" >&2; return 1; }
	ln -sf "$built/qemu-system-x86_64" "$QEMU_PMU.new" && mv "$QEMU_PMU.new" "$QEMU_PMU"
}

# RISC-V's counters are exact in QEMU 10, which runs on the libraries that bookworm's own needs.
qemu_riscv() {
	QEMU_RISCV=$work/qemu-riscv64
	export QEMU_RISCV
	"$here/deb.sh" trixie,sid amd64 opensbi "$QEMU_RISCV"
	for package in qemu-system-riscv qemu-system-data; do
		"$here/deb.sh" bookworm-backports amd64 "$package" "$QEMU_RISCV"
	done
}

# So are POWER's, between two reads.
qemu_power() {
	QEMU_POWER=$work/qemu-ppc64
	export QEMU_POWER
	for package in qemu-system-ppc qemu-system-data; do
		"$here/deb.sh" bookworm-backports amd64 "$package" "$QEMU_POWER"
	done
}

# The kernel, in $work/kernel-ARCH-SUITE; since 7.2 it is in a package of its own.
kernel() {
	arch=$1 suite=$2 suites=$2 dir=$work/kernel-$1-$2 flavour=$1
	[ "$suite" != trixie ] || suites=trixie,trixie-security,sid
	case $arch in
	i386) flavour=686 ;;
	ppc64el) flavour=powerpc64le ;;
	esac
	# A machine of bookworm's has modules of its kernel's, too.
	case $arch-$suite in
	amd64-bookworm) only='' ;;
	riscv64-* | ppc64el-*) only=./boot/vmlinux- ;;
	*) only=./boot/vmlinuz- ;;
	esac
	"$here/deb.sh" "$suites" "$arch" "linux-image-$flavour:linux-image-" "$dir" $only
	image=$(find "$dir/boot" -name 'vmlinu[xz]-*' 2>/dev/null) || :
	release=${image##*/vmlinu?-}
	[ -n "$image" ] || {
		release=$(basename "$dir"/usr/share/doc/linux-image-* | sed 's/^linux-image-//')
		"$here/deb.sh" "$suites" "$arch" "linux-image-$release:linux-binary-" "$dir"
		image=$dir/usr/lib/modules/$release/vmlinuz
	}
	[ "$arch" != amd64 ] || unpack_image # i386 has no PVH
}

# A kernel that looks for mistakes, whose variant takes the suite's place. Another run may be building it, too.
debug_kernel() {
	built=${PERFCTR_DEBS:-$work}/$("$here/debug-kernel.sh" --mark "$suite")
	[ -e "$built/bzImage" ] || log "building a kernel that looks for mistakes, $suite (about ten minutes)"
	"$here/debug-kernel.sh" "$built" "$suite" >"$work/debug-kernel-$suite.log" 2>&1 ||
		{ cat "$work/debug-kernel-$suite.log" >&2; return 1; }
	image=$built/bzImage headers=$built/headers VM_TIMEOUT=${VM_TIMEOUT:-3600}
	export VM_TIMEOUT
}

# To unpack it takes the guest as long as the boot after it: it is done here, for QEMU's PVH. The bytes after the XZ or Zstandard
# are neither.
unpack_image() {
	[ -e "$dir/vmlinux" ] || {
		unpack '\3757zXZ' xz || unpack '\050\265\057\375' zstd || return 0
		mv "$dir/vmlinux.new" "$dir/vmlinux"
	}
	image=$dir/vmlinux
}
unpack() {	# MAGIC PROGRAM
	start=$(head -c 100000 "$image" | grep -abo "$(printf "$1")" | sed -n '1s/:.*//p')
	[ -n "$start" ] || return
	tail -c "+$((start + 1))" "$image" | $2 -dc 2>/dev/null >"$dir/vmlinux.new" || :
	head -c 4 "$dir/vmlinux.new" | grep -q ELF
}

# The driver for the kernel of the last kernel(), in $work/driver-ARCH-SUITE.
driver() {
	case $suite in kasan | kcsan)
		build_driver "the kernel with $suite" "driver-$arch-$suite" DEBUG=1 GCOV_PROFILE=y
		return
		;;
	esac
	headers=$dir/usr/src/linux-headers-$release
	base=${release%-"$flavour"} version=$(echo "$release" | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
	"$here/deb.sh" "$suites" "$arch" "linux-headers-$release" "$dir"
	"$here/deb.sh" "$suites" "$arch" "linux-headers-$base-common" "$dir"
	# Its programs run here.
	"$here/deb.sh" "$suites" amd64 "linux-headers-$base-amd64:linux-kbuild-" "$dir"
	for program in scripts/mod/modpost.real-lsb-64 tools/objtool/objtool.real-x86; do
		make_runnable "$dir/usr/lib/linux-kbuild-$base/$program"
	done
	sed -i "s|\([ =]\)/usr/src/|\1$dir/usr/src/|" "$dir/usr/src/linux-headers-$release/Makefile"
	# sparse can't follow locks that are taken on a condition.
	case $version in
	6.1) build_driver "$version $arch, with sparse" "driver-$arch-$suite" W=1 C=1 CHECK=sparse CF=-Wno-context ;;
	*) build_driver "$version $arch" "driver-$arch-$suite" W=1 ;;
	esac
}

# PROGRAM: one that was built for a younger C library than the system's gets that of its suite.
make_runnable() {
	if [ ! -e "$1" ] || ! "$1" --version 2>&1 </dev/null | grep -q 'GLIBC_.* not found'; then return; fi
	libraries=$work/libraries-${suite%-backports}
	exec 7>"$work/lock-libraries"
	flock 7
	for library in libc6 libelf1t64 libzstd1 zlib1g; do
		"$here/deb.sh" "${suite%-backports}" amd64 "$library" "$libraries"
	done
	exec 7>&-
	mv "$1" "$1.elf"
	printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "$libraries/usr/lib64/ld-linux-x86-64.so.2" \
		"$libraries/usr/lib/x86_64-linux-gnu" "$1.elf" >"$1"
	chmod +x "$1"
}

# LOG MAKE-VARIABLES COMMAND...: build a module of the last kernel()'s. A warning fails, but not about what the
# kernel itself was built with. Types for BPF, which headers of 6.12 would have made by a pahole of their own
# age, are left out, and options and attributes that the compiler is too old for.
kbuild() {
	errors=$1 variables=$2
	shift 2
	leave_out="CONFIG_DEBUG_INFO_BTF_MODULES= CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT= KCFLAGS=-Wno-attributes"
	case $arch in
	arm64) target="ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- CC=aarch64-linux-gnu-gcc" ;;
	*) target=CC=gcc ;;
	esac
	# shellcheck disable=SC2086
	env $target MAKEFLAGS="-j2 $target $leave_out $variables" "$@" >"$errors" 2>&1 &&
		! grep -v 'warning: \(the compiler\|pahole version\) differs' "$errors" | grep -qi 'warning'
}

# WHAT DIRECTORY MAKE-VARIABLE...
build_driver() {
	what=$1 out=$work/$2
	shift 2
	[ ! -e "$out/.done" ] || return 0
	log "building the driver for $what"
	rm -rf "$out"
	if kbuild "$out.log" "$*" "$top/scripts/driver" "$out" "$headers"; then
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

# The PMUs of auxpmu/ for the kernel of the last driver(), in $work/auxpmu-ARCH-SUITE.
auxpmu() {
	out=$work/auxpmu-$arch-$suite
	[ ! -e "$out/mempmu.ko" ] || return 0
	log "building auxpmu for $release"
	rm -rf "$out"
	cp -r "$here/auxpmu" "$out"
	chmod -R u+w "$out"
	kbuild "$out.log" W=1 make -s -C "$dir/usr/src/linux-headers-$release" M="$out" modules ||
		{ cat "$out.log" >&2; exit 1; }
}
