#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test that docs/guarantees.md names exists, and every promise names a test."""
import re

import house

PAGE = house.ROOT / "docs/guarantees.md"
TEST = re.compile(r"`(tests/[\w/]+\.(?:py|c)):([^`]*)`")
ROW = re.compile(r"^\| (\d+|all) [^|]*\|", re.MULTILINE)


def missing(path, name):
    """Why the test does not exist; None if it exists."""
    file = house.ROOT / path
    if not file.exists():
        return f"{path} does not exist"
    text = file.read_text()
    if not name:
        return f"{path} is named without a test"
    if path.endswith(".c") and not re.search(rf"TEST\({re.escape(name)}\)", text):
        return f"{path} has no test {name}"
    return None if name in text else f"{path} has no test {name}"


def problems_of(text):
    found = [missing(path, name) for path, name in TEST.findall(text)]
    rows = [line for line in text.splitlines() if ROW.match(line)]
    found += [f"no test is named in: {row[:60]}" for row in rows if not TEST.search(row)]
    promises = set(re.findall(r"^(\d+)\. \*\*", text, re.MULTILINE))
    shown = {row.split()[1] for row in rows}
    found += [f"promise {n} has no row" for n in sorted(promises - shown, key=int)]
    return [problem for problem in found if problem]


house.check("every_promise_has_an_existing_test", problems_of(PAGE.read_text()))
broken = [("1. **A**\n| 1 a | b | `tests/crash/no_test.py:x` | same |", "does not exist"),
          ("1. **A**\n| 1 a | b | `tests/crash/random_test.py:no_such` | same |",
           "no test no_such"),
          ("1. **A**\n| 1 a | b | `tests/crash/random_test.py:` | same |", "without a test"),
          ("1. **A**\n| 1 a | b | nothing | same |", "no test is named"),
          ("1. **A**\n2. **B**\n| 1 a | b | `tests/crash/random_test.py:random` | x |",
           "promise 2 has no row")]
house.check("a_promise_without_a_test_is_found",
            [text for text, wanted in broken
             if not any(wanted in problem for problem in problems_of(text))])
