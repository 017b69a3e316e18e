# SPDX-License-Identifier: LGPL-2.1-or-later
dist_man_MANS += \
	man/gperfctr_open.3 \
	man/libperfctr.3 \
	man/perfctr-info.1 \
	man/perfctr.4 \
	man/perfctr.7 \
	man/perfctr_containers.7 \
	man/perfctr_cpu_control_events.3 \
	man/perfctr_cxx.7 \
	man/perfctr_data_src_text.3 \
	man/perfctr_error.3 \
	man/perfctr_event_check.3 \
	man/perfctr_fortran.7 \
	man/perfctr_info.3 \
	man/perfctr_languages.7 \
	man/perfctr_list_resolve.3 \
	man/perfctr_metrics_open.3 \
	man/perfctr_porting.7 \
	man/perfctr_python.7 \
	man/perfctr_region_begin.3 \
	man/perfctr_rust.7 \
	man/perfctr_total_create.3 \
	man/perfctr_tutorial.7 \
	man/perfctr_users.7 \
	man/perfctr_sampler_open.3 \
	man/perfctr_set_open.3 \
	man/perfex.1 \
	man/perfex-regions.1 \
	man/perfex-sample.1 \
	man/rvperfctr_open.3 \
	man/sys_vperfctr_open.3 \
	man/vperfctr_control.3 \
	man/vperfctr_open.3 \
	man/vperfctr_read_pmc.3

# Every other name in a page's NAME section is an alias of the page.
man_aliases = awk '/^\.Sh SYNOPSIS/ { exit } \
	/^\.Nm/ && $$2 != "'$$name'" { print $$2 }' $(srcdir)/man/$$name.3
install-data-hook:
	for page in $(dist_man_MANS); do case $$page in *.3) \
		name=`basename $$page .3`; \
		for alias in `$(man_aliases)`; do \
			echo ".so man3/$$name.3" >'$(DESTDIR)$(man3dir)'/$$alias.3 || exit 1; \
		done ;; esac; done
uninstall-hook:
	for page in $(dist_man_MANS); do case $$page in *.3) \
		name=`basename $$page .3`; \
		for alias in `$(man_aliases)`; do \
			rm -f '$(DESTDIR)$(man3dir)'/$$alias.3; \
		done ;; esac; done

# The pages as HTML, with an index; needs mandoc.
EXTRA_DIST += scripts/html
html-local:
	$(srcdir)/scripts/html html
clean-local:
	rm -rf html
