#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The built packages: what is in them, what they need, whether a second build is equal, and other
versions of Python."""
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import place
from script import check, check_none, skip

wheel, tarball = place.package("haft-*.whl"), place.package("haft-*.tgz")
HERE = Path(__file__).resolve().parent
# The libraries that every system with this glibc has.
SYSTEM = re.compile(r"lib(c|m|pthread|dl)\.so\.\d+|ld-linux-x86-64\.so\.2")


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def unpack(path):
    """The package in a directory of its own."""
    directory = place.temporary("unpacked")
    if path.suffix == ".whl":
        zipfile.ZipFile(path).extractall(directory)
    else:
        with tarfile.open(path) as archive:
            archive.extractall(directory)
    return directory


def missing_libraries(directory):
    """The libraries that a file of a package needs and that are not in the package."""
    files = [path for path in directory.rglob("*")
             if path.is_file() and path.read_bytes()[:4] == b"\x7fELF"]
    own = {path.name for path in files}
    for path in files:
        text = place.log_of("readelf", "-d", path)[1]
        for name in re.findall(r"NEEDED.*\[(.*)\]", text):
            if name not in own and not SYSTEM.fullmatch(name):
                yield f"{path.name} needs {name}"
        if re.search(r"R(UN)?PATH.*\[(?!\$ORIGIN)", text):
            yield f"{path.name} has a path of the machine that built it"


for path in (wheel, tarball):
    directory = unpack(path)
    check_none(f"{path.suffix[1:]}_needs_only_the_c_library", missing_libraries(directory))
    names = {each.name for each in directory.rglob("*")}
    check_none(f"{path.suffix[1:]}_has_licences_words_and_the_guard",
               {"LICENSE", "libsqlite3.so.0.copyright", "words.vec", "guard"} - names)
    print(f"# {path.name}: {path.stat().st_size / 1e6:.2f} MB")
    for each in sorted(directory.rglob("*.node")) + sorted(directory.rglob("_native*.so")):
        print(f"# {each.name}: {each.stat().st_size / 1e6:.2f} MB")
package = json.loads((unpack(tarball) / "package/package.json").read_text())
check("the_npm_package_has_no_scripts_and_no_dependencies",
      [name for name in ("scripts", "dependencies", "gypfile") if name in package], [])
check("both_have_the_version_of_the_library", (package["version"], wheel.name.split("-")[1]),
      (place.log_of(place.ROOT / "scripts/version")[1].strip(),) * 2)

before = digest(wheel), digest(tarball)
for script in ("build-wheel", "build-npm"):
    status, output = place.log_of(place.ROOT / "scripts" / script)
    check(f"{script}_runs_again", status, 0)
check("two_builds_are_equal", (digest(wheel), digest(tarball)), before)

# ---- tools from the Python package index ----

python, why = place.virtual_environment("/usr/bin/python3", "abi3audit", "mypy", "auditwheel")
if python is None:
    skip("abi3audit_and_mypy", f"pip cannot install them: {why}")
else:
    status, output = place.log_of(python, "-m", "abi3audit", "--strict", wheel)
    check_none("abi3audit_finds_nothing", [output] if status != 0 else [])
    status, output = place.log_of(python, "-m", "auditwheel", "show", wheel)
    tag = re.search(r"manylinux_\d+_\d+_x86_64", wheel.name).group()
    check_none("auditwheel_agrees_with_the_tag", [output] if tag not in output else [])
    status, output = place.log_of(python, "-m", "mypy", "--strict",
                                  place.ROOT / "bindings/python/examples/hello.py")
    wrong = place.temporary("mypy") / "wrong.py"
    wrong.write_text("import haft\nhaft.Runtime(stor='x')\n")
    check_none("the_types_fit_the_example",
               [line for line in output.splitlines() if "error" in line and "haft" in line
                and "type-arg" not in line])
    check("the_types_reject_a_wrong_option",
          "stor" in place.log_of(python, "-m", "mypy", "--strict", wrong)[1])

others = place.other_pythons()
if not others:
    skip("another_python", "no python3.12 or later is here")
for path in others:
    version = place.log_of(path, "--version")[1].split()[1]
    done = subprocess.run([sys.executable, HERE / "python_runs_test.py"], text=True,
                          stdout=subprocess.PIPE, env={**os.environ, "PYTHON": path})
    check_none(f"the_same_wheel_works_with_{version}",
               [line for line in done.stdout.splitlines() if not line.startswith(("ok", "# Py"))]
               + ([] if done.returncode == 0 else [f"exit {done.returncode}"]))
