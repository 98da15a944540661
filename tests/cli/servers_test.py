#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a model server is reached: keys in files, proxies, and own certificates."""
import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, skip  # noqa: E402

HAFT = os.environ["HAFT"]
KEY = "sk-planted-0f1e2d3c"


class Model(BaseHTTPRequestHandler):
    """Also a proxy that answers itself: it gets the whole URL as the path."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.seen.append((self.path, self.headers.get("Authorization")))
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": "hi"},
                                        "finish_reason": "stop"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server:
    def __init__(self, certificate=None):
        self.http = HTTPServer(("127.0.0.1", 0), Model)
        self.http.seen = self.seen = []
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
        self.port = self.http.server_port
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.http.shutdown()
        self.http.server_close()


def run(**variables):
    """Exit status, answer and all output of a run with these variables."""
    done = subprocess.run([HAFT, "run", spec, "hello", "--store", "memory:", "--model", "openai:m"],
                          text=True, capture_output=True, env=dict(clean, **variables),
                          timeout=300)
    return done.returncode, done.stdout.strip(), done.stdout + done.stderr


def test_key_files():
    path = Path(scratch) / "key"
    path.write_text(f"{KEY}\n")
    (Path(scratch) / "empty").write_text(" \n")
    with Server() as server:
        url = f"http://127.0.0.1:{server.port}/v1"
        status, answer, text = run(OPENAI_BASE_URL=url, OPENAI_API_KEY_FILE=str(path))
        check("key_in_a_file_is_used",
              (status, answer, server.seen[-1][1]), (0, "hi", f"Bearer {KEY}"))
        check("key_in_a_file_is_not_printed", KEY in text, False)
        run(OPENAI_BASE_URL=url, OPENAI_API_KEY_FILE=str(path), OPENAI_API_KEY="sk-other-1234567")
        check("the_variable_itself_takes_precedence", server.seen[-1][1], "Bearer sk-other-1234567")
        count = len(server.seen)
        for name, file in (("an_empty_file", "empty"), ("a_missing_file", "none")):
            status, _, text = run(OPENAI_BASE_URL=url, OPENAI_API_KEY_FILE=f"{scratch}/{file}")
            check(name, (status, "OPENAI_API_KEY_FILE" in text), (2, True))
        big = Path(scratch) / "big"  # HAFT__LIMIT_MODEL_KEY_BYTES
        for size, wanted in ((16384, 0), (16385, 2)):
            big.write_text("k" * size)
            check(f"key_file_of_{size}_bytes_is_checked",
                  run(OPENAI_BASE_URL=url, OPENAI_API_KEY_FILE=str(big))[0] == 2, wanted == 2)
        check("without_a_key_nothing_is_sent", len(server.seen) <= count + 1, True)


def test_proxy():
    with Server() as proxy:
        address = f"http://127.0.0.1:{proxy.port}"
        status, answer, _ = run(OPENAI_BASE_URL="http://model.test/v1", http_proxy=address)
        check("a_proxy_is_used", (status, answer, [path for path, _ in proxy.seen]),
              (0, "hi", ["http://model.test/v1/chat/completions"]))
        with Server() as server:
            status, answer, _ = run(OPENAI_BASE_URL=f"http://127.0.0.1:{server.port}/v1",
                                    http_proxy=address, no_proxy="127.0.0.1")
            check("no_proxy_for_this_host", (status, answer, len(server.seen), len(proxy.seen)),
                  (0, "hi", 1, 1))


def test_certificate():
    if shutil.which("openssl") is None:
        skip("certificates", "there is no openssl")
        return
    pem = Path(scratch) / "pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", pem,
                    "-out", f"{pem}.crt", "-days", "2", "-subj", "/CN=haft-test", "-addext",
                    "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    both = Path(scratch) / "both.pem"
    both.write_text(pem.read_text() + Path(f"{pem}.crt").read_text())
    with Server(both) as server:
        url = f"https://127.0.0.1:{server.port}/v1"
        status, _, text = run(OPENAI_BASE_URL=url)
        check("an_unknown_certificate_is_rejected",
              (status, "secure connection" in text, server.seen), (1, True, []))
        check("own_certificate_is_accepted",
              run(OPENAI_BASE_URL=url, SSL_CERT_FILE=f"{pem}.crt")[:2], (0, "hi"))


with tempfile.TemporaryDirectory() as scratch:
    clean = {name: value for name, value in os.environ.items()
             if not name.lower().endswith(("_proxy", "_api_key", "_base_url"))
             and name != "SSL_CERT_FILE"}
    clean.update(XDG_STATE_HOME=scratch, XDG_CONFIG_HOME=scratch)
    spec = Path(scratch) / "spec.yaml"
    spec.write_text("haft: 1\nname: n\n")
    test_key_files()
    test_proxy()
    test_certificate()
