#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The shared libraries export exactly the symbols in symbols.txt and symbols-core.txt, so that the
ABI changes only on purpose. libhaft-core exports a part of them and needs only libc."""
import re

import header
import house

declared = {item.name for item in header.items() if item.kind == "function"}
LISTS = {"libhaft": "symbols.txt", "libhaft-core": "symbols-core.txt"}


def listed(name):
    return (house.ROOT / "tests/house" / LISTS[name]).read_text().split()


for library, page in LISTS.items():
    wanted = listed(library)
    path = house.BUILD / f"src/{library}.so"
    status, output = house.run(["nm", "-D", "--defined-only", path])
    found = [line.split()[-1] for line in output.splitlines()] if status == 0 else []
    problems = [] if status == 0 else [output]
    problems += [f"{name} is exported but not in tests/house/{page}"
                 for name in sorted(set(found) - set(wanted))]
    problems += [f"{name} is in tests/house/{page} but not exported"
                 for name in sorted(set(wanted) - set(found))]
    house.check(f"exported_symbols_are_those_of_the_list_of_{library}", problems)
    house.check(f"the_list_of_{library}_is_sorted",
                [] if wanted == sorted(wanted) else [f"sort {page}"])
    output = house.run(["readelf", "-d", path])[1]
    house.check(f"{library}_has_its_soname",
                [] if f"[{library}.so.0]" in output
                else [f"wanted {library}.so.0, found\n{output}"])

house.check("exported_symbols_are_those_of_the_header",
            [f"{name}: the header and the list disagree"
             for name in declared ^ set(listed("libhaft"))])

# These sections of the header need a host, all others do not.
hostless = {item.name for item in header.items()
            if item.kind == "function"
            and item.section not in ("runs", "calls without callbacks", "graphs")}
house.check("libhaft-core_has_what_needs_no_runtime",
            [f"{name}: the header and the list disagree"
             for name in hostless ^ set(listed("libhaft-core"))])

output = house.run(["readelf", "-d", house.BUILD / "src/libhaft-core.so"])[1]
needed = re.findall(r"\(NEEDED\).*\[([^\]]+)\]", output)
house.check("libhaft-core_needs_libc_only",
            [] if needed == ["libc.so.6"] else [f"it needs {', '.join(needed)}"])
