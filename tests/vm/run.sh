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
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
mkdir -p "${1:?usage: run.sh WORKDIR [NAME...]}"
work=$(cd "$1" && pwd)
shift

# name arch kernel's-suite processor smp [program...]; pmu=on is the QEMU with x86 counters. P5 is made from
# a processor that has what the kernel needs. Of arm64's two processors QEMU makes one count, which spoils what has
# to be exact; riscv64 has one counter for cycles and one for instructions, and no driver. What takes long is first,
# so that all end together.
long='
long-arm64-1 arm64 bookworm max,pauth-impdef=on 1 driver_fuzz driver_siege storm-driver switch
long5.10-arm64-1 arm64 bullseye max,pauth-impdef=on 1 driver_attack remote perfex-driver driver_fuzz
long6.12-arm64-1 arm64 bookworm-backports max,pauth-impdef=on 1 driver_attack remote perfex-driver driver_fuzz
long-sid-arm64-1 arm64 sid max,pauth-impdef=on 1 remote perfex-driver driver_fuzz storm-driver
long-sapphirerapids-1 amd64 bookworm Icelake-Server,model=143,pmu=on 1 topdown
'
machines='
arm64-1 arm64 bookworm max,pauth-impdef=on 1
fuzz-2 amd64 bookworm Skylake-Client,pmu=on 2 driver_fuzz driver_siege
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
	"$here/deb.sh" "$suites" "$arch" "linux-image-$flavour:linux-image-" "$dir"
	release=$(basename "$dir"/usr/share/doc/linux-image-* | sed 's/^linux-image-//')
	image=$dir/boot/vmlinuz-$release
	case $arch in riscv64 | ppc64el) image=$dir/boot/vmlinux-$release ;; esac
	[ -e "$image" ] || {
		"$here/deb.sh" "$suites" "$arch" "linux-image-$release:linux-binary-" "$dir"
		image=$dir/usr/lib/modules/$release/vmlinuz
	}
	case $arch in amd64 | i386) unpack_image ;; esac
}

# What unpacks an XZ in the guest takes as long there as the boot behind it: it is done here, for QEMU's PVH.
unpack_image() {
	start=$(head -c 100000 "$image" | LC_ALL=C grep -abo "$(printf '\3757zXZ')" | sed -n '1s/:.*//p')
	[ -n "$start" ] || return 0
	[ -e "$dir/vmlinux" ] || {
		# What comes behind it is none.
		tail -c "+$((start + 1))" "$image" | xz -dc 2>/dev/null >"$dir/vmlinux.new" || :
		mv "$dir/vmlinux.new" "$dir/vmlinux"
	}
	image=$dir/vmlinux
}

