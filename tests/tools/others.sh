# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh disable=SC2034,SC2154	# others use it
# A user without privileges, and the program where everybody can execute it, whatever the modes of the directories above the
# build's are; read with "." Uses $perfex and $work.
nobody="setpriv --reuid 65534 --clear-groups --bounding-set=-all"
their_perfex=$work/others/perfex
for_others() {
	chmod 755 "$work"
	mkdir "$work/others"
	dir=$(dirname "$perfex")
	if [ ! -x "$dir/.libs/perfex" ]; then
		cp "$perfex" "$their_perfex"
		return
	fi
	cp "$dir/.libs/perfex" "$their_perfex.real"
	cp -L "$dir"/lib/.libs/libperfctr.so* "$work/others"
	printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$work/others" "$their_perfex.real" >"$their_perfex"
	chmod 755 "$their_perfex"
}

# Root can be that user, and he reaches the program: not where / or the directory for temporary files is closed to others.
others_run() {
	[ "$(id -u)" = 0 ] && $nobody "$their_perfex" --version >/dev/null 2>&1
}

# Whether this user may count kernel mode, by the kernel's own setting: perfex, which is tested, is not asked. Where he may not,
# perfex counts events without a modifier in user mode, and adds ":u" to their names.
counts_kernel() {
	[ "$(id -u)" = 0 ] || [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -lt 2 ]
}
