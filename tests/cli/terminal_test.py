#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""haft on a real terminal: the timeline, questions and approvals, and Ctrl-C."""
import fcntl
import http.server
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
import threading
import time
import unicodedata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300
SECRET = "sk-streamed-0123456789abcdef"
STYLE = re.compile(r"\x1b\[[0-9;]*[mK]")


def put(name, value):
    path = Path(scratch) / name
    path.write_text(json.dumps(value))
    return path


class Terminal:
    """A program on its own terminal; its output, and keys for it."""

    def __init__(self, words, columns=80, stdout=None, **variables):
        self.shown = ""
        self.child, self.master = pty.fork()
        if self.child == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.chdir(scratch)
            if stdout is not None:
                os.dup2(os.open(stdout, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
            os.execve(HAFT, [HAFT, *map(str, words)], dict(environment, **variables))

    def read(self):
        """Reads output; returns whether more may follow."""
        if not select.select([self.master], [], [], 1)[0]:
            return True
        try:
            piece = os.read(self.master, 65536).decode("utf-8", "replace")
        except OSError:
            piece = ""
        self.shown += piece
        return bool(piece)

    def until(self, text):
        """Reads until the text has appeared; returns whether it has."""
        end = time.monotonic() + LONG
        while text not in self.shown and time.monotonic() < end and self.read():
            pass
        return text in self.shown

    def type(self, keys):
        os.write(self.master, keys.encode())

    def end(self):
        """Returns (exit status, output)."""
        end = time.monotonic() + LONG
        while time.monotonic() < end and self.read():
            pass
        status = os.waitpid(self.child, 0)[1]
        os.close(self.master)
        return os.waitstatus_to_exitcode(status), self.shown


def at_terminal(words, typed=(), prompt="> ", **more):
    """Types each line after its prompt has appeared."""
    terminal = Terminal(words, **more)
    for count, line in enumerate(typed):
        end = time.monotonic() + LONG
        while terminal.shown.count(prompt) <= count and time.monotonic() < end and terminal.read():
            pass
        terminal.type(line)
    return terminal.end()


def spec(name, replies, tools=(), **more):
    put(f"{name}.script.json", {"replies": replies, "results": more.pop("results", {})})
    return put(f"{name}.json", dict({"haft": 1, "name": name, "model": f"script:{name}.script.json",
                                     "tools": list(tools)}, **more))


def tool(name, command, **traits):
    return {"name": name, "description": "Does something for the test.", "args": ["q"],
            "command": command, "traits": traits}


def call(name, **arguments):
    return {"name": name, "arguments": dict({"q": "x"}, **arguments)}


def newest():
    done = subprocess.run([HAFT, "runs", "list", "--json", "--limit", "1"], env=environment,
                          text=True, capture_output=True)
    return (json.loads(done.stdout)["runs"] or [{}])[0]


def haft(*words, **more):
    done = subprocess.run([HAFT, *map(str, words)], cwd=scratch, env=environment, text=True,
                          capture_output=True, stdin=subprocess.DEVNULL, **more)
    return done.returncode, done.stdout, done.stderr


# ---- questions and approvals ----

def test_question():
    asked = {"question": "Which?\n\x1b[2Jone", "choices": ["red", "blue"], "default": "red"}
    path = spec("ask", [{"calls": [{"name": "request_user_input", "arguments": asked}]},
                        {"expect": {"contains": "blue"}, "text": "blue it is"}],
                [{"builtin": ["request_user_input"]}],
                choice={"min_tools_for_auto": 0})
    status, shown = at_terminal(["run", path, "go"], ["2\n"])
    check("a_question_is_asked_and_answered", (
        status, "    Which?\r\n    \\u001b[2Jone" in shown, "2) blue" in shown, "[red]> " in shown,
        "blue it is" in shown), (0, True, True, True, True))
    status, shown = at_terminal(["run", path, "go"], ["7\n", "2\n"])
    check("a_number_of_no_choice_asks_again", (status, shown.count("[red]> "),
                                               "blue it is" in shown), (0, 2, True))
    status, shown = at_terminal(["run", path, "go"], ["\x04"])
    check("the_end_of_input_leaves_a_question_open", (
        status, f"haft answer {newest()['run']} c1.1 'TEXT'" in shown), (4, True))
    status, out, err = haft("run", path, "go")
    check("without_a_terminal_a_question_waits", (
        status, out, f"  haft answer {newest()['run']} c1.1 'TEXT'\n" in err), (4, "", True))
    put("ask.script.json", {"replies": [
        {"calls": [{"name": "request_user_input", "arguments": {"question": "Name?"}}]},
        {"expect": {"contains": "Ada"}, "text": "hello"}]})
    status, shown = at_terminal(["run", path, "go"], ["\n", "Ada\n"])
    check("without_a_default_an_answer_is_required",
          (status, shown.count("answer> ")), (0, 2))


def test_question_during_a_call():
    """A question of a server is asked at once, whatever else runs."""
    server = Path(__file__).resolve().parent.parent / "mcp" / "asking_server.py"
    log = Path(scratch) / "beside.log"
    servers = {name: {"command": [sys.executable, str(server), "old", way, str(log)],
                      "timeout": "60s", "trust": True}
               for name, way in (("docs", "form"), ("slow", "behind"))}
    path = spec("beside", [{"calls": [{"name": "docs:ask", "arguments": {}},
                                      {"name": "slow:ask", "arguments": {}}]},
                           {"text": "the end"}], mcp={"servers": servers})
    status, shown = at_terminal(["run", path, "use docs:ask and slow:ask"], ['{"name": "Ada"}\n'],
                                prompt="declines> ")
    answer = json.loads(log.read_text())[0] if log.exists() else {}
    check("a_question_during_a_call", (status, "the end" in shown, shown.count("declines> "),
                                       answer.get("content", {}).get("name")),
          (0, True, 1, "Ada"))


PROMPT = "approve? [y/N/a/A/e/?]> "
CONFIRM = "send this text to the model? [y/N]> "


def approval(name, keys, variables=None, **traits):
    sent = Path(scratch) / "sent.txt"
    sent.unlink(missing_ok=True)
    path = spec(name, [{"calls": [call("send", q="it's \x1b[31mred")]}, {"text": "over"}],
                [tool("send", ["sh", "-c", f"cat > '{sent}'"], needs_approval=True, **traits)])
    status, shown = at_terminal(["run", path, "go"], keys, prompt="]> ", **(variables or {}))
    return status, shown, sent.exists()


def answers():
    log = [json.loads(line) for line in haft("runs", "events", "last")[1].splitlines()]
    return [event for event in log if event["kind"] == "answered"]


def test_approval():
    status, shown, sent = approval("send", ["y\n"])
    check("yes_runs_the_call", (status, sent), (0, True))
    check("exact_arguments_are_shown_before_approval", (
        f"sh -c 'cat > '\\''{scratch}" in shown.replace("\r\n    ", " "),
        '    {\r\n      "q": "it\'s \\u001b[31mred"\r\n    }\r\n' in shown,
        "  input: the arguments as one line of JSON\r\n" in shown, "destructive" in shown),
        (True, True, True, False))
    for name, keys in (("empty", ["\n"]), ("no", ["n\n"]), ("end", ["\x04"]),
                       ("other", ["sure\n", "y\n"])):
        status, shown, sent = approval("send", keys)
        reported = "send rejected" in STYLE.sub("", shown)
        check(f"other_replies_reject_the_call_{name}", (status, sent, reported), (0, False, True))
    for name, keys, why in (("no", ["no thanks, not him\n"], "thanks, not him"), ("n", ["n\n"], ""),
                            ("text", ["ask Ada first\n", "y\n"], "ask Ada first")):
        approval("send", keys)
        check(f"the_reason_is_kept_{name}", [e["value"] for e in answers()], [why])
    status, shown, sent = approval("send", ["ask Ada first\n", "n\n", "y\n"])
    check("a_text_that_is_not_confirmed_decides_nothing",
          (status, sent, shown.count(PROMPT), shown.count(CONFIRM), shown.count("  arguments:")),
          (0, True, 2, 1, 1))
    status, shown, sent = approval("send", ['{"q": 7, }\n', '{"q": []}\n', '{"q": "other"}\n'])
    check("other_arguments_are_checked_and_run",
          (status, sent, shown.count(PROMPT), "does not accept these arguments" in shown,
           (Path(scratch) / "sent.txt").read_text()), (0, True, 3, True, '{"q":"other"}\n'))
    status, shown, sent = approval("send", ["?\n", "n\n"])
    check("help_lists_the_replies", (
        status, sent, shown.count(PROMPT), [word for word in "ynaAe?" if
                                            f"\r\n  {word}      " not in shown],
        "other text is a message to the model" in shown), (0, False, 2, [], True))
    _, shown, _ = approval("send", ["n\n"], destructive=True)
    check("a_destructive_call_is_marked", (
        "destructive: its effect cannot be undone" in shown,
        "also approve later destructive calls of this tool" in shown), (True, True))
    terminal = Terminal(["run", Path(scratch) / "send.json", "go"])
    terminal.until(PROMPT)
    os.close(terminal.master)
    status = os.waitstatus_to_exitcode(os.waitpid(terminal.child, 0)[1])
    check("closing_the_terminal_answers_nothing",
          (status in (4, 130), newest()["end"]), (True, None))


def editor(name, script):
    """A program that changes the file it is called with."""
    path = Path(scratch) / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o700)
    return {"EDITOR": f"{path} -w", "VISUAL": "", "TMPDIR": scratch}


def test_editor():
    sent = Path(scratch) / "sent.txt"
    seen = Path(scratch) / "seen.txt"
    edit = editor("edit", f'cp "$2" {seen}; stat -c %a "$2" >> {seen}; '
                          """printf '{\n  "q": "edited"\n}\n' > "$2\"""")
    status, shown, _ = approval("send", ["e\n"], edit)
    check("the_arguments_are_edited", (status, sent.read_text(), answers()[0]["verdict"]),
          (0, '{"q":"edited"}\n', "edit"))
    check("the_editor_gets_the_shown_arguments", seen.read_text(),
          '{\n  "q": "it\'s \\u001b[31mred"\n}\n600\n')
    check("no_file_is_left", list(Path(scratch).glob("haft-*.json")), [])
    for name, script, note in (
            ("same", "true", "the arguments are unchanged"),
            ("no_json", 'echo "{q" > "$2"', "expected"),
            ("no_object", 'echo "[1]" > "$2"', "expected an object with the arguments"),
            ("no_fit", """echo '{"q": []}' > "$2\"""", "does not accept these arguments"),
            ("failed", """echo '{"q": "x"}' > "$2"; exit 3""", "the editor failed")):
        status, shown, ran = approval("send", ["e\n", "n\n"], editor("edit", script))
        check(f"invalid_edit_asks_again_{name}", (
            status, ran, shown.count(PROMPT), note in shown.split(PROMPT)[1]), (0, False, 2, True))
    status, shown, ran = approval("send", ["e\n", "n\n"], {"EDITOR": "", "VISUAL": ""})
    check("an_editor_must_be_named", (status, ran, "EDITOR is not set" in shown), (0, False, True))


def test_always_in_a_run():
    log = Path(scratch) / "always.txt"
    for name, destructive in (("plain", False), ("destructive", True)):
        log.unlink(missing_ok=True)
        path = spec("always", [{"calls": [call("send", q="1"), call("other", q="2"),
                                          call("send", q="3")]},
                               {"calls": [call("send", q="4")]}, {"text": "over"}],
                    [tool(word, ["sh", "-c", f"cat >> '{log}'"], needs_approval=True,
                          destructive=destructive) for word in ("send", "other")])
        status, shown = at_terminal(["run", path, "go"], ["a\n", "y\n"], prompt=PROMPT)
        ran = sorted(json.loads(line)["q"] for line in log.read_text().splitlines())
        given = [(e["call"], e["by"], e.get("why")) for e in answers()]
        check(f"always_is_for_this_tool_{name}", (status, ran, shown.count(PROMPT)),
              (0, ["1", "2", "3", "4"], 2))
        why = "always in this run, since c1.1"
        check(f"always_is_recorded_{name}", sorted(given, key=str), sorted([
            ("c1.1", "terminal", None), ("c1.2", "terminal", None),
            ("c1.3", "standing approval", why), ("c2.1", "standing approval", why)], key=str))
        status, out, _ = haft("runs", "replay", "last")
        check(f"replay_gives_the_same_run_{name}", (status, "identical" in out), (0, True))
    status, shown = at_terminal(["run", path, "go"], ["n\n", "n\n", "n\n", "n\n"], prompt=PROMPT)
    check("always_ends_with_the_run", (status, shown.count(PROMPT)), (0, 4))


def test_long():
    """HAFT__LIMIT_TERMINAL_TEXT_BYTES: 64 KiB of the arguments are shown; longer arguments cannot
    be approved here."""
    for more in (0, 1):
        text = "x" * (65536 - len('{\n  "q": ""\n}') + more)
        path = spec("long", [{"calls": [call("send", q=text)]}, {"text": "over"}],
                    [tool("send", ["true"], needs_approval=True)])
        status, shown = at_terminal(["run", path, "go"], ["y\n"] if more == 0 else [])
        check(f"a_long_call_is_not_approved_{more}", (
            status, "... and 1 more bytes" in shown, "approve?" in shown,
            f"haft approve {newest()['run']} c1.1" in shown),
            (0, False, True, False) if more == 0 else (4, True, False, True))


def test_shown_without_a_terminal():
    path = spec("quiet", [{"calls": [call("send", q="all of this")]}, {"text": "over"}],
                [tool("send", ["echo", "{q}"], needs_approval=True)])
    status, _, err = haft("run", path, "go")
    check("command_is_shown_before_approval",
          (status, "  command:\n    echo 'all of this'\n" in err,
           "approve?" in err), (4, True, False))


def test_several():
    tools = [tool("one", ["true"], needs_approval=True), {
        "name": "two", "description": "Sends something for the test.", "args": ["q"],
        "http": {"method": "POST", "url": "https://api.example.org/v1/{q}?key=${STREAMED_API_KEY}",
                 "body": {"to": "{q}"}}, "traits": {"needs_approval": True}}]
    path = spec("several", [{"calls": [call("one"), call("two", q="a b")]}, {"text": "over"}],
                tools)
    status, shown = at_terminal(["run", path, "go"], ["n\n", "n\n"], STREAMED_API_KEY=SECRET)
    check("approvals_are_asked_one_after_the_other",
          (status, "command tool (1/2)" in shown, "http tool (2/2)" in shown), (0, True, True))
    text = shown.replace("\r\n    ", "")
    check("http_request_is_shown_without_secrets", (
        "POST https://api.example.org/v1/a%20b?key=[redacted]" in text, '{"to":"a b"}' in text,
        SECRET in shown), (True, True, False))


def test_child():
    """The approval of a call of a child is requested at the terminal of its root, by its agent."""
    team = Path(__file__).resolve().parents[2] / "examples/team.yaml"
    status, shown = at_terminal(["run", team, "Write a note."], ["y\n"], prompt="]> ")
    check("the_prompt_says_which_child_asks",
          (status, "reporter (c1.2) asks:" in STYLE.sub("", shown), "on Monday" in shown),
          (0, True, True))


# ---- the timeline ----

def columns(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c)
               else 1 for c in STYLE.sub("", line.split("\r")[-1]))


