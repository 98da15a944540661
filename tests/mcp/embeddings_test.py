#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tool search with a server of /v1/embeddings: vectors are used and stored; if the server fails,
the search uses words only. The server is mock-model, with its toy vectors; the tools are those of
mcp-fixture."""
import http.client
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = os.environ["HAFT"]
BUILD = Path(os.environ["HAFT_BUILD"])
SECONDS = 300
KEY = "sk-embed-0123456789abcdef"
TASK = "ask the user to choose, with defaults"


class Program:
    """A server that prints its address."""

    def __init__(self, *words):
        self.words = words

    def __enter__(self):
        self.process = subprocess.Popen(self.words, text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.url = self.process.stdout.readline().split()[-1]
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(SECONDS)
        self.process.stdout.close()


class Mock(Program):
    def __init__(self, *options):
        path = scratch / "replies.json"
        path.write_text('{"replies": []}')
        super().__init__(HAFT, "mock-model", str(path), *options)

    def new_requests(self):
        """The number of requests since the last call of this function."""
        port = int(re.search(r":(\d+)/", self.url)[1])
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/health")
        number = int(connection.getresponse().headers["x-request-id"].removeprefix("req_"))
        before, self.before = getattr(self, "before", 0), number
        return number - before - 1


class Agent:
    def __init__(self, fixture, replies=None, **embeddings):
        self.path = Path(tempfile.mkdtemp(dir=scratch))
        spec = {"haft": 1, "name": "a", "tools": [{"builtin": ["tool_search"]}],
                "model": {"provider": "script", "model": "script.json", "size_b": 3},
                "mcp": {"servers": {"fix": {"url": fixture.url}}}}
        if embeddings:
            spec["tool_search"] = {"embeddings": {"model": "toy", **embeddings}}
        replies = {"replies": replies or [{"text": "the end"}]}
        (self.path / "script.json").write_text(json.dumps(replies))
        (self.path / "spec.json").write_text(json.dumps(spec))

    def run(self):
        environment = dict(os.environ, XDG_STATE_HOME=str(self.path / "state"), EMBED_KEY=KEY,
                           HAFT_VECTORS="none")
        environment.pop("OPENAI_API_KEY", None)
        done = subprocess.run([HAFT, "run", "spec.json", TASK, "--events"], cwd=self.path,
                              text=True, capture_output=True, stdin=subprocess.DEVNULL,
                              timeout=SECONDS,
                              env=environment)
        self.out, self.err, self.status = done.stdout, done.stderr, done.returncode
        if self.status != 0:
            print("#", self.err[:800])
        log = [json.loads(line) for line in self.out.splitlines()]
        self.revealed = [event for event in log if event["kind"] == "tools_revealed"]
        return self.revealed[0].get("embeddings") if self.revealed else None

    def tools(self):
        return [(tool["name"], tool["score"]) for tool in self.revealed[0]["tools"]]

    def files(self):
        return sorted((self.path / "state/haft/mcp").glob("vectors-*"))

    def has(self, text):
        """Whether the text was printed or stored, except in the spec."""
        stored = [file.read_bytes() for file in self.path.rglob("*")
                if file.is_file() and file.name != "spec.json"]
        return text in self.out + self.err or any(text.encode() in data for data in stored)


def test_used(fixture):
    plain = Agent(fixture)
    check("without_embeddings_in_the_spec_there_is_no_report", plain.run(), None)
    with Mock("--embeddings", "64", "--require-key") as mock:
        agent = Agent(fixture, base_url=mock.url, api_key="${EMBED_KEY}",
                      query_prefix="query: ", document_prefix="passage: ")
        used = {"model": "toy", "used": True, "error": None}
        check("embeddings_are_used", agent.run(), used)
        first, requests = agent.tools(), mock.new_requests()
        check("requests_have_the_tools_in_batches_and_the_query", requests,
              2 + (agent.revealed[0]["deferred"] - 1) // 32)
        check("the_second_run_asks_for_the_query_alone", (agent.run(), mock.new_requests()),
              (used, 1))
        check("the_second_run_finds_the_same_tools", agent.tools(), first)
        check("a_search_with_words_only_finds_other_tools", agent.tools() != plain.tools())
        file, = agent.files()
        check("only_the_owner_can_read_the_file_of_vectors",
              stat.S_IMODE(file.stat().st_mode), 0o600)
        check("the_key_is_not_stored", agent.has(KEY), False)
        file.write_bytes(file.read_bytes()[:-1])
        check("a_damaged_file_is_replaced", (agent.run(), mock.new_requests() > 1), (used, True))
        check("the_new_file_is_whole", (agent.run(), mock.new_requests()), (used, 1))
        file.chmod(0o666)
        check("a_file_that_others_can_write_is_not_used",
              (agent.run(), mock.new_requests() > 1), (used, True))
        no_key = Agent(fixture, base_url=mock.url)
        check("without_a_key_embeddings_are_not_used", no_key.run()["used"], False)
    calls = [{"calls": [{"name": "tool_search", "arguments": {"query": "images", "limit": 1}}]},
             {"text": "the end"}]
    with Mock("--embeddings", "64") as mock:
        agent = Agent(fixture, calls, base_url=mock.url)
        agent.run()
        check("a_search_of_the_model_uses_embeddings",
              [e["embeddings"] for e in agent.revealed], [used, used])


def test_two_models(fixture):
    with Mock("--embeddings", "16") as mock:
        agent = Agent(fixture, base_url=mock.url)
        agent.run()
        mock.new_requests()
        other = json.loads((agent.path / "spec.json").read_text())
        other["tool_search"]["embeddings"]["model"] = "another"
        (agent.path / "spec.json").write_text(json.dumps(other))
        check("another_model_gets_its_own_vectors",
              (agent.run()["used"], mock.new_requests() > 1), (True, True))
        check("each_model_has_its_own_file", len(agent.files()), 2)


def test_faults(fixture):
    words_only = Agent(fixture)
    words_only.run()
    errors = {"error": "no embeddings for the key", "garbage": "", "slow": "time",
              "sizes": "numbers"}
    for fault, text in errors.items():
        with Mock("--embeddings", "16", "--embeddings-fault", fault) as mock:
            agent = Agent(fixture, base_url=mock.url, api_key="${EMBED_KEY}",
                          timeout="100ms" if fault == "slow" else "60s")
            report = agent.run()
            check(f"{fault}_is_reported", (report["used"], text in report["error"], agent.status),
                  (False, True, 0))
            check(f"{fault}_leads_to_a_search_with_words", agent.tools(), words_only.tools())
            check(f"{fault}_does_not_store_the_key", agent.has(KEY), False)
            if fault == "error":
                check("the_error_of_the_server_is_redacted", "[redacted]" in report["error"])
    agent = Agent(fixture, base_url="http://127.0.0.1:1/v1")
    check("an_unreachable_server_leads_to_a_search_with_words",
          (agent.run()["used"], agent.tools()), (False, words_only.tools()))
    calls = [{"calls": [{"name": "tool_search", "arguments": {"query": "images", "limit": 1}}]},
             {"text": "the end"}]
    with Mock("--embeddings", "16", "--embeddings-fault", "error") as mock:
        agent = Agent(fixture, calls, base_url=mock.url)
        agent.run()
        check("a_failed_server_gets_no_second_request",
              ([e["embeddings"]["used"] for e in agent.revealed], mock.new_requests()),
              ([False, False], 1))


with tempfile.TemporaryDirectory() as directory:
    scratch = Path(directory)
    with Program(str(BUILD / "tests/mcp-fixture")) as server:
        test_used(server)
        test_two_models(server)
        test_faults(server)
