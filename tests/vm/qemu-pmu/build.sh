#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Build a QEMU whose x86 processors have performance counters: Debian 12's qemu source package plus
# the patch beside this script.
# usage: build.sh OUTDIR	leaves OUTDIR/qemu-system-x86_64; about 2 minutes on 2 cores, needs root
#	 build.sh --mark	prints what the version of a QEMU of this very patch has
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: build.sh OUTDIR | --mark}
mark="perfctr-pmu-$(cksum <"$here/qemu-x86-pmu.patch" | cut -d ' ' -f 1)"
[ "$out" != --mark ] || { echo "$mark"; exit 0; }
[ -x "$out/qemu-system-x86_64" ] && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The machine's own package sources, with their source packages enabled, in a place of our own.
mkdir -p "$work/apt/sources.d" "$work/apt/lists/partial"
for f in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
	[ -f "$f" ] || continue
	case $f in
	*.sources) sed 's/^Types:.*/Types: deb-src/' "$f" >"$work/apt/sources.d/$(basename "$f")" ;;
	*.list) sed -n 's/^deb /deb-src /p' "$f" >"$work/apt/sources.d/$(basename "$f")" ;;
	esac
done
set -- -oDir::Etc::sourcelist=/dev/null -oDir::Etc::sourceparts="$work/apt/sources.d" \
	-oDir::State::lists="$work/apt/lists"
apt-get update -qq || :		# an index that fails to load matters only if a package is missing
apt-get install -y -qq --no-install-recommends dpkg-dev gcc libc6-dev make meson ninja-build \
	pkg-config patch python3 flex bison libglib2.0-dev libpixman-1-dev libfdt-dev zlib1g-dev \
	>/dev/null
# shellcheck disable=SC2016
(cd "$work" && "$here/../../../scripts/again" sh -c 'apt-get "$@" -qq update; apt-get "$@" -qq source qemu' get "$@" >/dev/null)
src=$(echo "$work"/qemu-*/)
patch -s -d "$src" -p1 <"$here/qemu-x86-pmu.patch"

mkdir "$work/build"
cd "$work/build"
"$src/configure" --target-list=x86_64-softmmu --without-default-features --without-default-devices \
	--with-devices-x86_64=pmulab --enable-tcg --enable-system --disable-user --disable-docs \
	--disable-tools --disable-werror --disable-install-blobs --enable-fdt=system \
	--disable-debug-info --enable-trace-backends=nop --with-pkgversion="$mark" \
	>configure.log 2>&1 || { tail configure.log; exit 1; }

# Little of it runs often; the rest need not be fast. Most of the time goes into the headers that each
# file includes first: they are parsed once for each kind.
sed -i '/^build lib\(qemu-x86_64-softmmu\|qemuutil\.a\.p\/util_\|qom\.\|common\.fa\.p\/softmmu_\)/,/^ ARGS/b
	s/ -O2 / -O0 /; s/ -D_FORTIFY_SOURCE=2//' build.ninja
ninja config-poison.h >build.log
mkdir -p qemu/osdep.h.gch
ln -s "$src/include/qemu/osdep.h" qemu/
for object in libqemu-x86_64-softmmu.fa.p/cpu.c.o libqemuutil.a.p/util_qht.c.o libcommon.fa.p/net_queue.c.o; do
	compile=$(ninja -t commands "$object" | tail -n 1 | sed 's/ -MD .*//')
	eval "$compile -x c-header qemu/osdep.h -o qemu/osdep.h.gch/${object%%/*}"
done
ninja qemu-system-x86_64 >>build.log 2>&1 || { tail build.log; exit 1; }
mkdir -p "$out"
strip -o "$out/qemu-system-x86_64.new" qemu-system-x86_64
mv "$out/qemu-system-x86_64.new" "$out/qemu-system-x86_64"
