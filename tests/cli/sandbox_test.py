#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft sandbox`: what it prints, its files, its exit statuses. tests/sandbox/ tries to get out."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, skip  # noqa: E402

HAFT = os.environ["HAFT"]
SCHEMA = Path(__file__).resolve().parents[2] / "docs/schemas/sandbox.schema.json"


def haft(*words, text="", **env):
    ran = subprocess.run([HAFT, *words], input=text, text=True, capture_output=True, check=False,
                         env={**os.environ, **env})
    return ran.returncode, ran.stdout, ran.stderr


def is_valid(text):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(text)
        file.flush()
        return haft("validate", str(SCHEMA), file.name)[0] == 0


def main():
    status, _, errors = haft("sandbox", "-", text="pass")
    if status == 6:
        check("a_refusal_says_how_to_fix_it", "hint: " in errors)
        skip("programs", errors.splitlines()[0])
        return
    with tempfile.TemporaryDirectory(prefix="haft-sandbox-") as directory:
        place = Path(directory)
        place.chmod(0o755)
        (place / "in.txt").write_text("from outside")
        program = place / "program.py"
        program.write_text("import os\nprint('shown')\nopen('a.txt', 'w').write('A')\n"
                           "os.mkdir('d')\nopen('d/b.txt', 'w').write('BB')\n[1, 'two']\n")
        status, out, errors = haft("sandbox", str(program), "--files", str(place / "out"))
        check("output_and_the_last_value_are_printed", (status, out), (0, 'shown\n[1, "two"]\n'))
        last = errors.splitlines()
        check("the_profile_and_the_cause_are_shown",
              last[0].startswith("sandbox: ") and "Landlock" in last[0] and ": exit," in last[0])
        check("files_are_written", [(place / "out" / name).read_text()
                                    for name in ("a.txt", "d/b.txt")], ["A", "BB"])
        status, out, _ = haft("sandbox", str(program), "--json")
        shown = json.loads(out)
        check("json_matches_its_schema", is_valid(out))
        check("json_has_the_result", (shown["stdout"], shown["result"], shown["files"]),
              ("shown\n", '[1, "two"]', [{"name": "a.txt", "bytes": 1},
                                        {"name": "d/b.txt", "bytes": 2}]))
        read = f"print(open({str(place / 'in.txt')!r}).read())"
        check("a_file_outside_is_not_readable", haft("sandbox", "-", text=read)[0], 1)
        check("a_path_of_read_is_readable",
              haft("sandbox", "-", "--read", str(place), text=read)[1], "from outside\n")
        check("a_path_of_read_is_not_writable",
              haft("sandbox", "-", "--read", str(place), text=read.replace(
                  ").read()", ", 'w').write('x')"))[0], 1)
    status, _, errors = haft("sandbox", "-", text="x = 1\nx.y\n")
    check("a_traceback_shows_the_line", (status, "    x.y\n" in errors, "AttributeError" in errors,
                                         "_execute" in errors), (1, True, True, False))
    status, _, errors = haft("sandbox", "-", text="x = = 1")
    check("a_syntax_error_is_reported", (status, "SyntaxError" in errors), (1, True))
    check("an_exit_status_is_kept",
          json.loads(haft("sandbox", "-", "--json", text="raise SystemExit(7)")[1])["status"], 7)
    check("a_tool_error_reaches_the_code",
          haft("sandbox", "-", text="try:\n    gather([1])\nexcept TypeError as error:\n"
               "    print('refused')")[1], "refused\n")
    check("hashes_are_the_same_in_each_run", haft("sandbox", "-", text="hash('a')")[1],
          haft("sandbox", "-", text="hash('a')")[1])
    check("text_that_is_not_utf_8_is_valid_json", is_valid(haft(
        "sandbox", "-", "--json", text="import os\nos.write(1, b'a\\xff\\0b')")[1]))
    status, _, errors = haft("sandbox", "-", text="pass", HAFT_SANDBOX_UID="0")
    check("root_is_refused", (status, "HAFT_SANDBOX_UID" in errors), (2, True))
    check("a_missing_file_is_a_usage_error", haft("sandbox", "/nowhere.py")[0], 2)
    check("zero_memory_is_a_usage_error", haft("sandbox", "-", "--memory", "0", text="")[0], 2)


main()
