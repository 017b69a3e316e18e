#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Debian's judge of reproducible builds: it builds the packages twice, in another path, environment, language, time zone, umask and
# number of processors, under another address space, and compares them. whole.sh also varies the host's name and the time.
# usage: reprotest.sh WORKDIR
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
rm -rf "${1:?usage: reprotest.sh WORKDIR}"
command -v reprotest >/dev/null || { echo "SKIP reprotest: it is not installed"; exit 0; }
# The other language is Estonian, with an order of letters of its own; where it is missing, both builds have C's.
locale -a | grep -qi '^et_EE\.utf-\{0,1\}8$' || { echo "FAIL reprotest: there is no locale et_EE.UTF-8: install locales-all"; exit 1; }
git clone -q "$top" "$1" && cd "$1" || exit
# Left out: what wants users, mounts or a clock of its own.
if reprotest --min-cpus 1 --vary=-user_group,-domain_host,-fileordering,-kernel,-time \
	'DEBFULLNAME="A Tester" DEBEMAIL=tester@debian.org DEB_BUILD_OPTIONS=nocheck scripts/deb out' 'out/*.deb' -- null >log 2>&1 &&
	grep -q '^Reproduction successful' log && grep -q 'out/libperfctr7_' log; then
	echo "PASS reprotest: $(grep -c '^[0-9a-f]\{64\}  .*\.deb$' log) packages are the same"
else
	tail -n 60 log
	echo "FAIL reprotest"
	exit 1
fi
