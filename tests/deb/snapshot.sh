# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# Finds the things that packages leave on a system, for the scripts beside this one.

# FILE: writes the names of all files, of links with their target, and the groups. Left out: where processes and apt keep their
# own, what ldconfig and depmod make again, and the key that DKMS makes once for the system.
snapshot() {
	{
		find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /run -o -path /opt -o -path /root \
			-o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/tmp \) -prune \
			-o ! -path '*/lib/modules/*/modules.*' ! -path '/var/lib/dkms/mok*' ! -name '__pycache__' ! -name '*.pyc' \
			! -path '/etc/group*' ! -path '/etc/gshadow*' -printf '%p %l\n'
		getent group
	} | LC_ALL=C sort >"$1"
}

# BEFORE AFTER: they are the same, and no package of ours is known to dpkg.
nothing_left() {
	diff "$1" "$2" && [ -z "$(dpkg-query -W '*perfctr*' 2>/dev/null)" ] && [ -z "$(find /var/lib/dpkg/info -name '*perfctr*')" ]
}

# PACKAGE.deb...: installs what they need, and prints nothing of it.
install_needs_of() {
	needs=$(apt-get install --simulate -qq --no-install-recommends "$@" | sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -v perfctr)
	# shellcheck disable=SC2086
	[ -z "$needs" ] || scripts/again apt-get install -y -qq --no-install-recommends $needs >/dev/null
}
