#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/run-tests counts correctly and reports every failure."""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import house

LISTED = "a_test.c one\na_test.c two\n"

# name, the body of haft-tests for its one file, a script's body, status, the last lines
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

# A child process of a test: like a sanitizer, it writes its report to the log_path of its options;
# its output is discarded.
REPORTING = ('(log=$(echo "$%s_OPTIONS" | sed s/.*log_path=//); '
             'echo "ERROR: AddressSanitizer: %s" >"$log.$$") >/dev/null 2>&1; ')
TWO_PASS = "echo ok a_test.c one; echo ok a_test.c two"
KILLED = REPORTING.replace("ERROR: AddressSanitizer: %s",
                           "==7==Unable to get registers from thread 8.")
CASES.append(("a_process_that_was_killed_during_its_search_for_leaks_is_not_a_failure", TWO_PASS,
              KILLED % "LSAN" + "echo ok script x", 0, "3 passed, 0 failed, 0 skipped"))
# name, the body of haft-tests, a script's body, the last lines; all of them fail
REPORTS = [
    ("a_report_of_a_test_is_shown", REPORTING % ("TSAN", "race") + TWO_PASS + "; exit 66",
     "echo ok script x", "ERROR: AddressSanitizer: race\n# reports of a sanitizer: 1\n"
     "# exit status 66\nnot ok a_test.c\n3 passed, 1 failed, 0 skipped"),
    ("a_report_of_a_process_that_a_script_starts_is_a_failure", TWO_PASS,
     REPORTING % ("UBSAN", "overflow") + "echo ok script x",
     "ERROR: AddressSanitizer: overflow\n# reports of a sanitizer: 1\nnot ok some/x.sh\n"
     "3 passed, 1 failed, 0 skipped"),
    ("a_report_is_shown_with_the_test_that_crashed",
     "echo ok a_test.c one; " + REPORTING % ("ASAN", "leak") + "kill -ABRT $$", "echo ok script x",
     "ERROR: AddressSanitizer: leak\n# reports of a sanitizer: 1\n"
     "# killed by SIGABRT; 0 more tests were not run\nnot ok a_test.c two\n"
     "2 passed, 1 failed, 0 skipped"),
    ("a_report_that_is_printed_is_a_failure",
     "echo 'x.c:1:2: runtime error: shift' >&2; " + TWO_PASS, "echo ok script x",
     "x.c:1:2: runtime error: shift\n# printed by a_test.c one\n# reports of a sanitizer: 1\n"
     "not ok a_test.c\n3 passed, 1 failed, 0 skipped"),
]

# Like ThreadSanitizer with too much randomization; bit 18 of the personality turns that off.
NEEDS_FIXED_ADDRESSES = (
    "[ $((0x$(cat /proc/self/personality) & 0x40000)) -ne 0 ] || {\n"
    "echo 'FATAL: ThreadSanitizer: unexpected memory mapping 0x1-0x2' >&2; exit 66; }\n")

# Like valgrind on an error: it writes a report to its log file, and the program continues.
VALGRIND = """while case $1 in -*) ;; *) false ;; esac; do
    case $1 in --log-file=*) log=$(echo "${1#*=}" | sed "s/%p/$$/") ;; esac
    shift
done
echo "==7== Invalid read of size 1" >"$log"
exec "$@"
"""


def write_programs(root, tests, script, before=""):
    write_program(root / "build/tests/haft-tests",
                  f"{before}[ \"$1\" = --list ] && {{ printf '{LISTED}'; exit; }}\n{tests}")
    write_program(root / "tests/some/x.sh", script)


def check_end(name, found, status, end):
    good = found[0] == status and found[1].endswith(end + "\n")
    house.check(name, [] if good else [f"wanted {status}, {end}", f"found {found}"])


