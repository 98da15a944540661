#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each header compiles alone, and the public header in every supported language."""
import re

import house

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-Iinclude"]
# Some libraries have headers outside of the compiler's search path.
LIBRARIES = house.run(["pkg-config", "--cflags", "libpq"])[1].split()
INSIDE = ["-Isrc", "-Itests", "-Ifuzz", "-Ibindings", "-D_POSIX_C_SOURCE=200809L", *LIBRARIES]


def compile_header(compiler, name, flags):
    """The errors of a file that includes only this header, twice."""
    status, output = house.run([*compiler, *STRICT, *flags, "-"],
                               text=f'#include "{name}"\n#include "{name}"\nextern int end;\n')
    return [f"{name}:\n{output}"] if status != 0 or output else []


FIRST = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
GUARD = re.compile(r"(?:/\*.*?\*/\s*)*#ifndef (\w+)\n#define \1\n", re.DOTALL)


def built_alone():
    """Headers with a guard that some source file includes first: the build has shown that they
    compile alone."""
    found = set()
    for name in house.source_files():
        if name.endswith(".c") and name.startswith(("src/", "tests/")):
            text = (house.ROOT / name).read_text()
            first = re.search(r"^#include .*", text, re.MULTILINE)
            match = first and FIRST.match(first[0])
            if match:
                found |= {f"src/{match[1]}", f"tests/{match[1]}"}
    return {name for name in found if (house.ROOT / name).exists()
            and GUARD.match((house.ROOT / name).read_text())}


# These need the headers of Node, which npm installs for scripts/build-npm; it compiles them.
FOR_NODE = "bindings/node/"
problems, built = [], built_alone()
for header in [name for name in house.headers()
               if name not in built and not name.startswith(FOR_NODE)]:
    problems += compile_header([*house.CC, "-x", "c", "-std=c17"],
                               str(house.ROOT / header), INSIDE)
house.check("every_header_compiles_alone", problems)

for name, compilers, flags in [
        ("haft_h_is_c11", ["gcc", "clang"], ["-x", "c", "-std=c11"]),
        ("haft_h_is_cpp20", ["g++", "clang++"], ["-x", "c++", "-std=c++20"])]:
    there = [compiler for compiler in compilers if house.has(compiler)]
    problems = []
    for compiler in there:
        problems += compile_header([compiler, *flags], "haft.h", ["-Wconversion", "-Wshadow"])
    if there:
        house.check(name, problems)
    else:
        house.skip(name, f"none of {', '.join(compilers)} is installed")

lines = (house.ROOT / "include/haft.h").read_text().splitlines()
house.check("haft_h_has_no_private_names",
            [f"include/haft.h:{number}: {line}" for number, line in enumerate(lines, 1)
             if "haft__" in line or "HAFT__" in line])
