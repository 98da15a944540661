#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that were built with the recorded ABI run with that of haft.h, which may have grown;
scripts/abi finds what would break them."""
import re
import tempfile
from pathlib import Path

import house

HEADER = (house.ROOT / "include/haft.h").read_text()
CHANGES = [
    ("a_removed_function", r"^HAFT_API int haft_runtime_fd\(.*\n", "", 8),
    ("another_parameter", r"haft_runtime_fd\(const haft_runtime \*runtime\)",
     "haft_runtime_fd(const haft_runtime *runtime, int which)", 8),
    ("another_type_of_a_member", r"    uint64_t seq;", "    uint32_t seq;", 8),
    ("a_member_in_the_middle", r"    const char \*guard;", "    int other;\n    const char *guard;",
     8),
    ("a_new_function", r"^HAFT_API int haft_runtime_fd\(.*\n",
     r"\g<0>HAFT_API int haft_other(int it);\n", 4),
    ("a_member_at_the_end", r"^} haft_run_options;", "    const char *other;\n} haft_run_options;",
     4),
]


def compare(text):
    with tempfile.TemporaryDirectory(prefix="haft-abi-") as directory:
        path = Path(directory) / "haft.h"
        path.write_text(text)
        return house.run(["scripts/abi", path])


if not house.has("abidiff"):
    house.skip("the_abi_breaks_no_program", "abidiff is missing (scripts/deps abi)")
else:
    status, output = house.run(["scripts/abi"])
    house.check("the_abi_breaks_no_program", [] if status in (0, 4) else [output])
    for name, pattern, change, wanted in CHANGES:
        text, count = re.subn(pattern, change, HEADER, flags=re.M)
        status, output = compare(text)
        house.check(f"{name}_is_reported",
                    [] if count == 1 and status == wanted
                    else [f"{count} changes; wanted {wanted}, found {status}: {output}"])
