#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/deps needs root only if a package is missing, and then says which. The package tools are
stand-ins that record how they were called."""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import house

REAL = ["sh", "env", "mktemp", "rm", "cat"]


def stand_in(directory, name, body):
    path = directory / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def outcome(installed, user, with_sudo, apt="exit 0"):
    """(status, stderr, calls of apt-get) of `scripts/deps lint` on a simulated machine."""
    with tempfile.TemporaryDirectory(prefix="haft-deps-") as temporary:
        directory = Path(temporary)
        for name in REAL:
            os.symlink(shutil.which(name), directory / name)
        calls = directory / "calls"
        calls.write_text("")
        stand_in(directory, "dpkg-query", f"printf '{installed}'")
        stand_in(directory, "id", f"echo {user}")
        stand_in(directory, "apt-get", f'echo "$@" >>"{calls}"; {apt}')
        if with_sudo:
            stand_in(directory, "sudo", f'echo sudo >>"{calls}"; exec "$@"')
        done = subprocess.run([house.ROOT / "scripts/deps", "lint"], stderr=subprocess.PIPE,
                              text=True, env={"PATH": temporary})
        return done.returncode, done.stderr, calls.read_text()


BOTH = r"clang-format installed\nclang-tidy installed\n"
ONE = r"clang-format installed\nclang-tidy config-files\n"
INSTALL = "-qq update\n-qq install -y --no-install-recommends clang-tidy\n"
REPORT = "Installing Debian packages: clang-tidy\n"

for name, found, wanted in [
        ("nothing_missing_is_silent", outcome(BOTH, 1000, False), (0, "", "")),
        ("root_installs_what_is_missing", outcome(ONE, 0, False), (0, REPORT, INSTALL)),
        ("others_use_sudo", outcome(ONE, 1000, True),
         (0, REPORT, "sudo\n" + INSTALL.replace("\n", "\nsudo\n", 1))),
        ("without_either_it_says_what_to_do", outcome(ONE, 1000, False),
         (1, "These Debian packages are missing: clang-tidy\nNeither root nor sudo is available; "
          "as root, run: apt-get install clang-tidy\n", "")),
        ("a_failure_of_apt_is_shown", outcome(ONE, 0, False, "echo no network; exit 100"),
         (1, REPORT + "no network\napt-get update failed; the missing packages are: clang-tidy\n",
          "-qq update\n"))]:
    house.check(name, [] if found == wanted else [f"wanted {wanted}", f"found  {found}"])

# A name such as postgresql-15 exists in only one Debian release.
names = " ".join(re.findall(r'echo "(.*)"', (house.ROOT / "scripts/deps").read_text()))
house.check("package_names_have_no_version", re.findall(r"\b[a-z]\S*-\d+\S*", names))

found = house.run(["scripts/deps", "nonsense"])
house.check("unknown_set_is_rejected",
            [] if found[0] == 2 and "use build, test" in found[1] else [found])
