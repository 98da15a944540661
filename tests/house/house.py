# SPDX-License-Identifier: Apache-2.0
"""Helpers for the house rules. House rules are checks of the source tree itself: its layers, docs,
names, packages and scripts. Each other file in tests/house checks one of them."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check_none as check, skip  # noqa: E402, F401

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("HAFT_BUILD", ROOT / "build"))
CC = os.environ.get("CC", "cc").split()
DIVIDER = "--------"  # in layers.txt: ends the pure layers
SIBLINGS = "========"  # in layers.txt: ends the layers


def run(command, text=None, environment=None):
    """Runs a command with `text` as its input. Returns (exit status, all output)."""
    done = subprocess.run([str(word) for word in command], input=text, text=True, cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=dict(os.environ, **(environment or {})))
    return done.returncode, done.stdout


def has(program):
    return shutil.which(program) is not None


def layers_text():
    """Returns the lines of layers.txt before and after SIBLINGS: (layers, siblings)."""
    lines = (ROOT / "tests/house/layers.txt").read_text().splitlines()
    end = next(i for i, line in enumerate(lines) if line.startswith(SIBLINGS))
    return lines[:end], lines[end + 1:]


def layers():
    """Returns (all prefixes of src/ in order, the prefixes of the pure layers)."""
    names = [line.split()[0] for line in layers_text()[0]]
    return [name for name in names if name != DIVIDER], names[:names.index(DIVIDER)]


def siblings():
    """Returns groups of prefixes or patterns. Members of a group must not include each other."""
    return [line.split() for line in layers_text()[1]]


def source_files():
    """Returns every file of the source tree, tracked by git or new, as a path relative to ROOT."""
    status, output = run(["git", "ls-files", "-co", "--exclude-standard"])
    if status == 0:
        names = output.splitlines()
    else:  # an unpacked archive
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")]
        names = [name for name in names if not re.match(r"\.|build|.*__pycache__", name)]
    return sorted(name for name in names if (ROOT / name).is_file())


def headers():
    return [name for name in source_files() if name.endswith(".h")]
