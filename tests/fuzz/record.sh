#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
exec tests/fuzz/record "${srcdir:-.}"/tests/fuzz/corpus/record/*
