#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/cli/config/config.c: which files are found, what they may set, which setting wins,
and that no file sends a key elsewhere."""
import json
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
ROOT = Path(__file__).resolve().parent.parent.parent
KEY, OTHER = "sk-of-the-environment-0123456789", "sk-of-the-file-0123456789abcdef"


def haft(*words, at="", env=None):
    done = subprocess.run([HAFT, *map(str, words)], text=True, capture_output=True,
                          cwd=scratch / at, stdin=subprocess.DEVNULL,
                          env={"PATH": os.environ["PATH"], "HOME": str(scratch / "abode"),
                               **(env or {})})
    return done.returncode, done.stdout, done.stderr


def put(name, text):
    path = scratch / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o644)
    return path


def doctor(*words, at="", env=None):
    """Runs `haft doctor --json`. Returns {kind: (state, path)} of the files, {name: (value, from)}
    of the settings, and the whole object."""
    config = json.loads(haft("doctor", "--json", *words, at=at, env=env)[1])["config"]
    return ({file["kind"]: (file["state"], file["path"]) for file in config["files"]},
            {one["name"]: (one["value"], one["from"]) for one in config["settings"]}, config)


def test_discovery():
    files, settings, _ = doctor(at="abode/p/q")
    check("no_file_is_found", [files[k][0] for k in files], ["absent"] * 3)
    check("without_files_all_settings_are_defaults", set(settings.values()), {(None, "default")})
    project = put("abode/p/haft.config.yaml", "model: script:a\n")
    check("a_project_above_is_found", doctor(at="abode/p/q")[0]["project"], ("found", str(project)))
    (scratch / "abode/p/q/.git").mkdir()
    check("search_stops_at_the_repository", doctor(at="abode/p/q/r")[0]["project"][0], "absent")
    check("expected_path_is_in_the_repository", doctor(at="abode/p/q/r")[0]["project"][1],
          str(scratch / "abode/p/q/r/haft.config.yaml"))
    near = put("abode/p/q/haft.config.yaml", "# nothing yet\n")
    check("file_in_the_root_of_the_repository_is_found", doctor(at="abode/p/q/r")[0]["project"],
          ("found", str(near)))
    put("haft.config.yaml", "model: script:above\n")
    put("abode/haft.config.yaml", "model: script:home\n")
    check("search_includes_home", doctor(at="abode/elsewhere")[0]["project"],
          ("found", str(scratch / "abode/haft.config.yaml")))
    (scratch / "abode/haft.config.yaml").unlink()
    check("search_stops_at_home", doctor(at="abode/elsewhere")[0]["project"][0], "absent")
    check("outside_of_home_only_the_current_directory_is_searched",
          doctor(at="out/side")[0]["project"][0], "absent")
    (scratch / "haft.config.yaml").unlink()
    user = put("abode/.config/haft/config.yaml", "plain: true\n")
    check("user_file_is_found", doctor()[0]["user"], ("found", str(user)))
    check("xdg_config_home_is_used",
          doctor(env={"XDG_CONFIG_HOME": str(scratch / "xdg")})[0]["user"],
          ("absent", str(scratch / "xdg/haft/config.yaml")))
    check("relative_xdg_config_home_is_ignored", doctor(env={"XDG_CONFIG_HOME": "xdg"})[0]["user"],
          ("found", str(user)))
    check("no_config_reads_no_files", doctor("--no-config", at="abode/p/q")[2]["files"], [])


def test_precedence():
    project = put("abode/p/haft.config.yaml",
                  "model: script:p\nstore: sqlite:s/p.db\nplain: false\nlease: 5s\n"
                  "artifacts: out\n")
    user = put("abode/.config/haft/config.yaml",
               "model: script:u\nstore: memory\nplain: true\nartifacts: /tmp/u\n")
    wanted = {"model": ("script:p", str(project)),
              "store": (f"sqlite:{scratch}/abode/p/s/p.db", str(project)),
              "plain": ("false", str(project)), "lease": ("5s", str(project)),
              "artifacts": (f"{scratch}/abode/p/out", str(project))}
    check("the_project_overrides_the_user", doctor(at="abode/p")[1], wanted)
    env = {"HAFT_STORE": "memory:", "HAFT_MODEL": "offline", "HAFT_PLAIN": "1",
           "HAFT_LEASE": "2s", "HAFT_ARTIFACTS": "a"}
    check("the_environment_overrides_the_project", doctor(at="abode/p", env=env)[1],
          {"model": ("offline", "HAFT_MODEL"), "store": ("memory:", "HAFT_STORE"),
           "plain": ("1", "HAFT_PLAIN"), "lease": ("2s", "HAFT_LEASE"),
           "artifacts": ("a", "HAFT_ARTIFACTS")})
    check("an_option_overrides_all",
          doctor("--store", "sqlite:x.db", at="abode/p", env=env)[1]["store"],
          ("sqlite:x.db", "--store"))
    project.unlink()
    check("user_settings_come_after_the_project",
          doctor(at="abode/p")[1]["artifacts"], ("/tmp/u", str(user)))
    check("memory_needs_no_colon", doctor(at="abode/p")[1]["store"], ("memory:", str(user)))
    user.unlink()


def test_use():
    put("abode/p/s.yaml", "replies: [{calls: [{name: store_artifact, arguments: {name: a.txt, "
        "content: hello}}]}, {text: done}]\n")
    put("abode/p/none.yaml", "haft: 1\nname: n\ntools: [{builtin: [store_artifact]}]\n")
    put("abode/p/own.yaml", "haft: 1\nname: n\nmodel: offline\n")
    put("abode/p/haft.config.yaml",
        "model: script:s.yaml\nstore: sqlite:.haft/h.db\nartifacts: out\n")
    status, out, err = haft("run", "none.yaml", "go", at="abode/p")
    check("the_model_is_used", (status, out), (0, "done\n"))
    check("store_of_the_config_is_used", (scratch / "abode/p/.haft/h.db").exists(), True)
    check("artifacts_are_written", (scratch / "abode/p/out/a.txt").read_text(), "hello")
    check("a_run_of_the_store_is_found",
          len(json.loads(haft("runs", "list", "--json", at="abode/p")[1])["runs"]), 1)
    check("a_spec_keeps_its_own_model",
          haft("run", "own.yaml", "go", at="abode/p")[1].startswith("I am haft's offline planner"),
          True)
    put("abode/p/haft.config.yaml", "model: nix:x\n")
    status, _, err = haft("run", "none.yaml", "go", at="abode/p")
    check("an_invalid_model_is_reported_with_its_origin", (status, err.split("\n")[0]),
          (2, f'{scratch}/abode/p/haft.config.yaml: error: there is no provider "nix"'))
    check("no_config_ignores_the_model_of_the_project",
          haft("check", "none.yaml", "--no-config", at="abode/p")[0], 0)
    (scratch / "abode/p/haft.config.yaml").unlink()


def test_bad_files():
    (scratch / "abode/p/link").symlink_to("/etc")
    for name, text, line in [
            ("an_unknown_key", "modle: x\n", '1:1: error: there is no key "modle" here'),
            ("a_wrong_type", "plain: 5\n", "1:8: error: expected boolean, found integer 5"),
            ("a_lease_without_a_unit", "lease: 5\n",
             "1:8: error: expected string, found integer 5"),
            ("no_yaml", "a: [\n", "2:1: error: this is not YAML"),
            ("a_list", "[1]\n", "1:1: error: expected object, found array [1]"),
            ("an_empty_model", 'model: ""\n', "1:8: error: expected"),
            ("a_store_above", "store: sqlite:../x.db\n", "1:8: error: the store of a project"),
            ("a_store_elsewhere", "store: sqlite:/tmp/x.db\n", "1:8: error: the store of a pr"),
            ("a_store_of_another_kind", "store: postgres://x/y\n", "1:8: error: the store of"),
            ("a_store_behind_a_link", "store: sqlite:link/x.db\n", "1:8: error: the store of"),
            ("a_store_with_dots_inside", "store: sqlite:a/../../x.db\n", "1:8: error: the store"),
            ("a_script_above", "model: script:../../x\n", "1:8: error: the script of a project"),
            ("a_replay_elsewhere", "model: replay:/etc/x\n", "1:8: error: the script of a proj"),
            ("artifacts_elsewhere", "artifacts: /etc\n", "1:12: error: the artifacts of a project"),
            ("artifacts_behind_a_link", "artifacts: link\n", "1:12: error: the artifacts of")]:
        path = put("abode/p/haft.config.yaml", text)
        status, out, err = haft("runs", "list", at="abode/p")
        check(name, (status, out, err.removeprefix(f"{path}:")[:len(line)]), (2, "", line))
    put("abode/p/haft.config.yaml", "modle: x\n")
    status, out, _ = haft("run", "own.yaml", "--json", at="abode/p")
    check("bad_file_is_reported_as_json", (status, json.loads(out)["error"]["where"]),
          (2, f"{scratch}/abode/p/haft.config.yaml:1:1"))
    check("doctor_continues", doctor(at="abode/p")[0]["project"][0], "bad")
    (scratch / "abode/p/haft.config.yaml").unlink()


def test_refused():
    env = put("abode/p/.env", f"OPENAI_API_KEY={OTHER}\n")
    env.chmod(0o646)
    status, _, err = haft("check", "own.yaml", at="abode/p")
    check("file_that_others_may_write_is_not_read", (status, err.split("\n")[0]),
          (0, f"{env}: warning: not read: other users may write it"))
    check("doctor_shows_the_refused_file", doctor(at="abode/p")[0][".env"][0], "refused")
    env.unlink()
    env.symlink_to(put("abode/real.env", f"OPENAI_API_KEY={OTHER}\n"))
    check("symbolic_link_is_not_read", haft("check", "own.yaml", at="abode/p")[2].split("\n")[0],
          f"{env}: warning: not read: it is a symbolic link")
    check("no_config_is_silent", haft("check", "own.yaml", "--no-config", at="abode/p")[2], "")
    env.unlink()


class Server(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        seen.append(self.headers.get("Authorization"))
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": "hi"},
                                        "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def asked(env, spec="model: openai:x\n", dotenv="", words=()):
    """Runs an agent. Returns the exit status, the key that the model server received (a list with
    at most one item), and the output."""
    seen.clear()
    put("abode/p/spec.yaml", "haft: 1\nname: n\n" + spec)
    put("abode/p/.env", dotenv)
    status, out, err = haft("run", "spec.yaml", "go", "--store", "memory:", *words, at="abode/p",
                            env=env)
    return status, seen[:1], out + err


def test_keys(url):
    base, key = f"OPENAI_BASE_URL={url}\n", f"OPENAI_API_KEY={OTHER}\n"
    ours, real = f"Bearer {OTHER}", f"Bearer {KEY}"
    check("key_of_the_file_is_used",
          asked({"OPENAI_BASE_URL": url}, dotenv=key)[:2], (0, [ours]))
    check("environment_overrides_the_key_of_the_file",
          asked({"OPENAI_BASE_URL": url, "OPENAI_API_KEY": KEY}, dotenv=key)[:2], (0, [real]))
    check("address_and_key_of_one_file_are_used_together",
          asked({}, dotenv=base + key)[:2], (0, [ours]))
    check("an_address_of_the_file_gets_no_key_of_the_environment",
          asked({"OPENAI_API_KEY": KEY}, dotenv=base)[1], [None])
    check("key_that_is_not_sent_is_reported", "is not sent there" in
          asked({"OPENAI_API_KEY": KEY}, dotenv=base)[2], True)
    check("an_address_of_the_file_gets_the_key_of_the_file",
          asked({"OPENAI_API_KEY": KEY}, dotenv=base + key)[:2], (0, [ours]))
    named = "model: {provider: openai, model: x, api_key: '${SOME_KEY}'}\n"
    status, sent, _ = asked({"SOME_KEY": KEY}, spec=named, dotenv=base)
    check("an_address_of_the_file_gets_no_key_under_another_name", (status != 0, sent), (True, []))
    address = ("model: {provider: openai, model: x, base_url: '${SOME_URL}', "
               "api_key_env: OPENAI_API_KEY}\n")
    status, sent, _ = asked({"OPENAI_API_KEY": KEY}, spec=address, dotenv=f"SOME_URL={url}\n")
    check("another_address_of_the_file_gets_no_key", (status != 0, sent), (True, []))
    check("address_and_key_of_the_environment_are_used_together",
          asked({"OPENAI_API_KEY": KEY, "SOME_URL": url}, spec=address,
                dotenv="SOME_URL=http://127.0.0.1:1\n")[:2], (0, [real]))
    status, sent, _ = asked({"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": url},
                            dotenv="OPENAI_BASE_URL=http://127.0.0.1:1\n")
    check("the_address_of_the_environment_counts", (status, sent), (0, [real]))
    check("no_config_ignores_the_key_of_the_file",
          asked({"OPENAI_BASE_URL": url}, dotenv=key, words=["--no-config"])[:2],
          (0, [None]))
    put("abode/p/.env", "")


def test_children():
    put("abode/p/.env", f"OPENAI_API_KEY={OTHER}\nMY_TOKEN={OTHER}\nPATH=/nowhere\nLANG=xx\n"
        "HOME=/nowhere\nHAFT_STORE=sqlite:/nowhere/x\nOPENAI_TOOL_CHOICE=none\n")
    put("abode/p/e.script.yaml", "replies: [{calls: [{name: show}]}, {text: 'done'}]\n")
    put("abode/p/e.yaml", "haft: 1\nname: e\nmodel: script:e.script.yaml\ntools:\n"
        "  - {name: show, description: Show the environment of a tool., args: [], command: [env],\n"
        "     env: {GIVEN: '${MY_TOKEN}'}}\n")
    status, out, err = haft("run", "e.yaml", "go", "--events", "--yes=all", at="abode/p")
    check("a_tool_runs", status, 0)
    check("no_value_of_the_file_is_written_down", OTHER in out + err, False)
    result = next(json.loads(line) for line in out.splitlines() if '"call_result"' in line
                  or '"call_finished"' in line or "PATH=" in line)
    text = json.dumps(result)
    check("variables_named_in_the_spec_are_passed_and_redacted", "GIVEN=[redacted" in text, True)
    check("other_variables_are_not_passed",
          ["OPENAI_API_KEY" in text, "/nowhere" in text, "LANG=xx" in text],
          [False, False, False])
    check("a_missing_variable_is_an_error",
          haft("check", "e.yaml", "--no-config", at="abode/p")[0], 2)
    (scratch / "abode/p/.env").unlink()


def test_schema():
    put("good.json", '{"model": "offline", "store": "memory:", "plain": true, "artifacts": "x"}')
    put("bad.json", '{"models": "offline"}')
    schema = ROOT / "src/cli/config/config.schema.json"
    check("shipped_schema_accepts_good_and_rejects_bad_settings",
          [haft("validate", schema, name)[0]
           for name in ("good.json", "bad.json")], [0, 1])


seen = []
with tempfile.TemporaryDirectory() as temporary:
    scratch = Path(temporary).resolve()
    for directory in ("abode/p/q/r", "abode/elsewhere", "out/side"):
        (scratch / directory).mkdir(parents=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    test_discovery()
    test_precedence()
    test_use()
    test_bad_files()
    test_refused()
    test_keys(f"http://127.0.0.1:{server.server_port}/v1")
    test_children()
    test_schema()
    server.shutdown()
