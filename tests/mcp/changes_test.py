#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tool definitions that change, how they are cached, and how changes are shown to people."""
import concurrent.futures
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
GO = "use a:say"  # the task: a search finds the tools that it names
SERVER = Path(__file__).resolve().parent / "bad_server.py"
TOKEN = "ghp_0123456789abcdefGHIJKLMN"


class Place:
    """A directory with a spec of one server "a" whose tool is described by the file `note`."""

    def __init__(self, way="good", **more):
        self.path = Path(tempfile.mkdtemp(dir=scratch))
        self.describe("Says a word.")
        self.server = {"command": [sys.executable, str(SERVER), way, str(self.path / "note")],
                       **more}
        self.write()

    def describe(self, text):
        (self.path / "note").write_text(text if isinstance(text, str) else json.dumps(text))

    def write(self, calls=1):
        spec = {"haft": 1, "name": "a", "model": "script:script.json", "max_mcp_tools": 8,
                "mcp": {"servers": {"a": self.server}}}
        replies = [{"calls": [{"name": "a:say", "arguments": {"word": "it"}}]}] * calls
        (self.path / "script.json").write_text(json.dumps({"replies": replies
                                                           + [{"text": "the end"}]}))
        (self.path / "spec.json").write_text(json.dumps(spec))

    def haft(self, *words, state=None):
        environment = {name: os.environ[name] for name in os.environ if name != "XDG_STATE_HOME"}
        environment.update(state or {"XDG_STATE_HOME": str(self.path / "state")})
        done = subprocess.run([HAFT, *words], cwd=self.path, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=300, env=environment)
        return done.returncode, done.stdout, done.stderr

    def run(self, store="memory:"):
        status, out, self.err = self.haft("run", "spec.json", GO, "--store", store, "--events")
        self.log = [json.loads(line) for line in out.splitlines()]
        return self

    def last(self):
        """The kind of event that ended the last call, and its text."""
        ends = [e for e in self.log if e["kind"] in ("call_finished", "call_refused")]
        if not ends:
            return "none", self.err
        error = ends[-1].get("error")
        if error:
            return error["where"], error.get("diff", error["message"])
        return ends[-1]["kind"], ends[-1].get("result") or ends[-1].get("text")

    def server_row(self):
        return next(e for e in self.log if e["kind"] == "tools_revealed")["servers"][0]

    def files(self, end):
        return sorted((self.path / "state/haft/mcp").glob("*" + end))


CALLED = ("call_finished", "you said it")


def test_after_use():
    place = Place().run()
    check("a_tool_is_called_before_the_change", place.last(), CALLED)
    check("the_list_is_known_in_the_next_run", place.run().server_row()["state"], "known")
    place.describe("Says a word to everybody you know.")
    where, text = place.run().last()
    check("the_tool_is_not_called_after_the_change",
          (where, '- /description: "Says a word."' in text,
                               '+ /description: "Says a word to everybody you know."' in text),
          ("tool_changed", True, True))
    error = [e for e in place.log if e["kind"] == "call_finished"][-1]["error"]
    check("the_model_gets_no_word_of_the_new_definition", error["message"],
          "the tool 'a:say' has changed since it was first used or accepted, so it was not "
          "called")
    kind, text = place.run().last()
    check("the_next_run_leaves_the_tool_out", (kind, "a_-_say has changed since" in text),
          ("call_refused", True))
    check("the_log_has_no_word_of_the_new_definition",
          ("everybody you know" in json.dumps(place.log),
                                    place.log[1]["tools"], place.server_row()["changed"],
                                    place.server_row()["names"]), (False, [], ["say"], []))
    check("the_terminal_reports_the_change", "1 tool has changed" in place.haft(
        "run", "spec.json", GO, "--store", "memory:")[2], True)
    check("haft_check_reports_the_change",
          "1 tool has changed" in place.haft("check", "spec.json")[2], True)
    explained = json.loads(place.haft("explain", "spec.json", "go", "--json")[1])
    check("haft_explain_reports_the_change", [(t["sight"], t["code"]) for t in explained["tools"]
                          if t["name"] == "a:say"], [("out", "tool_changed")])
    status, out, err = place.haft("tools", "spec.json")
    check("haft_tools_lists_the_change", out.split("MCP servers\n")[1], """\
  a: known (the tools are cached; the server need not run), 1 tool
    warning: 1 tool has changed since it was first used or accepted, and is hidden from models: \
say; `haft tools SPEC` shows the changes, --accept accepts it
  - a:say                    mcp, data: changed since it was first used or accepted
  ! a:say has changed since it was first used or accepted; it is not called until --accept
      - /description: "Says a word."
      + /description: "Says a word to everybody you know."
""")
    status, out, err = place.haft("tools", "spec.json", "--json")
    check("haft_tools_json_lists_the_change",
          (json.loads(out)["changed"], json.loads(out)["servers"]), (
        [{"server": "a", "tool": "say", "diff": '- /description: "Says a word."\n'
          '+ /description: "Says a word to everybody you know."\n'}],
        [{"name": "a", "state": "known", "tools": 1,
          "means": "the tools are cached; the server need not run",
          "warning": "1 tool has changed since it was first used or accepted, and is hidden from "
          "models: say; `haft tools SPEC` shows the changes, --accept accepts it", "left_out": [],
          "left_out_all": 0, "code": None, "reason": None}]))
    status, out, err = place.haft("tools", "spec.json", "--accept", "a:say")
    check("a_change_is_accepted", (status, out), (0, """\
a:say is accepted:
- /description: "Says a word."
+ /description: "Says a word to everybody you know."
"""))
    check("an_accepted_tool_is_called", place.run().last(), CALLED)
    check("a_second_accept_changes_nothing", place.haft("tools", "spec.json", "--accept", "a:*")[1],
          "a:say is accepted unchanged\n")
    status, out, err = place.haft("tools", "spec.json", "--accept", "a:nothing")
    check("a_tool_that_does_not_exist_is_not_accepted", status, 2)
    for file in (place.path / "state/haft/mcp").iterdir():
        check("only_the_owner_can_read_the_state_files", oct(file.stat().st_mode & 0o777), "0o600")


