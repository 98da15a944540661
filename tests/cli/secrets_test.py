#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Secrets are planted in every input of haft, and searched in every output."""
import base64
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
LONG = 300

# By variable. The first ones are secret because of the spec, the others because of their names.
SECRETS = {
    "PLANTED_ENV": "env-4f1d0c77a9", "PLANTED_HEADER": "header-b7/e2+91==c5",
    "PLANTED_URL": "url-0d41c3aa72", "PLANTED_KEY": "key-88c1f0a2d6",
    "PLANTED_NAMED": "named-5be2290c1f", "PLANTED_USERINFO": "userinfo-71c9d04e",
    "OPENAI_API_KEY": "sk-planted-2b9c6f10e4d7", "GITHUB_TOKEN": "ghp_4c1e7b90d2f6a835",
    "AWS_SECRET_ACCESS_KEY": "wJalr/XUtn+FEMI/K7MDENG", "DB_PASSWORD": 'pass"word\\with/all',
    "SENTRY_DSN": "https://d0e1f2a3b4@sentry.invalid/1", "MY_APIKEY": "apikey-c00ffee1234",
    "SSH_PASSPHRASE": "correct horse battery staple", "APP_CREDENTIALS": "cred:user:9a8b7c6d",
    "SIGNING_PRIVATE_KEY": "-----BEGIN KEY-----\nQUJDREVGRw\n-----END KEY-----",
    "AUTHORIZATION": "Basic dXNlcjpwbGFudGVk", "npm_config_authToken": "npm_0f1e2d3c4b5a6978",
    "SLACK_BOT_TOKEN": "xoxb-1357-2468-abcdef", "MYSQL_PASSWD": "geheim-Schlüssel-9",
    "OAUTH_CLIENT_SECRET": "client&secret=50%off?",
}
SHAPE = "Bearer eyJhbGciOi.planted.0123456789"  # not a known value: found by its shape
MARK = "planted-to-be-found"  # not a secret: shows that the search works


def middle_of_base64(data):
    """The base64 of the bytes at any offset, without its ends."""
    for before in range(3):
        text = base64.b64encode(b"\0" * before + data).decode().rstrip("=")
        text = text[(0, 2, 3)[before] + 1:-2]
        yield text
        yield text.replace("+", "-").replace("/", "_")


def spellings(secret):
    """Every spelling that would be a leak, as bytes."""
    data = secret.encode()
    found = {secret, urllib.parse.quote(secret, safe=""), urllib.parse.quote_plus(secret),
             data.hex(), data.hex().upper(), *middle_of_base64(data)}
    for text in (json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1],
                 json.dumps(secret)[1:-1].replace("/", "\\/")):
        for _ in range(4):  # JSON inside of JSON
            found.add(text)
            text = json.dumps(text, ensure_ascii=False)[1:-1]
    return {text.encode() for text in found}


def leaks(data):
    data = data.encode() if isinstance(data, str) else data
    return sorted(name for name, secret in [*SECRETS.items(), ("SHAPE", SHAPE[7:])]
                  if any(text in data for text in spellings(secret)))


def everything():
    """All secrets in all spellings, as a careless program prints them."""
    lines = [MARK, SHAPE]
    for name, secret in SECRETS.items():
        data = secret.encode()
        lines += [f"{name}={secret}", json.dumps({name: secret}), json.dumps(json.dumps([secret])),
                  json.dumps(secret).replace("/", "\\/"),
                  json.dumps(secret, ensure_ascii=False), urllib.parse.quote(secret, safe=""),
                  urllib.parse.quote_plus(secret), base64.b64encode(data).decode(),
                  base64.b64encode(b"user:" + data).decode(),
                  base64.urlsafe_b64encode(b"ab" + data + b"c").decode(), data.hex(),
                  data.hex().upper()]
    return "\n".join(lines) + "\n"


outputs = []  # (what, text) of everything that was printed


