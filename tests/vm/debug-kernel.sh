#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Build a kernel that looks for mistakes: Debian's source (package linux-source), tinyconfig, and debug.config.
# usage: debug-kernel.sh OUTDIR VARIANT	about 10 minutes on 2 cores, 3 GiB in OUTDIR meanwhile
#	 debug-kernel.sh --mark VARIANT	prints a name that changes with whatever goes into the kernel
#	VARIANT	kasan: KASAN, lockdep, kmemleak, and what the module's coverage needs; kcsan: KCSAN instead
# Leaves OUTDIR/bzImage, and in OUTDIR/headers what scripts/driver builds a module with. Prints a line per step.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?usage: debug-kernel.sh OUTDIR | --mark VARIANT} variant=${2:?usage: debug-kernel.sh OUTDIR | --mark VARIANT}
case $variant in
kasan) fragments=$here/debug.config instrumented= ;;
# Where the kernel's own accesses are watched, too, few of the driver's are, and the kernel has races of its own.
kcsan) fragments="$here/debug.config $here/kcsan.config" instrumented=KCSAN_SANITIZE=n ;;
*)
	echo "debug-kernel.sh: there is no variant $variant" >&2
	exit 2
	;;
esac
source=$(dpkg-query -W -f '${Depends}' linux-source | sed 's/^\(linux-source-[0-9.]*\).*/\1/')
# shellcheck disable=SC2086
sum=$({
	echo "$instrumented"
	cat $fragments
	dpkg-query -W -f '${Version}\n' "$source"
	gcc -dumpfullversion
} | cksum | cut -d ' ' -f 1)
[ "$out" != --mark ] || { echo "debug-kernel-$variant-$sum"; exit 0; }
[ -e "$out/bzImage" ] && exit 0

# Another run that wants it waits. Only a complete kernel has the name: this script may be ended at any moment.
mkdir -p "$out"
out=$(cd "$out" && pwd)
exec 9>"$out/lock"
flock 9
[ -e "$out/bzImage" ] && exit 0
rm -rf "$out"/build.*
work=$(mktemp -d "$out/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "unpacking $source"
tar -xf "/usr/src/$source.tar.xz" -C "$work" --strip-components=1
cd "$work"

# MAKE-ARGUMENT...: what is said matters only if it fails.
quietly() {
	make -j2 ${instrumented:+"$instrumented"} "$@" >make.log 2>&1 || {
		tail -n 20 make.log >&2
		exit 1
	}
}

echo "configuring it: $variant"
quietly tinyconfig
# shellcheck disable=SC2086
cat $fragments >>.config
quietly olddefconfig
# The last word about an option holds. What a kernel of another age lacks has no line.
# shellcheck disable=SC2086
cat $fragments | awk -F = '/^CONFIG_/ { last[$1] = $2 } END { for (o in last) if (last[o] != "n") print o "=" last[o] }' |
	sort >wanted
grep -vxFf .config wanted | sed 's/^/not to be had: /' || :
echo "building it"
quietly bzImage modules

# No module is built with the files that are left out here.
echo "keeping what a module is built with"
mkdir headers
cp -r Makefile .config Module.symvers include scripts headers/
mkdir -p headers/arch/x86 headers/tools/objtool
cp -r arch/x86/Makefile* arch/x86/include headers/arch/x86/
cp tools/objtool/objtool headers/tools/objtool/
find headers -name '*.o' -delete
rm -rf "$out/headers"
mv headers "$out/"
mv arch/x86/boot/bzImage "$out/"
