#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Objects of the pure layers take nothing from outside that is not on the list, and have no
variables that outlive a call."""
import fnmatch
import re

import house

# Constant tables that hold pointers are writable only while the program is loaded.
WRITABLE = re.compile(r"\.data(?!\.rel\.ro)|\.bss|\.tdata|\.tbss|\*COM\*")

# Those that are compiled as plain C17: src/meson.build.
LIBRARIES = ["libhaft-pure", "libhaft-helped", "libhaft-core"]


def allowed_patterns():
    lines = (house.ROOT / "tests/house/pure-symbols.txt").read_text().splitlines()
    return [line.split()[0] for line in lines if line and not line.startswith("#")]


def objects_of(layer):
    return sorted(path for library in LIBRARIES
                  for path in (house.BUILD / f"src/{library}.a.p").glob(f"{layer}_*.o"))


def undefined(path):
    return [line.split()[-1] for line in house.run(["nm", "-u", path])[1].splitlines()]


def variables(path):
    """Names of objects in sections that can be written to."""
    found = []
    for line in house.run(["objdump", "-t", "-w", path])[1].splitlines():
        fields = re.fullmatch(r"[0-9a-f]+ (.{7}) (\S+)\s+[0-9a-f]+ (?:\.hidden )?(\S+)", line)
        if fields and fields[1][6] == "O" and WRITABLE.match(fields[2]):
            found.append(fields[3])
    return found


patterns = allowed_patterns()
_, pure = house.layers()
foreign, writable, empty = [], [], []
for layer in pure:
    objects = objects_of(layer)
    if not objects and list((house.ROOT / "src" / layer).glob("*.c")):
        empty.append(f"no object of src/{layer} is in {house.BUILD.name}; is it in meson.build?")
    for path in objects:
        for symbol in undefined(path):
            if not any(fnmatch.fnmatchcase(symbol, pattern) for pattern in patterns):
                foreign.append(f"{path.name} uses {symbol}")
        writable += [f"{path.name} has the variable {name}" for name in variables(path)]
house.check("objects_were_found", empty)
house.check("pure_objects_use_only_what_the_list_allows", foreign)
house.check("pure_objects_have_no_variables", writable)