def test_before_use():
    place = Place()
    place.write(calls=0)
    place.run()
    place.write()
    place.describe("Says another word.")
    check("a_tool_that_changed_before_its_use_is_called", place.run("runs.db").last(), CALLED)
    status, out, err = place.haft("runs", "replay", place.log[0]["run"], "--store", "runs.db")
    check("a_run_with_a_changed_unused_tool_is_replayed", (status, err), (0, ""))
    shown = [e for e in place.log if e["kind"] == "tools_revealed"]
    check("the_log_has_the_new_definition",
          [(e["tools"][0]["description"], e["call"], e.get("reason")) for e in shown],
          [("Says a word.", None, None),
           ("Says another word.", "c1.1", "the server's list changed")])
    place = Place()
    place.write(calls=0)
    place.run()
    place.write()
    place.describe({"inputSchema": {"type": "object", "required": ["who"]}})
    kind, text = place.run().last()
    check("arguments_are_checked_with_the_new_definition",
          (kind, "who" in text), ("call_refused", True))
    status, out, err = place.haft("tools", "spec.json")
    check("haft_tools_lists_no_change_of_an_unused_tool",
          "!" in out.split("MCP servers\n")[1], False)


def test_replaced():
    """A list that differs from the cached one: missing tools are not offered, new ones are."""
    place = Place()
    place.describe(["one", "two"])
    place.haft("tools", "spec.json", "--refresh")
    place.describe(["two", "three"])
    words = [("a:two", {"word": "it"}), ("a:three", {"word": "it"}), ("a:one", {"word": "it"}),
             ("tool_search", {"query": "one two three"}), ("a:three", {"word": "it"})]
    (place.path / "script.json").write_text(json.dumps({"replies": [
        {"calls": [{"name": name, "arguments": arguments}]} for name, arguments in words]
        + [{"text": "the end"}]}))
    place.run("sqlite:runs.db")
    lists = [e for e in place.log if e["kind"] == "tools_revealed"]
    row = lists[1]["servers"][0]
    check("a_new_list_is_recorded", (lists[1]["reason"], lists[1]["call"], row["names"],
                                     row["gone"]),
          ("the server's list changed", None, ["two", "three"], ["one"]))
    check("a_removed_tool_is_not_offered",
          [e["declared"] for e in place.log if e["kind"] == "turn_started"][:2],
          [["tool_search", "a:one", "a:two"], ["tool_search", "a:two"]])
    check("calls_are_checked_with_the_new_list",
          [(e["tool"], e["why"]) for e in place.log if e["kind"] == "call_refused"],
          [("a:three", "not_revealed"), ("a:one", "unavailable")])
    check("a_search_finds_the_tools_of_the_new_list",
          sorted(t["name"] for t in lists[2]["tools"] + lists[2]["listed"]), ["a:three", "a:two"])
    ends = [(e["tool"], e["ok"]) for e in place.log if e["kind"] == "call_finished"]
    check("a_tool_of_the_new_list_can_be_called", ends[-1], ("a:three", True))
    check("the_new_list_is_recorded_once", len(lists), 3)
    status, out, _ = place.haft("runs", "replay", "last", "--store", "sqlite:runs.db")
    check("a_run_with_a_new_list_is_replayed", (status, out.startswith("identical")), (0, True))


