#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file has its licence line, the agreed layout, and no unfinished parts."""
import os
import re
import shutil
import subprocess

import house

COLUMNS = 100
COMMITS = 20
CODE = (".c", ".h", ".cpp", ".py", ".sh", ".js", ".mjs", "meson.build")
# Split in two parts, so that this file does not contain the words.
UNFINISHED = re.compile(r"\b(TO" "DO|FIX" "ME|XX" "X)\\b")
MACHINE = re.compile(r"(?<![\w.])/(wo" r"rk|ho" r"me|ro" r"ot|Us" r"ers)/"
                     r"|https?://[^ /]*(np" "m|py" "pi|deb" r"ian)[^ /]*/")


def is_code(name):
    return name.endswith(CODE) or name.startswith(("scripts/", ".ci/")) or name == "Makefile"


def lines_of(names):
    for name in names:
        text = (house.ROOT / name).read_text()
        for number, line in enumerate(text.splitlines(), 1):
            yield f"{name}:{number}", line


def changed(names):
    """The names of files that are new, or that the last commits or the working tree changed."""
    found = set()
    for words in (["log", f"-{COMMITS}", "--name-only", "--format="],
                  ["diff", "--name-only", "HEAD"], ["ls-files", "-o", "--exclude-standard"]):
        status, output = house.run(["git", *words])
        if status != 0:  # an unpacked archive
            return names
        found.update(output.splitlines())
    return [name for name in names if name in found]


code = [name for name in house.source_files() if is_code(name)]
files = code + [name for name in house.source_files() if name.endswith((".md", ".txt"))]
c_files = [name for name in code if name.endswith((".c", ".h", ".cpp"))]

house.check("every_code_file_has_its_licence_line",
            [f"{name}: no 'SPDX-License-Identifier: Apache-2.0' in its first two lines"
             for name in code if "SPDX-License-Identifier: Apache-2.0"
             not in "\n".join((house.ROOT / name).read_text().splitlines()[:2])])
house.check("no_tabs_in_c", [place for place, line in lines_of(c_files) if "\t" in line])
house.check("no_white_space_at_the_end_of_a_line",
            [place for place, line in lines_of(files) if line != line.rstrip()])
house.check(f"no_line_of_code_over_{COLUMNS}_columns",
            [place for place, line in lines_of(code) if len(line) > COLUMNS])
house.check("no_unfinished_work_is_marked",
            [f"{place}: {line}" for place, line in lines_of(files) if UNFINISHED.search(line)])
house.check("no_machine_specific_paths",
            [f"{place}: {line}" for place, line in lines_of(files) if MACHINE.search(line)])

# `make lint` checks all files, which takes four times as long as all other tests of this file.
recent = c_files if os.environ.get("HAFT_LONG") == "1" else changed(c_files)
if shutil.which("clang-format-14") is None:
    house.skip("clang_format_reports_no_differences", "clang-format 14 is not installed")
else:
    found = subprocess.run(["clang-format-14", "--dry-run", "-Werror", "/dev/null", *recent],
                           cwd=house.ROOT, stderr=subprocess.PIPE, text=True)
    house.check("clang_format_reports_no_differences", found.stderr.splitlines()[:20])