def timeline(*words, **more):
    path = spec("line", [
        {"reasoning": "First, let me look.", "text": "I look.",
         "calls": [call("look", q="漢字" * 60)],
         "usage": {"input_tokens": 1500, "output_tokens": 20}},
        {"text": "Found: 漢字\x1b]0;title\x07 and\nmore."}],
        [tool("look", ["printf", "\\033[2Jx"], read_only=True)])
    return at_terminal(["run", path, "go", *words], **more)


def test_timeline():
    status, shown = timeline()
    plain = STYLE.sub("", shown)
    check("events_are_shown", [word for word in (
        "line  go", "turn 1/12 · free to answer", "First, let me look.", "I look.", "✓ look 漢字",
        "turn 2/12", "✓ done: the model answered", "2 turns · 1 call · 1.5k tokens in · 20 out")
        if word not in plain], [])
    check("tokens_and_ids_are_shown_once_at_the_end",
          (plain.count("tokens in"), "c1.1" in plain, '{"q":' in plain), (1, False, False))
    verbose = STYLE.sub("", timeline("-v")[1])
    check("verbose_shows_all", (verbose.count("tokens in"), "✓ c1.1 look" in verbose,
                                '{"q":' in verbose, "free to answer · auto · default auto" in
                                verbose), (2, True, True, True))
    check("the_answer_is_shown_once", (status, plain.count("Found: 漢字")), (0, 1))
    check("control_characters_are_escaped", ("\\u001b]0;title\\u0007" in plain,
                                             "\x1b" in plain or "\x07" in plain), (True, False))
    check("terminal_output_has_colours", "\x1b[32m" in shown, True)
    check("the_open_line_is_the_only_one_written_again", "\x1b[A" in shown or "\x1b[H" in shown,
          False)
    for width in (40, 41, 80, 200):
        _, shown = timeline(columns=width)
        wide = [line for line in shown.split("\r\n") if columns(line) >= width]
        check(f"every_line_fits_{width}", wide, [])
    for name, variables in (("NO_COLOR", {"NO_COLOR": "1"}), ("ascii", {"LANG": "C"})):
        _, shown = timeline(**variables)
        check(f"without_{name}", ("\x1b[3" in shown, "✓" in shown),
              (False, True) if name == "NO_COLOR" else (True, False))
    _, shown = timeline(NO_COLOR="")
    check("an_empty_no_color_is_ignored", "\x1b[32m" in shown, True)


