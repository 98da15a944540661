#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The agents of 25 lines, bindings/python/examples/shop.py and bindings/node/examples/shop.ts: they
run with approval, are killed, and resume. Also the other examples."""
import os
import shutil
import signal
import subprocess
from pathlib import Path

import place
from script import check, skip
from specs import call, write

ROOT = place.ROOT
ANSWER = "129 euros for order 1042 are on their way back."


def lines_of(path):
    return len((ROOT / path).read_text().splitlines())


class Program:
    """A program whose output is read piece by piece."""

    def __init__(self, command, directory, *words):
        self.process = subprocess.Popen([*command, *words], cwd=directory, text=True, bufsize=1,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.text = ""

    def read_until(self, word):
        while word not in self.text:
            piece = os.read(self.process.stdout.fileno(), 4096).decode()
            if not piece:
                return False
            self.text += piece
        return True

    def type(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def end(self):
        self.process.stdin.close()
        while piece := os.read(self.process.stdout.fileno(), 4096).decode():
            self.text += piece
        return self.process.wait(120)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def check_agent(name, command, directory):
    """The agent is killed while it waits for approval, twice, and then approved."""
    first = Program(command, directory)
    check(f"{name}_asks_for_approval", first.read_until("y or n? "))
    run = first.text.split()[1]
    first.kill()
    second = Program(command, directory, run)
    check(f"{name}_resumes_after_kill_9", (second.read_until("y or n? "), run in second.text),
          (True, True))
    second.kill()
    third = Program(command, directory, run)
    third.read_until("y or n? ")
    third.type("y")
    check(f"{name}_ends_with_the_answer", (third.end(), ANSWER in third.text), (0, True))
    other = Program(command, directory)
    other.read_until("y or n? ")
    other.type("n")
    check(f"{name}_can_be_told_no", (other.end(), ANSWER in other.text), (0, True))
    log = subprocess.run([os.environ["HAFT"], "runs", "events", run, "--store",
                          f"sqlite:{directory}/shop.db"], text=True, stdout=subprocess.PIPE).stdout
    check(f"{name}_paid_once", (log.count('"kind":"call_started"'),
                                log.count("were paid back")), (2, 1))


def copy_tree(directory):
    """What a reader has: the repository's examples, elsewhere."""
    for path in ("bindings/examples", "bindings/python/examples", "bindings/node/examples",
                 "examples/shop"):
        shutil.copytree(ROOT / path, directory / path)
    return directory


for path in ("bindings/python/examples/shop.py", "bindings/node/examples/shop.ts"):
    check(f"{Path(path).name}_has_25_lines", lines_of(path), 25)

HELLO = [[call("add", a=2, b=3), call("forecast", city="Lisbon")], "Five, and warm."]

python, why = place.virtual_environment("/usr/bin/python3")
if python is None:
    skip("the_agents_in_python", f"pip cannot install the wheel: {why}")
else:
    tree = copy_tree(place.temporary("agents"))
    check_agent("shop_py", [python, "-u", "bindings/python/examples/shop.py"], tree)
    spec = write(tree, HELLO, "hello")
    status, output = place.log_of(python, tree / "bindings/python/examples/hello.py", spec, "Add")
    check("hello_py_answers", (status, output.splitlines()[-1]), (0, "Five, and warm."))

project = copy_tree(place.npm_project())
for version, node in place.nodes():
    spec = write(project, HELLO, "hello")
    status, output = place.log_of(node, project / "bindings/node/examples/hello.mjs", spec, "Add")
    check(f"hello_mjs_answers_in_{version}", (status, output.splitlines()[-1]),
          (0, "Five, and warm."))
    if int(version[1:3]) < 22:
        skip(f"shop_ts_in_{version}", "this node does not read TypeScript")
        continue
    (project / "shop.db").unlink(missing_ok=True)
    check_agent(f"shop_ts_in_{version}", [node, "bindings/node/examples/shop.ts"], project)
