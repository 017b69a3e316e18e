#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Runs a test, or skips it where it opens events and the kernel lets this user open none: with kernel.perf_event_paranoid=3, as
# Debian has it, an ordinary user's perf_event_open(2) fails whatever it asks for. "make check" runs all tests by this.
# usage: may-count.sh "NAME ..." TEST	NAME: a test that opens events
opens=$1 name=tests/${2##*/tests/}
shift
case " $opens " in
*" $name "*)
	if [ "$(id -u)" != 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 0)" -gt 2 ]; then
		echo "SKIP $name: this user may open no event: set kernel.perf_event_paranoid to 2, or be root"
		exit 77
	fi
	;;
esac
exec "$@"
