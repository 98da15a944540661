#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shared library exports exactly what symbols.txt lists: the ABI changes on purpose only."""
import re

import house

wanted = (house.ROOT / "tests/house/symbols.txt").read_text().split()
library = house.BUILD / "src/libhaft.so"
status, output = house.run(["nm", "-D", "--defined-only", library])
found = [line.split()[-1] for line in output.splitlines()] if status == 0 else []
problems = [] if status == 0 else [output]
problems += [f"{name} is exported but not in tests/house/symbols.txt"
             for name in sorted(set(found) - set(wanted))]
problems += [f"{name} is in tests/house/symbols.txt but not exported"
             for name in sorted(set(wanted) - set(found))]
house.check("exported_symbols_are_those_of_the_list", problems)

header = (house.ROOT / "include/haft.h").read_text()
declared = set(re.findall(r"^HAFT_API\b[^;(]*?\b(haft_\w+)\(", header, re.MULTILINE))
house.check("exported_symbols_are_those_of_the_header",
            [f"{name}: the header and the list disagree" for name in declared ^ set(wanted)])

house.check("the_list_is_sorted", [] if wanted == sorted(wanted) else ["sort symbols.txt"])

output = house.run(["readelf", "-d", library])[1]
house.check("the_library_has_its_soname",
            [] if "[libhaft.so.0]" in output else [f"wanted libhaft.so.0, found\n{output}"])
