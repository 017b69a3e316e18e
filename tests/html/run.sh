#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Opens pages of perfex --html in Debian's chromium: what they show, how they are used, and how long large ones take.
# usage: run.sh PERFEX WORKDIR	WORKDIR/*.png are pictures of them, at 1200 and 400 pixels
set -u
perfex=${1:?usage: run.sh PERFEX WORKDIR} work=${2:?usage: run.sh PERFEX WORKDIR}
here=$(cd "$(dirname "$0")" && pwd)
if ! command -v chromium-headless-shell >/dev/null && ! command -v chromium >/dev/null; then
	echo "SKIP pages: they need Debian's package chromium-headless-shell"
	exit 0
fi
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/pages.py" "$perfex" "$work"
