#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No file uses a phrase of the left column of docs/glossary.md, section Phrases.

No sentence of a page or of a comment in C begins with "What" or "Whoever" unless it is a question:
its subject comes first.

No sentence of a page or of a comment of src/ uses a word of AMBIGUOUS, which has two meanings.

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

# Strings come first: a comment cannot begin inside of one.
COMMENT = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*(.*?)\*/', re.DOTALL)
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*(?:- |\d+\. |\||#))")
# Words with two meanings, and the words to use. The glossary has them, too.
AMBIGUOUS = {
    re.compile(r"(?<!\bmay or )\bmay not\b"): "must not (forbidden) or might not (possible)",
    re.compile(r", since (?!then\b)"): "because (reason) or after (time)",
    re.compile(r"\bbut for\b|\ball but (?:the|one)\b"): "except",
    re.compile(r"\bhowever (?:the|it|they|long|often|many)\b"): "no matter how, wherever",
    re.compile(r"\b(?:told|tell) apart\b|\bcan be told (?:from|of)\b"): "distinguish",
}
SUBJECT_LAST = re.compile(r"\W*(?:What|Whatever|Whoever)\s")


def prose(name, text):
    """The comments of a source file, or a page without its code, tables and headings."""
    if name.endswith(".md"):
        lines = FENCE.sub("", text).splitlines()
        return ["\n".join("" if line.startswith(("#", "|", "    ")) else line for line in lines)]
    return [re.sub(r"\n\s*\*", "\n", match[1]) for match in COMMENT.finditer(text) if match[1]]


def subject_last(name, text):
    """The sentences that begin with "What" or the like and are not questions."""
    return [sentence for part in prose(name, text) for sentence in SENTENCE_END.split(part)
            if SUBJECT_LAST.match(sentence) and "?" not in sentence]


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
pages = [name for name in house.source_files() if name.endswith((".c", ".h", ".md"))]
house.check("the_subject_of_a_sentence_comes_first",
            [f"{name}: '{' '.join(sentence.split())[:60]}'" for name in pages
             for sentence in subject_last(name, (house.ROOT / name).read_text(errors="replace"))])
found = []
for name in pages:
    if name.startswith(("src/", "docs/", "include/", "libexec/")) and name not in EXEMPT:
        text = " ".join(" ".join(prose(name, (house.ROOT / name).read_text())).split())
        found += [f"{name}: '{text[max(0, match.start() - 30):match.end() + 20]}': write {right}"
                  for word, right in AMBIGUOUS.items() for match in word.finditer(text)]
house.check("no_sentence_uses_a_word_with_two_meanings", found)
house.check("paths_in_words_later_use_a_phrase",
            [f"{LATER}: {path} has none of the phrases any more" for path in waiting
             if path not in used])
