# SPDX-License-Identifier: Apache-2.0
"""Parses include/haft.h: sections, and in them comments with their declarations."""
import re

import house

END = "/* ---- how the declarations are made"
LABELS = ("Owns", "Thread", "Fails", "Since")
PARTS = re.compile(r"\b(Owns|Thread|Fails|Since):\s")


class Item:
    """A comment and the declarations after it, up to the next empty line."""

    def __init__(self, section, line, comment, code):
        self.section, self.line, self.comment, self.code = section, line, comment, code
        self.kind, self.name = classify(code)
        self.text, self.parts = split_comment(comment)

    @property
    def names(self):
        """All names of a group of macros; otherwise the one name."""
        names = re.findall(r"^ *#define (HAFT_\w+)", self.code, re.M)
        return list(dict.fromkeys(names)) or [self.name]

    def entries(self):
        """(line, comment) of each member of a struct or value of an enum."""
        inside = self.code[self.code.index("{") + 1:self.code.rindex("}")]
        if "HAFT_STATUS_MAP" in inside:
            return []
        found = re.findall(r"^    (\S[^\n]*?[;,])\s*(/\*.*?\*/)?$", inside, re.M | re.S)
        return [(entry, comment) for entry, comment in found]


class Section:
    def __init__(self, title, comment):
        self.title, self.text, self.items = title, comment, []


def classify(code):
    for kind, pattern in [("function", r"^HAFT_API\b[^;(]*?\b(haft_\w+)\("),
                          ("enum", r"^typedef enum (\w+) \{"),
                          ("struct", r"^(?:typedef )?struct (\w+) \{"),
                          ("opaque", r"^typedef struct \w+ (\w+);"),
                          ("callback", r"^typedef \w+ (\w+)\("),
                          ("macro", r"^ *#define (HAFT_\w+)")]:
        match = re.search(pattern, code, re.M)
        if match:
            return kind, match[1]
    return "other", ""


def split_comment(comment):
    """The text before the first label, and the text after each label."""
    pieces = PARTS.split(comment)
    return pieces[0].strip("\n"), {label: re.sub(r"\s+", " ", text).strip()
                                   for label, text in zip(pieces[1::2], pieces[2::2])}


def bare(comment):
    """The text of a comment without its delimiters; indentation is kept."""
    lines = comment.strip()[2:-2].split("\n")
    return "\n".join(re.sub(r"^ \* ?", "", line).rstrip() for line in lines).strip()


def sections():
    """From the first title up to the internal macros (END)."""
    lines = (house.ROOT / "include/haft.h").read_text().split(END)[0].split("\n")
    found, at = [], 0
    while at < len(lines):
        if not lines[at].startswith("/*"):
            at += 1
            continue
        start = at
        while "*/" not in lines[at]:
            at += 1
        at += 1
        comment, first = bare("\n".join(lines[start:at])), at
        while at < len(lines) and lines[at]:
            at += 1
        title = re.match(r"---- (.*?) ----\n*", comment)
        if title:
            found.append(Section(title[1], comment[title.end():]))
        elif found:
            code = "\n".join(lines[first:at])
            found[-1].items.append(Item(found[-1].title, start + 1, comment, code))
    return found


def items():
    return [item for section in sections() for item in section.items]
