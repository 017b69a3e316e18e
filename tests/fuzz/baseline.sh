#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
exec tests/fuzz/baseline "${srcdir:-.}"/tests/fuzz/corpus/baseline/*
