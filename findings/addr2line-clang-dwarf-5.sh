#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# addr2line -i of binutils 2.40 loses the inlined functions of clang 14's programs with DWARF 5, its default: at an address within two
# inlined functions it names the function that encloses them, beside the line of the innermost. With DWARF 4 of the same compiler, and
# with DWARF 5 of GCC, it names all three.
set -eu
clang=1:14.0.6-12 binutils=2.40-2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v gcc >/dev/null || { echo "not tried: needs gcc"; exit 77; }
for package in "clang-14=$clang" "libclang-cpp14=$clang" "libllvm14=$clang" "binutils-x86-64-linux-gnu=$binutils" "libbinutils=$binutils"; do
	apt-get -qq download "$package" || { echo "not tried: no package $package"; exit 77; }
done
for file in *.deb; do dpkg -x "$file" root; done
LD_LIBRARY_PATH=$PWD/$(echo root/usr/lib/*-linux-gnu):$PWD/root/usr/lib/llvm-14/lib
export LD_LIBRARY_PATH
echo "version: binutils $binutils, clang-14 $clang, $(gcc --version | head -n 1)"
cat >in.c <<'EOT'
static volatile long sink;
static inline __attribute__((always_inline)) void add(long n) { sink += n; }
static inline __attribute__((always_inline)) void twice(long n) { add(n); add(n + 1); }
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < argc; i++)
		twice(i);
	return 0;
}
EOT
for way in "clang-14 4" "clang-14 5" "gcc 5"; do
	compiler=${way% *}
	[ "$compiler" = gcc ] || compiler=root/usr/bin/$compiler
	"$compiler" -O2 -g "-gdwarf-${way#* }" in.c -o in || { echo "not tried: $compiler"; exit 77; }
	at=$(objdump -d --no-show-raw-insn in | awk '/<main>:/ { main = 1 } main && /sink/ { sub(":", "", $1); print $1; exit }')
	echo "$way: $(root/usr/bin/x86_64-linux-gnu-addr2line -i -f -s -e in "0x$at" | sed 's/ (.*//' | paste -sd ' ')"
done | tee out
cat >wanted <<'EOT'
clang-14 4: add in.c:2 twice in.c:3 main in.c:8
clang-14 5: main in.c:2
gcc 5: add in.c:2 twice in.c:3 main in.c:8
EOT
cmp out wanted
