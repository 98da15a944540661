#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/run-tests counts right, and takes nothing that went wrong for a success."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import house

LISTED = "a_test.c one\na_test.c two\n"

# name, what haft-tests prints for its one file, a script's body, status, the lines at the end
CASES = [
    ("all_is_well", "echo ok a_test.c one; echo ok a_test.c two", "echo ok script x",
     0, "3 passed, 0 failed, 0 skipped"),
    ("a_failure_is_shown_with_its_details",
     "echo '# why'; echo not ok a_test.c one; echo ok a_test.c two; exit 1", "echo ok script x",
     1, "# why\nnot ok a_test.c one\n2 passed, 1 failed, 0 skipped"),
    ("skips_have_their_reasons",
     "echo '# skipped: no data'; echo skip a_test.c one; echo ok a_test.c two",
     "echo 'skip script x: no tool'", 0,
     "skip a_test.c one: no data\nskip script x: no tool\n1 passed, 0 failed, 2 skipped"),
    ("a_crash_is_a_failure_of_the_test_that_ran", "echo ok a_test.c one; kill -SEGV $$",
     "echo ok script x", 1, "# killed by SIGSEGV; 0 more tests were not run\nnot ok a_test.c two\n"
     "2 passed, 1 failed, 0 skipped"),
    ("an_early_end_is_a_failure", "exit 0", "echo ok script x",
     1, "# it ended early; 1 more tests were not run\nnot ok a_test.c one\n"
     "1 passed, 1 failed, 0 skipped"),
    ("a_crash_at_exit_is_a_failure",
     "echo ok a_test.c one; echo ok a_test.c two; echo leak; exit 23", "echo ok script x",
     1, "leak\n# exit status 23\nnot ok a_test.c\n3 passed, 1 failed, 0 skipped"),
    ("a_crash_after_a_failure_is_shown_too",
     "echo not ok a_test.c one; echo ok a_test.c two; echo leak; exit 23", "echo ok script x",
     1, "leak\n# exit status 23\nnot ok a_test.c\n2 passed, 2 failed, 0 skipped"),
    ("a_script_without_a_test_line_is_a_failure",
     "echo ok a_test.c one; echo ok a_test.c two", "echo hello",
     1, "hello\n# no test line; \nnot ok some/x.sh\n2 passed, 1 failed, 0 skipped"),
]


def write_program(path, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n" + body + "\n")
    path.chmod(0o755)


def outcome(root, *words, **more):
    done = subprocess.run([root / "scripts/run-tests", *words], stdout=subprocess.PIPE, text=True,
                          env=dict(os.environ, **more))
    return done.returncode, done.stdout


with tempfile.TemporaryDirectory(prefix="haft-runner-") as temporary:
    root = Path(temporary)
    (root / "scripts").mkdir()
    shutil.copy(house.ROOT / "scripts/run-tests", root / "scripts/run-tests")
    for name, tests, script, status, end in CASES:
        write_program(root / "build/tests/haft-tests",
                      f"[ \"$1\" = --list ] && {{ printf '{LISTED}'; exit; }}\n{tests}")
        write_program(root / "tests/some/x.sh", script)
        found = outcome(root)
        good = found[0] == status and found[1].endswith(end + "\n")
        house.check(name, [] if good else [f"wanted {status}, {end}", f"found {found}"])
    write_program(root / "tests/some/x.sh",
                  'echo "ok $HAFT_MODEL-$OPENAI_API_KEY-$TZ-$NO_COLOR-$LANG-$HAFT_LONG-$LC_ALL"')
    found = outcome(root, "--verbose", "some/", HAFT_MODEL="a", OPENAI_API_KEY="b", TZ="c",
                    NO_COLOR="d", LANG="e", HAFT_LONG="f", LC_ALL="g")
    house.check("tests_do_not_see_whose_they_are",
                [] if "ok -----f-C.UTF-8\n" in found[1] else [found])
    write_program(root / "build/tests/haft-tests", "exit 0")
    found = outcome(root, "no-such-test")
    house.check("words_that_match_nothing_are_a_failure",
                [] if found[0] == 1 and "no test has" in found[1] else [found])
