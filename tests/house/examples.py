#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shell examples in the documents are correct: each `$ command` in a console block runs in the root
of the project and must print the lines below it. Durations are not compared."""
import os
import re

import house

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HAFT = os.environ.get("HAFT", str(house.BUILD / "haft"))


def untimed(text):
    return re.sub(r"\b\d+(\.\d+)? (ms|s)\b", "N \\2", text)


problems, count = [], 0
for name in house.source_files():
    if not name.endswith(".md"):
        continue
    for block in BLOCK.findall((house.ROOT / name).read_text()):
        for shown in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, wanted = shown.partition("\n")
            _, found = house.run(["sh", "-c", command.replace("build/haft", f'"{HAFT}"')])
            count += 1
            if untimed(found) != untimed(wanted):
                problems.append(f"{name}: {command}\nprints\n{found}but should print\n{wanted}")
house.check("shell_examples_print_the_shown_output",
            problems or ([] if count else ["no example was found"]))