def test_two_at_once():
    """Two parallel calls find that the same tool has changed."""
    place = Place(trust=True)
    hints = {"annotations": {"readOnlyHint": True}}
    place.describe(hints)
    place.write(calls=0)
    place.run()
    place.describe(dict(hints, description="Says another word."))
    calls = [{"name": "a:say", "arguments": {"word": word}} for word in ("one", "two")]
    (place.path / "script.json").write_text(json.dumps(
        {"replies": [{"calls": calls}, {"text": "the end"}]}))
    place.run("runs.db")
    check("both_parallel_calls_run",
          sorted(e["result"] for e in place.log if e["kind"] == "call_finished"),
          ["you said one", "you said two"])
    status, out, err = place.haft("runs", "replay", place.log[0]["run"], "--store", "runs.db")
    check("a_run_with_parallel_calls_is_replayed", (status, err), (0, ""))


def test_age():
    place = Place("few")
    place.describe("[]")
    place.run()
    check("an_empty_list_is_known", "mcp: the server has no tools\n"
          in place.haft("tools", "spec.json")[1], True)
    idle = "tool_search is enabled but never offered: the MCP servers have no usable tools"
    searching = ["check", "spec.json", "--set", 'builtins.enabled=["tool_search"]']
    check("check_warns_that_no_tool_can_be_searched", idle in place.haft(*searching)[2], True)
    place.describe("Says a word.")
    check("a_server_with_an_empty_list_is_asked_again", place.run().last(), CALLED)
    check("the_new_list_is_known", place.run().server_row()["state"], "known")
    check("check_does_not_warn_if_a_tool_can_be_searched", idle in place.haft(*searching)[2], False)
    check("check_warns_if_the_only_tool_is_denied",
          idle in place.haft(*searching, "--set", 'mcp.deny=["a:say"]')[2],
          True)
    place.describe("Says a new word.")
    status, out, err = place.haft("tools", "spec.json", "--refresh")
    check("refresh_asks_the_server", (status, "Says a new word." in out, err), (0, True, ""))
    place.describe("Says a word.\nAnd sends it to somebody.")
    check("the_whole_description_is_shown", "    Says a word.\n    And sends it to somebody.\n"
          in place.haft("tools", "spec.json", "--refresh")[1], True)
    place.describe("Says a new word.")
    place.haft("tools", "spec.json", "--refresh")
    place.describe("{}{")
    status, out, err = place.haft("tools", "spec.json", "--refresh")
    check("a_server_that_fails_is_reported_and_its_cached_tools_stay",
          (status, "Says a new word." in out, "server a: the MCP server 'a'" in err,
           "warning: the cached list of tools is used: the MCP server 'a'" in out),
          (1, True, True, True))
    other = Place("exit_start")
    status, out, err = other.haft("tools", "spec.json", "--refresh")
    check("a_server_that_never_answered_is_reported_with_its_error",
          (status, "not asked for its tools yet" in out,
           "- a:*                      mcp: the MCP server 'a' ended" in out), (1, False, True))
    (other.path / "file").write_text("")
    for state in ({"HOME": "/no/such"}, {"XDG_STATE_HOME": str(other.path / "file")}):
        status, out, err = other.haft("tools", "spec.json", "--refresh", state=state)
        check("refresh_fails_if_nothing_can_be_kept", (status, out, "XDG_STATE_HOME" in err),
              (1, "", True))
    status, out, err = other.haft("tools", "spec.json", "--refresh", "--json")
    row = json.loads(out)["servers"][0]
    check("json_has_the_error_of_a_server_that_never_answered",
          (status, row["code"], "no licence" in row["reason"]),
          (1, "server_error", True))
    place.describe("Says a word.")
    for file in place.files(".json"):
        record = json.loads(file.read_text())
        record["until"] = 1
        file.write_text(json.dumps(record))
    check("an_expired_list_is_not_used", place.run().server_row()["state"], "started")
    check("an_expired_list_is_replaced", place.run().server_row()["state"], "known")


def test_other_command():
    place = Place().run()
    place.server["env"] = {"MORE": "1"}
    place.write()
    kind, text = place.run().last()
    check("another_configuration_is_a_change", (kind, "a_-_say has changed since" in text),
          ("call_refused", True))
    out = place.haft("tools", "spec.json")[1]
    check("the_changed_configuration_is_shown",
          ("- /configuration" in out, "+ /configuration" in out), (True, True))
    check("the_hash_is_in_the_log", len(place.server_row()["hash"]), 64)
    place.haft("tools", "spec.json", "--accept", "a:say")
    check("an_accepted_configuration_is_called", place.run().last(), CALLED)


