# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2154
# Makes the file systems of run.sh's machines, by architecture, in $work: the library's programs, and the files that single
# tests need besides. Uses the same variables as systems.sh.

driver_programs="tests/vm/guest/driver tests/vm/guest/driver_attack tests/vm/guest/driver_fuzz
	tests/vm/guest/driver_neighbours tests/vm/guest/driver_sequences tests/vm/guest/driver_siege tests/vm/guest/perfex-driver tests/vm/guest/storm-driver tests/bench/switch"

# The guest's files for an architecture, in $work/files-ARCH.
files() {
	[ -e "$work/files-$arch/.done" ] && return
	case $arch in
	arm64)
		host=aarch64-linux-gnu
		more="$driver_programs tests/vm/guest/aux_area tests/vm/guest/core_readers tests/vm/guest/core_types
			tests/vm/guest/driver_share"
		;;
	amd64)
		host="" more="$driver_programs tests/vm/guest/aux_area tests/vm/guest/driver_kvm tests/vm/guest/driver_perf
			tests/vm/guest/forks tests/vm/guest/topdown tests/bench/turns"
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
	mkdir -p "$work/files-$arch/bin"
	# shellcheck disable=SC2086
	if [ "$host" ]; then
		make_for "$host" lib/libperfctr.la lib/libinternal.la perfex perfctr-info
		make_for "$host" WARNING_CFLAGS= vm-programs $more
		build=$hosts/$host
	else
		make_here perfex perfctr-info vm-programs $more
		build=$work/build-amd64
	fi
	for program in perfex perfctr-info tests/bench/bench tests/loops/step tests/silicon/verify tests/storm/storm $more \
		       tests/vm/guest/counters tests/vm/guest/global tests/vm/guest/loop \
		       tests/vm/guest/overflow tests/vm/guest/perfex-exact tests/vm/guest/regions \
		       tests/vm/guest/remote tests/vm/guest/samples tests/vm/guest/sets; do
		cp "$build/$program" "$work/files-$arch/bin/"
	done
	cp "$build/tests/vm/init" "$work/files-$arch/init"
	cp "$work/busybox-$arch"/bin/busybox "$work/files-$arch/bin/" 2>/dev/null ||
		cp "$work/busybox-$arch/usr/bin/busybox" "$work/files-$arch/bin/"
	cp "$here/guest/silicon.sh" "$work/files-$arch/bin/silicon"
	cp "$here/guest/drilldown.sh" "$work/files-$arch/bin/drilldown"
	cp "$build/tests/vm/guest/kernels" "$work/files-$arch/bin/works"
	cp "$here/guest/kernels.sh" "$work/files-$arch/bin/kernels"
	cp "$here/guest/offered.sh" "$work/files-$arch/bin/offered"
	cp "$here/guest/sources.sh" "$work/files-$arch/bin/sources"
	cp "$here/guest/coverage.sh" "$work/files-$arch/bin/coverage"
	cp "$top/tests/silicon/judge.awk" "$top/tests/silicon/expected" "$top/man/perfctr.7" "$work/files-$arch/"
	# Names of functions stay: samples have them.
	${host:+$host-}strip -g "$work/files-$arch"/bin/* 2>/dev/null || :
	for applet in sh awk cat chmod cpio find grep insmod mkdir mount rm rmmod sleep sort stty true; do
		ln -sf busybox "$work/files-$arch/bin/$applet"
	done
	ln -sf counters "$work/files-$arch/bin/counters_driver"
	ln -sf overflow "$work/files-$arch/bin/overflow_driver"
	ln -sf driver "$work/files-$arch/bin/driver_hotplug"
	ln -sf driver "$work/files-$arch/bin/driver_tsc"
	ln -sf driver_sequences "$work/files-$arch/bin/driver_sequences_long"
	ln -sf silicon "$work/files-$arch/bin/silicon_types"
	ln -sf remote "$work/files-$arch/bin/remote_perf"
	ln -sf riscv "$work/files-$arch/bin/riscv_plain"
	touch "$work/files-$arch/.done"
}

# amd64's, whose samples have names. NATIVE_BUILD's library is the same one. TARGET...
make_here() (
	mkdir -p "$work/build-amd64" && cd "$work/build-amd64" || exit
	{ LIBELF_CFLAGS=" " LIBELF_LIBS="-lelf -lz" "$top/configure" --disable-shared --without-libdw -q CFLAGS=-O2 &&
	  { [ -z "${NATIVE_BUILD:-}" ] || cp -rp "$NATIVE_BUILD/arch" "$NATIVE_BUILD/lib" .; } &&
	  make -s -j2 LDFLAGS=-all-static "$@"; } >build.log 2>&1 || { tail build.log >&2; exit 1; }
)

# POWER's, which are few.
files_power() {
	log "building the programs for $arch"
	mkdir -p "$work/files-$arch/bin"
	build=$hosts/powerpc64le-linux-gnu
	make_for powerpc64le-linux-gnu lib/libperfctr.la
	make_for powerpc64le-linux-gnu WARNING_CFLAGS= tests/vm/guest/power tests/vm/guest/regions tests/vm/guest/samples tests/vm/init
	for program in power8 power9 power10; do
		cp "$build/tests/vm/guest/power" "$work/files-$arch/bin/$program"
	done
	for program in regions samples; do
		cp "$build/tests/vm/guest/$program" "$work/files-$arch/bin/"
	done
	cp "$build/tests/vm/init" "$work/files-$arch/init"
	touch "$work/files-$arch/.done"
}

# Makes $work/tutorial, which perfctr_tutorial(7) needs: the page, its program, and valgrind; and docs/PAGES.md: its
# programs, with frame pointers, by which calls are found.
tutorial() {
	[ ! -e "$work/tutorial/.done" ] || return 0
	root=$work/tutorial libc=lib/x86_64-linux-gnu tools=usr/libexec/valgrind
	mkdir -p "$root/bin" "$root/tutorial" "$root/lib64" "$root/$libc" "$root/$tools"
	cp "$here/guest/tutorial.sh" "$root/bin/tutorial"
	cp "$top/man/perfctr_tutorial.7" "$root/tutorial/"
	gcc -O2 -g -static -I"$top/include" "$top/examples/slow.c" "$work/build-amd64/lib/.libs/libperfctr.a" \
		-pthread -o "$root/bin/slow"
	mkdir -p "$root/pages"
	cp "$here/guest/pages.sh" "$root/bin/pages"
	cp "$top/docs/PAGES.md" "$root/pages/"
	for example in slow regions; do
		gcc -O2 -g -fno-omit-frame-pointer -static -I"$top/include" "$top/examples/$example.c" \
			"$work/build-amd64/lib/.libs/libperfctr.a" -pthread -o "$root/pages/$example"
	done
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

# A program with OpenMP by clang, with the collector in it, and LLVM's runtime, in $work/openmp.
openmp() {
	[ ! -e "$work/openmp/.done" ] || return 0
	root=$work/openmp libraries=lib/x86_64-linux-gnu
	mkdir -p "$root/bin" "$root/openmp" "$root/lib64" "$root/$libraries"
	cp "$here/guest/openmp.sh" "$root/bin/openmp"
	clang -std=gnu11 -D_GNU_SOURCE -O2 -fopenmp -rdynamic -I"$top" -I"$top/include" "$here/guest/openmp.c" \
		"$top/collect/openmp.c" "$top/collect/constructs.c" "$top/collect/place.c" "$top/collect/visits.c" \
		"$work/build-amd64/lib/.libs/libperfctr.a" -pthread -ldl -o "$root/openmp/openmp"
	cp /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
	for library in $(ldd "$root/openmp/openmp" | sed -n 's,.* => \(/[^ ]*\).*,\1,p'); do
		cp -L "$library" "$root/$libraries/"
	done
	touch "$root/.done"
}

# Small pieces of code by this library, and by PAPI, which does not know QEMU's arm64, and PAPI's presets by both, beside the
# architecture's programs.
small() {
	bin=$work/files-$arch/bin flags="-std=gnu11 -D_GNU_SOURCE -O2 -static -I$top -I$top/include"
	[ ! -e "$work/files-$arch/.done-small" ] || return 0
	cp "$here/guest/small.sh" "$bin/small"
	if [ "$arch" = arm64 ]; then
		# shellcheck disable=SC2086	# a list of words
		aarch64-linux-gnu-gcc $flags "$top/tests/bench/small.c" \
			"$hosts/aarch64-linux-gnu/lib/.libs/libperfctr.a" -pthread -lm -o "$bin/small-ours"
	else
		ours=$work/build-amd64/lib/.libs/libperfctr.a
		# shellcheck disable=SC2086	# a list of words
		gcc $flags "$top/tests/bench/small.c" "$ours" -pthread -lm -o "$bin/small-ours"
		# shellcheck disable=SC2086	# a list of words
		gcc $flags -DUSE_PAPI "$top/tests/bench/small.c" "$ours" /usr/lib/x86_64-linux-gnu/libpapi.a \
			-lpfm -ldl -pthread -lm -o "$bin/small-papi" 2>/dev/null # about dlopen()
		# shellcheck disable=SC2086	# a list of words
		gcc $flags "$here/guest/papi_presets.c" "$ours" /usr/lib/x86_64-linux-gnu/libpapi.a \
			-lpfm -ldl -pthread -lm -o "$bin/papi_presets" 2>/dev/null # about dlopen()
	fi
	touch "$work/files-$arch/.done-small"
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
		"$top/configure" --host=aarch64-linux-gnu --disable-shared --with-libelf --with-libdw -q CFLAGS=-O0 \
		LDFLAGS="-L$libraries -Wl,-rpath-link,$libraries:$debian/lib/aarch64-linux-gnu" >configure.log &&
	 # The library is the same one.
	 cp -rp "$hosts/aarch64-linux-gnu/arch" "$hosts/aarch64-linux-gnu/lib" . &&
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

# Programs in other languages, in $work/languages-ARCH, with the architecture's static library; Python takes a shared
# one. Fortran's library does not work in a static program that has only some of pthreads.
languages() {
	root=$work/languages-$arch objects=$work/languages-$arch-objects
	[ ! -e "$root/.done" ] || return 0
	log "building programs in other languages for $arch"
	mkdir -p "$root/bin" "$objects/include/perfctr"
	case $arch in
	arm64) cross=aarch64-linux-gnu machine=aarch64 ours=$hosts/aarch64-linux-gnu/lib/.libs ;;
	*) cross='' machine=x86_64 ours=$work/build-amd64/lib/.libs ;;
	esac
	tool=${cross:+$cross-}
	"${tool}gcc" -O2 -fPIC -I"$top" -c "$here/guest/languages/loop.c" -o "$objects/loop.o"
	"${tool}ar" cr "$objects/libperfctr-test-loop.a" "$objects/loop.o"
	cp "$top/bindings/cxx/perfctr.hpp" "$objects/include/perfctr/"
	"${tool}g++" -std=c++17 -O2 -static -I"$objects/include" -I"$top/include" -I"$top" "$here/guest/languages/cxx.cc" \
		"$ours/libperfctr.a" -pthread -o "$root/bin/cxx"
	"${tool}gfortran" -std=f2008 -O2 -static-libgfortran -static-libgcc -J"$objects" "$top/bindings/fortran/perfctr.f90" \
		"$here/guest/languages/fortran.f90" "$objects/loop.o" "$ours/libperfctr.a" -pthread -o "$root/bin/fortran"
	language_rust
	language_python
	"${tool}strip" "$root"/bin/cxx "$root"/bin/fortran "$root"/bin/rust
	touch "$root/.done"
}

# By the system's own compiler, with the standard library of the architecture.
language_rust() (
	PATH=/usr/bin:/bin:$PATH target=$machine-unknown-linux-gnu standard=/usr/lib
	[ "$arch" = amd64 ] || {
		standard=$work/rust-$arch
		"$here/deb.sh" bookworm "$arch" libstd-rust-dev "$standard"
		standard=$standard/usr/lib/rustlib/$target/lib
	}
	set -- rustc --edition 2021 -O -C panic=abort --target "$target" -L "$standard" -L dependency="$objects" --out-dir "$objects"
	"$@" --crate-type rlib --crate-name perfctr_sys -l static=perfctr -L native="$ours" "$top/bindings/rust/perfctr-sys/src/lib.rs"
	"$@" --crate-type rlib --crate-name perfctr --extern perfctr_sys="$objects/libperfctr_sys.rlib" \
		"$top/bindings/rust/perfctr/src/lib.rs"
	set -- "$@" --extern perfctr="$objects/libperfctr.rlib"
	# The reads whose code tests/bindings/rust.sh looks at.
	"$@" --crate-name rust_code "$top/tests/bindings/rust-code.rs"
	"$@" --extern rust_code="$objects/librust_code.rlib" -L native="$objects" -C linker="${tool}gcc" \
		-C target-feature=+crt-static -C relocation-model=static "$here/guest/languages/rust.rs"
	mv "$objects/rust" "$root/bin/rust"
)

# Only what is loaded for the package, as Debian's own Python here says, comes along; another architecture's files have other names.
language_python() {
	multiarch=$machine-linux-gnu libraries=$root/usr/lib/$machine-linux-gnu build=$work/shared-$arch
	mkdir -p "$build" "$libraries" "$root/usr/bin" "$root/usr/lib/python3.11/lib-dynload" "$root/languages"
	if [ "$arch,${NATIVE_BUILD:+native}" = amd64,native ]; then
		build=$NATIVE_BUILD
	else
		(cd "$build" && "$top/configure" ${cross:+--host=$cross} -q --disable-static --without-libelf CFLAGS=-O2 >configure.log 2>&1 &&
			make -s -j2 lib/libperfctr.la >build.log 2>&1) || { tail "$build"/*.log >&2; exit 1; }
	fi
	"${tool}strip" -o "$libraries/libperfctr.so.7" "$build/lib/.libs/libperfctr.so.7"
	"${tool}gcc" -shared -o "$libraries/libperfctr-test-loop.so" "$objects/loop.o"
	debian=/
	[ "$arch" = amd64 ] || {
		debian=$work/python-$arch
		for package in python3.11-minimal libpython3.11-stdlib libpython3.11-dev libexpat1 libffi8 zlib1g; do
			"$here/deb.sh" bookworm "$arch" "$package" "$debian"
		done
	}
	cp "$debian/usr/bin/python3.11" "$root/usr/bin/"
	find "$debian/lib/$multiarch" "$debian/usr/lib/$multiarch" \( -name 'libexpat.so.1' -o -name 'libffi.so.8' \
		-o -name 'libz.so.1' \) -exec cp -L {} "$libraries/" \; 2>/dev/null
	for library in libc.so.6 libm.so.6 libquadmath.so.0; do
		cp -L "$("${tool}gcc" -print-file-name=$library)" "$libraries/" 2>/dev/null || [ $library = libquadmath.so.0 ]
	done
	if [ "$arch" = amd64 ]; then
		mkdir -p "$root/lib64" && cp -L /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
	else
		mkdir -p "$root/lib" && cp -L "$("${tool}gcc" -print-file-name=ld-linux-aarch64.so.1)" "$root/lib/"
	fi
	PYTHONPATH=$top/bindings/python PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3.11 -s "$here/guest/languages/files.py" |
		while read -r file; do
			to=$root/usr/lib/python3.11/${file#/usr/lib/python3.11/}
			mkdir -p "$(dirname "$to")"
			case $file in
			*.so) cp "$(echo "$debian$file" | sed "s/x86_64-linux-gnu/$multiarch/")" "$(dirname "$to")/" ;;
			*) cp -p "$file" "$to" ;;
			esac
		done
	cp -R "$top/bindings/python/perfctr" "$here/guest/languages/python.py" "$root/languages/"
	"${tool}gcc" -O2 -fPIC -shared -I"$debian/usr/include/python3.11" -I"$debian/usr/include" "$top/bindings/python/perfctr/_quick.c" \
		-o "$root/languages/perfctr/_quick.abi3.so"
	/usr/bin/python3.11 -m compileall -q "$root/languages/perfctr"
	cat >"$root/bin/python" <<-EOF
		#!/bin/sh
		export LD_LIBRARY_PATH=/usr/lib/$multiarch PYTHONHASHSEED=0
		/usr/bin/python3.11 -s /languages/python.py && exec /usr/bin/python3.11 -s /languages/python.py ctypes
	EOF
	chmod +x "$root/bin/python"
}
