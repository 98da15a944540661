#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The complete example of docs/script.md does what the page says."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
ROOT = Path(os.environ["HAFT_SOURCE_ROOT"])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(directory, *words):
    done = subprocess.run([HAFT, "run", *words], cwd=directory, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


page = (ROOT / "docs/script.md").read_text()
example = page[page.index("## A complete example"):]
blocks = BLOCK.findall(example)
check("the_page_has_spec_script_and_result", [kind for kind, _ in blocks], ["yaml", "yaml", "json"])
(_, spec), (_, script), (_, result) = blocks
with tempfile.TemporaryDirectory(prefix="haft-script-") as temporary:
    directory = Path(temporary)
    (directory / "agent.yaml").write_text(spec)
    (directory / "agent.script.yaml").write_text(script)
    status, output = run(directory, "agent.yaml", "Count the words", "--json")
    wanted = json.loads(result)
    found = json.loads(output) if status == 0 else {"output": output}
    check("the_example_runs", (status, {key: found.get(key) for key in wanted}), (0, wanted))
    status, output = run(directory, "agent.yaml", "Something else", "--json")
    error = json.loads(output)["error"] if status == 1 else {"message": output}
    check("an_expectation_that_fails_is_shown", error["message"],
          "the model gave no reply: script /replies/1/expect/contains: the script expects contains "
          "Count the words, found nothing like it in the request")
    (directory / "agent.script.yaml").write_text("replies: [{txt: hello}]\n")
    status, output = run(directory, "agent.yaml", "Count the words")
    check("an_invalid_script_is_refused", (status, "Unknown argument: txt" in output),
          (2, True))
