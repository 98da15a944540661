#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/limits.md has the table of src/base/limits.h. `tests/house/limits.py --write` puts it there.
"""
import sys
import tempfile
from pathlib import Path

import house

PAGE = house.ROOT / "docs/limits.md"
HEAD = "| limit | value | what it bounds |\n|---|---:|---|\n"
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


table = HEAD + rows()
page = PAGE.read_text()
before = page[:page.index(HEAD)] if HEAD in page else page + "\n"
if "--write" in sys.argv:
    PAGE.write_text(before + table)
else:
    house.check("the_page_has_the_table_of_the_header",
                [] if page == before + table
                else ["docs/limits.md is not up to date; tests/house/limits.py --write mends it"])
