#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft chat` on a real terminal: keys, history, signals, and the restored terminal settings."""
import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300
ENTER, UP, PASTE, PASTED = "\r", "\x1b[A", "\x1b[200~", "\x1b[201~"

# Starts a program in its own foreground process group, as a shell does; when it stops, prints the
# terminal settings and continues it.
SHELL = r"""
import os, signal, sys, termios
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    _, status = os.waitpid(child, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
    os.tcsetpgrp(0, os.getpgrp())
    cooked = bool(termios.tcgetattr(0)[3] & termios.ICANON)
    print("SHELL: stopped,", "cooked" if cooked else "raw", flush=True)
    os.tcsetpgrp(0, child)
    os.kill(child, signal.SIGCONT)
"""


def put(name, value):
    path = Path(scratch) / name
    path.write_text(json.dumps(value))
    return path


class Terminal:
    def __init__(self, *words, columns=80, program=None, **more):
        self.shown, self.seen = "", 0
        self.child, self.master = pty.fork()
        if self.child == 0:
            os.chdir(scratch)
            argv = [*(program or []), HAFT, *map(str, words)]
            os.execve(argv[0], argv, dict(environment, **more))
        self.resize(columns)
        self.status = None

    def resize(self, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def read(self):
        if not select.select([self.master], [], [], 1)[0]:
            return True
        try:
            piece = os.read(self.master, 65536).decode("utf-8", "replace")
        except OSError:
            piece = ""
        self.shown += piece
        return piece != ""

    def wait(self, text):
        """Waits until `text` appears after the text of the last wait; returns whether it did."""
        end = time.monotonic() + LONG
        while self.shown.find(text, self.seen) < 0:
            if time.monotonic() > end or not self.read():
                print(f"# waited for {text!r} in {self.shown[self.seen:]!r}")
                return False
        self.seen = self.shown.find(text, self.seen) + len(text)
        return True

    def prompt(self):
        """Waits for the prompt: the terminal may swallow a key that is typed earlier. The mark is
        written once per line, the "> " with every key."""
        return self.wait("\x1b[?2004h") and self.wait("> ")

    def type(self, text):
        os.write(self.master, text.encode("utf-8", "surrogateescape"))

    def say(self, text, answer):
        self.type(text + ENTER)
        return self.wait(answer)

    def signal(self, number):
        os.kill(self.child, number)

    def flags(self):
        return termios.tcgetattr(self.master)[:4]

    def end(self):
        """Returns the exit status; `shown` has the whole output."""
        limit = time.monotonic() + LONG
        while time.monotonic() < limit and self.read():
            pass
        if time.monotonic() >= limit:  # it would have ended already
            os.kill(self.child, signal.SIGKILL)
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])
        os.close(self.master)
        return self.status


def tasks():
    done = subprocess.run([HAFT, "runs", "list", "--json"], env=environment, cwd=scratch,
                          capture_output=True, text=True)
    return [run["task"] for run in json.loads(done.stdout)["runs"]]


def started(task):
    """Waits until the newest run is one with this task."""
    end = time.monotonic() + LONG
    while (tasks() or [None])[0] != task and time.monotonic() < end:
        pass


def test_typing():
    t = Terminal("chat", agent)
    t.prompt()
    good = t.say("hxllo\x1b[D\x1b[D\x1b[D\x7fe\x01Well, \x05!", "an answer")
    t.prompt()
    check("a_text_is_edited_and_sent", (good, tasks()[0]), (True, "Well, hello!"))
    t.type(PASTE + "one\ntwo\n" + PASTED)
    t.wait("two")
    t.type("\x7f three")
    good = t.say("", "an answer")
    check("pasted_text_is_not_sent", (good, tasks()[0]), (True, "one\ntwo three"))
    t.prompt()
    t.say("a\\\rb\x1b\rc", "an answer")
    check("backslash_and_escape_enter_add_a_line", tasks()[0], "a\nb\nc")
    t.prompt()
    t.type("to be forgotten\x03")
    t.type("/quix\x7f\x03")
    t.say(" kept from the history", "an answer")
    check("ctrl_c_clears_the_line", tasks()[0], " kept from the history")
    t.prompt()
    t.type("/hi\t")
    t.wait("/history ")
    t.say("", "  1  Well, hello!")
    t.prompt()
    t.type("/h\t")
    check("tab_lists_commands", t.wait("/help  /history"), True)
    t.type("\x15/input no\t\t")
    t.wait("notes.txt")
    t.type("\x15/tools l\t")
    check("tab_completes_arguments", t.wait("look"), True)
    t.type("\x15/model off\t\x15/thread 0\t\x15/explain x\t\x15xx\t\x15")
    t.type("\x04")
    check("ctrl_d_leaves", (t.end(), "continue it: haft chat" in t.shown), (0, True))


