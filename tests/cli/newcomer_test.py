#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The first hour with haft at a terminal of 80 columns and 24 rows: types what
newcomer/session.txt says, and compares what is seen with newcomer/transcript.txt.

HAFT_RENEW=1 writes the transcript; read it before you commit it.

A line of the session is a heading ("# ..."), a command ("$ ..."), or a text to wait for, an arrow
and the keys to type then ("approve? => y"). "prompt" waits for the prompt of a chat. Enter is
added, except after ^C and ^D. The exit status is shown if it is not 0."""
import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]
from screen import PROMPT, Terminal  # noqa: E402
from script import check_none  # noqa: E402

HERE = Path(__file__).resolve().parent / "newcomer"
ROOT = HERE.parents[2]
GOLDEN = HERE / "transcript.txt"
CONTROLS = {"^C": "\x03", "^D": "\x04"}
MODELS = ("busy", "wrong", "talk")  # these specs have a server: BUSY is the URL of one that plays
                                    # busy.script.yaml
VARYING = (  # what differs from run to run
    # A long time leaves no room for the whole ID.
    (re.compile(r"\b0[0-9a-hjkmnp-tv-z]{25}\b|\b0[0-9a-hjkmnp-tv-z]{12,24}…"), "RUNID"),
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
    (re.compile(r"\d{4}-\d\d-\d\d(T[\d:.]+Z)?"), "DATE"),
    (re.compile(r"\b\d+ tokens in, \d+ out$", re.M), "TOKENS"),
    (re.compile(r"\b\d+(\.\d+)? (ms|s|min)\b"), "TIME"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "HASH"),
)


def sections(text):
    """Yields the heading and the lines of each section."""
    for part in re.split(r"(?m)^(?=# )", text):
        lines = [line for line in part.splitlines() if line.strip() and not line.startswith("//")]
        if lines:
            yield lines[0], lines[1:]


def commands(lines):
    """Yields each command with what is typed into it."""
    command, typed = None, []
    for line in [*lines, "$ "]:
        if line.startswith("$ "):
            if command is not None:
                yield command, typed
            command, typed = line[2:], []
        else:
            typed.append(tuple(line.split(" => ")))


def play(command, typed, directory, environment):
    """What a person sees: the command and what follows it."""
    alone = command.startswith("haft ") and "|" not in command
    terminal = Terminal(f"exec {command}" if alone else command, directory, environment)
    for text, keys in typed:
        if not all(terminal.wait(one) for one in ((PROMPT, "> ") if text == "prompt" else (text,))):
            terminal.screen.feed(f"\r\n*** timeout: no {text!r}\r\n")
            break
        terminal.type(CONTROLS.get(keys, keys + "\r"))
    status = terminal.end()
    shown = terminal.screen.text()
    return f"$ {command}\n{shown}\n" + (f"[exit status {status}]\n" if status != 0 else "")


@contextmanager
def serve(name, directory):
    """A model server that plays a script; yields its URL."""
    server = subprocess.Popen([os.environ["HAFT"], "mock-model", f"{name}.script.yaml"],
                              cwd=directory, stdout=subprocess.PIPE, text=True)
    try:
        yield server.stdout.readline().split()[-1]
    finally:
        server.terminate()
        server.communicate()


def play_section(heading, lines):
    """Each section has its own directory, with the files of newcomer/."""
    with tempfile.TemporaryDirectory(prefix="haft-newcomer-") as directory, ExitStack() as stack:
        shutil.copytree(HERE, directory, dirs_exist_ok=True)
        (Path(directory) / "bin").mkdir()
        (Path(directory) / "bin" / "haft").symlink_to(os.environ["HAFT"])
        environment = dict(
            os.environ, PATH=f"{directory}/bin:{os.environ['PATH']}", HOME=directory, TERM="xterm",
            XDG_STATE_HOME=directory, XDG_CONFIG_HOME=directory, LANG="C.UTF-8", LC_ALL="C.UTF-8",
            HAFT_STORE="sqlite:runs.db", ROOT=str(ROOT))
        environment.pop("NO_COLOR", None)
        environment.update({name.upper(): stack.enter_context(serve(name, directory))
                            for name in MODELS if any(f"{name}.yaml" in line for line in lines)})
        shown = [play(command, typed, directory, environment)
                 for command, typed in commands(lines)]
    text = f"{heading}\n\n" + "\n".join(shown)
    text = text.replace(directory, "~").replace(str(ROOT), "ROOT")
    for pattern, name in VARYING:
        text = pattern.sub(name, text)
    return text


def rewrap(found, wanted):
    """The length of a time decides where a line is wrapped: a block with a time that has the wanted
    words has the wanted lines."""
    known = {tuple(block.split()): block for block in wanted.split("\n$ ") if "TIME" in block}
    return "\n$ ".join(known.get(tuple(block.split()), block) for block in found.split("\n$ "))


def main():
    with ThreadPoolExecutor(4) as pool:
        found = "\n".join(pool.map(lambda section: play_section(*section),
                                   sections((HERE / "session.txt").read_text())))
    if os.environ.get("HAFT_RENEW"):
        GOLDEN.write_text(found)
    wanted = GOLDEN.read_text() if GOLDEN.exists() else ""
    check_none("what_a_newcomer_sees", difflib.unified_diff(
        wanted.splitlines(), rewrap(found, wanted).splitlines(), "transcript.txt", "seen",
        lineterm=""), most=200)


main()
