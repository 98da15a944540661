#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for `haft completion`: bash, zsh and fish accept their scripts and complete with them, as
far as the shells are installed."""
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, skip  # noqa: E402

HAFT = os.environ["HAFT"]
BIN = Path(HAFT).parent


def run(*words, text=None):
    env = {"PATH": f"{BIN}:{os.environ['PATH']}", "HOME": str(scratch), "LC_ALL": "C.UTF-8",
           **{name: os.environ[name] for name in ("LD_LIBRARY_PATH", "FPATH")
              if name in os.environ}}
    done = subprocess.run([str(word) for word in words], input=text, text=True, capture_output=True,
                          cwd=scratch, env=env)
    return done.returncode, done.stdout, done.stderr


def bash(*words):
    """What bash offers for the last word; `=` and `:` are separate words there."""
    array = " ".join(f"'{word}'" for word in words)
    line = "".join(words[:1]) + "".join(word if word in "=:" else " " + word for word in words[1:])
    script = f"""
        source haft.bash
        COMP_WORDS=({array}) COMP_CWORD={len(words) - 1} COMP_LINE='{line}'
        _haft
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    status, out, err = run("bash", "-c", script)
    return sorted(line for line in out.split("\n") if line) if status == 0 and not err else [err]


def test_scripts():
    for shell in ("bash", "zsh", "fish"):
        status, out, err = run(HAFT, "completion", shell)
        (scratch / f"haft.{shell}").write_text(out)
        check(f"{shell}_is_printed", (status, err, len(out) > 2000), (0, "", True))
        if shutil.which(shell):
            check(f"{shell}_accepts_its_script", run(shell, "-n", f"haft.{shell}"), (0, "", ""))
        else:
            skip(f"{shell}_accepts_its_script", f"{shell} is not here")
    check("unknown_shell_is_rejected", run(HAFT, "completion", "csh"),
          (2, "", "haft: expected bash, zsh or fish, found 'csh'\n"
           "hint: see 'haft help completion'\n"))


def test_bash(runs):
    check("commands_are_completed", bash("haft", "ru"), ["run", "runs"])
    check("an_empty_word_lists_all_commands",
          {"run", "runs", "mock-model", "--help"} <= set(bash("haft", "")), True)
    check("hidden_commands_are_not_completed", "bench" in bash("haft", ""), False)
    check("options_are_completed", bash("haft", "run", "--mo"), ["--model"])
    check("options_after_arguments_are_completed",
          bash("haft", "run", "agent.yaml", "--js"), ["--json"])
    check("choices_are_completed", bash("haft", "validate", "--draft", ""), ["2020-12", "7"])
    check("choices_after_=_are_completed",
          bash("haft", "validate", "--draft", "="), ["2020-12", "7"])
    check("typed_choices_after_=_are_completed",
          bash("haft", "validate", "--draft", "=", "2"), ["2020-12"])
    check("optional_value_is_completed", bash("haft", "run", "--yes", "="), ["all"])
    check("files_are_completed", bash("haft", "run", "age"), ["agent.yaml"])
    check("file_with_a_space_is_completed", bash("haft", "check", "two"), ["two words.yaml"])
    check("file_after_an_option_is_completed", bash("haft", "run", "agent.yaml", "--input", "age"),
          ["agent.yaml"])
    check("directories_are_completed", bash("haft", "run", "--artifacts", "ou"), ["out"])
    check("task_is_not_completed", bash("haft", "run", "agent.yaml", ""), [])
    check("argument_after_an_option_with_a_value_is_completed",
          bash("haft", "run", "--model", "offline", "age"), ["agent.yaml"])
    check("value_after_a_short_option_is_completed", bash("haft", "run", "-m", "off"), ["offline"])
    check("models_are_completed", bash("haft", "run", "--model", "open"),
          ["openai-chat:", "openai-responses:", "openai:"])
    check("models_of_gemini_are_completed", bash("haft", "run", "--model", "gem"), ["gemini:"])
    check("subcommands_are_completed", bash("haft", "runs", "re"), ["replay"])
    check("runs_are_completed", bash("haft", "runs", "show", ""), sorted([*runs, "last"]))
    check("typed_run_is_completed", bash("haft", "cancel", runs[0][:25]),
          sorted(run for run in runs if run.startswith(runs[0][:25])))
    check("runs_of_the_named_store_are_completed",
          bash("haft", "runs", "--store", "sqlite", ":", "none.db", "show", ""), [])
    check("threads_are_completed", len(bash("haft", "run", "--thread", "")), 2)
    check("runs_are_not_completed_for_runs_list", bash("haft", "runs", "list", ""), [])
    check("commands_are_completed_for_help", bash("haft", "help", "mock"), ["mock-model"])
    check("shells_are_completed", bash("haft", "completion", "z"), ["zsh"])
    check("unknown_command_has_no_completions", bash("haft", "nix", ""), [])


