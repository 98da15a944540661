#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of src/cli/config/variables.c has exactly the variables that the code reads."""
import re

import house

TABLE = "src/cli/config/variables.c"
NAME = r'"([A-Z][A-Z0-9_]{2,})"'
# How code reads a variable: directly, through a table of settings or providers, or through a
# constant with its name.
READS = [rf"getenv\({NAME}\)",
         rf"haft__environment_get\([^;]*?{NAME}",
         rf"->get\([^;]*?{NAME}",
         rf"pass_on\([^;]*?{NAME}",
         rf"\.(?:base_url|key)_env = {NAME}",
         rf"^    X\(\w+, {NAME}",
         rf"static const char \w+\[\] = {NAME}"]
READS = [re.compile(pattern, re.MULTILINE) for pattern in READS]


def files():
    return [name for name in house.source_files() if name.startswith(("src/", "libexec/"))
            and name.endswith((".c", ".h")) and name != TABLE]


def read_in(name):
    text = (house.ROOT / name).read_text()
    if not re.search(r"getenv|environment_get|->get\(|key_env|HAFT__SETTINGS", text):
        return set()
    return {found for pattern in READS for found in pattern.findall(text)}


rows = set(re.findall(rf"^    \{{{NAME}", (house.ROOT / TABLE).read_text(), re.MULTILINE))
used = {}
for file in files():
    for variable in read_in(file):
        used.setdefault(variable, file)
house.check("variables_were_found", [] if len(rows) > 10 and len(used) > 10 else [rows, used])
house.check("every_variable_that_is_read_is_in_the_table",
            [f"{file} reads {name}; add a row to {TABLE}" for name, file in sorted(used.items())
             if name not in rows])
house.check("every_variable_of_the_table_is_read",
            [f"nothing in src/ reads {name}" for name in sorted(rows - set(used))])
calls = [name for name in files() if name not in ("src/io/environment.c",)
         and re.search(r"getenv\((?!\")", (house.ROOT / name).read_text())]
house.check("names_of_variables_are_literals",
            [f"{name} reads a variable whose name is not a literal" for name in calls
             if name != "src/cli/config/config.c"])
