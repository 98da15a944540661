# SPDX-License-Identifier: Apache-2.0
"""A local server in the place of a provider's own host: requests to the host go through a proxy to
a server with a certificate for it."""
import contextlib
import shutil
import socket
import ssl
import subprocess
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def can_serve_hosts():
    return shutil.which("openssl") is not None


def end_tls(connection):
    """Without this, newer versions of libcurl report that the reply may be cut."""
    connection.settimeout(60)
    with contextlib.suppress(OSError):
        connection.unwrap()


class Tunnel(BaseHTTPRequestHandler):
    """A proxy that connects every host to one server."""

    def log_message(self, *_):
        pass

    def do_CONNECT(self):
        with socket.create_connection(("127.0.0.1", self.server.target)) as other:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=self.copy, args=(other, self.connection))
            back.start()
            self.copy(self.connection, other)
            back.join()
        self.close_connection = True

    @staticmethod
    def copy(source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass


def make_certificate(directory, host):
    key, certificate = Path(directory) / "key.pem", Path(directory) / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key,
                    "-out", certificate, "-days", "2", "-subj", "/CN=haft-test", "-addext",
                    f"subjectAltName=DNS:{host}"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return certificate, context


class OwnHost:
    """Use it with `with`, before the server has a request; `environment` is for haft."""

    def __init__(self, server, host):
        self.directory = tempfile.TemporaryDirectory()
        certificate, context = make_certificate(self.directory.name, host)
        server.socket = context.wrap_socket(server.socket, server_side=True,
                                            do_handshake_on_connect=False)
        close = server.shutdown_request
        server.shutdown_request = lambda connection: (end_tls(connection), close(connection))
        self.proxy = ThreadingHTTPServer(("127.0.0.1", 0), Tunnel)
        self.proxy.target, self.proxy.daemon_threads = server.server_port, True
        self.environment = {"SSL_CERT_FILE": str(certificate),
                            "https_proxy": f"http://127.0.0.1:{self.proxy.server_port}"}

    def __enter__(self):
        threading.Thread(target=self.proxy.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.proxy.shutdown()
        self.proxy.server_close()
        self.directory.cleanup()
