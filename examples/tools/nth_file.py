#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the n-th source file of this project: nth_file.py N, from 1."""
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST = 3000  # characters

files = sorted(os.path.relpath(os.path.join(folder, name), ROOT)
               for top in ("docs", "src") for folder, _, names in os.walk(os.path.join(ROOT, top))
               for name in names if name.endswith((".md", ".c", ".h")))
number = int(sys.argv[1])
if not 1 <= number <= len(files):
    sys.exit(f"expected a number from 1 to {len(files)}, found {number}")
path = files[number - 1]
with open(os.path.join(ROOT, path), encoding="utf-8") as file:
    print(f"file {number}: {path}\n{file.read(MOST)}")