def test_history():
    path = Path(scratch) / "haft/history"
    lines = path.read_text().split("\n")
    check("texts_are_in_the_history", (lines[:4], path.stat().st_mode & 0o777),
          (["Well, hello!", "one\\ntwo three", "a\\nb\\nc", "/history "], 0o600))
    t = Terminal("chat", agent)
    t.prompt()
    t.type(UP + "\x10\x10")
    t.wait("two three")
    check("up_recalls_earlier_texts",
          (t.say("", "an answer"), tasks()[0]), (True, "one\ntwo three"))
    t.prompt()
    t.type("\x12ell")
    t.wait("(search 'ell')")
    check("ctrl_r_finds_earlier_texts",
          (t.say("", "an answer"), tasks()[0]), (True, "Well, hello!"))
    t.prompt()
    t.say("my key is sk-planted-2b9c6f10e4d7", "an answer")
    t.prompt()
    t.type("\x04")
    t.end()
    text = path.read_text()
    check("secrets_are_not_in_the_history",
          ("sk-planted" in text, "my key is [redacted]" in text), (False, True))
    path.unlink()
    path.mkdir()
    t = Terminal("chat", agent)
    t.prompt()
    good = t.say("hello", "an answer")
    t.prompt()
    t.type("\x04")
    check("an_invalid_history_is_reported", (good, t.end(), "haft/history" in t.shown),
          (True, 0, True))
    path.rmdir()


def test_narrow():
    """Tests that the width of the terminal is read, and read again when it changes. editor_test.c
    tests the drawing at 40 columns."""
    t = Terminal("chat", agent, columns=40)
    t.prompt()
    t.type("x" * 38)
    check("text_wraps_at_the_width_of_the_terminal", t.wait("x\r\n"), True)
    t.resize(20)
    check("text_is_redrawn_when_the_width_changes",
          t.wait("> " + "x" * 18 + "\r\n" + "x" * 20), True)
    t.type("\x03\x04")
    check("chat_can_be_left", t.end(), 0)


def test_pause():
    t = Terminal("chat", slow)
    t.prompt()
    t.type("go" + ENTER)
    started("go")
    t.type("\x03")
    check("ctrl_c_pauses_a_run", (t.wait("/resume continues"), t.prompt()), (True, True))
    t.type("/cancel" + ENTER)
    t.prompt()
    put("slow.script.json", {"replies": [{"text": "at last"}]})
    t.say("/model script:slow.script.json", "the model is now")
    t.prompt()
    check("chat_continues_after_a_pause", t.say("again", "at last"), True)
    put("slow.script.json", {"replies": [{"text": "late", "delay": 3600}]})
    t.prompt()
    t.say("/model script:slow.script.json", "the model is now")
    t.prompt()
    t.type("once more" + ENTER)
    started("once more")
    t.type("\x03")
    t.prompt()
    put("slow.script.json", {"replies": [{"text": "resumed"}]})
    check("resume_continues", t.say("/resume", "resumed"), True)
    t.prompt()
    put("slow.script.json", {"replies": [{"text": "late", "delay": 3600}]})
    t.type("\x04")
    check("chat_is_left", t.end(), 0)
    t = Terminal("chat", slow)
    t.prompt()
    t.type("and go" + ENTER)
    started("and go")
    t.signal(signal.SIGTERM)
    check("sigterm_pauses_and_leaves", (t.end(), "continue it: haft chat" in t.shown), (130, True))