# The driver for the kernel of the last kernel(), in $work/driver-ARCH-SUITE.
driver() {
	base=${release%-"$flavour"} version=$(echo "$release" | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
	"$here/deb.sh" "$suites" "$arch" "linux-headers-$release" "$dir"
	"$here/deb.sh" "$suites" "$arch" "linux-headers-$base-common" "$dir"
	# Its programs run here.
	"$here/deb.sh" "$suites" amd64 "linux-headers-$base-amd64:linux-kbuild-" "$dir"
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

# WHAT FOLDER MAKE-VARIABLE...
build_driver() {
	what=$1 out=$work/$2
	shift 2
	[ ! -e "$out/.done" ] || return 0
	log "building the driver for $what"
	rm -rf "$out"
	if kbuild "$out.log" "$*" "$top/scripts/driver" "$out" "$dir/usr/src/linux-headers-$release"; then
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

driver_programs="tests/vm/guest/driver tests/vm/guest/driver_attack tests/vm/guest/driver_fuzz
	tests/vm/guest/driver_siege tests/vm/guest/perfex-driver tests/vm/guest/storm-driver tests/bench/switch"

# The guest's files for an architecture, in $work/files-ARCH.
files() {
	[ -e "$work/files-$arch/.done" ] && return
	elf=--without-libelf libelf=
	case $arch in
	arm64)
		host=aarch64-linux-gnu
		more="$driver_programs tests/vm/guest/aux_area tests/vm/guest/core_types tests/vm/guest/driver_share"
		;;
	amd64)
		host="" more="$driver_programs tests/vm/guest/aux_area tests/vm/guest/driver_kvm tests/vm/guest/driver_perf
			tests/vm/guest/topdown"
		elf=--without-libdw libelf="-lelf -lz" # samples have names
		;;
	i386) host=i686-linux-gnu more="tests/vm/guest/driver" ;;
	riscv64) host=riscv64-linux-gnu more="tests/vm/guest/riscv" ;;
	ppc64el)
		files_power
		return
		;;
	esac
	"$here/deb.sh" "$([ "$arch" = riscv64 ] && echo trixie,sid || echo bookworm)" "$arch" busybox-static \
		"$work/busybox-$arch"
	log "building the programs for $arch"
	mkdir -p "$work/build-$arch" "$work/files-$arch/bin"
	# shellcheck disable=SC2086
	(cd "$work/build-$arch" &&
	 LIBELF_CFLAGS=" " LIBELF_LIBS="$libelf" \
		"$top/configure" ${host:+--host="$host"} --disable-shared $elf -q >configure.log &&
	 make -s -j2 LDFLAGS=-all-static perfex perfctr-info vm-programs $more >build.log 2>&1) ||
		{ tail "$work/build-$arch"/*.log >&2; exit 1; }
	for program in perfex perfctr-info tests/bench/bench tests/loops/step tests/silicon/verify tests/storm/storm $more \
		       tests/vm/guest/counters tests/vm/guest/global tests/vm/guest/loop \
		       tests/vm/guest/overflow tests/vm/guest/perfex-exact tests/vm/guest/regions \
		       tests/vm/guest/remote tests/vm/guest/samples tests/vm/guest/sets; do
		cp "$work/build-$arch/$program" "$work/files-$arch/bin/"
	done
	cp "$work/build-$arch/tests/vm/init" "$work/files-$arch/init"
	cp "$work/busybox-$arch"/bin/busybox "$work/files-$arch/bin/" 2>/dev/null ||
		cp "$work/busybox-$arch/usr/bin/busybox" "$work/files-$arch/bin/"
	cp "$here/guest/silicon.sh" "$work/files-$arch/bin/silicon"
	cp "$work/build-$arch/tests/vm/guest/kernels" "$work/files-$arch/bin/works"
	cp "$here/guest/kernels.sh" "$work/files-$arch/bin/kernels"
	cp "$here/guest/sources.sh" "$work/files-$arch/bin/sources"
	cp "$top/tests/silicon/judge.awk" "$top/tests/silicon/expected" "$top/man/perfctr.7" "$work/files-$arch/"
	# Names of functions stay: samples have them.
	${host:+$host-}strip -g "$work/files-$arch"/bin/* 2>/dev/null || :
	for applet in sh awk sort sleep cat chmod grep insmod rmmod true; do
		ln -sf busybox "$work/files-$arch/bin/$applet"
	done
	ln -sf counters "$work/files-$arch/bin/counters_driver"
	ln -sf overflow "$work/files-$arch/bin/overflow_driver"
	ln -sf driver "$work/files-$arch/bin/driver_hotplug"
	ln -sf driver "$work/files-$arch/bin/driver_tsc"
	ln -sf silicon "$work/files-$arch/bin/silicon_types"
	ln -sf remote "$work/files-$arch/bin/remote_perf"
	ln -sf riscv "$work/files-$arch/bin/riscv_plain"
	touch "$work/files-$arch/.done"
}

# POWER's, which are few.
files_power() {
	log "building the programs for $arch"
	mkdir -p "$work/build-$arch" "$work/files-$arch/bin"
	(cd "$work/build-$arch" &&
	 "$top/configure" --host=powerpc64le-linux-gnu --disable-shared --without-libelf -q >configure.log &&
	 make -s -j2 LDFLAGS=-all-static tests/vm/guest/power tests/vm/guest/regions tests/vm/guest/samples \
		tests/vm/init >build.log 2>&1) ||
		{ tail "$work/build-$arch"/*.log >&2; exit 1; }
	for program in power8 power9 power10; do
		cp "$work/build-$arch/tests/vm/guest/power" "$work/files-$arch/bin/$program"
	done
	for program in regions samples; do
		cp "$work/build-$arch/tests/vm/guest/$program" "$work/files-$arch/bin/"
	done
	cp "$work/build-$arch/tests/vm/init" "$work/files-$arch/init"
	touch "$work/files-$arch/.done"
}

# What perfctr_tutorial(7) needs, in $work/tutorial: the page, its program, and valgrind.
tutorial() {
	[ ! -e "$work/tutorial/.done" ] || return 0
	root=$work/tutorial libc=lib/x86_64-linux-gnu tools=usr/libexec/valgrind
	mkdir -p "$root/bin" "$root/tutorial" "$root/lib64" "$root/$libc" "$root/$tools"
	cp "$here/guest/tutorial.sh" "$root/bin/tutorial"
	cp "$top/man/perfctr_tutorial.7" "$root/tutorial/"
	gcc -O2 -g -static -I"$top/include" "$top/examples/slow.c" "$work/build-amd64/lib/.libs/libperfctr.a" \
		-pthread -o "$root/bin/slow"
	cp /usr/bin/valgrind.bin "$root/bin/valgrind"
	cp /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
	cp "/$libc/libc.so.6" "$root/$libc/"
	cp "/$tools/callgrind-amd64-linux" "/$tools/default.supp" "$root/$tools/"
	# Its version is told by a tool, too.
	ln -sf callgrind-amd64-linux "$root/$tools/memcheck-amd64-linux"
	for applet in awk head mkdir rm sed; do
		ln -sf busybox "$root/bin/$applet"
	done
	touch "$root/.done"
}

# Regions by three libraries, in $work/peers. LIKWID looks for its daemon, by bash, though it is not to use it.
peers() {
	[ ! -e "$work/peers/.done" ] || return 0
	root=$work/peers libraries=lib/x86_64-linux-gnu
	mkdir -p "$root/bin" "$root/peers" "$root/lib64" "$root/$libraries"
	cp "$here/guest/pairs.sh" "$root/bin/pairs"
	ours=$work/build-amd64/lib/.libs/libperfctr.a
	compile="gcc -O2 -g -I$top/include $top/tests/bench/pairs.c"
	$compile -static "$ours" -pthread -o "$root/peers/pairs"
	$compile -static -DUSE_PAPI "$ours" "/usr/$libraries/libpapi.a" -lpfm -ldl -pthread \
		-o "$root/peers/pairs-papi" 2>/dev/null # about dlopen() in a static program
	$compile -DUSE_LIKWID "$ours" -llikwid -pthread -o "$root/peers/pairs-likwid"
	if [ "${PERFCTR_LIKWID:-}" ]; then
		$compile -DUSE_LIKWID -I"$PERFCTR_LIKWID/src/includes" "$ours" "$PERFCTR_LIKWID/liblikwid.so" -pthread \
			-o "$root/peers/pairs-likwid-perf"
	fi
	cp /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
	for library in $(LD_LIBRARY_PATH=${PERFCTR_LIKWID:-} ldd "$root"/peers/pairs-likwid* |
			 sed -n 's,.* => \(/[^ ]*\).*,\1,p' | sort -u); do
		cp -L "$library" "$root/$libraries/"
	done
	cp "$(find "$dir/lib/modules" -name msr.ko)" "$root/"
	printf '#!/bin/sh\nshift\nexec sh "$@"\n' >"$root/bin/bash"
	chmod +x "$root/bin/bash"
	for applet in awk insmod likwid-accessD tr which; do
		ln -sf busybox "$root/bin/$applet"
	done
	touch "$root/.done"
}

# A perfex that finds calls by libdw, with the libraries that it takes, beside arm64's programs.
files_dwarf() {
	[ ! -e "$work/files-arm64/.done-dwarf" ] || return 0
	debian=$work/libdw-arm64 libraries=$work/libdw-arm64/usr/lib/aarch64-linux-gnu build=$work/dwarf-arm64
	for package in libdw1 libdw-dev libelf1 libelf-dev zlib1g zlib1g-dev liblzma5 libbz2-1.0; do
		"$here/deb.sh" bookworm arm64 $package "$debian"
	done
	log "building perfex with libdw for arm64"
	mkdir -p "$build" "$work/files-arm64/lib"
	(cd "$build" &&
	 LIBELF_CFLAGS="-I$debian/usr/include" LIBELF_LIBS=-lelf LIBDW_CFLAGS="-I$debian/usr/include" LIBDW_LIBS=-ldl \
		"$top/configure" --host=aarch64-linux-gnu --disable-shared --with-libelf --with-libdw -q \
		LDFLAGS="-L$libraries -Wl,-rpath-link,$libraries:$debian/lib/aarch64-linux-gnu" >configure.log &&
	 make -s -j2 perfex >build.log 2>&1) || { tail "$build"/*.log >&2; exit 1; }
	aarch64-linux-gnu-strip -o "$work/files-arm64/bin/perfex-dwarf" "$build/perfex"
	for library in ld-linux-aarch64.so.1 libc.so.6 libm.so.6; do
		cp "$(aarch64-linux-gnu-gcc -print-file-name=$library)" "$work/files-arm64/lib/"
	done
	find "$debian" \( -name 'libdw.so.1' -o -name 'libelf.so.1' -o -name 'libz.so.1' -o -name 'liblzma.so.5' -o \
		-name 'libbz2.so.1.0' \) -exec cp -L {} "$work/files-arm64/lib/" \;
	set -- aarch64-linux-gnu-gcc -std=gnu11 -D_GNU_SOURCE -I"$top" -I"$top/include" -static -O2 -fomit-frame-pointer \
		-fno-optimize-sibling-calls "$here/guest/calls.c"
	"$@" -o "$work/files-arm64/bin/calls"
	"$@" -mbranch-protection=standard -o "$work/files-arm64/bin/calls-signed"
	touch "$work/files-arm64/.done-dwarf"
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
	[ -e "$work/$ended.failed" ] || return 0
	sed "s/^/    /" "$work/$ended.log"
	failed=1
}

set -- "${*:-$(echo "$machines$costs${VM_LONG:+$long}" | awk 'NF { printf "%s ", $1 }')}"
for name in $1; do
	line=$(echo "$machines$costs$long" | awk -v n="$name" '$1 == n')
	[ -n "$line" ] || { log "there is no machine $name"; exit 2; }
	read -r _ arch suite model smp tests <<-EOT
	$line
	EOT
	kernel "$arch" "$suite"
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
	# What is freed is poisoned, and the kernel is preempted wherever it can be.
	VM_APPEND=
	[ "$name" != fuzz-2 ] || VM_APPEND="slub_debug=FZP preempt=full"
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
	export DRIVER MODULES MORE VM_APPEND VM_TREE
	# shellcheck disable=SC2086
	boot "$name" ${VM_TESTS:-${tests:-$usual}}
done
while [ "$running" != 0 ]; do
	report
done
exit $failed
