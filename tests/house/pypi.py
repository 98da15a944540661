# SPDX-License-Identifier: Apache-2.0
"""PyPI packages for tests. The first test that needs them installs them into the build directory.
"""
import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

INSTALL_SECONDS = 300
# pip or PyPI is missing; every other failure is one of the test.
UNREACHABLE = re.compile(r"No module named pip|NewConnectionError|ConnectTimeout|ReadTimeout|"
                         r"ProxyError|Max retries exceeded|name resolution", re.IGNORECASE)


def install(*packages):
    """Adds the packages ("name==1.2") to sys.path. Returns why they cannot be used, or "". Raises
    RuntimeError if PyPI answers and the installation fails."""
    place = Path(os.environ["HAFT_BUILD"]) / "pypi" / "-".join(packages)
    place.mkdir(parents=True, exist_ok=True)
    with open(place / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "done").exists():
            try:
                done = subprocess.run(
                    [sys.executable, "-m", "pip", "install", "--quiet", "--retries", "0",
                     "--timeout", "20", "--disable-pip-version-check", "--no-input",
                     "--target", place / "lib", *packages], text=True, stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=INSTALL_SECONDS)
            except subprocess.TimeoutExpired:
                return "PyPI does not answer"
            if done.returncode != 0 and UNREACHABLE.search(done.stdout):
                return "pip is missing, or PyPI does not answer"
            if done.returncode != 0:
                raise RuntimeError(f"pip cannot install {packages}: {done.stdout}")
            (place / "done").touch()
    sys.path.insert(0, str(place / "lib"))
    return ""
