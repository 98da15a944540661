#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`haft models`: which models can be asked, and why not. Servers are asked for lists only."""
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from own_host import OwnHost, can_serve_hosts  # noqa: E402
from script import check, skip  # noqa: E402

HAFT = os.environ["HAFT"]
KEY = "sk-planted-77aa88bb"
SCHEMA = Path(__file__).resolve().parents[2] / "docs/schemas/models.schema.json"
LISTS = {"/ollama/api/tags": {"models": [{"name": "qwen3:8b"}, {"name": "gemma3"}]},
         "/openai/v1/models": {"object": "list", "data": [{"id": "gpt-x", "object": "model"}]},
         "/empty/v1/models": {"data": []}, "/page/v1/models": "no list",
         "/v1/models": {"data": [{"id": "gpt-own"}]}}
MOST = 4 << 20  # HAFT__LIMIT_MODEL_LIST_BYTES
LISTS["/most/v1/models"] = "x" * (MOST - 2)
LISTS["/more/v1/models"] = "x" * (MOST - 1)
seen = []


class Lists(BaseHTTPRequestHandler):
    def do_GET(self):
        seen.append((self.path, self.headers.get("Authorization")))
        path = self.path.split("?")[0]
        body = json.dumps(LISTS.get(path, {"error": "no such key"})).encode()
        self.send_response(200 if path in LISTS else 404 if path == "/models" else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def haft(*words, **variables):
    env = {name: value for name, value in os.environ.items()
           if not name.endswith(("_API_KEY", "_BASE_URL", "_PROXY", "_proxy"))}
    env.update(XDG_STATE_HOME=scratch, XDG_CONFIG_HOME=scratch, HOME=scratch, **variables)
    done = subprocess.run([HAFT, *words], text=True, capture_output=True, env=env, cwd=scratch,
                          timeout=300, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout, done.stderr


def listed(**variables):
    status, out, err = haft("models", "--json", **dict(nowhere, **variables))
    check(f"exit_status_{sorted(variables)}", (status, err), (0, ""))
    return {row["model"]: row for row in json.loads(out)}


def test_lists(url):
    rows = listed(OLLAMA_BASE_URL=f"{url}/ollama", OPENAI_BASE_URL=f"{url}/openai/v1",
                  OPENAI_API_KEY=KEY, LLAMACPP_BASE_URL=f"{url}/empty/v1",
                  VLLM_BASE_URL=f"{url}/page/v1", MISTRAL_BASE_URL=f"{url}/mistral/v1")
    check("offline_needs_nothing", (rows["offline"]["reachable"], rows["offline"]["why"]),
          (True, "needs no key and no network"))
    check("models_of_a_server_are_listed",
          [rows[f"ollama:{m}"]["reachable"] for m in ("qwen3:8b", "gemma3")],
          [True, True])
    check("a_key_is_sent_to_the_named_server",
          [key for path, key in seen if path.startswith("/openai/")], [f"Bearer {KEY}"])
    check("models_of_another_server_for_openai_are_listed", rows["openai:gpt-x"]["reachable"], True)
    check("server_without_models_is_reachable",
          (rows["llamacpp"]["reachable"],
           rows["llamacpp"]["why"].endswith("lists no models")), (True, True))
    check("provider_without_a_key_is_not_reachable",
          (rows["deepseek"]["reachable"], "DEEPSEEK_API_KEY" in rows["deepseek"]["why"]),
          (False, True))
    check("provider_that_refuses_the_key_is_not_reachable",
          (rows["mistral"]["reachable"], rows["mistral"]["why"][:8]),
          (False, "HTTP 401"))
    check("capabilities_are_listed", ("schema" in rows["ollama:gemma3"]["can"],
                                      "named_choice" in rows["ollama:gemma3"]["can"],
                                      "grammar" in rows["llamacpp"]["can"]), (True, False, True))
    done = subprocess.run([HAFT, "validate", SCHEMA, "-"], text=True, capture_output=True,
                          input=json.dumps(list(rows.values())))
    check("list_matches_its_schema", done.returncode, 0)
    check("no_key_is_printed", KEY in json.dumps(rows), False)
    status, out, _ = haft("models", **dict(nowhere, OLLAMA_BASE_URL=f"{url}/ollama"))
    check("text_output_is_a_table", (status, [line.split()[:2] for line in out.splitlines()
                                              if "ollama" in line]),
          (0, [["yes", "ollama:qwen3:8b"], ["yes", "ollama:gemma3"]]))


def test_prices(url):
    settings = Path(scratch) / "haft/config.yaml"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text("prices:\n  ollama:gemma3: {input: 1, output: 2.5}\n")
    rows = listed(OLLAMA_BASE_URL=f"{url}/ollama")
    check("a_price_of_the_settings_is_listed", rows["ollama:gemma3"].get("price"),
          {"input": 1.0, "output": 2.5, "cached": 1.0, "from": "settings"})
    check("an_unknown_price_is_not", "price" in rows["ollama:qwen3:8b"], False)
    lines = haft("models", **dict(nowhere, OLLAMA_BASE_URL=f"{url}/ollama"))[1].splitlines()
    check("the_price_is_printed",
          [line.split("; ")[-1] for line in lines if "ollama:gemma3" in line],
          ["$1.0 input, $2.5 output, $1.0 cached per million tokens (settings)"])
    settings.unlink()


def test_long_lists(url):
    rows = listed(VLLM_BASE_URL=f"{url}/most/v1", LLAMACPP_BASE_URL=f"{url}/more/v1")
    check("list_at_the_limit_is_read", rows["vllm"]["reachable"], True)
    check("list_past_the_limit_is_rejected", rows["llamacpp"]["reachable"], False)


def test_hint(url):
    """A run without a named model uses `offline`, and prints which models were found."""
    spec = Path(scratch) / "spec.yaml"
    spec.write_text("haft: 1\nname: n\n")

    def said(*words, **variables):
        status, _, err = haft("run", spec, "hello", "--store", "memory:", *words,
                              **dict(nowhere, **variables))
        return status, [line for line in err.splitlines() if "no model is named" in line]

    asked = len(seen)
    status, lines = said(OPENAI_API_KEY=KEY)
    check("a_key_is_found", (status, lines), (0, [
        "haft: no model is named, so offline answers; found openai (OPENAI_API_KEY is set); "
        "choose one with --model"]))
    check("key_that_was_found_is_not_used", len(seen), asked)
    _, _, err = haft("chat", spec, "--store", "memory:", **dict(nowhere, OPENAI_API_KEY=KEY))
    check("chat_names_a_key_too", "no model is named" in err, True)
    _, _, err = haft("chat", spec, "--store", "memory:", "--quiet",
                     **dict(nowhere, OPENAI_API_KEY=KEY))
    check("quiet_chat_does_not", "no model is named" in err, False)
    status, lines = said(OLLAMA_BASE_URL=f"{url}/ollama")
    check("a_server_is_found", (status, len(lines), "ollama:qwen3:8b (listed by" in lines[0]),
          (0, 1, True))
    check("nothing_is_printed_if_nothing_is_found", said(), (0, []))
    check("nothing_is_printed_for_a_named_model",
          said("--model", "offline", OPENAI_API_KEY=KEY), (0, []))
    check("nothing_is_printed_for_a_model_of_a_variable",
          said(OPENAI_API_KEY=KEY, HAFT_MODEL="offline"), (0, []))
    check("nothing_is_printed_with_quiet", said("--quiet", OPENAI_API_KEY=KEY), (0, []))


    status, lines = said(OLLAMA_BASE_URL="http://127.0.0.1.example.invalid:1")
    check("server_that_is_not_on_this_machine_is_not_asked", (status, lines), (0, [
        "haft: no model is named, so offline answers; found ollama (OLLAMA_BASE_URL is set); "
        "choose one with --model"]))
    file = Path(scratch) / "key"
    file.write_text(KEY)
    check("the_variable_of_a_key_file_is_named",
          ["(OPENAI_API_KEY_FILE is set)" in line
           for line in said(OPENAI_API_KEY_FILE=str(file))[1]], [True])


def test_secrets(url):
    """A URL may have a password or a key: nothing but its host is printed."""
    host = url.split("//")[1]
    closed_host = nowhere["VLLM_BASE_URL"].split("//")[1].split("/")[0]
    variables = dict(nowhere, OLLAMA_BASE_URL=f"http://u:{KEY}@{host}/ollama?key={KEY}",
                     VLLM_BASE_URL=f"http://{KEY}@{closed_host}/v1?key={KEY}",
                     LLAMACPP_BASE_URL=f"{url}?key={KEY}",
                     MISTRAL_BASE_URL=f"http://u:{KEY}@{host}/empty/v1?key={KEY}")
    spec = Path(scratch) / "spec.yaml"
    spec.write_text("haft: 1\nname: n\n")
    listed_rows = json.loads(haft("models", "--json", **variables)[1])
    rows = {row["model"]: row["why"] for row in listed_rows}
    check("only_the_host_of_a_url_is_listed",
          [rows.get(name) for name in ("ollama:gemma3", "vllm", "llamacpp", "mistral")],
          [f"listed by {url}", f"no answer from http://{closed_host}",
           f"HTTP 404 from {url}; is the base URL right? It usually ends in /v1",
           f"{url} lists no models"])
    outputs = [haft(*words, **variables) for words in (
        ["models"], ["models", "--json"], ["run", spec, "hi", "--store", "memory:"])]
    check("no_secret_of_a_url_is_printed", [KEY in out + err for _, out, err in outputs],
          [False] * 3)
    check("the_hint_names_the_server", f"ollama:gemma3 (listed by {url})" in outputs[2][2])


def test_own_host():
    """OpenAI's own host, with a certificate that only SSL_CERT_FILE names."""
    rows = listed(OPENAI_BASE_URL="https://api.openai.com/v1")
    check("own_host_in_a_variable_needs_the_key",
          (rows["openai"]["reachable"], "OPENAI_API_KEY" in rows["openai"]["why"]), (False, True))
    if not can_serve_hosts():
        skip("certificates", "there is no openssl")
        return
    server = ThreadingHTTPServer(("127.0.0.1", 0), Lists)
    server.handle_error = lambda *_: None  # of the request that trusts no certificate of ours
    with OwnHost(server, "api.openai.com") as host:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        rows = listed(OPENAI_API_KEY=KEY, **host.environment)
        check("ssl_cert_file_holds_for_lists", rows.get("openai:gpt-own", {}).get("why"),
              "listed by https://api.openai.com")
        rows = listed(OPENAI_API_KEY=KEY, https_proxy=host.environment["https_proxy"])
        check("certificate_that_is_not_accepted_is_the_reason",
              ("certificate" in rows["openai"]["why"].lower(), KEY in json.dumps(rows)),
              (True, False))
        server.shutdown()
        server.server_close()


def test_silent_server():
    """HAFT__LIMIT_MODEL_LIST_MS ends the wait, and HAFT__LIMIT_MODEL_HINT_MS that of a run."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        start = time.monotonic()
        rows = listed(OLLAMA_BASE_URL=f"http://127.0.0.1:{silent.getsockname()[1]}")
        check("silent_server_is_not_reachable",
              (rows["ollama"]["reachable"],
               rows["ollama"]["why"][:14]), (False, "no answer from"))
        check("wait_for_a_silent_server_is_limited", time.monotonic() - start < 120, True)


with tempfile.TemporaryDirectory() as scratch:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        nowhere = {f"{name}_BASE_URL": f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
                   for name in ("OLLAMA", "LLAMACPP", "VLLM")}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Lists)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    test_lists(f"http://127.0.0.1:{server.server_port}")
    test_prices(f"http://127.0.0.1:{server.server_port}")
    test_long_lists(f"http://127.0.0.1:{server.server_port}")
    test_hint(f"http://127.0.0.1:{server.server_port}")
    test_secrets(f"http://127.0.0.1:{server.server_port}")
    test_own_host()
    server.shutdown()
    server.server_close()
    test_silent_server()
