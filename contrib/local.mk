# SPDX-License-Identifier: LGPL-2.1-or-later
# Files for others' systems, of which perfctr_containers(7) names those that are installed.
containersdir = $(exampledir)/containers
dist_containers_DATA = contrib/containers/perfctr.conf
dist_containers_SCRIPTS = contrib/containers/seccomp-perf
EXTRA_DIST += contrib/README.md contrib/libperfctr.spec contrib/meson contrib/spack