def test_plain():
    status, shown = timeline("--plain")
    ours = [line for line in shown.split("\r\n") if "漢" not in line]
    check("plain_output_is_ascii_without_escapes",
          (status, "\x1b" in shown, all(line.isascii() for line in ours)),
          (0, False, True))
    events = [re.sub(r"\d+ ms", "N ms", line) for line in ours if line.startswith(("[", "  "))]
    check("plain_has_a_line_an_event", events, [
        "[line] turn 1/12: free to answer",
        "  model: I look.",
        "[line] turn 2/12: free to answer",
        "[line] done: the model answered; 2 turns, 1 call, 1500 tokens in, 20 out"])
    calls = [re.sub(r"\d+ ms", "N ms", line) for line in shown.split("\r\n") if "漢" in line]
    check("plain_has_a_line_a_call", calls[0],
          "  look " + "漢字" * 14 + "...: ok, 5 bytes, N ms")
    check("a_terminal_that_can_only_print_is_plain",
          re.sub(r"\d+ ms", "", timeline(TERM="dumb")[1]), re.sub(r"\d+ ms", "", shown))
    err = haft("run", Path(scratch) / "line.json", "go")[2]
    lines = [line for line in shown.split("\r\n") if line.startswith(("[", "  "))]
    check("pipe_gets_plain_lines", re.sub(r"\d+ ms", "", err).splitlines(),
          [re.sub(r"\d+ ms", "", line) for line in lines])
    status, shown = timeline("--quiet")
    check("quiet_prints_only_the_answer", (status, shown.replace("\r\n", "\n")),
          (0, "Found: 漢字\\u001b]0;title\\u0007 and\nmore.\n"))
    out = Path(scratch) / "out.txt"
    status, shown = timeline(stdout=out)
    check("a_redirected_answer_is_exact", (status, out.read_text(), "Found" in shown),
          (0, "Found: 漢字\x1b]0;title\x07 and\nmore.\n", True))
    status, shown = timeline("--events", stdout=out)
    kinds = {json.loads(line)["kind"] for line in out.read_text().splitlines()}
    check("events_are_durable_ones_only", (status, shown, "model_progress" in kinds,
                                           "run_finished" in kinds), (0, "", False, True))