def test_damage():
    place = Place().run()
    for file in place.files(".json"):
        file.write_text('{"version":2,"tools":[')
    status, out, err = place.haft("tools", "spec.json")
    check("a_damaged_list_is_reported", "its cached list cannot be read" in out, True)
    check("a_damaged_list_is_replaced", place.run().last(), CALLED)
    for file in place.files(".pins"):
        file.write_text('{"version":1,"pins":')
    kind, text = place.run().last()
    check("no_tool_is_called_with_damaged_pins", (kind, "a_-_say has changed since" in text,
                                            place.server_row()["changed"]),
          ("call_refused", True, ["say"]))
    check("damaged_pins_are_reported", "--accept a:*" in place.server_row()["warning"], True)
    for words in (["tools"], ["check"]):
        status, out, err = place.haft(*words, "spec.json")
        check(f"haft_{words[0]}_reports_damaged_pins",
              (status, "--accept a:*" in out + err), (0, True))
    check("doctor_reports_damaged_pins", "damaged" in place.haft("doctor")[1], True)
    place.haft("tools", "spec.json", "--accept", "a:say")
    check("one_accepted_tool_is_called", place.run().last(), CALLED)
    check("the_other_pins_stay_in_doubt", "was damaged" in place.server_row()["warning"], True)
    check("the_damaged_file_is_kept", len(place.files(".damaged")), 1)
    place.haft("tools", "spec.json", "--accept", "a:*")
    check("no_pin_is_in_doubt_after_all_are_accepted", "warning" in place.run().server_row(), False)


def test_left_out():
    place = Place("twice").run()
    check("the_log_has_the_tools_that_are_left_out",
          [row["tool"] for row in place.server_row()["left_out"]], ["say", "a:b", "", "", "x"])
    check("the_log_counts_the_tools_that_are_left_out", place.server_row()["left_out_all"], 5)
    status, out, err = place.haft("tools", "spec.json")
    check("haft_tools_lists_the_tools_that_are_left_out", out.split("MCP servers\n")[1], """\
  a: known (the tools are cached; the server need not run), 1 tool, 5 left out
  1 deferred tool, 0 shown: at most 8 (max_mcp_tools)
  - a:say                    mcp, data: deferred: no search has shown it
  - a:say mcp, left out: an earlier tool has the same name
  - a:a:b mcp, left out: /name: tool name 'a:b' contains a ':'
  - a:* mcp, left out: /name: the name of a tool is empty
  - a:* mcp, left out: expected an object, found number
  - a:x mcp, left out: /inputSchema: expected an object, found null
""")
    status, out, err = place.haft("check", "spec.json")
    check("check_reports_tools_that_are_left_out",
          "5 tools of the MCP server a cannot be used" in err, True)
    status, out, err = place.haft("run", "spec.json", GO, "--store", "memory:")
    check("the_terminal_reports_tools_that_are_left_out",
          "server a: 1 tool, 5 left out" in err, True)


def test_hidden():
    place = Place("hidden").run()
    check("one_tool_without_hidden_names_remains",
          [tool["name"] for tool in place.log[1]["tools"]], ["a:say"])
    text = json.dumps(place.log[1], ensure_ascii=False)
    check("hidden_characters_in_its_schema_are_escaped",
          ("A<U+202E> word." in text, "<U+E0041>" in text,
                                          "\u202e" in text, "\u200b" in text),
          (True, True, False, False))
    check("names_and_values_with_hidden_characters_are_left_out",
          [row["reason"] for row in place.log[1]["servers"][0]["left_out"]],
          ["/inputSchema: the name 'wo<U+200B>rd' contains an invisible character",
           "/inputSchema: the value 'a<U+2060>' contains an invisible character"])


def test_secrets():
    """A literal secret is stored only with the spec; the value of ${VAR} is not stored at all."""
    place = Place("env", env={"API_TOKEN": TOKEN}).run("runs.db")
    check("a_literal_secret_is_not_in_events", TOKEN in json.dumps(place.log), False)
    found = [f.name for f in (place.path / "state").rglob("*")
             if f.is_file() and TOKEN in f.read_text()]
    check("a_literal_secret_is_not_in_state_files", found, [])
    status, out, err = place.haft("check", "spec.json")
    check("check_warns_of_a_literal_secret", "looks like a secret in the spec" in out, True)
    check("the_warning_does_not_show_the_secret",
          (TOKEN[:8] in out + err, "*" * len(TOKEN) in out), (False, True))
    os.environ["HAFT_TEST_TOKEN"] = TOKEN
    place = Place("env", env={"API_TOKEN": "${HAFT_TEST_TOKEN}"}).run("runs.db")
    found = [f.name for f in place.path.rglob("*")
             if f.is_file() and TOKEN.encode() in f.read_bytes()]
    check("the_value_of_a_variable_is_not_stored", found, [])
    status, out, err = place.haft("check", "spec.json")
    check("check_does_not_warn_of_a_variable", "looks like a secret" in out, False)


