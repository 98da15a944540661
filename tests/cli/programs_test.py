#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/ work as described, in C and C++, with good and bad specs."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check_none, skip  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"
BUILT = Path(os.environ.get("HAFT_BUILD", ROOT / "build")) / "examples"
PROGRAMS = {
    "version": r"haft \d+\.\d+\.\d+\n",
    "embed": r"done: Dana Frost owes 200\.00 for the orders 17 and 23\.\n",
    "epoll": r"the agent asks Ada\nAda says \"after ten\"\n"
             r"done after \d+ events: Ada has time on Monday after ten\.\n",
    "tiny": r"haft \d+\.\d+\.\d+\ntried: \{\"grams\":6\}\nMissing required argument: letter\n"
            r"/paper: Expected integer, found string \"thick\"\nwaiting; \d+ events\n"
            r"pending: c1\.3, c1\.4, c1\.5\ndone; \d+ events\n"
            r"The letter to Ada is on its way; the one to Bob was kept\.\n"
            r"cancelled; \d+ events\n",
    "queued": r"c1\.1: delivery_time \{\"country\":\"Portugal\"\}\n"
              r"c1\.2: delivery_time \{\"country\":\"Norway\"\}\nc1\.2 is done\nc1\.1 is done\n"
              r"done: Both parcels arrive in two days\.\n",
    "graph_embed": r"done: 6 values, 17\.50 degrees\n",
    "core": r"schema: \{.*\}\n\{.*\} -> 3218\.7 metre\n\{.*\} -> 0\.3107 mile\n"
            r"\{.*\} -> BAD_INPUT: /from Expected one of .*\n\[1, 2\]: valid\n"
            r"\[1, \"two\", 2\.5\]: /1: Expected integer, found string \"two\"\n"
            r"/2: Expected integer, found number 2\.5\n"
            r"schema:/pattern: libhaft-core has no regular expressions \(link with libhaft, .*\)\n",
    "cpp20": r"2 calls; count got \{\"words\":\[\"a\",\"tool\",\"here\"\]\}\n"
             r"done: Three, and a trap\.\n",
}


def run(*words):
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True,
                          timeout=300)
    return done.returncode, done.stdout, done.stderr


def test_output(name, program):
    spec = EXAMPLES / f"{name}.yaml"
    found = run(program, *([spec] if spec.exists() else []))
    good = found[0] == 0 and re.fullmatch(PROGRAMS[name], found[1]) and found[2] == ""
    check_none(f"{name}_does_what_it_says", [] if good else [f"found {found}"])
    if not spec.exists():
        return
    status, out, err = run(program, spec.with_name("none.yaml"))
    good = status == 1 and "done" not in out and "none.yaml: cannot be opened" in err
    check_none(f"{name}_says_what_is_wrong", [] if good else [f"found {(status, out, err)}"])


def test_files():
    there = {path.stem for path in EXAMPLES.iterdir() if path.suffix in (".c", ".cpp")}
    check_none("every_program_is_run", there ^ set(PROGRAMS))


def test_compilers():
    """Example code compiles without warnings with either compiler."""
    for name, words, pattern in [("gcc", ["gcc"], "*.c"), ("clang", ["clang"], "*.c"),
                                 ("g++", ["g++", "-std=c++20"], "*.cpp"),
                                 ("clang++", ["clang++", "-std=c++20"], "*.cpp")]:
        if shutil.which(words[0]) is None:
            skip(f"examples_compile_with_{name}", f"{words[0]} is not installed")
            continue
        found = [run(*words, "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", "-fsyntax-only",
                     path)[2] for path in sorted(EXAMPLES.glob(pattern))]
        check_none(f"examples_compile_with_{name}", filter(None, found))


def test_without_cpp():
    """A machine without a C++ compiler builds everything else."""
    name = "without_a_cpp_compiler_one_example_is_left_out"
    if shutil.which("meson") is None:
        skip(name, "meson is not installed")
        return
    with tempfile.TemporaryDirectory(prefix="haft-programs-") as directory:
        done = subprocess.run(["meson", "setup", directory, ROOT], capture_output=True, text=True,
                              env=dict(os.environ, CXX="/nowhere/c++"))
        left_out = "no C++ compiler: examples/" in done.stdout
        rules = Path(directory, "build.ninja")
        built = rules.read_text() if rules.exists() else ""
        good = left_out and "example-cpp20" not in built and "example-tiny" in built
        check_none(name, [] if good else [done.stdout[-2000:] + done.stderr])


test_files()
for example in PROGRAMS:
    built = BUILT / f"example-{example}"
    if example == "cpp20" and not built.exists():
        skip("cpp20_does_what_it_says", "there was no C++ compiler")
    else:
        test_output(example, built)
test_compilers()
test_without_cpp()
