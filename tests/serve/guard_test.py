#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Who may use `haft serve`: Host, Origin, CORS, tokens, roles, other users, rates. The matrix
of roles is made from /openapi.json, so that it has every route."""
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from serve_help import ASKER, HAFT, QUICK, STREAM, Server, write_files  # noqa: E402
from script import check, check_none, wait_for  # noqa: E402

ROLES = ("read", "run", "answer", "admin", "metrics")
# The roles that may use a route with this role.
MAY = {"none": set(ROLES) | {None}, "read": {"read", "run", "answer", "admin"},
       "run": {"run", "admin"}, "answer": {"answer", "admin"}, "admin": {"admin"},
       "metrics": {"metrics", "admin"}}


def token(directory, name, *options):
    done = subprocess.run([HAFT, "token", "create", name, "--token-file", "tokens.jsonl", *options],
                          cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def body_of(name, schemas):
    """A body that the schema accepts, as far as the guard goes."""
    return {"run_create": {"agent": "quick", "task": "x"}, "command": {"command": "approve"},
            "commands": {"commands": [{"run": "0" * 26, "command": "approve"}]}}.get(name, {})


def requests(document, names):
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            target = re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], "1"), path)
            content = operation.get("requestBody", {}).get("content", {})
            schema = next(iter(content.values()))["schema"]["$ref"] if content else ""
            body = body_of(schema.rsplit("/", 1)[-1], document) if content else None
            yield method.upper(), path, target, body, operation


def test_matrix(server, tokens, run, thread):
    """Every route with every role, with no token, and with a token of another user."""
    document = server.get("/openapi.json").json
    names = {"run": run, "thread": thread, "agent": "quick", "name": "x"}
    problems, count = [], 0
    for method, path, target, body, operation in requests(document, names):
        wanted = MAY[operation["x-haft-role"]]
        if operation["operationId"] == "run_delete":
            continue  # at the end, because it removes the run
        for role in (None, *ROLES):
            count += 1
            # Another user's token: it may use the route, and still does not see the run.
            reply = server.ask(method, target, body, token=tokens.get(role),
                               headers=None if body is not None else {})
            allowed = reply.status not in (401, 403)
            if allowed != (role in wanted) and not (
                    operation["operationId"] == "run_command" and reply.status in (403, 404)):
                problems.append(f"{method} {path} as {role}: {reply.status} {reply.body[:100]}")
            if "{run}" in path and role not in (None, "admin") and reply.status < 400:
                problems.append(f"{method} {path} as {role}: another user's run: {reply.status}")
            if "{thread}" in path and role not in (None, "admin") and reply.status < 400:
                problems.append(f"{method} {path} as {role}: another user's thread: {reply.status}")
    for role in ("run", "answer", "read"):
        reply = server.ask("DELETE", f"/api/v1/runs/{run}", token=tokens[role])
        if reply.status not in (403, 404):
            problems.append(f"delete another user's run as {role}: {reply.status}")
    check_none("every_route_checks_roles_and_owners", problems)
    check("the_matrix_has_every_route", count >= 6 * 15)
    streamed = server.ask("GET", f"/api/v1/runs/{run}/events", headers=STREAM,
                          token=tokens["read"])
    check("another_user_gets_no_stream", streamed.status, 404)


def test_users(directory, server):
    anna = token(directory, "anna")
    berta = token(directory, "berta", "--roles", "read,run,answer")
    boss = token(directory, "boss", "--roles", "read", "--all-users")
    wait_for(lambda: server.get("/api/v1/runs", token=boss).status == 200)
    run = server.start("asker", token=anna)
    server.wait(run["run"], token=anna)
    check("the_user_is_that_of_the_token", run["user"], "anna")
    for path in ("/api/v1/runs", "/api/v1/pending", "/api/v1/threads"):
        def found(who, path=path):
            return run["run"] in server.get(path, token=who).body.decode()
        check(f"lists_are_of_one_user_{path.rsplit('/', 1)[-1]}",
              (found(anna), found(berta), found(boss)), (True, False, True))
    check("a_body_names_no_other_user",
          server.post("/api/v1/runs", {"agent": "quick", "task": "x", "user": "anna"},
                      token=berta).status, 403)
    check("a_body_changes_no_model",
          server.post("/api/v1/runs", {"agent": "quick", "task": "x", "model": "offline"},
                      token=berta).status, 403)
    check("a_thread_of_another_user",
          server.post("/api/v1/runs", {"agent": "quick", "task": "x", "thread": run["thread"]},
                      token=berta).status, 404)
    check("another_user_does_not_answer",
          server.command(run["run"], "answer", value="x", token=berta).status, 404)
    check("a_reader_does_not_answer",
          server.command(run["run"], "answer", value="x", token=boss).status, 403)
    answered = server.command(run["run"], "answer", value="x", token=anna)
    check("the_user_answers", answered.status, 200)
    server.wait(run["run"], token=anna)
    events = server.events(run["run"], token=anna)
    check("the_author_is_the_token", [e["by"] for e in events if e["kind"] == "answered"], ["anna"])
    key = {"Idempotency-Key": "same"}
    runs = [server.post("/api/v1/runs", {"agent": "quick", "task": "x"}, headers=key, token=who)
            for who in (anna, berta)]
    check("a_key_belongs_to_a_user", runs[0].json["run"] != runs[1].json["run"])
    subprocess.run([HAFT, "token", "revoke", "anna", "--token-file", "tokens.jsonl"], cwd=directory,
                   check=True)
    check("a_revoked_token_is_rejected",
          wait_for(lambda: server.get("/api/v1/runs", token=anna).status == 401) is not None)
    stored = (directory / "tokens.jsonl").read_text()
    check("the_file_has_no_token", any(t in stored for t in (anna, berta, boss)), False)
    check("the_file_is_private", oct((directory / "tokens.jsonl").stat().st_mode & 0o777), "0o600")


def test_headers(server):
    """Foreign hosts and origins, on a server without tokens."""
    cases = [
        ("own", {}, 200),
        ("localhost", {"Host": "localhost:1"}, 200),
        ("foreign host", {"Host": "evil.example"}, 403),
        ("rebinding", {"Host": "localhost.evil.example:80"}, 403),
        ("own origin", {"Origin": server.url}, 200),
        ("foreign origin", {"Origin": "http://evil.example"}, 403),
        ("null origin", {"Origin": "null"}, 403),
        ("https of evil", {"Origin": "https://localhost.evil.example"}, 403),
        ("listed origin", {"Origin": "https://ui.example"}, 200),
        ("allowed host", {"Host": "tools.example"}, 200),
    ]
    problems = []
    for name, headers, status in cases:
        reply = server.get("/api/v1/runs", headers=headers)
        if reply.status != status:
            problems.append(f"{name}: {reply.status}")
        cors = reply.headers.get("access-control-allow-origin")
        if (cors is not None) != (name == "listed origin"):
            problems.append(f"{name}: Access-Control-Allow-Origin: {cors}")
    check_none("foreign_hosts_and_origins", problems)
    asked = {"Origin": "https://ui.example", "Access-Control-Request-Method": "POST"}
    reply = server.ask("OPTIONS", "/api/v1/runs", headers=asked)
    check("a_preflight_of_a_listed_origin",
          (reply.status, reply.headers.get("access-control-allow-origin")),
          (204, "https://ui.example"))
    reply = server.ask("OPTIONS", "/api/v1/runs",
                       headers={**asked, "Origin": "http://evil.example"})
    check("a_preflight_of_another_origin",
          (reply.status, reply.headers.get("access-control-allow-origin")), (403, None))


def test_start(directory):
    """Servers that must not start."""
    (directory / "open.jsonl").write_text("")
    os.chmod(directory / "open.jsonl", 0o666)
    (directory / "bad.jsonl").write_text("{}\n")
    os.chmod(directory / "bad.jsonl", 0o600)
    cases = [
        ("everywhere without tokens", ["--listen", "0.0.0.0:0"], "no token is set"),
        ("a bad address", ["--listen", "nowhere"], "--listen"),
        ("a missing token file", ["--token-file", "none.jsonl"], "none.jsonl"),
        ("a file that others write", ["--token-file", "open.jsonl"], "other users can write"),
        ("a bad token file", ["--token-file", "bad.jsonl"], "line 1"),
    ]
    problems = []
    for name, options, words in cases:
        listen = [] if "--listen" in options else ["--listen", "127.0.0.1:0"]
        done = subprocess.run([HAFT, "serve", "quick.json", "--store", "memory:", *listen,
                               *options], cwd=directory, capture_output=True, text=True,
                              check=False, timeout=300)
        if done.returncode == 0 or words not in done.stderr or done.stdout:
            problems.append(f"{name}: {done.returncode} {done.stdout} {done.stderr}")
    check_none("servers_that_do_not_start", problems)
    (directory / "plain").write_text("a-plain-token-of-more-than-32-bytes\n")
    os.chmod(directory / "plain", 0o600)
    with Server(directory, "quick.json", store="memory:", options=["--token-file", "plain"]) as one:
        plain = "a-plain-token-of-more-than-32-bytes"
        found = [one.get("/api/v1/runs").status, one.get("/api/v1/runs", token="x").status,
                 one.get("/api/v1/runs", token=plain).status,
                 one.get("/api/v1/runs", headers={"X-Api-Key": plain}).status,
                 one.get("/ok").status]
        check("a_plain_token", found, [401, 401, 200, 200, 200])
        check("an_unauthorised_request_says_how",
              one.get("/api/v1/runs").headers.get("www-authenticate"), "Bearer")


def test_unix(directory):
    """A unix socket for one user, also after a server that was killed."""
    class Client(http.client.HTTPConnection):
        def connect(self):
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.connect(str(directory / "s.sock"))

    def ask():
        client = Client("localhost")
        client.request("GET", "/api/v1/agents")
        return client.getresponse().status
    options = ["--listen", f"unix:{directory}/s.sock"]
    for number in (signal.SIGKILL, signal.SIGTERM):
        with Server(directory, "quick.json", store="memory:", listen=options) as server:
            check("it_listens_at_a_unix_socket", server.url, f"unix:{directory}/s.sock")
            check("a_unix_socket_needs_no_token", ask(), 200)
            check("only_its_user_can_reach_it",
                  oct((directory / "s.sock").stat().st_mode & 0o777), "0o600")
            busy = subprocess.run([HAFT, "serve", "quick.json", "--store", "memory:", *options],
                                  cwd=directory, capture_output=True, text=True, check=False)
            check("two_servers_do_not_share_it", (busy.returncode, "s.sock" in busy.stderr),
                  (1, True))
            server.stop(number)
    check("the_socket_is_removed", (directory / "s.sock").exists(), False)


def test_rate(directory):
    options = ["--rate", "5"]
    with Server(directory, "quick.json", store="memory:", options=options) as server:
        found = [server.get("/ok") for _ in range(30)]
        limited = [reply for reply in found if reply.status == 429]
        check("too_many_requests", (len(limited) > 0, found[0].status), (True, 200))
        check("they_say_when", {reply.headers.get("retry-after") for reply in limited}, {"1"})


def main():
    with tempfile.TemporaryDirectory(prefix="haft-guard-") as scratch:
        directory = Path(scratch)
        write_files(directory, QUICK, ASKER)
        owner = token(directory, "owner", "--roles", "admin", "--user", "owner")
        tokens = {role: token(directory, f"a-{role}", "--roles", role, "--user", "other")
                  for role in ROLES}
        options = ["--token-file", "tokens.jsonl"]
        with Server(directory, "quick.json", "asker.json", options=options) as server:
            run = server.start("asker", token=owner)
            server.wait(run["run"], token=owner)
            test_matrix(server, tokens, run["run"], run["thread"])
            test_users(directory, server)
        options = ["--allow-origin", "https://ui.example", "--allow-host", "tools.example"]
        with Server(directory, "quick.json", store="memory:", options=options) as server:
            test_headers(server)
        test_start(directory)
        test_unix(directory)
        test_rate(directory)


main()