def can_fix_addresses():
    return subprocess.run(["setarch", "-R", "true"], stderr=subprocess.DEVNULL).returncode == 0


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
        write_programs(root, tests, script)
        check_end(name, outcome(root), status, end)
    for name, tests, script, end in REPORTS:
        write_programs(root, tests, script)
        check_end(name, outcome(root), 1, end)
    once = 'mkdir "$TMP_MARK" 2>/dev/null && { echo not ok script x; exit 1; }; echo ok script x'
    write_programs(root, TWO_PASS, once)
    check_end("a_failure_beside_others_is_repeated_if_wanted",
              outcome(root, "--again", TMP_MARK=str(root / "mark")), 0,
              "not ok script x\n# some/x.sh failed beside other programs; once more, alone\n"
              "3 passed, 0 failed, 0 skipped")
    write_programs(root, TWO_PASS, "echo not ok script x; exit 1")
    check_end("a_repeated_failure_is_a_failure", outcome(root, "--again"), 1,
              "not ok script x\n# some/x.sh failed beside other programs; once more, alone\n"
              "not ok script x\n2 passed, 1 failed, 0 skipped")
    write_programs(root, TWO_PASS, REPORTING % ("ASAN", "leak") + "echo ok script x")
    check_end("a_report_of_a_sanitizer_is_never_repeated", outcome(root, "--again"), 1,
              "ERROR: AddressSanitizer: leak\n# reports of a sanitizer: 1\nnot ok some/x.sh\n"
              "3 passed, 1 failed, 0 skipped")
    write_programs(root, TWO_PASS, "echo ok script x", NEEDS_FIXED_ADDRESSES)
    if can_fix_addresses():
        check_end("programs_that_need_fixed_addresses_get_them", outcome(root), 0,
                  "# ThreadSanitizer cannot place its memory: programs are started with setarch -R"
                  "\n3 passed, 0 failed, 0 skipped")
    write_programs(root, TWO_PASS, "exit 1")
    write_program(root / "bin/valgrind", VALGRIND)
    found = outcome(root, "--valgrind", PATH=f"{root}/bin:{os.environ['PATH']}")
    check_end("a_report_of_valgrind_is_a_failure", found, 1,
              "==7== Invalid read of size 1\n# reports of a sanitizer: 1\nnot ok a_test.c\n"
              "2 passed, 1 failed, 0 skipped")
    write_program(root / "bin/valgrind", VALGRIND.replace(
        "==7== Invalid read of size 1", "--7-- WARNING: unhandled amd64-linux syscall: 437"))
    write_programs(root, "echo not ok a_test.c one; echo ok a_test.c two; exit 1", "exit 1")
    found = outcome(root, "--valgrind", PATH=f"{root}/bin:{os.environ['PATH']}")
    check_end("a_test_that_needs_an_unknown_system_call_is_skipped_under_valgrind", found, 0,
              "skip a_test.c one: valgrind does not know system call 437\n"
              "1 passed, 0 failed, 1 skipped")
    write_programs(root, TWO_PASS, "echo ok script x", NEEDS_FIXED_ADDRESSES)
    write_program(root / "bin/setarch", "shift; exec \"$@\"")
    check_end("without_fixed_addresses_a_remedy_is_named",
              outcome(root, PATH=f"{root}/bin:{os.environ['PATH']}"), 1,
              "# ThreadSanitizer cannot place its memory; as root, run: sysctl "
              "vm.mmap_rnd_bits=28\n# haft-tests --list: exit status 66\n"
              "0 passed, 1 failed, 0 skipped")
    write_program(root / "tests/some/x.sh",
                  'echo "ok $HAFT_MODEL-$OPENAI_API_KEY-$TZ-$NO_COLOR-$LANG-$HAFT_LONG-$LC_ALL"')
    found = outcome(root, "--verbose", "some/", HAFT_MODEL="a", OPENAI_API_KEY="b", TZ="c",
                    NO_COLOR="d", LANG="e", HAFT_LONG="f", LC_ALL="g")
    house.check("tests_do_not_see_personal_settings",
                [] if "ok -----f-C.UTF-8\n" in found[1] else [found])
    write_program(root / "tests/some/x.sh", "python3 -c "
                  """'import site, sys; print("ok", sys.prefix, site.ENABLE_USER_SITE)'""")
    found = outcome(root, "--verbose", "some/")
    house.check("tests_have_a_python_without_packages",
                [] if re.search(r"^ok /.*haft-tests-.*/python False$", found[1], re.M) else [found])
    write_program(root / "build/tests/haft-tests", "exit 0")
    found = outcome(root, "no-such-test")
    house.check("words_without_matching_tests_are_a_failure",
                [] if found[0] == 1 and "no test matches" in found[1] else [found])
