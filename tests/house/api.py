#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each declaration of haft.h documents ownership, threads, failures and the version it exists
since. docs/api.md contains all of them; `tests/house/api.py --write` updates it. examples/tiny.c
uses every function, but for those of graphs, which examples/graph_embed.c uses, and those of calls
without callbacks, which examples/queued.c uses."""
import re
import sys

import header
import house

WANTED = {"function": header.LABELS, "callback": header.LABELS, "enum": ("Since",),
          "struct": ("Owns", "Thread", "Since"), "opaque": ("Owns", "Thread", "Since"),
          "macro": ("Since",)}
PAGE = house.ROOT / "docs/api.md"
HEAD = "<!-- From here on made from include/haft.h by tests/house/api.py --write -->\n"


# ---- comments ----

def lacking(item):
    problems = [f"no {label}:" for label in WANTED.get(item.kind, ()) if label not in item.parts]
    if item.kind not in WANTED:
        problems.append("what is it?")
    if not item.text.strip():
        problems.append("says nothing")
    if not re.fullmatch(r"\d+\.\d+\.", item.parts.get("Since", "0.0.")):
        problems.append(f"Since: {item.parts['Since']}")
    if item.kind in ("struct", "enum"):
        problems += [f"{entry} says nothing" for entry, comment in item.entries() if not comment]
    return problems + wrong_statuses(item)


def wrong_statuses(item):
    """Unknown statuses, and functions that return a status and name none."""
    fails = item.parts.get("Fails", "")
    named = set(re.findall(r"(?<![_\w])[A-Z]{2}[A-Z_]*\b", fails)) - {"NULL", "JSON", "HAFT_OK"}
    named = {name for name in named if not name.startswith("HAFT_")}
    problems = [f"{name} is no status" for name in named - set(statuses)]
    returns = item.kind == "function" and "HAFT_MUST_USE haft_status" in item.code
    if returns and not named and not re.match(r"like haft_\w+\.", fails):
        problems.append("names no status that it fails with")
    return problems


def check_comments(items):
    house.check("declarations_were_found",
                [] if len(items) > 60 else [f"found {len(items)} only"])
    house.check("every_declaration_documents_owner_threads_failures_and_version",
                [f"include/haft.h:{item.line}: {item.name}: {problem}"
                 for item in items for problem in lacking(item)])
    text = (house.ROOT / "include/haft.h").read_text()
    public = set(re.findall(r"^HAFT_API\b[^;(]*?\b(haft_\w+)\(|^(?:typedef )?struct (\w+) \{|"
                            r"^typedef enum (\w+)", text, re.M))
    missed = {name for names in public for name in names if name} - {item.name for item in items}
    house.check("every_declaration_has_a_comment", sorted(missed))


def check_guard():
    """The checks above find a declaration that lacks something."""
    code = "HAFT_API HAFT_MUST_USE haft_status haft_do(int it, haft_error *err);"
    good = "Does it. Owns: nothing. Thread: any. Fails: BAD_INPUT. Since: 0.1."
    cases = [(good, 0), (good.replace("Owns", "Has"), 1), (good.replace("Thread: any. ", ""), 1),
             (good.replace("BAD_INPUT", "BAD_LUCK"), 1), (good.replace("BAD_INPUT", "never"), 1),
             (good.replace("0.1", "ever"), 1), (good.replace("Does it. ", ""), 1)]
    wrong = [comment for comment, wanted in cases
             if len(lacking(header.Item("", 1, comment, code))) != wanted]
    struct = "typedef struct a {\n    int b; /* it */\n    int c;\n} a;"
    if lacking(header.Item("", 1, good, struct)) != ["int c; says nothing"]:
        wrong.append(struct)
    house.check("missing_parts_are_reported", wrong)


# ---- docs/api.md ----

def paragraphs(text):
    """Joins the lines of a paragraph; indented blocks are code."""
    shown = []
    for block in re.split(r"\n\n", text.strip("\n")):
        if block.startswith("    "):
            code = "\n".join(line[4:] for line in block.split("\n"))
            shown.append(f"```c\n{code}\n```")
        else:
            shown.append(re.sub(r"\n", " ", block).strip())
    return "\n\n".join(filter(None, shown))


def escaped(text):
    """Escapes Markdown characters outside of code."""
    pieces = re.split(r"(`[^`]*`|^```c\n.*?^```$)", text, flags=re.M | re.S)
    return "".join(piece if at % 2 else re.sub(r"([*<])", r"\\\1", piece)
                   for at, piece in enumerate(pieces))


def signature(item):
    """The code of a declaration; of a macro with arguments, only its head."""
    if item.kind != "macro" or item.name in ("HAFT_STATUS_MAP", "HAFT_API"):
        return item.code
    heads = re.findall(r"^#define (HAFT_\w+\([^)]*\)|HAFT_\w+ [^\\\n]*|HAFT_\w+)", item.code, re.M)
    return "\n".join(f"#define {head.strip()}" for head in heads)


def shown(item):
    names = " ".join(f"`{name}`" for name in item.names)
    parts = [f"- {label}: {item.parts[label]}" for label in header.LABELS if label in item.parts]
    return (f"### {names}\n\n```h\n{signature(item)}\n```\n\n{escaped(paragraphs(item.text))}\n\n"
            + escaped("\n".join(parts)) + "\n")


def reference():
    pages = []
    for section in header.sections():
        text = escaped(paragraphs(section.text))
        pages.append(f"## Reference: {section.title}\n" + (f"\n{text}\n" if text else ""))
        pages += [shown(item) for item in section.items]
    return "\n".join(pages)


# ---- examples/tiny.c ----

def check_tiny():
    examples = {"tiny.c": 200, "embed.c": 100, "graph_embed.c": 150, "queued.c": 120}
    sources = [(house.ROOT / "examples" / name).read_text() for name in examples]
    text = re.sub(r"/\*.*?\*/", "", "\n".join(sources), flags=re.S)
    symbols = (house.ROOT / "tests/house/symbols.txt").read_text().split()
    house.check("the_examples_use_every_function",
                [f"none of {', '.join(examples)} calls {name}" for name in symbols
                 if not re.search(rf"\b{name}\(", text)])
    for name, most in examples.items():
        lines = len((house.ROOT / "examples" / name).read_text().splitlines())
        house.check(f"{name}_has_less_than_{most}_lines",
                    [] if lines < most else [f"it has {lines}"])


statuses = re.findall(r"^    X\((\w+), \"", (house.ROOT / "include/haft.h").read_text(), re.M)
page = PAGE.read_text()
guide = page[:page.index(HEAD)] if HEAD in page else page + "\n"
if "--write" in sys.argv:
    PAGE.write_text(guide + HEAD + "\n" + reference())
else:
    check_comments(header.items())
    check_guard()
    house.check("the_page_has_every_declaration",
                [] if page == guide + HEAD + "\n" + reference()
                else ["docs/api.md is not up to date; run tests/house/api.py --write"])
    check_tiny()