# ---- streaming ----

class Model(http.server.BaseHTTPRequestHandler):
    """Sends a reply a few characters at a time; the last piece waits until the test has seen the
    rest."""
    text, send_rest = "", threading.Event()
    protocol_version = "HTTP/1.0"

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            self.speak()
        except OSError:
            pass  # an interrupted client has disconnected

    def speak(self):
        pieces = [Model.text[at:at + 5] for at in range(0, len(Model.text), 5)]
        for place, piece in enumerate(pieces):
            if place == len(pieces) - 1:
                Model.send_rest.wait(LONG)
            self.send({"content": piece})
        self.send({}, "stop")
        self.wfile.write(b"data: [DONE]\n\n")

    def send(self, delta, stop=None):
        event = {"choices": [{"index": 0, "delta": delta, "finish_reason": stop}]}
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()


def test_streaming():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    path = put("stream.json", {"haft": 1, "name": "stream", "model": {
        "provider": "openai", "model": "m", "base_url": f"http://127.0.0.1:{server.server_port}/v1",
        "api_key": "${STREAMED_API_KEY}"}})
    Model.text = f"The key is {SECRET}, which nobody may see, and this is the end of it."
    terminal = Terminal(["run", path, "go"], STREAMED_API_KEY=SECRET)
    seen = terminal.until("this is the end")
    Model.send_rest.set()
    status, shown = terminal.end()
    check("text_is_there_before_the_reply_is_over", (status, seen), (0, True))
    text = " ".join(STYLE.sub("", shown).split())
    check("secrets_are_not_streamed", (
        SECRET in shown, "0123" in shown,
        text.count("The key is [redacted], which nobody may see, and this is the end of it.")),
        (False, False, 1))
    Model.send_rest.clear()
    terminal = Terminal(["run", path, "go"], STREAMED_API_KEY=SECRET)
    terminal.until("this is the end")
    terminal.type("\x03")
    status, shown = terminal.end()
    Model.send_rest.set()
    run = newest()
    check("ctrl_c_during_a_reply", (status, f"paused; continue: haft resume {run['run']}" in shown,
                                     run["state"]), (130, True, "running"))
    status, shown = at_terminal(["resume", "last"], STREAMED_API_KEY=SECRET)
    check("paused_run_is_resumed", (status, "✓ done" in STYLE.sub("", shown)), (0, True))
    server.shutdown()


