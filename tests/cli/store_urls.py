# SPDX-License-Identifier: Apache-2.0
"""Stores for tests that must pass on every kind of store.

    for name, new_store in stores(scratch):
        url = new_store()

Always SQLite, and PostgreSQL if HAFT_TEST_POSTGRES is the URL of a role that may create databases
(postgres://ROLE@HOST:PORT/DATABASE, or with ?host=/a/socket/folder).
"""
import os
import subprocess
import uuid
from urllib.parse import urlsplit, urlunsplit


def sqlite_stores(scratch):
    count = [0]

    def new_store():
        count[0] += 1
        return f"sqlite:{scratch}/store{count[0]}.db"
    return new_store


def postgres_stores(server):
    def new_store():
        name = "haft_" + uuid.uuid4().hex[:12]
        subprocess.run(["psql", "-qX", server, "-c", f"CREATE DATABASE {name}"], check=True,
                       stdout=subprocess.DEVNULL)
        parts = urlsplit(server)
        return urlunsplit(parts._replace(path="/" + name))
    return new_store


def stores(scratch):
    found = [("sqlite", sqlite_stores(scratch))]
    server = os.environ.get("HAFT_TEST_POSTGRES")
    if server:
        found.append(("postgres", postgres_stores(server)))
    return found