def test_redirect():
    """Ctrl-C and a new message: the interrupted run stays in the thread, and the model reads so."""
    put("slow.script.json", {"replies": [{"text": "late", "delay": 3600}]})
    t = Terminal("chat", slow)
    t.prompt()
    t.type("the wrong way" + ENTER)
    started("the wrong way")
    t.type("\x03")
    check("ctrl_c_interrupts", (t.wait("a new message redirects"), t.prompt()), (True, True))
    check("the_shell_command_is_not_repeated", "haft resume" in t.shown, False)
    put("slow.script.json", {"replies": [
        {"expect": {"contains": "[interrupted before the answer]"}, "text": "redirected"}]})
    t.say("/model script:slow.script.json", "the model is now")
    t.prompt()
    check("a_new_message_redirects", t.say("the right way", "redirected"), True)
    t.prompt()
    t.type("/history" + ENTER)
    check("the_interrupted_turn_stays_in_the_history",
          (t.wait("the wrong way"), t.wait("(interrupted)"), t.wait("the right way")), (True,) * 3)
    t.prompt()
    t.type("\x04")
    check("the_chat_is_left", t.end(), 0)
    put("slow.script.json", {"replies": [{"text": "late", "delay": 3600}]})
    t = Terminal("chat", slow)
    t.prompt()
    t.type("left open" + ENTER)
    started("left open")
    t.type("\x03")
    t.prompt()
    t.type("\x04")
    t.end()
    t = Terminal("chat", slow, "--thread", "last")
    t.prompt()
    check("a_run_of_another_chat_is_not_redirected", t.say("more", "has not ended"), True)
    t.prompt()
    t.type("/cancel" + ENTER)
    t.prompt()
    t.type("\x04")
    t.end()
    t = Terminal("chat", asks)
    t.prompt()
    t.type("ask me" + ENTER)
    t.wait("Which?")
    t.wait("> ")
    t.type("\x03")
    check("ctrl_c_interrupts_a_question", (t.wait("a new message redirects"), t.prompt()),
          (True, True))
    t.type("ask me again" + ENTER)
    t.wait("Which?")
    t.wait("> ")
    t.type("blue\n")
    check("a_new_message_redirects_instead_of_an_answer", t.wait("blue it is"), True)
    t.prompt()
    t.type("\x04")
    t.end()


def test_quiet():
    """A chat repeats nothing: the id and the tokens are in one line, and more with -v."""
    t = Terminal("chat", marked, "--store", "memory:")
    t.prompt()
    t.type("say it" + ENTER)
    good = t.wait("0 calls")
    t.prompt()
    t.type("\x04")
    t.end()
    shown = t.shown[t.shown.find("say it\r\n"):]
    check("markdown_is_rendered",
          (good, "\x1b[1mbold\x1b[0m" in shown, "\x1b[4ma page\x1b[0m" in shown,
           "(\x1b]8;;https://a.example\x1b\\\x1b[2mhttps://a.example\x1b[0m" in shown),
          (True, True, True, True))
    check("the_input_and_the_turns_are_not_repeated",
          (t.shown.count("marker  "), "turn 1/" in shown, "the model answered" in shown,
           len(re.findall(r"0 calls.* [0-9a-hjkmnp-tv-z]{26}", shown))), (0, False, False, 1))
    t = Terminal("chat", marked, "-v", "--store", "memory:")
    t.prompt()
    t.type("say it" + ENTER)
    good = t.wait("the model answered")
    t.prompt()
    t.type("\x04")
    t.end()
    check("verbose_shows_the_turns", (good, "turn 1/" in t.shown), (True, True))


def test_restored():
    for name, leave, wanted in (("eof", lambda t: t.type("\x04"), 0),
                                ("quit", lambda t: t.type("/quit\r"), 0),
                                ("sigterm", lambda t: t.signal(signal.SIGTERM), 130),
                                ("sighup", lambda t: t.signal(signal.SIGHUP), 130),
                                ("sigquit", lambda t: t.signal(signal.SIGQUIT), 130)):
        # A second holder of the terminal keeps its settings readable after the end.
        t = Terminal("chat", agent, program=[sys.executable, "-c", r"""
import os, subprocess, sys, termios
before = termios.tcgetattr(0)
child = subprocess.Popen(sys.argv[1:])
print("PID", child.pid, flush=True)
status = child.wait()
print("SAME" if termios.tcgetattr(0) == before else "OTHER", flush=True)
sys.exit(status if status >= 0 else 1)
"""])
        t.wait("PID ")
        t.prompt()
        raw = not t.flags()[3] & termios.ICANON
        shell, t.child = t.child, int(re.search(r"PID (\d+)", t.shown)[1])
        leave(t)
        t.child = shell
        status = t.end()
        check(f"terminal_settings_are_restored_{name}",
              (raw, status, "SAME" in t.shown, "\x1b[?2004l" in t.shown),
              (True, wanted, True, True))


