# SPDX-License-Identifier: Apache-2.0
"""Runs the agent of pick_file.yaml and answers its call:
    haft serve examples/clients & python3 examples/clients/ask.py http://127.0.0.1:8642"""
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "clients"))
from haft import Haft  # noqa: E402

haft = Haft(sys.argv[1], token=os.environ.get("HAFT_TOKEN"))


@haft.on_tool("pick_file")
def pick_file(kind):
    print(f"the agent asks for a {kind}")
    return (ROOT / "examples/data/letter.txt").read_text()


run = haft.start("pick_file", "What is the file?")["run"]
for event in haft.serve(run):
    print(event.get("seq", "-"), event["kind"])
print(haft.run(run)["answer"])
