#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A directory of src/ includes only itself and those above it in layers.txt."""
import re

import house

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)

# Libraries that one directory has to itself.
OWNERS = {"uv.h": "io", "curl/": "io", "microhttpd.h": "io"}


def wrong_include(directory, quoted, system, order):
    if system:
        for start, owner in OWNERS.items():
            if system.startswith(start) and directory != owner:
                return f"<{system}> belongs to src/{owner}"
        return None
    if quoted == "haft.h":
        return None
    target = quoted.split("/")[0]
    if "/" not in quoted or target not in order:
        return f'"{quoted}" is no "directory/file.h" of src/'
    if order.index(target) > order.index(directory):
        return f'"{quoted}" is below src/{directory}'
    return None


order, _ = house.layers()
sources = [name for name in house.tracked()
           if name.startswith("src/") and name.endswith((".c", ".h"))]
problems = []
for name in sources:
    text = (house.ROOT / name).read_text()
    directory = name.split("/")[1]
    if directory not in order:
        problems.append(f"{name}: src/{directory} is not in tests/house/layers.txt")
        continue
    for quoted, system in INCLUDE.findall(text):
        wrong = wrong_include(directory, quoted, system, order)
        if wrong:
            problems.append(f"{name}: {wrong}")
if not sources:
    problems.append("no source file was found")
house.check("a_directory_includes_only_what_is_above_it", problems)

text = (house.ROOT / "include/haft.h").read_text()
house.check("the_public_header_includes_only_the_system's",
            [f'include/haft.h: "{quoted}"' for quoted, _ in INCLUDE.findall(text) if quoted])

picture = (house.ROOT / "tests/house/layers.txt").read_text()
shown = picture in (house.ROOT / "docs/architecture.md").read_text()
house.check("the_architecture_page_shows_the_same_layers",
            [] if shown else ["docs/architecture.md does not have the text of layers.txt"])

there = sorted(path.name for path in (house.ROOT / "src").iterdir() if path.is_dir())
house.check("every_layer_is_a_directory",
            [f"src/{name} and layers.txt disagree" for name in set(there) ^ set(order)])