# ---- Ctrl-C ----

def slow(name, *extra, **traits):
    path = spec(name, [{"calls": [call("slow")]}, {"text": "over"}],
                [tool("slow", ["sh", "-c", "touch begun; until test -e free; do sleep 0.05; done"],
                      **traits)])
    for file in ("begun", "free"):
        (Path(scratch) / file).unlink(missing_ok=True)
    terminal = Terminal(["run", path, "go", *extra])
    end = time.monotonic() + LONG
    while not (Path(scratch) / "begun").exists() and time.monotonic() < end:
        terminal.read()
    return terminal


def test_markdown():
    """The answer of a run: rendered on a terminal, raw elsewhere."""
    text = "# Title\n- **bold** [x](https://a.example/\x1b[2J) [y](https://b.example)"
    path = spec("mark", [{"text": text}])
    link = "\x1b]8;;https://b.example\x1b\\\x1b[4my\x1b[0m\x1b]8;;\x1b\\"
    for name, words in (("streamed", []), ("quiet", ["-q"])):
        status, shown = at_terminal(["run", path, "go", *words])
        check(f"markdown_is_rendered_{name}",
              (status, "\x1b[1m\x1b[4mTitle\x1b[0m" in shown, "• \x1b[1mbold\x1b[0m" in shown,
               link in shown, "\x1b[2J" in shown, "](https://a.example/\\u001b[2J)" in shown),
              (0, True, True, True, False, True))
    for name, words, more in (("plain", ["--plain"], {}), ("no_color", ["-q"], {"NO_COLOR": "1"})):
        status, shown = at_terminal(["run", path, "go", *words], **more)
        check(f"markdown_is_raw_with_{name}",
              (status, "# Title\r\n- **bold** [x](" in shown, "\x1b" in shown), (0, True, False))
    check("markdown_is_raw_in_a_pipe", haft("run", path, "go", "-q")[:2], (0, text + "\n"))
    direct = spec("direct", [{"calls": [call("log")]}],
                  [tool("log", ["printf", "*a* %s", "{q}"], read_only=True, return_direct=True)],
                  choice={"min_tools_for_auto": 0})
    shown = at_terminal(["run", direct, "go", "-q"])[1]
    check("the_result_of_a_tool_is_raw", "*a* x" in shown, True)


