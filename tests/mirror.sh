# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=sh
# For scripts that make a system: $mirror is where this one has its packages from, or empty, and then what makes the system has
# a default.
# shellcheck disable=SC2034
mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[.*\] \)\{0,1\}\(http[^ ]*\) .*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* \
	2>/dev/null | head -n 1)
