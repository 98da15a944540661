#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/limits.md contains the table of src/base/limits.h; `tests/house/limits.py --write` updates
it. Code uses each limit, and a test names it."""
import re
import sys
import tempfile
from pathlib import Path

import house

HEADER = "src/base/limits.h"
ROW = re.compile(r"^    X\((\w+), ", re.MULTILINE)
# Limits that are used by another directory than the one in their name.
KEEPERS = {"JSON_DEPTH_STRICT": "spec"}
PAGE = house.ROOT / "docs/limits.md"
HEAD = "| limit | value | meaning |\n|---|---:|---|\n"
PROGRAM = r"""
#include <stdio.h>
#include "base/limits.h"
int main(void)
{
    size_t count;
    const haft__limit *limits = haft__limits(&count);
    for (size_t i = 0; i < count; i++) {
        printf("| `%s` | %lld | %s |\n", limits[i].key, (long long)limits[i].value, limits[i].what);
    }
}
"""


def rows():
    with tempfile.TemporaryDirectory(prefix="haft-limits-") as directory:
        program = Path(directory) / "limits"
        status, output = house.run([*house.CC, "-std=c17", "-Iinclude", "-Isrc", "-x", "c", "-",
                                    "src/base/limits.c", "-o", program], text=PROGRAM)
        return house.run([program])[1] if status == 0 else output


def has_code(directory):
    path = house.ROOT / "src" / directory
    return not path.is_dir() or any(path.glob("*.c"))


def unnamed(names, top):
    """The limits that no file below `top` names, except those of directories without code."""
    files = [name for name in house.source_files() if name.startswith(top + "/")
             and name.endswith((".c", ".h", ".py")) and name != HEADER]
    text = "\n".join((house.ROOT / name).read_text() for name in files)
    found = set(re.findall(r"\bHAFT__LIMIT_(\w+)", text))
    return [name for name in names if name not in found
            and has_code(KEEPERS.get(name, name.split("_")[0].lower()))]


def check_names():
    names = ROW.findall((house.ROOT / HEADER).read_text())
    house.check("limits_were_found", [] if len(names) > 20 else [f"found {len(names)} only"])
    for top, name in [("src", "every_limit_is_used"), ("tests", "every_limit_is_tested_by_name")]:
        house.check(name, [f"no file in {top}/ names HAFT__LIMIT_{limit}"
                           for limit in unnamed(names, top)])


table = HEAD + rows()
page = PAGE.read_text()
before = page[:page.index(HEAD)] if HEAD in page else page + "\n"
if "--write" in sys.argv:
    PAGE.write_text(before + table)
else:
    check_names()
    house.check("the_page_has_the_table_of_the_header",
                [] if page == before + table
                else ["docs/limits.md is not up to date; run tests/house/limits.py --write"])
