#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""There is one version: include/haft.h states it, and everything else has or prints the same."""
import json
import re

import house

HEADER = (house.ROOT / "include/haft.h").read_text()
VERSION = re.search(r'^#define HAFT_VERSION +"(.*)"$', HEADER, re.M)[1]


def numbers():
    return ".".join(re.search(rf"^#define HAFT_VERSION_{part} (\d+)$", HEADER, re.M)[1]
                    for part in ("MAJOR", "MINOR", "PATCH"))


def output_of(*words):
    return house.run(words)[1].strip()


def text_of(path, pattern):
    found = re.search(pattern, (house.ROOT / path).read_text(), re.M)
    return found[1] if found else f"nothing like {pattern} in {path}"


def project():
    path = house.BUILD / "meson-info/intro-projectinfo.json"
    return json.loads(path.read_text())["version"]


def pc_version(name):
    return next((re.search(r"^Version: (.*)$", path.read_text(), re.M)[1]
                 for path in house.BUILD.rglob(f"{name}.pc") if "-uninstalled" not in path.name),
                f"there is no {name}.pc")


def packages():
    """(path, version) of the packages of other languages."""
    for path in house.source_files():
        if re.fullmatch(r"bindings/\w+/pyproject\.toml", path):
            text = (house.ROOT / path).read_text()
            if "dynamic" not in text:
                yield path, text_of(path, r'^version = "(.*)"$')
        elif re.fullmatch(r"bindings/\w+/package\.json", path):
            yield path, json.loads((house.ROOT / path).read_text())["version"]


found = [
    ("the numbers of haft.h", numbers()),
    ("scripts/version", output_of("scripts/version")),
    ("haft --version", output_of(house.BUILD / "haft", "--version").removeprefix("haft ")),
    ("meson.build", project()),
    ("haft.pc", pc_version("haft")),
    ("haft-core.pc", pc_version("haft-core")),
    ("the file of libhaft", (house.BUILD / "src/libhaft.so").resolve().name
     .removeprefix("libhaft.so.")),
    ("CHANGELOG.md", text_of("CHANGELOG.md", r"^## (\S+)")),
    ("docs/api.md", text_of("docs/api.md", r'^#define HAFT_VERSION +"(.*)"$')),
    *packages(),
]
house.check("there_is_one_version",
            [f"{name}: wanted {VERSION}, found {other}" for name, other in found
             if other != VERSION])
house.check("the_build_states_no_version",
            [] if VERSION not in (house.ROOT / "meson.build").read_text()
            else ["meson.build: it is in include/haft.h"])
