#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/local-models.md contains the table of src/model/family_rows.c between two marks;
`tests/house/families.py --write` updates it."""
import sys
import tempfile
from pathlib import Path

import house

PAGE = house.ROOT / "docs/local-models.md"
BEGIN, END = "<!-- families -->\n", "<!-- /families -->\n"
HEAD = """
| family | names | chat templates with | format | context | size | native calls at | reasoning tag |
|---|---|---|---|---:|---:|---|---|
"""
PROGRAM = r"""
#include <stdio.h>
#include "model/families.h"
int main(void)
{
    size_t count;
    const haft__family *rows = haft__families(&count);
    for (size_t i = 0; i < count; i++) {
        const haft__family *r = &rows[i];
        printf("%s\t", r->name);
        for (size_t k = 0; k < HAFT__FAMILY_PATTERNS && r->patterns[k] != NULL; k++) {
            printf("%s%s", k > 0 ? " " : "", r->patterns[k]);
        }
        printf("\t");
        for (size_t k = 0; k < HAFT__FAMILY_MARKS && r->marks[k] != NULL; k++) {
            printf("%s%s", k > 0 ? "\x01" : "", r->marks[k]);
        }
        printf("\t%s\t%u\t%u\t%u\t%s\t%d\n", r->format, r->context, r->size, r->native,
               r->reasoning_open != NULL ? r->reasoning_open : "", r->starts_in_reasoning);
    }
}
"""
SERVERS = ((1, "Ollama"), (2, "vLLM"), (4, "others"))


def code(text):
    return "`" + text.replace("|", "\\|") + "`" if text else ""


def row(line):
    name, patterns, marks, form, context, size, native, think, opened = line.split("\t")
    servers = [word for bit, word in SERVERS if int(native) & bit]
    where = "all" if len(servers) == len(SERVERS) else ", ".join(["llama.cpp"] + servers)
    billions = f"{int(size) / 1000:,g} B" if int(size) else ""
    cells = [name, " ".join(code(word) for word in patterns.split()),
             " and ".join(code(mark) for mark in marks.split("\x01") if mark), code(form),
             f"{int(context):,}" if int(context) else "", billions, where,
             code(think) + (" (opened by the template)" if int(opened) else "")]
    return "| " + " | ".join(cells) + " |\n"


def table():
    with tempfile.TemporaryDirectory(prefix="haft-families-") as directory:
        program = Path(directory) / "families"
        status, output = house.run([*house.CC, "-std=c17", "-Iinclude", "-Isrc", "-x", "c", "-",
                                    "src/model/family_rows.c", "-o", program], text=PROGRAM)
        if status != 0:
            return output
        return HEAD + "".join(map(row, house.run([program])[1].splitlines())) + "\n"


page = PAGE.read_text()
parts = page.partition(BEGIN), page.partition(END)
wanted = parts[0][0] + BEGIN + table() + END + parts[1][2]
if "--write" in sys.argv:
    PAGE.write_text(wanted)
else:
    house.check("the_page_has_the_marks_once",
                [f"{mark.strip()} occurs {page.count(mark)} times" for mark in (BEGIN, END)
                 if page.count(mark) != 1])
    house.check("the_page_has_the_table_of_the_source",
                [] if page == wanted else
                ["docs/local-models.md is not up to date; "
                 "run tests/house/families.py --write"])
