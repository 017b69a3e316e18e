#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
for isa in x86 powerpc generic; do
	tests/fuzz/control_$isa "${srcdir:-.}"/tests/fuzz/corpus/control/* || exit
done
