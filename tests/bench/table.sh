#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Print the tables of docs/COSTS.md: instructions per operation, counted exactly in emulation.
# usage: table.sh WORKDIR	WORKDIR as of tests/vm/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${1:?usage: table.sh WORKDIR}
for machine in arm64-1 skylake-1 nehalem-1; do
	programs=bench
	[ $machine != nehalem-1 ] || programs=pairs
	VM_TESTS=$programs "$here/../vm/run.sh" "$work" "$machine" >&2
	echo
	echo "$machine:"
	echo
	grep '^|' "$work/$machine.log"
done