def test_interrupts():
    terminal = slow("reads", read_only=True)
    terminal.type("\x03")
    status, shown = terminal.end()
    run = newest()
    check("ctrl_c_pauses", (status, run["state"], f"continue: haft resume {run['run']}" in shown),
          (130, "running", True))
    (Path(scratch) / "free").touch()
    check("a_call_that_only_reads_runs_again", haft("resume", run["run"], "-q"), (0, "over\n", ""))

    terminal = slow("writes")
    terminal.type("\x03")
    waits = terminal.until("pausing after slow (c1.1); Ctrl-C again cancels the run")
    (Path(scratch) / "free").touch()
    status, shown = terminal.end()
    check("a_call_with_effects_finishes", (waits, status, newest()["state"],
                                           "paused; " in shown), (True, 130, "running", True))
    status, out, _ = haft("resume", "last", "--events")
    kinds = [json.loads(line)["kind"] for line in out.splitlines()]
    check("finished_call_does_not_run_again", (status, "call_started" in kinds), (0, False))

    terminal = slow("cancelled")
    terminal.type("\x03")
    terminal.until("Ctrl-C again")
    terminal.type("\x03")
    status, shown = terminal.end()
    reported = "cancel requested by terminal" in STYLE.sub("", shown)
    check("second_ctrl_c_cancels", (status, newest()["end"], reported), (130, "cancelled", True))

    for name in ("SIGTERM", "SIGHUP"):
        terminal = slow("signal", "--plain", read_only=True)
        os.kill(terminal.child, getattr(signal, name))
        status, shown = terminal.end()
        check(f"{name}_pauses", (status, newest()["state"], "paused; " in shown),
              (130, "running", True))
    terminal = slow("twice")
    os.kill(terminal.child, signal.SIGTERM)
    terminal.until("pausing after")
    os.kill(terminal.child, signal.SIGTERM)
    check("a_second_signal_does_not_wait", (terminal.end()[0], newest()["state"]), (130, "running"))
    haft("cancel", "last")

    path = Path(scratch) / "ask.json"
    terminal = Terminal(["run", path, "go"])
    terminal.until("> ")
    terminal.type("\x03")
    check("ctrl_c_at_a_question_leaves_it_open", (terminal.end()[0], newest()["state"]),
          (130, "waiting"))
    terminal = slow("memory", "--store", "memory:", read_only=True)
    terminal.type("\x03")
    status, shown = terminal.end()
    check("a_run_in_memory_is_gone", (status, "only in memory" in shown), (130, True))


