#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each source file has a test with its name, or its first comment names the tests. The tests and
sources that first comments name exist."""
import re

import house

TESTED = re.compile(r"\bsrc/[\w/.-]+\.[ch]\b")
NAMED = re.compile(r"tests/[\w/.-]+\.(?:c|py|mjs|sh)\b")
COMMENTS = re.compile(r"(?:\s*/\*.*?\*/)+", re.DOTALL)

uncovered, missing = [], []
for name in house.source_files():
    if not re.fullmatch(r"src/.+\.c", name):
        continue
    own = house.ROOT / re.sub(r"^src/(.+)\.c$", r"tests/\1_test.c", name)
    top = COMMENTS.match((house.ROOT / name).read_text())
    named = NAMED.findall(top[0]) if top else []
    if not own.exists() and not named:
        uncovered.append(f"{name}: add a test of its name, or 'Tests: tests/...' to its top")
    missing += [f"{name} names {test}, which does not exist" for test in named
                if not (house.ROOT / test).exists()]
for name in house.source_files():
    if not re.fullmatch(r"tests/.+_test\.c", name):
        continue
    top = COMMENTS.match((house.ROOT / name).read_text())
    missing += [f"{name} names {source}, which does not exist"
                for source in TESTED.findall(top[0] if top else "")
                if not (house.ROOT / source).exists()]
house.check("each_source_has_a_test_or_names_one", uncovered)
house.check("named_tests_and_sources_exist", missing)
