#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Compile the driver for 32-bit PowerPC, against Debian's sources of the kernel (package linux-source).
# usage: driver-powerpc.sh WORKDIR
# Prints PASS or FAIL per configuration.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "${1:?usage: driver-powerpc.sh WORKDIR}"
work=$(cd "$1" && pwd)
tree=$work/linux
ARCH=powerpc CROSS_COMPILE=powerpc-linux-gnu-
export ARCH CROSS_COMPILE

# Unpacks the files that modules are compiled with, and the directories that export functions to them.
unpack() {
	for sources in /usr/src/linux-source-*.tar.xz; do :; done
	name=$(basename "$sources" .tar.xz)
	rm -rf "$tree"
	mkdir "$tree"
	xz -dc "$sources" | tar -x -C "$tree" --strip-components=1 --wildcards '*/Kconfig*' \
		"$name/Makefile" "$name/Kbuild" "$name/include" "$name/scripts" "$name/tools/include" \
		"$name/arch/powerpc" "$name/arch/x86/entry/syscalls" "$name/drivers/base" "$name/drivers/char" \
		"$name/fs" "$name/kernel" "$name/lib" "$name/mm"
}

# There is no vmlinux to tell what it exports, so the sources have to. Macros of lib/atomic64.c and
# kernel/params.c paste names together: of these, what the driver may need.
exports() {
	grep -rhoE --include='*.[chS]' '^\s*EXPORT_SYMBOL(_GPL)?\(\w+\)' "$tree/arch" "$tree/drivers" \
		"$tree/fs" "$tree/kernel" "$tree/lib" "$tree/mm" | tr '()' '  ' | sort -u -k2,2 |
		awk '{ print "0\t" $2 "\tvmlinux\t" $1 "\t" }'
	for name in generic_atomic64_add_return init_task param_ops_int param_ops_uint; do
		printf '0\t%s\tvmlinux\tEXPORT_SYMBOL\t\n' $name
	done
}

# A PowerMac's configuration, with what selects preemption notifiers (KVM), and further options.
configure() (
	cd "$tree" && make -s pmac32_defconfig || exit
	for option in VIRTUALIZATION KVM_BOOK3S_32 "$@"; do
		scripts/config -e "$option"
	done
	make -s olddefconfig || exit
	for option in PREEMPT_NOTIFIERS "$@"; do
		grep "^CONFIG_$option=y" .config || { echo "CONFIG_$option can't be had"; exit 1; }
	done
	make -s -j2 modules_prepare arch/powerpc/lib/crtsavres.o
)

# The module has an instruction for each register that programs can name, to read it and to write it.
reaches_registers() {
	"${CROSS_COMPILE}objdump" -d "$1" >"$work/instructions"
	sprs=$(sed -n 's/X([A-Z0-9]*, \([0-9]*\))/\n\1\n/gp' "$top/arch/powerpc/sprs.h" |
		grep -x '[0-9][0-9]*') || return
	for spr in $sprs; do
		for instruction in "mfspr *r[0-9]*,$spr" "mtspr *$spr,r[0-9]*"; do
			grep -q "$instruction\$" "$work/instructions" ||
				{ echo "there is no $instruction"; return 1; }
		done
	done
}

build() {	# NAME [option...]
	name=$1
	shift
	rm -rf "$work/driver" "$work/layers"
	if configure "$@" &&
	   KBUILD_EXTRA_WARN=1 KCFLAGS=-Werror "$top/scripts/driver" "$work/driver" "$tree" &&
	   reaches_registers "$work/driver/perfctr.ko" &&
	   NM=${CROSS_COMPILE}nm "$top/tests/layers.sh" "$work/driver" >"$work/layers"; then
		echo "PASS $name"
	else
		grep -s . "$work/layers"
		echo "FAIL $name"
		failed=1
	fi
}

failed=0
unpack
exports >"$tree/Module.symvers"
build powerpc
# The kernel has KVM of this processor only without SMP: not a configuration that anybody can have.
sed -i 's/ && !SMP//' "$tree/arch/powerpc/kvm/Kconfig"
build "powerpc, SMP" SMP
exit $failed
