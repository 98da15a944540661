# SPDX-License-Identifier: Apache-2.0
"""What test scripts share: the script's name, how a verdict is printed, how to wait."""
import os
import subprocess
import sys
import time
from pathlib import Path

NAME = "/".join(Path(sys.argv[0]).resolve().parts[-2:])  # as in "cli/run_test.py"
SOON = 300  # seconds that something which must happen soon may take


def verdict(name, good, details=()):
    """One test. The details are lines that are printed before the verdict of one that failed."""
    for line in details if not good else ():
        print(f"# {line}")
    print(f"{'ok' if good else 'not ok'} {NAME} {name}", flush=True)
    return good


def check(name, found, wanted=True):
    """One test: passed when the two are equal."""
    return verdict(name, found == wanted, [f"found  {found!r}", f"wanted {wanted!r}"])


def check_none(name, problems, most=None):
    """One test: passed when there are no problems. Prints at most `most` of them."""
    problems = list(problems)
    shown = [line for problem in problems[:most] for line in str(problem).splitlines()]
    if most is not None and len(problems) > most:
        shown.append(f"and {len(problems) - most} more")
    return verdict(name, not problems, shown)


def skip(name, reason):
    print(f"skip {NAME} {name}: {reason}", flush=True)


def wait_for(what, seconds=SOON, pause=0.02):
    """What `what()` returns as soon as it is true; None if that does not happen in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = what()
        if found:
            return found
        time.sleep(pause)
    return None


def lease_seconds(least):
    """The length of a lease that is meant to expire: `least` seconds, and more on a machine that is
    slow at the moment, so that a live process renews it in time."""
    began = time.monotonic()
    subprocess.run([os.environ["HAFT"], "--version"], stdout=subprocess.DEVNULL, check=True)
    return int(least + 60 * (time.monotonic() - began))
