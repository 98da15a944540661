#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The example and `haft sql` over PostgreSQL, in a new database of the tests' server; and what
`haft check` says about its roles."""
import json
import os
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check, skip  # noqa: E402

HAFT = str(Path(os.environ["HAFT"]).resolve())
ROOT = Path(__file__).resolve().parent.parent.parent
SERVER = os.environ.get("HAFT_TEST_POSTGRES")
NAME = "haft_" + uuid.uuid4().hex[:12]


def psql(url, *words, text=""):
    subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", url, *words], input=text, text=True,
                   check=True, stdout=subprocess.DEVNULL)


def url_of(role=None):
    parts = urlsplit(SERVER)
    netloc = parts.netloc if role is None else f"{role}@{parts.netloc.rpartition('@')[2]}"
    return urlunsplit(parts._replace(path="/" + NAME, netloc=netloc))


def haft(*words, **variables):
    done = subprocess.run([HAFT, *words, "--no-config"], capture_output=True, text=True,
                          cwd=scratch, env={**os.environ, "SHOP_URL": url_of(NAME), **variables})
    return done.returncode, done.stdout, done.stderr


def test_example():
    """One line of the example is changed."""
    text = (ROOT / "examples/database.yaml").read_text()
    changed = text.replace('shop: {url: "sqlite:data/orders.db", columns: ["!*.password_hash"]}',
                           'shop: {url: "${SHOP_URL}"}')
    check("one line is changed", sum(a != b for a, b in zip(text.splitlines(),
                                                            changed.splitlines())), 1)
    (scratch / "database.yaml").write_text(changed)
    (scratch / "database.script.yaml").write_text(
        (ROOT / "examples/database.script.yaml").read_text())
    status, out, _ = haft("run", "database.yaml", "Which city has the most open orders?",
                          "--events", "--store", "memory:")
    results = [e["result"] for e in map(json.loads, out.splitlines())
               if e["kind"] == "call_finished"]
    check("the example finds tables, joins and rows",
          (status, "join orders.customer_id = customers.id" in results[0],
           "password_hash" in results[0], results[1].splitlines()[1:]),
          (0, True, False, ["Oslo | 3", "(1 row)"]))
    status, out, _ = haft("run", "database.yaml", "How many orders have the status 'open'?",
                          "--model", "offline", "--json", "--store", "memory:")
    answer = json.loads(out)["answer"]
    check("the model offline answers", (status, "`SELECT count(*) FROM orders WHERE status = $1`"
                                        in answer, "\n3\n" in answer), (0, True, True))


def test_sql():
    check("databases", haft("sql", "database.yaml"),
          (0, "shop  PostgreSQL  ${SHOP_URL}\n", ""))
    check("a query", haft("sql", "database.yaml", "shop",
                          "SELECT title, price FROM products ORDER BY price LIMIT 1"),
          (0, "title text | price numeric(10,2)\nrope | 12.00\n(1 row)\n", ""))
    status, _, err = haft("sql", "database.yaml", "shop", "SELECT * FROM customers")
    check("a column without right", (status, "permission denied" in err), (1, True))


def test_roles():
    status, _, err = haft("check", "database.yaml")
    check("a role that only reads", (status, "warning: the database" in err), (0, False))
    psql(url_of(), "-c", f"GRANT DELETE ON orders TO {NAME}")
    status, _, err = haft("check", "database.yaml")
    check("check warns of a role that may write",
          (status, "may write, for example to orders" in err, "may only SELECT" in err),
          (0, True, True))
    status, out, _ = haft("doctor", "database.yaml", "--json", "--store", "memory:")
    check("doctor reports it", (status, json.loads(out)["databases"]["ok"]), (1, False))
    status, _, err = haft("sql", "database.yaml", "shop", "SELECT 1", SHOP_URL=url_of())
    check("a superuser is refused", (status, "is a superuser" in err), (1, True))


def test_secrets():
    """The password of a URL is in no output, also when the connection fails."""
    url = "postgres://u:s3cr3t-w0rd@127.0.0.1:1/d"
    found = haft("run", "database.yaml", "x", "--events", "--store", "memory:", SHOP_URL=url)
    found += haft("sql", "database.yaml", "shop", "SELECT 1", SHOP_URL=url)
    found += haft("check", "database.yaml", SHOP_URL=url)
    check("no password", [text for text in found if "s3cr3t" in str(text)], [])


if not SERVER:
    skip("databases of PostgreSQL", "HAFT_TEST_POSTGRES is not set")
else:
    psql(SERVER, "-c", f"CREATE DATABASE {NAME}", "-c", f"CREATE ROLE {NAME} LOGIN")
    try:
        psql(url_of(), text=(ROOT / "examples/data/orders.sql").read_text() + f"""
            GRANT USAGE ON SCHEMA public TO {NAME};
            GRANT SELECT ON orders, order_items, products TO {NAME};
            GRANT SELECT (id, name, city) ON customers TO {NAME};""")
        with tempfile.TemporaryDirectory() as directory:
            scratch = Path(directory)
            test_example()
            test_sql()
            test_roles()
            test_secrets()
    finally:
        psql(SERVER, "-c", f"DROP DATABASE {NAME} WITH (FORCE)", "-c", f"DROP ROLE {NAME}")
