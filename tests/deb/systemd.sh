#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Services of a running systemd, in a system that systemd-nspawn boots with the packages: without perf_event_open(2) in the filter
# perfex says why it can't count; with the drop-in of perfctr_containers(7) it counts; with the capability the kernel's part, too,
# which a user namespace takes away.
# usage: systemd.sh DEBS WORKDIR
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
debs=$(cd "${1:?usage: systemd.sh DEBS WORKDIR}" && pwd) || exit
rm -rf "${2:?usage: systemd.sh DEBS WORKDIR}"
mkdir -p "$2"
work=$(cd "$2" && pwd) failed=0
skip() { echo "SKIP systemd: $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip "a system of its own needs root"
for command in mmdebstrap systemd-nspawn; do
	command -v $command >/dev/null || skip "needs $command"
done
root=$work/root units=$work/root/etc/systemd/system drop_in=$top/contrib/containers/perfctr.conf
# shellcheck disable=SC1091
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck source=tests/mirror.sh
. "$top/tests/mirror.sh"
mmdebstrap --variant=minbase --include=systemd,dbus,libelf1,libdw1 "$suite" "$root" ${mirror:+"$mirror"} >"$work/log" 2>&1 &&
	mkdir "$root/opt/debs" && cp "$debs"/libperfctr7_*.deb "$debs"/perfctr-tools_*.deb "$root/opt/debs" &&
	chroot "$root" sh -c 'dpkg -i /opt/debs/*.deb' >>"$work/log" 2>&1 || { tail "$work/log"; echo "FAIL systemd: no system"; exit 1; }

mkdir "$root/counts"
chmod 1777 "$root/counts"
# NAME, the drop-in on standard input: a service of another user's that counts itself. The last one ends the system.
service() {
	mkdir "$units/$1.service.d"
	cat >"$units/$1.service.d/perfctr.conf"
	cat >"$units/$1.service" <<EOT
[Service]
Type=oneshot
User=daemon
ExecStart=/usr/bin/perfex --csv -o /counts/$1 -e page-faults,page-faults:u -- /bin/true
EOT
}
printf '[Service]\nSystemCallFilter=@system-service\nSystemCallErrorNumber=EPERM\n' | service without
service shipped <"$drop_in"
sed 's/^#\(.*CAP_PERFMON\)$/\1/' "$drop_in" | service capable
{ sed 's/^#\(.*CAP_PERFMON\)$/\1/' "$drop_in" && echo PrivateUsers=yes; } | service namespace
ln -s ../end.service "$units/multi-user.target.wants/end.service"
after="without.service shipped.service capable.service namespace.service"
cat >"$units/end.service" <<EOT
[Unit]
Wants=$after
After=$after
[Service]
Type=oneshot
ExecStart=/bin/systemctl --no-block poweroff
EOT
timeout 100 systemd-nspawn -D "$root" -b --register=no --keep-unit --capability=CAP_PERFMON --system-call-filter=perf_event_open \
	</dev/null >"$work/console" 2>&1
says() {	# NAME SERVICE PATTERN
	grep -qE "$3" "$root/counts/$2"
	status=$?
	[ $status = 0 ] || cat "$root/counts/$2"
	if [ $status = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
says 'without the call in the filter, perfex says so' without '^,,,page-faults,not counted,[^"]*"a seccomp filter forbids perf_event_open'
# Both events, the one that asks for the kernel, too, by the name of what was counted in its place.
user() {	# NAME SERVICE
	[ "$(grep -cE '^[0-9]+,[0-9]+,,page-faults:u,exact,' "$root/counts/$2")" = 2 ]
	status=$?
	[ $status = 0 ] || cat "$root/counts/$2"
	if [ $status = 0 ]; then echo "PASS $1"; else echo "FAIL $1"; failed=1; fi
}
# Without a capability the kernel allows all, user mode, or, from 3, which Debian's kernels have, nothing.
level=$(cat /proc/sys/kernel/perf_event_paranoid)
if [ "$level" -lt 2 ]; then
	says 'the drop-in counts' shipped '^[0-9]+,[0-9]+,,page-faults,exact,'
	echo "SKIP the capability: kernel.perf_event_paranoid is below 2, and lets everybody count in the kernel"
else
	if [ "$level" = 2 ]; then
		user 'without the capability the drop-in counts, not in the kernel' shipped
		user "a user namespace takes it away" namespace
	else
		says 'without the capability nothing counts' shipped '^,,,page-faults:u,not counted,'
		says "a user namespace takes it away" namespace '^,,,page-faults:u,not counted,'
	fi
	says 'the capability counts in the kernel' capable '^[0-9]+,[0-9]+,,page-faults,exact,'
fi
[ $failed = 0 ] || cat "$work/console"
exit $failed