LITERAL = {"MYTOK": "written-out-secret-123456", "PIN_KEY": "1234567890",
           "DB_CONN": "postgres://u:pw%2Din-file-2@h/db", "OTHER": "${HAFT_NOT_SET:-if-not-set-77}",
           "STORE": "s3://me:${HAFT_NOT_SET:-of-an-address-8}@h/b"}
PLAIN = {"MODE": "production", "PORT": "12345678", "DATA": "/srv/some/data",
         "HOST": "http://localhost:8080"}
HIDDEN = ("written-out-secret-123456", "1234567890", "in-file-2", "if-not-set-77",
          "of-an-address-8")


def seen(texts, *places):
    return [text for text in texts if any(text in place for place in places)]


def kept(place, name="runs.db"):
    """The events of a store, as text."""
    with contextlib.closing(sqlite3.connect(place.path / name)) as db:
        return "".join(str(row) for row in db.execute("select * from events"))


def test_literal_values():
    """Every literal value for a server counts as a secret, whatever its name, unless it is
    harmless."""
    place = Place("env", env=dict(LITERAL, **PLAIN)).run("runs.db")
    result = place.last()[1]
    check("literal_values_are_redacted", seen(HIDDEN, json.dumps(place.log), place.err), [])
    check("harmless_values_are_not_redacted", seen(PLAIN.values(), result), list(PLAIN.values()))
    check("literal_values_are_not_in_the_store", seen(HIDDEN, kept(place)), [])
    place = Place("tell_env", env=LITERAL)
    file = {"mcpServers": {"a": {"command": place.server["command"][0],
                                 "args": place.server["command"][1:], "env": LITERAL}}}
    (place.path / "servers.json").write_text(json.dumps(file))
    spec = {"haft": 1, "name": "a", "model": "script:script.json",
            "mcp": {"import": "servers.json"}}
    (place.path / "spec.json").write_text(json.dumps(spec))
    place.run("runs.db")
    check("literal_values_of_an_imported_file_are_redacted",
          ("[redacted]" in place.server_row()["error"],
                                        seen(HIDDEN, json.dumps(place.log), place.err,
                                             kept(place))), (True, []))
    found = [f.name for f in (place.path / "state").rglob("*")
             if f.is_file() and seen(HIDDEN, f.read_text())]
    check("literal_values_are_not_in_state_files", found, [])
    for words in ([], ["--json"]):
        status, out, err = place.haft("tools", "spec.json", "--refresh", *words)
        check("refresh_does_not_show_literal_values " + " ".join(words),
              ("[redacted]" in err, seen(HIDDEN, out, err)), (True, []))
    error = Place("tell_cut", env=LITERAL).run().server_row()["error"]
    check("no_part_of_a_literal_value_is_shown",
          ("or so or so" in error, "123456" in error), (True, False))
    place = Place("tell_end", env=LITERAL)
    place.server, whole = None, place.server
    (place.path / "spec.json").write_text(json.dumps({
        "haft": 1, "name": "a", "model": "script:script.json",
        "mcp": {"servers": {"a" * 40: whole}}}))
    error = place.run().server_row()["error"]
    check("no_half_of_a_literal_value_is_in_a_cut_error",
          ("or so or so" in error, "written" in error),
          (True, False))


def test_log():
    """Warnings of a server are printed to standard error; messages of lower levels are not."""
    status, out, err = Place("log").haft("run", "spec.json", GO, "--store", "memory:")
    check("warnings_of_a_server_are_shown",
          [line for line in err.splitlines() if "cheese" in line],
          ["  server a: warning: warning: <U+001B>[31mlow on cheese"])
    check("standard_output_has_only_the_answer", out, "the end\n")


scratch = tempfile.mkdtemp(prefix="haft-mcp-")
try:
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(test) for test in (
                test_after_use, test_before_use, test_replaced, test_two_at_once, test_age,
                test_other_command, test_damage, test_left_out, test_hidden, test_secrets,
                test_literal_values, test_log)]:
            done.result()
finally:
    shutil.rmtree(scratch, ignore_errors=True)
