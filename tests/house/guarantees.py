#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every test that docs/guarantees.md names exists, and every promise names a test."""
import re

import house

PAGE = house.ROOT / "docs/guarantees.md"
TEST = re.compile(r"`(tests/[\w/]+\.(?:py|c)):([^`]*)`")
ROW = re.compile(r"^\| (\d+|all) [^|]*\|", re.MULTILINE)


def find_test_problem(path, name):
    """Says why test `name` of file `path` does not exist. None if it exists."""
    file = house.ROOT / path
    if not file.exists():
        return f"{path} does not exist"
    text = file.read_text()
    if not name:
        return f"{path} is listed without the name of a test"
    if path.endswith(".c") and not re.search(rf"TEST\({re.escape(name)}\)", text):
        return f"{path} has no test {name}"
    return None if name in text else f"{path} has no test {name}"


def find_problems(text):
    """Returns the problems of a page with promises and a table of tests, as messages."""
    found = [find_test_problem(path, name) for path, name in TEST.findall(text)]
    rows = [line for line in text.splitlines() if ROW.match(line)]
    found += [f"no test is named in: {row[:60]}" for row in rows if not TEST.search(row)]
    promises = set(re.findall(r"^(\d+)\. \*\*", text, re.MULTILINE))
    promises_with_row = {row.split()[1] for row in rows}
    found += [f"promise {n} has no row" for n in sorted(promises - promises_with_row, key=int)]
    return [problem for problem in found if problem]


house.check("every_promise_names_an_existing_test", find_problems(PAGE.read_text()))
# (page, part of the message that is expected)
broken = [("1. **A**\n| 1 a | b | `tests/crash/no_test.py:x` | same |", "does not exist"),
          ("1. **A**\n| 1 a | b | `tests/crash/random_test.py:no_such` | same |",
           "no test no_such"),
          ("1. **A**\n| 1 a | b | `tests/crash/random_test.py:` | same |",
           "without the name of a test"),
          ("1. **A**\n| 1 a | b | nothing | same |", "no test is named"),
          ("1. **A**\n2. **B**\n| 1 a | b | `tests/crash/random_test.py:random` | x |",
           "promise 2 has no row")]
house.check("promise_without_a_test_is_reported",
            [text for text, message in broken
             if not any(message in problem for problem in find_problems(text))])
