# SPDX-License-Identifier: LGPL-2.1-or-later
# A directory for valgrind to find the tool in: the tool for each of its platforms, and links to what it needs of its own.
EXTRA_DIST += emulate/README.md emulate/build emulate/count.c emulate/arithmetic.c
if VALGRIND_TOOL
valgrinddir = $(pkglibdir)/valgrind
nodist_valgrind_DATA = emulate/lib/version
valgrind_links = (cd $$directory && ln -sf '$(VALGRIND_LIBEXEC)/default.supp' . && for platform in $(VALGRIND_PLATFORMS); do \
	ln -sf "$(VALGRIND_LIBEXEC)/vgpreload_core-$$platform.so" . || exit; done)

# Written when all is there: perfex compares it with what "valgrind --version" says.
emulate/lib/version: $(srcdir)/emulate/build $(srcdir)/emulate/count.c $(srcdir)/emulate/arithmetic.c
	$(AM_V_GEN)rm -rf emulate/lib && $(MKDIR_P) emulate/lib && for platform in $(VALGRIND_PLATFORMS); do \
		VALGRIND_INCLUDE='$(VALGRIND_INCLUDE)' VALGRIND_STATIC='$(VALGRIND_STATIC)' VALGRIND_ADDRESS='$(VALGRIND_ADDRESS)' \
			$(srcdir)/emulate/build '$(CC)' $$platform emulate/lib/perfctr-$$platform || exit; done && \
	directory=emulate/lib && $(valgrind_links) && echo 'valgrind-$(VALGRIND_VERSION)' >$@

install-exec-hook:
	$(MKDIR_P) '$(DESTDIR)$(valgrinddir)'
	for platform in $(VALGRIND_PLATFORMS); do \
		$(INSTALL_PROGRAM) emulate/lib/perfctr-$$platform '$(DESTDIR)$(valgrinddir)' || exit; done
	directory='$(DESTDIR)$(valgrinddir)' && $(valgrind_links)
uninstall-local:
	cd '$(DESTDIR)$(valgrinddir)' && rm -f version default.supp perfctr-*-linux vgpreload_core-*-linux.so
	rmdir '$(DESTDIR)$(valgrinddir)'
mostlyclean-local:
	rm -rf emulate/lib
endif