def test_show():
    terminal = slow("shown", read_only=True)
    status, out, _ = haft("runs", "show", "last")
    check("running_run_is_shown_as_running", (status, json.loads(out)["end"]), (0, "running"))
    (Path(scratch) / "free").touch()
    terminal.end()
    check("run_ends_as_done", json.loads(haft("runs", "show", "last")[1])["end"], "done")
    status, shown = at_terminal(["runs", "show", "last"])
    check("show_prints_a_timeline_at_a_terminal", (status, "✓ c1.1 slow" in STYLE.sub("", shown)),
          (0, True))
    status, shown = at_terminal(["runs", "show", "last", "--json"])
    check("show_with_json_prints_json_at_a_terminal",
          (status, json.loads(shown)["end"]), (0, "done"))


def late(timeout):
    """A call with effects that times out, unless the file `free` exists."""
    (Path(scratch) / "free").unlink(missing_ok=True)
    return spec("late", [{"calls": [call("late")]}, {"text": "over"}],
                [tool("late", ["sh", "-c", "test -e free || sleep 600"], timeout=timeout)])


def test_unknown_outcome():
    """The reason of an unknown outcome is in the event, in the result and on the terminal, and a
    person decides."""
    for name, keys, verdict, value, timeout in (
            ("yes", "y\n", "retry", None, "3s"), ("no", "n not now\n", "reject", "not now", "1s"),
            ("result", "= it is there\n", "answer", "it is there", "1s")):
        reason = f"the call took longer than its timeout of {timeout[0]}000 ms"
        terminal = Terminal(["run", late(timeout), "go"])
        terminal.until("/=/?]> ")
        (Path(scratch) / "free").touch()
        terminal.type(keys)
        status, shown = terminal.end()
        log = [json.loads(line) for line in haft("runs", "events", "last")[1].splitlines()]
        check(f"an_unknown_outcome_has_a_prompt_{name}", (
            status, reason in shown, [e["reason"] for e in log if e["kind"] == "paused"],
            [(e["verdict"], e["value"]) for e in log if e["kind"] == "answered"]),
            (0, True, [reason], [(verdict, value)]))
    status, shown = at_terminal(["run", late("1s"), "go"], ["?\n", "n\n"], prompt="/=/?]> ")
    check("help_decides_nothing", (status, shown.count("/=/?]> "), shown.count("arguments:")),
          (0, 2, 1))
    check("the_reason_replays", haft("runs", "replay", "last")[0], 0)
    status, shown = at_terminal(["run", late("1s"), "go"], ["\x04"], prompt="/=/?]> ")
    result = json.loads(haft("runs", "show", "last")[1])
    check("the_end_of_input_decides_nothing", (
        status, f"c1.1 late: {reason}: its outcome is unknown" in " ".join(shown.split()),
        [call["reason"] for call in result["pending"]]), (4, True, [reason]))


