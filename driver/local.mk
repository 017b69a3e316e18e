# SPDX-License-Identifier: LGPL-2.1-or-later
# The driver is built by scripts/driver or DKMS, not by this Makefile.
EXTRA_DIST += driver scripts/driver scripts/driver-sources
udevrules_DATA = driver/60-perfctr.rules
sysusers_DATA = driver/perfctr.conf

# Sources for DKMS. Not part of "install", because DKMS looks for them in /usr/src, whatever the prefix.
dkmsdir = /usr/src
dkms_sources = '$(DESTDIR)$(dkmsdir)/perfctr-$(PACKAGE_VERSION)'
install-dkms:
	$(srcdir)/scripts/driver-sources $(dkms_sources)
uninstall-dkms:
	rm -rf $(dkms_sources)
.PHONY: install-dkms uninstall-dkms
