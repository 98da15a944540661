#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Includes follow the layers: tests/house/layers.txt lists prefixes of src/ in order.

A file belongs to the longest prefix that matches its path, and includes only its own layer and
those above it. A header `*_int.h` is private to its folder; another header may say at its top
"Private to src/FOLDER". Siblings include none of each other. Folders in SEAMS are included only by
the prefixes that are listed there.
"""
import functools
import re
from fnmatch import fnmatchcase

import house

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)

# Libraries that only one prefix may use.
OWNERS = {"uv.h": "io", "curl/": "io", "microhttpd.h": "io", "zlib.h": "io",
          "libfyaml.h": "spec/load"}

# The prefixes that may include a folder; all others use a table of functions, for providers
# model/provider.h. The embedder, the mock server and `haft parse` use Chat Completions directly.
SEAMS = {"model/providers": ["model", "exec/embeddings", "serve/mock",
                             "cli/commands/parse_native.c"]}

ORDER, _ = house.layers()
SIBLINGS = house.siblings()


def is_in(path, prefix):
    return path == prefix or path.startswith(prefix + "/")


def layer_of(path):
    """The longest prefix of ORDER that contains `path` (relative to src/), or None."""
    return max((prefix for prefix in ORDER if is_in(path, prefix)), key=len, default=None)


def sibling_of(path):
    """The (group, member) of SIBLINGS that contains `path`, or None."""
    for group in SIBLINGS:
        for pattern in group:
            depth = pattern.count("/") + 1
            member = re.sub(r"\.[ch]$", "", "/".join(path.split("/")[:depth]))
            if path.count("/") + 1 >= depth and fnmatchcase(member, pattern):
                return group, member
    return None


def wrong_system_include(path, header):
    for start, owner in OWNERS.items():
        if header.startswith(start) and not is_in(path, owner):
            return f"<{header}> belongs to src/{owner}"
    return None


@functools.cache
def private_to(header):
    """The folder whose files may include `header`, as the comment at its top says, or None."""
    top = (house.ROOT / "src" / header).read_text().partition("#ifndef")[0]
    said = re.search(r"Private to[\s*]+(its folder|src/[\w/]*\w)", top)
    if said is None:
        return None
    return header.rpartition("/")[0] if said[1] == "its folder" else said[1].removeprefix("src/")


def behind_seam(path, header):
    """The entry of SEAMS that forbids `path` to include `header`, or None."""
    return next((seam for seam, users in SEAMS.items()
                 if is_in(header, seam) and not any(is_in(path, user) for user in users)), None)


def wrong_include(path, header):
    """Why src/`path` may not include "`header`"; None if it may."""
    if header == "haft.h":
        return None
    layer, target = layer_of(path), layer_of(header)
    if target is None or not (house.ROOT / "src" / header).exists():
        return f'"{header}" is no "folder/file.h" of src/'
    if ORDER.index(target) > ORDER.index(layer):
        return f'"{header}" is below src/{layer}'
    folder = header.rpartition("/")[0]
    if header.endswith("_int.h") and path.rpartition("/")[0] != folder:
        return f'"{header}" is private to src/{folder}'
    if private_to(header) and not is_in(path, private_to(header)):
        return f'"{header}" is private to src/{private_to(header)}'
    seam = behind_seam(path, header)
    if seam:
        return f'"{header}": only {", ".join(SEAMS[seam])} may include src/{seam}'
    here, there = sibling_of(path), sibling_of(header)
    if here and there and here[0] == there[0] and here[1] != there[1]:
        return f'"{header}": src/{here[1]} and src/{there[1]} do not include each other'
    return None


sources = [name for name in house.source_files()
           if name.startswith("src/") and name.endswith((".c", ".h"))]
problems = []
for name in sources:
    path = name.removeprefix("src/")
    if layer_of(path) is None:
        problems.append(f"{name}: no prefix of tests/house/layers.txt matches")
        continue
    for quoted, system in INCLUDE.findall((house.ROOT / name).read_text()):
        wrong = wrong_include(path, quoted) if quoted else wrong_system_include(path, system)
        if wrong:
            problems.append(f"{name}: {wrong}")
if not sources:
    problems.append("no source file was found")
house.check("directories_include_only_layers_above_them", problems)

headers = [name.removeprefix("src/") for name in sources if name.endswith("_int.h")]
house.check("private_headers_name_their_own_folder",
            [f"src/{name}: a header *_int.h is private to its folder, not to src/{private_to(name)}"
             for name in headers if private_to(name) not in (None, name.rpartition("/")[0])])

# A row that names folders names all of their parent, so that a new folder is checked, too.
named = {member for group in SIBLINGS for member in group}
parents = {member.rpartition("/")[0] for member in named if "/" in member and "*" not in member}
house.check("siblings_are_complete",
            [f"src/{folder}: no row of siblings in tests/house/layers.txt has it"
             for folder in sorted({name.removeprefix("src/").rpartition("/")[0]
                                   for name in sources})
             if folder.rpartition("/")[0] in parents and folder not in named])

text = (house.ROOT / "include/haft.h").read_text()
house.check("the_public_header_includes_only_the_system's",
            [f'include/haft.h: "{quoted}"' for quoted, _ in INCLUDE.findall(text) if quoted])

picture = (house.ROOT / "tests/house/layers.txt").read_text()
shown = picture in (house.ROOT / "docs/architecture.md").read_text()
house.check("the_architecture_page_shows_the_same_layers",
            [] if shown else ["docs/architecture.md does not have the text of layers.txt"])

there = {path.name for path in (house.ROOT / "src").iterdir()
         if path.is_dir() or path.suffix in (".c", ".h")}
listed = {prefix.split("/")[0] for prefix in ORDER}
house.check("every_layer_is_a_directory_or_a_file",
            [f"src/{name} and layers.txt disagree" for name in sorted(there ^ listed)]
            + [f"src/{prefix} does not exist" for prefix in ORDER
               if not (house.ROOT / "src" / prefix).exists()])

MANY = 30
count = {}
for name in sources:
    if name.endswith(".c"):
        folder = name.rpartition("/")[0]
        count[folder] = count.get(folder, 0) + 1
house.check(f"no_folder_has_more_than_{MANY}_sources",
            [f"{folder} has {number}" for folder, number in sorted(count.items())
             if number > MANY and folder != "src/cli/commands"])
