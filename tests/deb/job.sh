#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The main job from the packages alone, on a fresh system: they are installed, perfex counts sort, and their removal leaves nothing.
# usage: job.sh DIRECTORY	in a fresh.sh's system, where DIRECTORY has the packages
set -u
cd "$(dirname "$0")/../.." || exit
# shellcheck source=tests/deb/snapshot.sh
. tests/deb/snapshot.sh
packages=${1:?usage: job.sh DIRECTORY} failed=0
export DEBIAN_FRONTEND=noninteractive
check() {	# NAME STATUS
	if [ "$2" = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
[ -z "$(command -v gcc)" ]
check "there is no compiler" $?
scripts/again apt-get update -qq
set -- "$packages"/libperfctr7_*.deb "$packages"/perfctr-tools_*.deb
install_needs_of "$@"
snapshot /tmp/before
apt-get install -y -qq --no-install-recommends "$@" >/tmp/log 2>&1 || cat /tmp/log
perfctr-info >/tmp/info
grep -q perf_events /tmp/info
check "perfctr-info" $?
seq 200000 >/tmp/numbers
perfex --csv -o /tmp/counts -e task-clock,page-faults,context-switches -- sort -R -o /tmp/sorted /tmp/numbers
cat /tmp/counts
[ "$(grep -cE '^[0-9].*(task-clock|page-faults|context-switches),exact' /tmp/counts)" = 3 ] && [ "$(wc -l </tmp/sorted)" = 200000 ]
check "perfex counts sort" $?
apt-get purge -y -qq libperfctr7 perfctr-tools >/tmp/log 2>&1 || cat /tmp/log
snapshot /tmp/after
nothing_left /tmp/before /tmp/after
check "purge leaves nothing" $?
exit $failed
