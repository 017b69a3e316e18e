#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# eu-addr2line of elfutils 0.188 finds neither line nor inlined functions in a program without .debug_aranges, which clang does not
# write unless -gdwarf-aranges asks for it: "??:0", though the unit's DW_AT_low_pc and DW_AT_high_pc cover the address. With the section
# it finds both in the same program.
set -eu
clang=1:14.0.6-12 elfutils=0.188-2.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v gcc >/dev/null || { echo "not tried: needs gcc"; exit 77; }
for package in "clang-14=$clang" "libclang-cpp14=$clang" "libllvm14=$clang" "elfutils=$elfutils" "libdw1=$elfutils" "libelf1=$elfutils" \
	"libasm1=$elfutils"; do
	apt-get -qq download "$package" || { echo "not tried: no package $package"; exit 77; }
done
for file in *.deb; do dpkg -x "$file" root; done
LD_LIBRARY_PATH=$PWD/$(echo root/usr/lib/*-linux-gnu):$PWD/root/usr/lib/llvm-14/lib
export LD_LIBRARY_PATH
echo "version: elfutils $elfutils, clang-14 $clang"
cat >in.c <<'EOT'
static volatile long sink;
static inline __attribute__((always_inline)) void add(long n) { sink += n; }
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < argc; i++)
		add(i);
	return 0;
}
EOT
# usage: find_frames NAME option...
find_frames() {
	name=$1
	shift
	root/usr/bin/clang-14 -O2 -gdwarf-4 "$@" in.c -o in || { echo "not tried: clang-14"; exit 77; }
	at=$(objdump -d --no-show-raw-insn in | awk '/<main>:/ { main = 1 } main && /sink/ { sub(":", "", $1); print $1; exit }')
	echo "$name: $(root/usr/bin/eu-addr2line -i -f -s -e in "0x$at" | sed 's/\(:[0-9]*\):[0-9]*/\1/g' | paste -sd ' ')"
}
{
	find_frames "without the section"
	find_frames "with it" -gdwarf-aranges
} | tee out
cat >wanted <<'EOT'
without the section: main ??:0
with it: add inlined at in.c:7 in main in.c:2 main in.c:7
EOT
cmp out wanted
