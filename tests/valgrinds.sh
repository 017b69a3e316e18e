#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# perfex --emulate by the valgrinds of other Debian releases, which are unpacked into WORKDIR.
# usage: valgrinds.sh BUILD WORKDIR	BUILD: configure's directory, after make
# Exit status 0 if no test failed.
set -u
top=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:?usage: valgrinds.sh BUILD WORKDIR}" && pwd)
mkdir -p "${2:?usage: valgrinds.sh BUILD WORKDIR}"
work=$(cd "$2" && pwd)
failed=0
for suite in trixie sid; do
	root=$work/$suite bin=$work/bin-$suite
	"$top/tests/vm/deb.sh" $suite amd64 valgrind "$root" || { echo "FAIL valgrind of $suite"; failed=1; continue; }
	mkdir -p "$bin"
	# The tools are static; a wrapper of Debian's looks for debugging information.
	cat >"$bin/valgrind" <<-EOT
		#!/bin/sh
		VALGRIND_LIB=$root/usr/libexec/valgrind
		export VALGRIND_LIB
		exec $root/usr/bin/valgrind.bin "\$@"
	EOT
	chmod +x "$bin/valgrind"
	echo "# $("$bin/valgrind" --version) of $suite"
	PATH=$bin:$PATH PERFEX=$build/perfex srcdir=$top "$top/tests/tools/emulate.sh" || failed=1
done
exit $failed
