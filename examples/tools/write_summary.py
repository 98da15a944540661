# SPDX-License-Identifier: Apache-2.0
"""write_summary: puts a text into summary.txt, in the directory the command runs in."""
from pathlib import Path

import arguments

[text] = arguments.read("text")
try:
    Path("summary.txt").write_text(text + "\n", encoding="utf-8")
except (OSError, ValueError) as error:
    arguments.fail(f"summary.txt cannot be written: {error}")
print(f"written to summary.txt: {len(text.split())} words")
