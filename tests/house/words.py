#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No file uses a phrase of the left column of docs/glossary.md, section Phrases.

tests/house/words-later.txt lists paths that are not checked yet; it only becomes shorter.
"""
import re

import house

GLOSSARY = "docs/glossary.md"
LATER = "tests/house/words-later.txt"
TEXT = (".c", ".h", ".md", ".py", ".json", ".yaml", ".txt", ".build", ".cpp")


def phrases():
    section = (house.ROOT / GLOSSARY).read_text().split("## Phrases")[1]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", section, re.MULTILINE)
    return [phrase.strip() for row in rows[1:] for phrase in row.split(",")]


def later():
    lines = (house.ROOT / LATER).read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


# Any white space between the words, and the stars that begin the lines of a comment.
GAP = r"(?:\s|\*(?=\s)|#(?=\s)|//)+"
FOUND = re.compile(r"\b(?:" + "|".join(GAP.join(map(re.escape, phrase.split()))
                                       for phrase in phrases()) + r")\b", re.IGNORECASE)
EXEMPT = (GLOSSARY, LATER, "tests/house/words.py")

waiting, problems, used = later(), [], set()
for name in house.source_files():
    if not name.endswith(TEXT) or name in EXEMPT or name.startswith("fuzz/corpus/"):
        continue
    path = next((prefix for prefix in waiting if name == prefix or name.startswith(prefix + "/")),
                None)
    text = (house.ROOT / name).read_text(errors="replace")
    for match in FOUND.finditer(text):
        used.add(path)
        if path is None:
            line = text.count("\n", 0, match.start()) + 1
            problems.append(f"{name}:{line}: '{' '.join(match[0].split())}', see {GLOSSARY}")
house.check("no_phrase_of_the_glossary_is_used", problems)
house.check("paths_in_words_later_use_a_phrase",
            [f"{LATER}: {path} has none of the phrases any more" for path in waiting
             if path not in used])