def test_stop():
    t = Terminal("chat", agent, program=[sys.executable, "-c", SHELL])
    t.prompt()
    t.type("half")
    t.wait("half")
    t.type("\x1a")
    check("ctrl_z_stops_with_a_cooked_terminal", t.wait("SHELL: stopped, cooked"), True)
    check("chat_continues_with_the_typed_text", (t.wait("> half"), t.say(" a text", "an answer"),
                                                 tasks()[0]), (True, True, "half a text"))
    t.prompt()
    group = os.tcgetpgrp(t.master)
    t.type("two")
    t.wait("two")
    os.kill(group, signal.SIGTSTP)
    check("sigtstp_restores_the_terminal_too",
          (t.wait("SHELL: stopped, cooked"), t.wait("> two")), (True, True))
    os.kill(group, signal.SIGSTOP)
    check("sigstop_leaves_the_terminal_raw", (t.wait("SHELL: stopped, raw"), t.wait("> two")),
          (True, True))
    os.kill(group, signal.SIGINT)
    t.type("\x15\x04")
    check("chat_is_left", t.end(), 0)


def test_asking():
    t = Terminal("chat", asks)
    t.prompt()
    t.type("go" + ENTER)
    t.wait("Which?")
    t.wait("> ")
    t.type("blue\n")
    check("questions_are_asked_in_between", t.wait("blue it is"), True)
    t.prompt()
    t.type("\x04")
    check("chat_continues", t.end(), 0)


def test_plain():
    for name, words, more in (("dumb", [], {"TERM": "dumb"}), ("no_term", [], {"TERM": ""}),
                              ("plain", ["--plain"], {})):
        t = Terminal("chat", agent, *words, **more)
        t.wait("> ")
        good = t.say("plain text", "an answer")
        t.wait("> ")
        t.type("\x04")
        check(f"plain_lines_{name}", (good, t.end(), "\x1b" in t.shown.replace("\x1b[?2004", "")
                                      and "\x1b[J" in t.shown, tasks()[0]),
              (True, 0, False, "plain text"))
    t = Terminal("chat", agent, "--plain")
    t.wait("> ")
    t.type("\x03")
    check("ctrl_c_leaves_plain_lines", t.end(), 130)


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=scratch, TERM="xterm",
                       PLANTED="sk-planted-2b9c6f10e4d7")
    environment.pop("HAFT_STORE", None)
    (Path(scratch) / "notes.txt").write_text("notes")
    (Path(scratch) / "nothing").mkdir()
    put("agent.script.json", {"replies": [{"text": "an answer"}]})
    agent = put("agent.json", {
        "haft": 1, "name": "talker", "model": "script:agent.script.json", "tools": [
            {"name": "look", "description": "Look something up.", "args": [],
             "command": ["true"], "env": {"KEY": "${PLANTED}"}}], "choice": {"default": "none"}})
    put("slow.script.json", {"replies": [{"text": "late", "delay": 3600}]})
    slow = put("slow.json", {"haft": 1, "name": "slow", "model": "script:slow.script.json"})
    put("ask.script.json", {"results": {"look": "x"}, "replies": [
        {"calls": [{"name": "look"}]},
        {"calls": [{"name": "request_user_input", "arguments": {"question": "Which?"}}]},
        {"expect": {"contains": "blue"}, "text": "blue it is"}]})
    asks = put("ask.json", {"haft": 1, "name": "asker", "model": "script:ask.script.json",
                            "tools": [
        {"builtin": ["request_user_input"]},
        {"name": "look", "description": "Look something up.", "args": []}]})
    put("marked.script.json", {"replies": [
        {"text": "Some **bold** text, [a page](https://a.example) and `code`."}]})
    marked = put("marked.json", {"haft": 1, "name": "marker",
                                 "model": "script:marked.script.json"})
    test_typing()
    test_history()
    test_narrow()
    test_pause()
    test_redirect()
    test_quiet()
    test_restored()
    test_stop()
    test_asking()
    test_plain()
