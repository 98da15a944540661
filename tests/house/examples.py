#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the documents show of the shell is what happens: each `$ command` in a console block is run
in the project's root, and must print the lines below it, but for how long something took."""
import os
import re

import house

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HAFT = os.environ.get("HAFT", str(house.BUILD / "haft"))


def untimed(text):
    return re.sub(r"\b\d+(\.\d+)? (ms|s)\b", "N \\2", text)


problems, count = [], 0
for name in house.tracked():
    if not name.endswith(".md"):
        continue
    for block in BLOCK.findall((house.ROOT / name).read_text()):
        for shown in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, wanted = shown.partition("\n")
            _, found = house.run(["sh", "-c", command.replace("build/haft", f'"{HAFT}"')])
            count += 1
            if untimed(found) != untimed(wanted):
                problems.append(f"{name}: {command}\nprints\n{found}and not\n{wanted}")
house.check("what_the_documents_show_is_what_happens",
            problems or ([] if count else ["there is no example to run"]))
