#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft chat` from a pipe: messages are runs of one thread, and undone exchanges are not sent
again."""
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300
LINE_BYTES = 256 << 10  # line.bytes


class Model(http.server.BaseHTTPRequestHandler):
    """Answers "answer N" to the N-th request, and keeps the requests."""
    asked = []

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Model.asked.append(json.loads(body)["messages"])
        piece = {"choices": [{"index": 0, "delta": {"content": f"answer {len(Model.asked)}"},
                              "finish_reason": "stop"}]}
        reply = f"data: {json.dumps(piece)}\n\ndata: [DONE]\n\n".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass


def put(name, value):
    path = Path(scratch) / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def haft(*words, **options):
    done = subprocess.run([HAFT, *map(str, words)], cwd=scratch, env=environment, timeout=LONG,
                          capture_output=True, **options)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def chat(spec, lines, *words):
    """(exit status, standard output, standard error)"""
    text = lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode()
    return haft("chat", spec, *words, input=text)


def texts_of(messages):
    return [message["content"] for message in messages if message["role"] != "system"]


def runs(thread):
    return json.loads(haft("runs", "list", "--thread", thread, "--json")[1])["runs"]


def thread_of(err):
    return re.findall(r"--thread (\w{26})$", err, re.MULTILINE)[-1]


def test_turns():
    status, out, err = chat(agent, ["one", "two", "", "  ", "three\\", "lines"])
    check("answers_go_to_standard_output", (status, out), (0, "answer 1\nanswer 2\nanswer 3\n"))
    check("piped_output_is_plain", ("> " in out + err, "\x1b" in out + err),
          (False, False))
    check("each_request_has_the_earlier_texts", [texts_of(each) for each in Model.asked],
          [["one"], ["one", "answer 1", "two"],
           ["one", "answer 1", "two", "answer 2", "three\nlines"]])
    thread = thread_of(err)
    check("each_text_is_a_run_of_the_thread", [run["task"] for run in runs(thread)],
          ["three\nlines", "two", "one"])
    check("the_command_to_continue_is_printed",
          f"continue it: haft chat {agent} --thread {thread}" in err,
          True)
    status, out, err = chat(agent, ["four"], "--thread", thread[:24])
    check("a_thread_continues", (status, out, texts_of(Model.asked[3])[-3:], thread_of(err)),
          (0, "answer 4\n", ["three\nlines", "answer 3", "four"], thread))
    status, out, err = chat(agent, ["five"], "--thread", "last", "--quiet")
    check("last_is_the_newest_conversation", (out, err, len(texts_of(Model.asked[4]))),
          ("answer 5\n", "", 9))
    return thread


def test_undo(thread):
    before = len(Model.asked)
    status, out, err = chat(agent, ["/undo 2", "/thread", "six", "/history"], "--thread", thread)
    forked = out.split("\n")[0]
    check("undone_exchanges_are_not_sent", texts_of(Model.asked[before]),
          ["one", "answer 1", "two", "answer 2", "three\nlines", "answer 3", "six"])
    check("undo_creates_another_thread",
          (forked != thread, thread_of(err), f"/thread {thread}" in err),
          (True, forked, True))
    check("the_old_thread_is_unchanged", [run["task"] for run in runs(thread)],
          ["five", "four", "three\nlines", "two", "one"])
    check("history_numbers_the_exchanges", re.findall(r"^ +(\d+)  (.*)\n +(.*)$", out, re.M),
          [("1", "one", "answer 1"), ("2", "two", "answer 2"),
           ("3", "three / lines", "answer 3"), ("4", "six", f"answer {before + 1}")])
    copies = runs(forked)
    check("copied_runs_replay",
          [haft("runs", "replay", run["run"])[1].split(":")[0] for run in copies],
          ["identical"] * 4)
    first = json.loads(haft("runs", "events", copies[-1]["run"])[1].split("\n")[0])
    check("runs_name_their_thread_and_task", (first["run"], first["thread"], first["task"]),
          (copies[-1]["run"], forked, "one"))
    out = chat(agent, ["/undo 4", "seven"], "--thread", forked)[1]
    check("everything_can_be_undone", texts_of(Model.asked[-1]), ["seven"])
    before = len(Model.asked)
    status, out, err = chat(agent, ["/retry", "/history"], "--thread", forked)
    check("retry_sends_the_same_again", texts_of(Model.asked[before])[-3:],
          ["three\nlines", "answer 3", "six"])
    check("retry_keeps_one_answer",
          (f"answer {before + 1}" in out, "answer 6" in out), (True, False))
    for word, wanted in (("0", "at least 1"), ("x", "at least 1"), ("-1", "at least 1"),
                         ("99", "this thread has 4 exchanges")):
        status, out, err = chat(agent, [f"/undo {word}"], "--thread", forked)
        check(f"undo_refuses_{word}", (status, wanted in err), (0, True))
    check("retry_without_a_message_is_an_error",
          "no messages in this thread" in chat(agent, ["/retry"])[2], True)


def test_script():
    """The same with scripts, which check the requests."""
    put("first.json", {"replies": [{"text": "the word is plum"}]})
    put("knows.json", {"replies": [{"expect": {"contains": ["a secret word", "plum"]},
                                    "text": "I know it"}]})
    spec = put("script.json", {"haft": 1, "name": "scripted", "model": "script:first.json"})
    status, out, err = chat(spec, ["a secret word?", "/model script:knows.json", "well?"])
    check("script_finds_the_earlier_messages", (status, out), (0, "the word is plum\nI know it\n"))
    status, out, err = chat(spec, ["a secret word?", "/undo", "/model script:knows.json", "well?"])
    check("undone_exchange_is_not_in_the_request",
          (status, out, [run["end"] for run in runs(thread_of(err))]),
          (0, "the word is plum\n", ["failed"]))
    status, out, err = chat(spec, ["/model", "/model script:nowhere.json", "/model", "hello"])
    check("an_invalid_model_changes_nothing",
          (out, "nowhere.json" in err, "the model is unchanged" in err),
          ("script:first.json\nscript:first.json\nthe word is plum\n", True, True))
    status, out, err = chat(spec, ["hi", "/model offline", "/model"], "-m", "script:first.json")
    check("offline_model_can_be_chosen", (out.split("\n")[-2], status), ("offline", 0))


def test_threads(thread):
    status, out, err = chat(agent, ["/threads", "/new", "/threads", f"/thread {thread}",
                                    "/threads"], "--thread", thread)
    rows = re.findall(r"^([* ]) (\w{26}) +\d+ (\w+) +(\d+)  (\w+): (.*)$", out, re.MULTILINE)
    third = len(rows) // 3
    check("threads_are_listed", [row[1] for row in rows[:third]].count(thread), 1)
    check("threads_are_listed_with_their_first_message",
          [row[3:] for row in rows if row[1] == thread],
          [("5", "talker", "one")] * 3)
    check("current_thread_is_marked", ["".join(row[0] for row in part).strip() for part in
                                       (rows[:third], rows[third:-third], rows[-third:])],
          ["*", "", "*"])
    for name, wanted, number in (("0", "several threads begin with '0'", 2),
                                 ("nothing", "there is no thread 'nothing'", 2),
                                 ("0" * 26, "there is no thread", 2),
                                 ("", "there is no thread", 2)):
        status, out, err = chat(agent, ["hello"], "--thread", name)
        check(f"unknown_thread_is_an_error_{name[:8]}",
              (status, out, wanted in err), (number, "", True))
        if name:
            status, out, err = chat(agent, [f"/thread {name}"])
            check(f"thread_command_rejects_an_unknown_thread_{name[:8]}",
                  (status, wanted in err), (0, True))
    other = put("other.json", {"haft": 1, "name": "nobody-yet", "model": "script:first.json"})
    status, out, err = chat(other, ["hello"], "--thread", "last")
    check("last_considers_only_this_agent",
          (status, "no earlier conversation with 'nobody-yet'" in err),
          (2, True))


def test_open():
    """A run of the thread that waits, or that another process owns."""
    put("ask.script.json", {"replies": [{"calls": [{"name": "request_user_input", "arguments": {
        "question": "Which?"}}]}, {"text": "over"}]})
    spec = put("ask.json", {"haft": 1, "name": "asker", "model": "script:ask.script.json",
                            "tools": [{"builtin": ["request_user_input"]}],
                            "choice": {"min_tools_for_auto": 0, "default": "auto"}})
    status, out, err = chat(spec, ["go", "on", "/resume", "/history", "/cancel", "/resume"])
    check("a_waiting_run_is_reported",
          (status, "waits for an answer" in err, "/resume continues it" in err,
           "haft answer" in err), (0, True, True, True))
    check("waiting_run_is_in_the_history", "(waiting)" in out, True)
    check("cancel_ends_the_waiting_run", ("no open run in this thread" in err,
                                          [run["end"] for run in runs(thread_of(err))]),
          (True, ["cancelled"]))
    status, out, err = chat(spec, ["go"])
    thread = thread_of(err)
    status, out, err = chat(spec, ["/undo", "/history"], "--thread", thread)
    check("undo_leaves_the_run", ("waits for an answer" in err, "no messages in this thread" in err,
                                    [run["state"] for run in runs(thread)]),
          (True, True, ["waiting"]))
    run = runs(thread)[0]["run"]
    check("other_process_can_answer", haft("answer", run, "red")[:2], (0, "over\n"))
    put("slow.json", {"replies": [{"text": "late", "delay": 3600}]})
    slow = put("slow.spec.json", {"haft": 1, "name": "slow", "model": "script:slow.json",
                                    "multitask": "reject"})
    busy = subprocess.Popen([HAFT, "run", slow, "wait", "--thread", thread], cwd=scratch,
                            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + LONG
    while runs(thread)[0]["task"] != "wait" and time.monotonic() < end:
        pass
    status, out, err = chat(slow, ["me too", "/resume", "/cancel"], "--thread", thread)
    check("a_run_of_another_process_is_left_alone",
          (status, out, err.count("still running in another process"),
           "asked the owner of run" in err), (0, "", 2, True))
    busy.communicate(timeout=LONG)
    check("other_run_can_be_cancelled", busy.returncode, 130)
    put("quick.json", {"replies": [{"text": "quick"}]})
    check("chat_continues_after_the_other_run",
          chat(slow, ["me too"], "--thread", thread, "--model",
               "script:quick.json")[1], "quick\n")


def test_bad_input():
    before = len(Model.asked)
    status, out, err = chat(agent, b"a\0b\n\xff\xfe\n\x1b[2Jc\r\nd")
    check("bytes_that_are_not_text_are_replaced_and_reported",
          ([texts_of(each)[-1] for each in Model.asked[before:]], err.count("that are not text")),
          (["a\ufffdb", "\ufffd\ufffd", "\ufffd[2Jc", "d"], 3))
    before = len(Model.asked)
    status, out, err = chat(agent, b"x" * LINE_BYTES + b"\n" + b"y" * (LINE_BYTES + 1) + b"\nz\n")
    check("line_past_the_maximum_is_not_sent",
          (status, [texts_of(each)[-1][:1] for each in Model.asked[before:]],
           f"{LINE_BYTES}" in err),
          (0, ["x", "z"], True))
    status, out, err = chat(agent, b"x" * (LINE_BYTES - 1) + b"\\\n" + b"y\n")
    check("joined_lines_past_the_maximum_are_not_sent",
          (status, out, f"{LINE_BYTES}" in err), (0, "", True))
    before = len(Model.asked)
    chat(agent, ["//etc is a text", "/etc is none", "last one"])
    check("two_slashes_send_one", [texts_of(each)[-1] for each in Model.asked[before:]],
          ["/etc is a text", "last one"])
    for line, wanted in (("/hlep", "did you mean '/help'?"), ("/zzzzzz", "/help lists"),
                         ("/", "/help lists"), ("/quit now", "expected no argument, found 'now'"),
                         ("/input", "expected FILE, found nothing"),
                         ("/help nothing", "unknown command"),
                         ("/input -", "standard input is used"), ("/input gone.txt", "gone.txt"),
                         ("/artifacts x", "no artifact 'x'"),
                         ("/tools zzz", "no tool name begins with 'zzz'")):
        status, out, err = chat(agent, [line])
        check(f"message_for_{line[1:].replace(' ', '_')}",
              (status, out, wanted in err), (0, "", True))
    bad = put("bad.yaml", "haft: 1\nmodell: x\n")
    status, out, err = chat(bad, ["hello"])
    check("a_bad_spec_is_shown", (status, out, "bad.yaml:2:1: error" in err), (2, "", True))
    check("missing_spec_is_an_error", chat("nowhere.yaml", ["hello"])[0], 2)
    check("spec_from_standard_input_is_rejected", chat("-", ["hello"])[0], 2)
    check("invalid_store_is_an_error",
          chat(agent, ["hello"], "--store", "sqlite:/proc/none/x.db")[0], 1)
    put("fails.json", {"replies": [{"error": {"status": 400, "body": "no"}}]})
    status, out, err = chat(agent, ["hello"], "--model", "script:fails.json", "-q")
    check("chat_survives_a_failed_run",
          (status, out, "ended without an answer: failed" in err), (0, "", True))


def test_commands():
    status, out, err = chat(agent, ["/help", "/help tools", "/help /quit"])
    names = re.findall(r"^(/\w+)", out, re.MULTILINE)
    check("help_has_every_command", (names[-2:], {"/tools", "/model", "/undo", "/retry", "/history",
                                                  "/threads", "/thread", "/new", "/resume",
                                                  "/cancel", "/artifacts", "/explain", "/input",
                                                  "/help", "/quit"} - set(names)),
          (["/tools", "/quit"], set()))
    page = (Path(__file__).resolve().parents[2] / "docs/chat.md").read_text()
    check("page_has_every_command", [name for name in names if f"| `{name}" not in page], [])
    path = put("notes.txt", "")
    path.write_bytes(b"line 1\r\nline \xff2\n")
    before = len(Model.asked)
    status, out, err = chat(agent, ["/input notes.txt", "/input other.json", "read", "again"])
    check("files_go_with_the_next_text", (texts_of(Model.asked[before])[0].startswith(
        "read\n\n--- notes.txt\nline 1\nline \ufffd2\n\n\n--- other.json\n{"),
        texts_of(Model.asked[before + 1])[-1], "not text: 1" in err), (True, "again", True))
    before = len(Model.asked)
    chat(agent, ["one", "two", "/undo", "three"], "--store", "memory:")
    check("undo_works_in_memory_too", [text[:3] for text in texts_of(Model.asked[before + 2])],
          ["one", "ans", "thr"])
    check("with_memory_no_command_to_continue_is_printed",
          "continue it:" in chat(agent, ["hello"], "--store",
                                                              "memory:")[2], False)
    put("store.script.json", {"results": {"post": "gone"}, "replies": [
        {"calls": [{"name": "post", "arguments": {"to": "you"}}]},
        {"calls": [{"name": "store_artifact", "arguments": {
            "name": "plan.md", "content": "one\n\u001b[2Jtwo\n", "media_type": "text/markdown"}}]},
        {"text": "kept"}]})
    keeper = put("keeper.json", {
        "haft": 1, "name": "keeper", "model": "script:store.script.json",
        "tools": [{"builtin": ["store_artifact"]},
                  {"name": "post", "description": "Post a letter.", "args": ["to"]}],
        "builtins": {"deny": ["glob"]}, "choice": {"min_tools_for_auto": 0}})
    status, out, err = chat(keeper, ["/artifacts", "keep", "/artifacts", "/artifacts plan.md"])
    check("artifacts_are_listed_and_printed",
          ("no artifacts" in err, re.search(r"^  1 +12  text/markdown  plan.md$", out, re.M) is
           not None, out.endswith("\none\n\x1b[2Jtwo\n")), (True, True, True))
    status, out, err = chat(keeper, ["keep it", "again", "/undo", "/artifacts plan.md",
                                     "/artifacts"], "-q")
    check("undo_keeps_earlier_artifacts", (out.count("plan.md"), out.count("\x1b[2Jtwo")), (1, 1))
    status, out, err = chat(keeper, ["/tools", "/tools post", "/explain"])
    check("tools_have_a_verdict", re.findall(r"^  ([+-]) (\w+) +\w+, \w+: \w", out, re.MULTILINE),
          [("+", "store_artifact"), ("+", "post"), ("+", "post")])
    check("the_first_turn_is_explained", re.search(r"^first turn: \w+: .+$", out, re.M) is not None,
          True)


def test_signal():
    process = subprocess.Popen([HAFT, "chat", agent], cwd=scratch, env=environment,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdin.write(b"hello\n")
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=LONG)
    check("signal_ends_the_chat",
          (process.returncode, b"continue it: haft chat" in err), (130, True))


def test_signals_without_a_store():
    """The directory of the store is deleted while a call with effects runs."""
    gone = os.path.join(scratch, "gone")
    os.mkdir(gone)
    put("gone/replies.json", {"replies": [{"calls": [{"name": "wait", "arguments": {}}]}]})
    put("gone/spec.json", {
        "haft": 1, "model": "script:replies.json",
        "tools": [{"name": "wait", "description": "Waits for an hour.", "args": [],
                   "command": ["sh", "-c", "touch ../begun; exec sleep 3600"],
                   "traits": {"timeout": "2h"}}]})
    process = subprocess.Popen([HAFT, "chat", "spec.json"], cwd=gone,
                               env=dict(environment, XDG_STATE_HOME=gone),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdin.write(b"go\n")
    process.stdin.flush()
    while not os.path.exists(os.path.join(scratch, "begun")):
        time.sleep(0.01)
    shutil.rmtree(gone)
    process.send_signal(signal.SIGTERM)
    until(process.stderr, b"pausing after wait")
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=LONG)
    check("a_second_signal_ends_it_even_if_its_directory_was_deleted", process.returncode, 130)


def until(stream, text):
    line = stream.readline()
    while line and text not in line:
        line = stream.readline()


with tempfile.TemporaryDirectory() as scratch:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environment = dict(os.environ, XDG_STATE_HOME=scratch, OPENAI_API_KEY="sk-0123456789abcdef",
                       OPENAI_BASE_URL=f"http://127.0.0.1:{server.server_port}/v1")
    environment.pop("HAFT_STORE", None)
    agent = put("agent.json", {"haft": 1, "name": "talker", "model": "openai:m",
                               "instructions": "Talk."})
    first_thread = test_turns()
    test_undo(first_thread)
    test_script()
    test_threads(first_thread)
    test_open()
    test_bad_input()
    test_commands()
    test_signal()
    test_signals_without_a_store()
    server.shutdown()
