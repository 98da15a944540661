#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links and file names in the documents are valid."""
import re

import house

LINK = re.compile(r"\]\(([^)\s]+)\)")
# A path of the tree in backticks, or after "Tests:" and "Fuzzer:" at the top of a source file.
TOP = "src|tests|scripts|docs|fuzz|examples|include|bench|studio|clients"
QUOTED = re.compile(rf"`((?:{TOP})/[\w./-]*\w/?)`")
NAMED = re.compile(r"(?:Tests|Fuzzer|Format): ((?:tests|fuzz|docs)/[\w./-]*\w)")
BARE = re.compile(r"`([\w-]+\.[ch])`")
PLACEHOLDER = re.compile(r"NAME|DIR|FILE")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def anchors(path):
    """The anchors of headings: lower case, without punctuation, dashes for spaces."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
            for title in HEADING.findall(path.read_text())}


def broken_link(page, target):
    if re.match(r"[a-z]+:", target):
        return None
    path, _, anchor = target.partition("#")
    file = page.parent / path if path else page
    if not file.exists():
        return f"{target} does not exist"
    if anchor and anchor not in anchors(file):
        return f"{target}: no such heading"
    return None


files = house.source_files()
pages = [house.ROOT / name for name in files if name.endswith(".md")]
problems = []
for page in pages:
    for target in LINK.findall(page.read_text()):
        wrong = broken_link(page, target)
        if wrong:
            problems.append(f"{page.relative_to(house.ROOT)}: {wrong}")
house.check("links_are_valid", problems)

problems = []
for name in files:
    if not name.endswith((".md", ".c", ".h", ".py")):
        continue
    text = (house.ROOT / name).read_text()
    for path in QUOTED.findall(text) if name.endswith(".md") else NAMED.findall(text):
        if not (house.ROOT / path).exists() and not PLACEHOLDER.search(path):
            problems.append(f"{name}: {path} does not exist")
house.check("named_files_exist", problems)

# A file name without a folder is one of the folders that the page names, or of the page's own.
problems = []
for page in pages:
    name = str(page.relative_to(house.ROOT))
    text = page.read_text()
    folders = [path.rpartition("/")[0] + "/" for path in [name, *QUOTED.findall(text)]]
    for bare in sorted(set(BARE.findall(text)) - {"haft.h", "haft-core.c"}):
        if not any(path.startswith(folder) and path.endswith("/" + bare)
                   for folder in folders for path in files):
            problems.append(f"{name}: no folder that the page names has {bare}")
house.check("file_names_without_a_folder_exist", problems)

order = [prefix for prefix in house.layers()[0] if "." not in prefix]  # main.c is a file
problems = []
for directory in [*(f"src/{name}" for name in order), "bench", "studio", "clients"]:
    has_code = any(name.startswith(directory + "/") and not name.endswith((".md", "meson.build"))
                   for name in files)
    readme = house.ROOT / directory / "README.md"
    if not has_code and (not readme.exists() or len(readme.read_text().split()) < 20):
        problems.append(f"{directory} has no code and no README.md that explains it")
house.check("every_directory_without_code_has_a_readme", problems)

index = (house.ROOT / "docs/README.md").read_text()
house.check("index_links_every_page",
            [f"docs/README.md does not link {name}" for name in files
             if re.fullmatch(r"docs/[\w-]+\.md", name) and name != "docs/README.md"
             and f"({name.removeprefix('docs/')})" not in index])

# Other tests compare other code blocks with their files.
sources = [(house.ROOT / name).read_text() for name in files if re.fullmatch(r"src/.*\.[ch]", name)]
problems = []
for name in ("docs/extending.md", "docs/adding-a-builtin.md", "docs/adding-a-store.md"):
    for block in re.findall(r"^```c\n(.*?)^```$", (house.ROOT / name).read_text(), re.M | re.S):
        if not any(block in source for source in sources):
            problems.append(f"{name}: no file of src has this code:\n{block}")
house.check("code_in_the_pages_about_extending_equals_the_sources", problems)

architecture = (house.ROOT / "docs/architecture.md").read_text()
house.check("the_source_map_has_every_directory",
            [f"docs/architecture.md does not name src/{name}/"
             for name in sorted({prefix.split("/")[0] for prefix in order})
             if f"src/{name}/" not in architecture])

# The source map and layers.txt both have a row for each directory, which names its folders.
rows = {("docs/architecture.md", name): line
        for name, line in re.findall(r"^\| `src/(\w+)/` (\|.*)$", architecture, re.M)}
for prefix, _, line in (line.partition(" ") for line in house.layers_text()[0]):
    directory, _, folder = prefix.partition("/")  # a row of a folder names this folder
    place = ("tests/house/layers.txt", directory)
    rows[place] = f"{rows.get(place, '')} {line} {folder + '/' if folder else ''}"
folders = {tuple(name.split("/")[1:3]) for name in files
           if re.fullmatch(r"src/.+/.+/.+\.[ch]", name)}
names = {place: set(re.findall(r"(?<![\w/])(\w+)/(?!\w)", line)) for place, line in rows.items()}
house.check("the_row_of_a_directory_names_its_folders",
            [f"{page}: the row of src/{name}/ does not name {folder}/"
             for name, folder in sorted(folders)
             for page in ("docs/architecture.md", "tests/house/layers.txt")
             if folder not in names.get((page, name), ())]
            + [f"{page}: the row of src/{name}/ names {folder}/, which does not exist"
               for (page, name), named in sorted(names.items())
               for folder in sorted(named) if (name, folder) not in folders])
