#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The ABI of x86-64's shared library, as libabigail reads it from its debugging information, is that of the
# baseline. What is released must not change; what is new is added to the baseline, by --update, in the commit
# that adds it.
# usage: abi.sh [--update]	in a build of configure's
# The environment: srcdir; LIBPERFCTR, the build's .libs directory.
set -u
srcdir=${srcdir:-.} library=${LIBPERFCTR:-lib/.libs}/libperfctr.so
baseline=$srcdir/tests/data/libperfctr.abi
if [ "${1:-}" = --update ]; then
	abidw --headers-dir "$srcdir/include" --drop-private-types --exported-interfaces-only \
		--no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed "$library" |
		sed "s,path='[^']*/\(lib\|bindings\)/,path='\1/," >"$baseline"
	exit
fi
# No directory of whoever made it.
if grep " path='" "$baseline" | grep -v " path='\(lib\|bindings\)/"; then
	echo "FAIL the baseline's files are in lib/ and bindings/"
	exit 1
fi
# abidiff takes a baseline that it can't parse for one without names.
if xmllint --noout "$baseline" && abidiff --exported-interfaces-only "$baseline" "$library"; then
	echo "PASS the ABI is the baseline's"
else
	echo "FAIL the ABI is the baseline's: a change on purpose is one of \"tests/abi.sh --update\", too"
	exit 1
fi
