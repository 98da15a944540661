#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objects of the pure layers use only external symbols of pure-symbols.txt, and have no writable
variables."""
import fnmatch
import re

import house

# Constant tables of pointers are writable only while the program is being loaded.
WRITABLE = re.compile(r"\.data(?!\.rel\.ro)|\.bss|\.tdata|\.tbss|\*COM\*")

# The libraries that are compiled as plain C17: src/meson.build.
LIBRARIES = ["libhaft-pure", "libhaft-helped", "libhaft-core"]


def allowed_patterns():
    lines = (house.ROOT / "tests/house/pure-symbols.txt").read_text().splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def objects_of(layer):
    pattern = layer.replace("/", "_") + "_*.o"
    return sorted(path for library in LIBRARIES
                  for path in (house.BUILD / f"src/{library}.a.p").glob(pattern))


def undefined(paths):
    """(object, undefined symbol) of all objects."""
    lines = house.run(["nm", "-u", "-A", *paths])[1].splitlines()
    return [(line.split(":")[0].split("/")[-1], line.split()[-1]) for line in lines]


def variables(paths):
    """(object, variable in a writable section) of all objects."""
    found, name = [], ""
    for line in house.run(["objdump", "-t", "-w", *paths])[1].splitlines():
        if ":     file format " in line:
            name = line.split(":")[0].split("/")[-1]
        fields = re.fullmatch(r"[0-9a-f]+ (.{7}) (\S+)\s+[0-9a-f]+ (?:\.hidden )?(\S+)", line)
        if fields and fields[1][6] == "O" and WRITABLE.match(fields[2]):
            found.append((name, fields[3]))
    return found


allowed = re.compile("|".join(map(fnmatch.translate, allowed_patterns())))


def is_allowed(symbol):
    return allowed.match(symbol) is not None


_, pure = house.layers()
every, foreign, writable, empty = [], [], [], []
for layer in pure:
    objects = objects_of(layer)
    if not objects and list((house.ROOT / "src" / layer).glob("*.c")):
        empty.append(f"no object of src/{layer} is in {house.BUILD.name}; is it in meson.build?")
    every += objects
foreign += [f"{name} uses {symbol}" for name, symbol in undefined(every) if not is_allowed(symbol)]
writable += [f"{name} has the variable {variable}" for name, variable in variables(every)]
house.check("objects_were_found", empty)
house.check("pure_objects_use_only_what_the_list_allows", foreign)
house.check("pure_objects_have_no_variables", writable)
