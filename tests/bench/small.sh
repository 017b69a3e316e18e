#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Print the tables of errors of small pieces of code that docs/COSTS.md has: relative errors, in percent.
# usage: small.sh WORKDIR	WORKDIR as of tests/vm/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${1:?usage: small.sh WORKDIR}
for machine in skylake-1 skylake-2 arm64-1; do
	VM_TIER=long VM_TESTS=small "$here/../vm/run.sh" "$work" "$machine" >&2
	echo
	echo "$machine:"
	echo
	grep '^|' "$work/$machine.log"
done
