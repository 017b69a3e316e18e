# SPDX-License-Identifier: LGPL-2.1-or-later
# pip installs the package: see perfctr_python(7).
EXTRA_DIST += bindings/python/build.py bindings/python/pyproject.toml bindings/python/perfctr/__init__.py \
	bindings/python/perfctr/_c.py bindings/python/perfctr/_quick.c bindings/python/perfctr/_quick.pyi \
	bindings/python/perfctr/_regions.py bindings/python/perfctr/py.typed
pythonexampledir = $(docdir)/examples/python
dist_pythonexample_DATA = bindings/python/examples/count.py bindings/python/examples/regions.py
dist_check_SCRIPTS += tests/bindings/python.sh
TESTS += tests/bindings/python.sh
EXTRA_DIST += tests/bindings/arguments.py tests/bindings/layout.py tests/bindings/python.py