def test_zsh(runs):
    if not shutil.which("zsh"):
        skip("zsh_completes", "zsh is not here")
        return
    # A stand-in for _arguments prints the specs that it gets.
    script = """
        _arguments() { print -rl -- "$@"; return 1 }
        _describe() { print -rl -- ${(P)4} }
        _files() { : }
        compdef() { : }
        typeset -A opt_args
        eval "$(sed '$d' haft.zsh)"
        _haft_run; print -r -- '====='; _haft_ask runs
    """
    status, out, err = run("zsh", "-f", "-c", script)
    specs, _, asked = out.partition("\n=====\n")
    check("zsh_has_specs",
          (status, err, "*--model=[use this model instead of the spec's\\: provider\\:model]"
           ":M: _haft_ask models"
           in specs.split("\n")), (0, "", True))
    check("zsh_has_runs", {line.split(":")[0] for line in asked.split("\n") if line},
          {*runs, "last"})


def fish(line):
    status, out, err = run("fish", "--no-config", "-c",
                           f"source haft.fish; complete -C '{line}'")
    return sorted(found.split("\t")[0] for found in out.split("\n") if found) if not err else [err]


def test_fish(runs):
    if not shutil.which("fish"):
        skip("fish_completes", "fish is not here")
        return
    check("fish_completes_commands", fish("haft ru"), ["run", "runs"])
    check("fish_completes_options", fish("haft run --mo"), ["--model"])
    check("fish_completes_choices", fish("haft validate --draft "), ["2020-12", "7"])
    check("fish_completes_files", "agent.yaml" in fish("haft run age"), True)
    check("fish_completes_runs", fish("haft runs show "), sorted([*runs, "last"]))
    check("fish_completes_subcommands", fish("haft runs re"), ["replay"])


def test_asked(runs):
    lines = [line.split("\t") for line in run(HAFT, "completion", "runs")[1].splitlines()]
    check("runs_have_a_task", lines[0], [runs[0], "done: second \\u001b[31m task"])
    check("runs_are_listed_newest_first", [line[0] for line in lines], [*runs, "last"])
    for words in (["--store", "sqlite:none.db"], ["--store", "memory:"], ["--store", "nix:"],
                  ["--store", "sqlite:/proc/no/where"], ["--store", "sqlite:agent.yaml"]):
        check(f"unusable_store_prints_nothing {words[1]}",
              run(HAFT, "completion", "runs", *words), (0, "", ""))
    check("completion_creates_no_store", (scratch / "none.db").exists(), False)
    check("bad_settings_do_not_fail", run(HAFT, "completion", "models")[0], 0)


def test_hostile(runs):
    """A hostile store: shells expand completions, so only ids are offered."""
    database = scratch / ".local/state/haft/haft.db"
    shutil.copy(database, scratch / "evil.db")
    evil = "$(touch pwned)"
    with sqlite3.connect(scratch / "evil.db") as db:
        db.execute("PRAGMA foreign_keys = OFF")
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type='table'")]
        for table in tables:
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
            for column in columns:
                if column in ("id", "run", "thread"):
                    try:
                        db.execute(f"UPDATE {table} SET {column}=? WHERE {column}=?",
                                   (evil, runs[0]))
                        db.execute(f"UPDATE {table} SET {column}=? WHERE {column}=?",
                                   (evil.encode(), runs[0].encode()))
                    except sqlite3.Error:
                        pass
    bash("haft", "runs", "--store", "sqlite", ":", "evil.db", "show", "")
    out = run(HAFT, "completion", "runs", "--store", "sqlite:evil.db")[1]
    check("only_ids_are_offered", (evil in out, (scratch / "pwned").exists()),
          (False, False))


with tempfile.TemporaryDirectory() as temporary:
    scratch = Path(temporary)
    (scratch / "agent.yaml").write_text("haft: 1\nname: a\nmodel: offline\n")
    (scratch / "two words.yaml").write_text("")
    (scratch / "out").mkdir()
    ids = []
    for task in ("first", "second \x1b[31m task"):
        ids.insert(0, json.loads(run(HAFT, "run", "agent.yaml", task, "--json")[1])["run"])
    test_scripts()
    test_bash(ids)
    test_zsh(ids)
    test_fish(ids)
    test_asked(ids)
    test_hostile(ids)