def test_list():
    """`runs list` fits the terminal, and tells waiting and stopped runs from running ones."""
    def states():
        return [line.split()[3] for line in haft("runs", "list", "--limit", "2")[1].splitlines()]
    path = spec("asks", [{"calls": [call("send")]}, {"text": "over"}],
                [tool("send", ["true"], needs_approval=True)])
    haft("run", path, "a task that is much longer than a line of a terminal " * 3)
    terminal = slow("listed", read_only=True)
    check("running_and_waiting_differ", states(), ["running", "waiting"])
    terminal.type("\x03")
    terminal.end()
    check("a_run_without_a_process_is_stopped", states(), ["stopped", "waiting"])
    for width in (60, 80, 200):
        status, shown = at_terminal(["runs", "list"], columns=width)
        lines = shown.split("\r\n")
        check(f"the_list_fits_{width}", (status, [line for line in lines if columns(line) >= width],
                                        " s  stopped" in lines[0]), (0, [], True))


def test_raw():
    """Text of models never reaches a terminal raw, and is unchanged when redirected."""
    bad = "a\x1b[2J\u009b31m\u202eb\u2066\u2028c\x7f"
    raw = set(bad) - set("a[2J31mbc")
    path = spec("raw", [{"calls": [{"name": "store_artifact",
                                    "arguments": {"name": "n", "content": bad + "\n"}}]},
                        {"text": bad}], [{"builtin": ["store_artifact"]}])
    status, out, _ = haft("run", path, bad, "--json")
    result = json.loads(out)
    check("a_pipe_gets_the_bytes", (status, result["answer"], "\u202e" in out), (0, bad, True))
    for words in (["run", path, bad, "--json"], ["run", path, "hi", "--events"],
                  ["runs", "show", "last", "--json"], ["runs", "events", "last"],
                  ["runs", "list", "--json"], ["runs", "artifact", "last", "n"],
                  ["explain", path, bad, "--json"], ["explain", path, bad]):
        status, shown = at_terminal(words)
        check(f"nothing_raw_of_{words[0]}_{words[-1][:10]!r}",
              (status, raw & set(shown), "\\u202e" in shown), (0, set(), True))
    status, shown = at_terminal(["runs", "show", "last", "--json"])
    check("json_has_the_unescaped_answer", json.loads(shown)["answer"], bad)
    check("a_redirected_artifact_is_exact", haft("runs", "artifact", "last", "n")[:2],
          (0, bad + "\n"))


with tempfile.TemporaryDirectory() as scratch:
    environment = dict(os.environ, XDG_STATE_HOME=scratch, TERM="xterm", LANG="C.UTF-8")
    for variable in ("NO_COLOR", "LC_ALL", "LC_CTYPE", "HAFT_STORE"):
        environment.pop(variable, None)
    test_question()
    test_question_during_a_call()
    test_approval()
    test_editor()
    test_always_in_a_run()
    test_long()
    test_shown_without_a_terminal()
    test_several()
    test_child()
    test_timeline()
    test_plain()
    test_streaming()
    test_markdown()
    test_interrupts()
    test_show()
    test_unknown_outcome()
    test_list()
    test_raw()
