#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Docker's and containerd's containers with the packages, by daemons of its own, unpacked from Debian's packages: their default
# profiles refuse the call, and perfex says so; with seccomp-perf, over the profile of Docker's sources, perfex counts; with a
# capability the kernel's part, too.
# usage: docker.sh DEBS WORKDIR
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
debs=$(cd "${1:?usage: docker.sh DEBS WORKDIR}" && pwd) || exit
rm -rf "${2:?usage: docker.sh DEBS WORKDIR}"
mkdir -p "$2/run"
work=$(cd "$2" && pwd) failed=0
skip() { echo "SKIP Docker: $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip "its daemon needs root"
command -v mmdebstrap >/dev/null || skip "needs mmdebstrap"
# shellcheck disable=SC1091
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck source=tests/mirror.sh
. "$top/tests/mirror.sh"
for package in docker.io containerd runc golang-github-docker-docker-dev; do
	"$top/tests/vm/deb.sh" "$suite" "$(dpkg --print-architecture)" "$package" "$work/docker" || exit
done
mmdebstrap --variant=minbase --include=libelf1,libdw1 --customize-hook="cp '$debs'/libperfctr7_*.deb '$debs'/perfctr-tools_*.deb \"\$1/opt\"" \
	--customize-hook="chroot \"\$1\" sh -c 'dpkg -i /opt/*.deb'" "$suite" "$work/root" ${mirror:+"$mirror"} >"$work/log" 2>&1 ||
	{ tail "$work/log"; echo "FAIL Docker: no image"; exit 1; }

PATH=$work/docker/usr/sbin:$work/docker/usr/bin:$PATH DOCKER_HOST=unix://$work/run/socket
export PATH DOCKER_HOST
dockerd --data-root "$work/data" --exec-root "$work/run/exec" -H "$DOCKER_HOST" -p "$work/run/pid" --iptables=false --ip6tables=false \
	--bridge=none --storage-driver=vfs >"$work/dockerd.log" 2>&1 &
daemon=$!
trap 'kill $daemon 2>/dev/null; wait $daemon; rm -rf "$work/data" "$work/root"' EXIT
until docker version >/dev/null 2>&1; do
	kill -0 $daemon 2>/dev/null || { tail "$work/dockerd.log"; echo "FAIL Docker: its daemon does not start"; exit 1; }
	sleep 0.2
done
tar -C "$work/root" -c . | docker import - perfctr >/dev/null || exit

by_docker() {	# OPTION...
	docker run --rm --network none "$@" perfctr perfex --csv -o /dev/stdout -e page-faults:u,page-faults -- true
}
by_containerd() {	# OPTION...
	ctr -a "$work/run/exec/containerd/containerd.sock" run --rm --rootfs --seccomp "$@" "$work/root" perfctr \
		/usr/bin/perfex --csv -o /dev/stdout -e page-faults:u,page-faults -- /bin/true
}
says() {	# NAME PATTERN COMMAND...
	name=$1 pattern=$2
	shift 2
	"$@" >"$work/said" 2>&1
	if grep -qE "$pattern" "$work/said"; then echo "PASS $name"; else cat "$work/said"; echo "FAIL $name"; failed=1; fi
}
profile=$work/docker/usr/share/gocode/src/github.com/docker/docker/profiles/seccomp/default.json
"$top/contrib/containers/seccomp-perf" <"$profile" >"$work/perf.json"
"$top/contrib/containers/seccomp-perf" --containerd <"$profile" >"$work/containerd.json"
refusal='page-faults:u,not counted,.*"a seccomp filter forbids perf_event_open'
says "Docker's profile refuses, and the sentence says so" "$refusal" by_docker
says "the profile of its sources is that one" "$refusal" by_docker --security-opt "seccomp=$profile"
says "containerd's refuses, too" "$refusal" by_containerd
# Above 2, as Debian's kernels have it, a container without the capability counts nothing.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ]; then
	counts='^[1-9][0-9]*,[0-9]+,,page-faults:u,exact,'
else
	counts='page-faults:u,not counted,.*perf_event_paranoid'
fi
says "with seccomp-perf Docker's counts" "$counts" by_docker --security-opt "seccomp=$work/perf.json"
says "with seccomp-perf --containerd containerd's counts" "$counts" by_containerd --seccomp-profile "$work/containerd.json"
# This is why: containerd does not look at the capability that Docker's own profile asks for.
says "containerd overlooks conditions" "$counts" by_containerd --seccomp-profile "$profile"
# Debian 12's Docker does not know CAP_PERFMON.
says "with a capability it counts in the kernel" '^[1-9][0-9]*,[0-9]+,,page-faults,exact,' by_docker --cap-add SYS_ADMIN
says "the level is the machine's" 'perf_event_paranoid' by_docker --sysctl kernel.perf_event_paranoid=0
exit $failed
