#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Headers: each compiles alone, and the public one in every language it is meant for."""
import re

import house

STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-Iinclude"]
# Not every library keeps its headers where compilers look.
LIBRARIES = house.run(["pkg-config", "--cflags", "libpq"])[1].split()
INSIDE = ["-Isrc", "-Itests", "-Ifuzz", "-D_POSIX_C_SOURCE=200809L", *LIBRARIES]


def compile_header(compiler, name, flags):
    """What the compiler has to say about a file that includes nothing else, and that twice."""
    status, output = house.run([*compiler, *STRICT, *flags, "-"],
                               text=f'#include "{name}"\n#include "{name}"\nextern int end;\n')
    return [f"{name}:\n{output}"] if status != 0 or output else []


FIRST = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
GUARD = re.compile(r"(?:/\*.*?\*/\s*)*#ifndef (\w+)\n#define \1\n", re.DOTALL)


def built_alone():
    """Headers that some file of ours includes before anything else, and which have a guard: that
    they compile alone has been shown by the build."""
    found = set()
    for name in house.tracked():
        if name.endswith(".c") and name.startswith(("src/", "tests/")):
            text = (house.ROOT / name).read_text()
            first = re.search(r"^#include .*", text, re.MULTILINE)
            match = first and FIRST.match(first[0])
            if match:
                found |= {f"src/{match[1]}", f"tests/{match[1]}"}
    return {name for name in found if (house.ROOT / name).exists()
            and GUARD.match((house.ROOT / name).read_text())}


problems, built = [], built_alone()
for header in [name for name in house.headers() if name not in built]:
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
house.check("haft_h_shows_nothing_of_the_inside",
            [f"include/haft.h:{number}: {line}" for number, line in enumerate(lines, 1)
             if "haft__" in line or "HAFT__" in line])
