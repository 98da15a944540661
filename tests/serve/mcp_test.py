#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The agents of `haft serve` as MCP servers at /mcp/NAME, behind the same guard."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from serve_help import HAFT, LOOKER, QUICK, Server, agent, write_files  # noqa: E402
from script import check, wait_for  # noqa: E402

JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


def post(server, name, body, token=None, session=None):
    headers = dict(JSON)
    if session is not None:
        headers["Mcp-Session-Id"] = session
        headers["MCP-Protocol-Version"] = "2025-11-25"
    return server.ask("POST", f"/mcp/{name}", json.dumps(body), headers=headers, token=token)


def initialize(server, name, token=None):
    reply = post(server, name, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"}}}, token)
    assert reply.status == 200, (reply.status, reply.body)
    session = reply.headers["mcp-session-id"]
    post(server, name, {"jsonrpc": "2.0", "method": "notifications/initialized"}, token, session)
    return session


def result_of(reply):
    """The result of a JSON response, or of the last event of a stream."""
    text = reply.body.decode()
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    for line in reversed(lines or [text]):
        if line.strip():
            message = json.loads(line)
            if "result" in message or "error" in message:
                return message
    return None


def call(server, name, session, method, params, token=None, number=2):
    return result_of(post(server, name, {"jsonrpc": "2.0", "id": number, "method": method,
                                         "params": params}, token, session))


def token(directory, name, *options):
    done = subprocess.run([HAFT, "token", "create", name, "--token-file", "tokens.jsonl", *options],
                          cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def main():
    with tempfile.TemporaryDirectory(prefix="haft-mcp-") as scratch:
        directory = Path(scratch)
        write_files(directory, QUICK, LOOKER)
        anna, berta = token(directory, "anna"), token(directory, "berta")
        reader = token(directory, "reader", "--roles", "read")
        env = {"XDG_STATE_HOME": scratch}
        with Server(directory, "quick.json", "looker.json", options=["--token-file",
                                                                     "tokens.jsonl"],
                    env=env) as server:
            session = initialize(server, "looker", anna)
            tools = call(server, "looker", session, "tools/list", {}, anna)["result"]["tools"]
            check("tools_of_the_agent", sorted(tool["name"] for tool in tools),
                  ["look", "run_looker"])
            done = call(server, "looker", session, "tools/call",
                        {"name": "run_looker", "arguments": {"task": "look at it"}}, anna)
            check("its_agent_runs", done["result"]["content"][0]["text"], "Seen.")
            listed = server.get("/api/v1/runs", token=anna).json["runs"]
            check("the_run_belongs_to_the_user_of_the_token",
                  [(run["agent"], run["user"], run["end"]) for run in listed],
                  [("looker", "anna", "done")])
            direct = call(server, "looker", session, "tools/call",
                          {"name": "look", "arguments": {}}, anna)
            check("its_tools_run", direct["result"]["content"][0]["text"].strip(), "seen")
            stolen = post(server, "looker", {"jsonrpc": "2.0", "id": 9, "method": "tools/list",
                                             "params": {}}, berta, session)
            check("a_session_belongs_to_its_token", stolen.status, 404)
            check("no_token", post(server, "looker", {}).status, 401)
            check("another_role", post(server, "looker", {}, reader).status, 403)
            check("an_unknown_agent", post(server, "nobody", {}, anna).status, 404)
            check("a_foreign_host",
                  server.ask("POST", "/mcp/looker", "{}",
                             headers={**JSON, "Host": "evil.example"}, token=anna).status, 403)
            check("a_form", server.ask("POST", "/mcp/looker", "a=1",
                                       headers={"Content-Type": "text/plain"},
                                       token=anna).status, 415)
            other = initialize(server, "quick", anna)
            check("a_session_belongs_to_its_agent",
                  post(server, "looker", {"jsonrpc": "2.0", "id": 9, "method": "tools/list",
                                          "params": {}}, anna, other).status, 404)
            write_files(directory, agent("quick", [{"text": "New."}], description="new"))
            wait_for(lambda: server.get("/api/v1/agents/quick",
                                        token=anna).json["description"] == "new")
            again = initialize(server, "quick", anna)
            done = call(server, "quick", again, "tools/call",
                        {"name": "run_quick", "arguments": {"task": "x"}}, anna)
            check("a_changed_spec_is_served", done["result"]["content"][0]["text"], "New.")
            check("the_server_stops", server.stop(), 0)
        with Server(directory, "quick.json", store="memory:", options=["--no-work"]) as server:
            check("without_work_there_is_no_mcp", post(server, "quick", {}).status, 404)


main()