def haft(*words):
    done = subprocess.run([HAFT, *map(str, words)], stdin=subprocess.DEVNULL, capture_output=True,
                          cwd=scratch, env=environment, timeout=LONG, check=False)
    what = " ".join(str(word)[:30] for word in words[:3])
    outputs.append((what, done.stdout + done.stderr))
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def put(name, value):
    path = Path(scratch) / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def tool(name, **more):
    return dict({"name": name, "description": f"Does {name} for the tests of haft.",
                 "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}},
                **more)


def call(called, **arguments):
    return {"calls": [{"name": called, "arguments": arguments}]}


def spec(name, tools, replies=None, model=None, **more):
    """With a script, and with a tool that is never called: through it the spec knows all
    secrets."""
    if replies is not None:
        put(f"{name}.script.json", {"replies": replies})
        tools = tools + [tool("unused", command=["true"], env={
            known: f"${{{known}}}" for known in SECRETS if known.startswith("PLANTED_")})]
    return put(f"{name}.json", dict({"haft": 1, "name": name, "tools": tools,
                                     "model": model or f"script:{name}.script.json"}, **more))


def run_of(out):
    try:
        return json.loads(out.splitlines()[0])["run"]
    except (ValueError, IndexError, KeyError):
        return "last"


def look_at(name, status, wanted, run):
    """Checks that a run has ended well, then runs every command that reads it."""
    check(f"{name}_runs", status, wanted)
    shown = [haft("runs", what, run)[1] for what in ("events", "show")]
    haft("runs", "list", "--json")
    replay = haft("runs", "replay", run)
    check(f"{name}_replays", (replay[0], replay[1][:9]), (0, "identical"))
    return shown[0]


class Echo(http.server.BaseHTTPRequestHandler):
    """Repeats the request, as an error on /fail."""

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        seen.append(f"{self.path}\n{self.headers}")
        body = json.dumps({"error": {"message": f"{MARK} {self.path} {self.headers}"}}).encode()
        self.send_response(400 if "fail" in self.path or "chat" in self.path else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


def test_the_search():
    """The search of this test finds what it plants."""
    check("everything_planted_is_found", leaks(everything()), sorted([*SECRETS, "SHAPE"]))
    check("text_without_secrets_has_no_leaks", leaks(MARK), [])


def test_tools():
    """A tool that prints secrets, one that fails with them, one that gets one."""
    put("everything", everything())
    tools = [tool("tell", command=["cat", "everything"]),
             tool("fail", command=["sh", "-c", "tail -c 1500 everything >&2; exit 3"]),
             tool("given", env={"GIVEN": "${PLANTED_ENV}"},
                  command=["sh", "-c", "env > given.env; echo \"$GIVEN\""]),
             tool("bare", command=["sh", "-c", "env > bare.env; cat /proc/$PPID/cmdline "
                                   "/proc/$PPID/environ > guard.txt; cat bare.env"])]
    path = spec("tools", tools, [call("tell"), call("fail"), call("given"), call("bare"),
                                 {"text": f"{MARK} done"}])
    status, out, _ = haft("run", path, "go", "--events")
    log = look_at("tools", status, 0, run_of(out))
    check("other_values_are_not_redacted", (MARK in log, "[redacted]" in log), (True, True))
    check("tool_gets_only_its_own_secret", leaks((Path(scratch) / "given.env").read_bytes()),
          ["PLANTED_ENV"])
    for name in ("bare.env", "guard.txt"):
        check(f"no_secret_in_{name}", leaks((Path(scratch) / name).read_bytes()), [])
    for words in (("--json",), ("--quiet",), ()):
        haft("run", path, "go", *words)


def test_http():
    url = f"http://127.0.0.1:{port}"
    request = {"url": url + "/ok?k=${PLANTED_URL}", "allow_private": True,
               "headers": {"X-Key": "${PLANTED_HEADER}"}}
    path = spec("http", [tool("get", http=request),
                         tool("fail", http=dict(request, url=url + "/fail/${PLANTED_URL}")),
                         tool("lost", http=dict(request, url="http://127.0.0.1:1/${PLANTED_URL}"))
                         ], [call("get"), call("fail"), call("lost"), {"text": "done"}])
    status, out, _ = haft("run", path, "go", "--events")
    log = look_at("http", status, 0, run_of(out))
    check("server_received_the_secrets", leaks("".join(seen)), ["PLANTED_HEADER", "PLANTED_URL"])
    check("answer_is_stored_without_the_secrets", MARK in log, True)


def test_words():
    """Texts and calls of the model, the task, and answers of people."""
    text = everything()
    send = tool("send", command=["sh", "-c", "cat >/dev/null"], traits={"needs_approval": True})
    path = spec("words", [send, tool("pick", headless=True),
                          {"builtin": ["store_artifact", "request_user_input"]}],
                [dict(call("send", q=text), text=text, reasoning=text),
                 call("send", q="x"), call("pick", q=text), call("pick", q="y"),
                 call("request_user_input", question=text[:3000]),
                 call("store_artifact", name="notes.txt", content=text, media_type="text/plain"),
                 {"text": text}])
    put("input.txt", text)
    status, out, _ = haft("run", path, text, "--input", "input.txt", "--json")
    run = run_of(out)
    check("call_with_secrets_waits_for_approval", status, 4)
    check("edit_with_secrets_is_rejected",
          haft("approve", run, "--args", json.dumps({"q": text}))[0], 2)
    check("call_with_secrets_can_be_approved", haft("approve", run)[0], 4)
    check("answer_that_is_not_json_is_rejected", haft("answer", run, text)[0], 2)
    check("answer_with_secrets_is_accepted",
          haft("answer", run, json.dumps({"picked": text}))[0], 4)
    status, _, _ = haft("answer", run, text, "--json")
    look_at("words", status, 0, run)
    haft("runs", "artifact", run, "notes.txt")
    replies = [call("send", q="x"), call("send", q="y"), {"text": "done"}]
    path = spec("refused", [send], replies)
    run = run_of(haft("run", path, "go", "--json")[1])
    check("rejection_with_secrets_is_accepted", haft("reject", run, "--why", text)[0], 4)
    status, _, _ = haft("cancel", run, "--why", text)
    look_at("refused", status, 130, run)
    path = spec("stored", [{"builtin": ["store_artifact"]}], [
        call("store_artifact", name="notes.txt", content=text), {"text": "done"}])
    haft("run", path, "go", "--artifacts", Path(scratch) / "artifacts")
    files = list((Path(scratch) / "artifacts").iterdir())
    check("artifact_is_written_without_secrets", ([leaks(file.read_bytes()) for file in files],
                                                  MARK in files[0].read_text()), ([[]], True))


def test_models():
    """Servers that repeat the request in an error; and the password of a proxy."""
    script = put("error.json", {"replies": [
        {"error": {"status": 401, "body": {"error": {"message": "bad " + everything()[:3000]}}}},
        {"error": {"status": 400, "body": everything()}}]})
    with subprocess.Popen([HAFT, "mock-model", str(script), "--loop"], stdout=subprocess.PIPE,
                          text=True) as mock:
        base = re.search(r"http://\S+", mock.stdout.readline())[0]
        for name in ("first", "second"):
            path = spec(name, [], [], {"provider": "openai", "model": "m", "base_url": base})
            status, out, _ = haft("run", path, "go", "--json")
            look_at(name, status, 1, run_of(out))
        mock.terminate()
    echo = f"http://127.0.0.1:{port}/v1"
    for name, more in (("key", {"base_url": echo, "api_key": "${PLANTED_KEY}"}),
                       ("named", {"base_url": echo, "api_key_env": "PLANTED_NAMED"}),
                       ("proxied", {"base_url": echo.replace("//", "//u:${PLANTED_USERINFO}@")}),
                       ("lost", {"base_url": "http://u:${PLANTED_USERINFO}@127.0.0.1:1/v1"})):
        seen.clear()
        path = spec(name, [], model=dict({"provider": "openai", "model": "m"}, **more))
        status, out, err = haft("run", path, "go", "--json")
        print(f"# {name}: {status} {err.strip()} {json.loads(out)['error'] if out else ''}"[:300])
        if out:
            look_at(name, status, 1, run_of(out))
        if name in ("key", "named"):
            check(f"server_received_{name}", leaks("".join(seen)), [f"PLANTED_{name.upper()}"])
    # Without a key curl sends the user info; the server repeats it, and no spec knows it.
    usual = spec("usual", [], model="openai:m")
    key = environment.pop("OPENAI_API_KEY")
    environment["OPENAI_BASE_URL"] = f"http://u:{SECRETS['PLANTED_USERINFO']}@127.0.0.1:{port}/v1"
    seen.clear()
    status, out, _ = haft("run", usual, "go", "--json")
    look_at("usual", status, 1, run_of(out))
    check("server_received_the_password", leaks("".join(seen)), ["PLANTED_USERINFO"])
    haft("doctor")
    del environment["OPENAI_BASE_URL"]
    environment["OPENAI_API_KEY"] = key


def test_whose_key():
    """OpenAI's key goes to this machine, not to a similar address."""
    for name, url, wanted in (
            ("near", f"http://127.0.0.1:{port}/v1", ["OPENAI_API_KEY"]),
            ("far", f"http://localhost:x@0.0.0.0:{port}/v1", []),
            ("query", f"http://0.0.0.0:{port}?@localhost/v1", [])):
        seen.clear()
        haft("run", spec(name, [], model={"provider": "openai", "model": "m", "base_url": url}),
             "go", "--json")
        check(f"key_goes_only_to_its_server_{name}", leaks("".join(seen)), wanted)


def test_what_is_left():
    """All output, and every file of the store."""
    for words in (("doctor",), ("doctor", "--json"), ("validate", "tools.json"),
                  ("explain", "tools.json"), ("validate", "http.json"), ("runs", "list")):
        haft(*words)
    check("commands_have_printed_enough",
          (len(outputs) > 40, any(MARK.encode() in out for _, out in outputs)),
          (True, True))
    check("no_output_has_a_secret", [(what, leaks(out)) for what, out in outputs
                                     if leaks(out)], [])
    files = [path for path in (Path(scratch) / "state").rglob("*") if path.is_file()]
    check("store_was_written", any(MARK.encode() in path.read_bytes() for path in files), True)
    check("no_file_has_a_secret", [(path.name, leaks(path.read_bytes())) for path in files
                                   if leaks(path.read_bytes())], [])


with tempfile.TemporaryDirectory() as scratch:
    seen = []
    environment = dict(os.environ, XDG_STATE_HOME=str(Path(scratch) / "state"), **SECRETS)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    test_the_search()
    test_tools()
    test_http()
    test_words()
    test_models()
    test_whose_key()
    test_what_is_left()
    server.shutdown()
