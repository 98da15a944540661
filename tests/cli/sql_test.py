#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests for src/cli/commands/sql.c, and for execute_sql in a run, by running haft."""
import contextlib
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import check  # noqa: E402

HAFT = str(Path(os.environ["HAFT"]).resolve())
ROOT = Path(__file__).resolve().parent.parent.parent
SHAPE = ROOT / "docs/schemas/sql.schema.json"
SPEC = """\
model: script:script.yaml
tools: [{builtin: [execute_sql, read_result]}]
databases:
  shop: {url: "sqlite:shop.db", columns: ["!*.password"]}
  other: {url: "${OTHER_URL}"}
limits: {observation_chars: 200}
"""
SCRIPT = """\
replies:
  - calls: [{name: execute_sql, arguments: {database: shop, query: "SELECT * FROM numbers"}}]
  - calls: [{name: read_result, arguments: {call: c1.1, offset: 190, limit: 60}}]
  - calls: [{name: execute_sql, arguments: {database: shop, query: "DELETE FROM numbers"}}]
  - text: done
"""


def haft(*words, **variables):
    done = subprocess.run([HAFT, *words], capture_output=True, text=True, cwd=scratch,
                          env={**os.environ, "OTHER_URL": "sqlite:shop.db", **variables})
    return done.returncode, done.stdout, done.stderr


def sql(*words, **variables):
    return haft("sql", "agent.yaml", *words, "--no-config", **variables)


def shaped(text):
    """The object, if its schema accepts it."""
    (scratch / "object.json").write_text(text)
    status, out, _ = haft("validate", str(SHAPE), "object.json")
    return json.loads(text) if status == 0 else out


def test_lists():
    check("databases", sql(),
          (0, "shop  SQLite  sqlite:shop.db\nother  SQLite  ${OTHER_URL}\n", ""))
    check("databases as JSON", shaped(sql("--json")[1]), {"databases": [
        {"name": "shop", "engine": "SQLite", "url": "sqlite:shop.db"},
        {"name": "other", "engine": "SQLite", "url": "${OTHER_URL}"}]})
    check("tables", sql("shop"),
          (0, "table customers, 2 rows\n  id INTEGER primary key\n  name TEXT\n"
              "table numbers, about 100 rows\n  n INTEGER primary key\n", ""))
    found = shaped(sql("shop", "--json")[1])
    check("tables as JSON", (found["database"], [t["name"] for t in found["tables"]],
                             found["tables"][0]["columns"][0], found["cut"]),
          ("shop", ["customers", "numbers"],
           {"name": "id", "type": "INTEGER", "not_null": False, "key": 1, "comment": None}, False))
    check("an unknown database", sql("shap"),
          (2, "", "haft: /database: there is no database 'shap' in the spec\n"
                  "hint: did you mean 'shop'?\n"))


def test_queries():
    query = "SELECT id, name FROM customers WHERE id > ? ORDER BY id"
    check("rows", sql("shop", query, "--parameters", "[0]"),
          (0, "id INTEGER | name TEXT\n1 | NULL\n2 | \"a|b\"\n(2 rows)\n", ""))
    check("rows as JSON", shaped(sql("shop", query, "--parameters", "[0]", "--json")[1]),
          {"database": "shop", "columns": [{"name": "id", "type": "INTEGER"},
                                           {"name": "name", "type": "TEXT"}],
           "rows": [[1, None], [2, "a|b"]], "row_count": 2, "cut": False})
    status, out, err = sql("shop", "SELECT n, '' AS e, NULL AS z FROM numbers", "--csv",
                           "--set", "databases.shop.rows=2")
    check("rows as CSV", (status, list(csv.reader(io.StringIO(out))), "first 2 rows" in err),
          (0, [["n", "e", "z"], ["1", "", ""], ["2", "", ""]], True))
    check("NULL and an empty text differ in CSV", '1,"",\r\n' in out or '1,"",\n' in out, True)
    status, out, err = sql("shop", "SELECT nme FROM customers")
    check("an error", (status, out, err),
          (1, "", "haft: /query: no such column: nme (at character 8)\n"
                  "hint: did you mean the column 'name' of customers?\n"))
    status, out, _ = sql("shop", "DROP TABLE customers", "--json")
    check("an error as JSON", (status, shaped(out)["error"]["where"]), (1, "/query"))
    check("a hidden column",
          "cannot be read here" in sql("shop", "SELECT * FROM customers")[2], True)
    check("a database whose URL is in a variable",
          sql("other", "SELECT count(password) AS n FROM customers"),
          (0, "n integer\n2\n(1 row)\n", ""))
    for words, message in [(("shop", "--csv"), "--csv prints the rows"),
                           (("shop", "SELECT 1", "--csv", "--json"), "cannot be combined"),
                           (("shop", "SELECT ?", "--parameters", "{}"), "expected an array")]:
        check(f"usage: {message}", message in sql(*words)[2], True)


def test_control_characters():
    """A name or a value cannot write to the terminal."""
    with contextlib.closing(sqlite3.connect(scratch / "hostile.db")) as db:
        db.execute('CREATE TABLE "a\x1b[2J" ("b\x1b]0;x" TEXT)')
        db.execute('INSERT INTO "a\x1b[2J" VALUES (?)', ("c\x1b[1m",))
        db.commit()
    for words in [("other",), ("other", 'SELECT * FROM "a\x1b[2J"')]:
        status, out, _ = sql(*words, OTHER_URL="sqlite:hostile.db")
        check(f"escapes of {len(words)}", (status, "\x1b" in out, "\\u001b" in out),
              (0, False, True))


def test_run():
    status, out, err = haft("run", "agent.yaml", "go", "--events", "--store", "memory:",
                            "--no-config")
    events = [json.loads(line) for line in out.splitlines()]
    ends = [e for e in events if e["kind"] in ("call_finished", "call_refused")]
    check("the run is done", (status, events[-1]["end"]), (0, "done"))
    check("the result is complete in the log",
          ends[0]["result"].endswith("\n100\n(100 rows)"), True)
    check("read_result pages through it", ends[1]["result"][:60],
          ends[0]["result"][190:250])
    check("a write is an error for the model",
          (ends[2]["ok"], ends[2]["error"]["where"]), (False, "/query"))


def test_secrets():
    """A password in a URL is in no output of a run."""
    (scratch / "secret.yaml").write_text(
        'model: script:script.yaml\ntools: [{builtin: [execute_sql, read_result]}]\n'
        'databases: {shop: {url: "sqlite:${DIRECTORY_OF_TOKENS}/shop.db"}}\n')
    status, out, err = haft("run", "secret.yaml", "go", "--events", "--store", "memory:",
                            "--no-config", DIRECTORY_OF_TOKENS="/nowhere/s3cr3t-t0ken")
    check("the value of a variable is redacted", ("s3cr3t" in out, "s3cr3t" in err), (False, False))


def test_offline():
    """The example, with its script and with the model `offline`, over every engine."""
    example = str(ROOT / "examples/database.yaml")
    for task, query, rows in [
            ("How many orders have the status 'open'?",
             ["SELECT count(*) FROM orders WHERE status = $1", ["open"]], "3"),
            ("Count the customers", ["SELECT count(*) FROM customers", None], "3"),
            ("Show the orders with customer_id 3",
             ["SELECT * FROM orders WHERE customer_id = $1 LIMIT 20", [3]], "4 | 3 | open")]:
        status, out, _ = haft("run", example, task, "--model", "offline", "--events", "--store",
                              "memory:", "--no-config")
        events = [json.loads(line) for line in out.splitlines()]
        calls = [e for e in events if e["kind"] == "call_started"]
        check(f"offline: {task}", (status, [c["tool"] for c in calls]),
              (0, ["search_schemas", "execute_sql"]))
        found = calls[-1]["arguments"]
        check(f"the query of: {task}", [found.get("query"), found.get("parameters")], query)
        check(f"the answer to: {task}",
              (f"`{query[0]}`" in events[-1]["answer"], rows in events[-1]["answer"]), (True, True))
    status, out, _ = haft("run", example, "Which city has the most open orders?", "--events",
                          "--store", "memory:", "--no-config")
    events = [json.loads(line) for line in out.splitlines()]
    results = [e["result"] for e in events if e["kind"] == "call_finished"]
    check("the example finds tables, joins and rows",
          (status, "join orders.customer_id = customers.id" in results[0],
           "password_hash" in results[0], results[1].splitlines()[1:]),
          (0, True, False, ["Oslo | 3", "(1 row)"]))
    check("haft explain offers the tools",
          all(name in haft("explain", example, "x", "--no-config")[1]
              for name in ("search_schemas", "execute_sql")), True)


def test_checks():
    """haft check and haft doctor report a database that cannot be read."""
    status, _, err = haft("check", "agent.yaml", "--no-config", OTHER_URL="sqlite:none.db")
    check("check warns", (status, "the database other: " in err, "cannot open" in err,
                          "shop" in err), (0, True, True, False))
    status, out, _ = haft("doctor", "agent.yaml", "--json", "--store", "memory:", "--no-config",
                          OTHER_URL="sqlite:none.db")
    found = json.loads(out)["databases"]
    check("doctor reports it", (status, found["ok"], "cannot open" in found["found"]),
          (1, False, True))
    found = json.loads(haft("doctor", "agent.yaml", "--json", "--store", "memory:",
                            "--no-config")[1])["databases"]
    check("doctor reports all databases", (found["ok"], found["found"]),
          (True, "shop: it can be read; other: it can be read"))


def test_search():
    """search_schemas as a tool, over two databases."""
    (scratch / "search.yaml").write_text(
        SPEC.replace("execute_sql, read_result", "search_schemas").replace("script.yaml",
                                                                           "search.script.yaml"))
    (scratch / "search.script.yaml").write_text(
        "replies:\n  - calls:\n"
        "      - {name: search_schemas, arguments: {query: customer names, limit: 1}}\n"
        "  - text: done\n")
    out = haft("run", "search.yaml", "go", "--events", "--store", "memory:", "--no-config",
               OTHER_URL="sqlite:none.db")[1]
    result = next(e for e in map(json.loads, out.splitlines()) if e["kind"] == "call_finished")
    check("search_schemas", result["result"].splitlines(),
          ["database shop", "table customers, 2 rows", "  id INTEGER primary key", "  name TEXT",
           "(1 of 2 tables: search again with other words for more)",
           "(the database other cannot be read: cannot open the database: No such file or "
           "directory)"])


with tempfile.TemporaryDirectory() as directory:
    scratch = Path(directory)
    (scratch / "agent.yaml").write_text(SPEC)
    (scratch / "script.yaml").write_text(SCRIPT)
    with contextlib.closing(sqlite3.connect(scratch / "shop.db")) as shop:
        shop.executescript("""
            CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, password TEXT);
            INSERT INTO customers VALUES (1, NULL, 'x'), (2, 'a|b', 'y');
            CREATE TABLE numbers (n INTEGER PRIMARY KEY);
            WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 100)
            INSERT INTO numbers SELECT x FROM c;""")
    test_lists()
    test_queries()
    test_control_characters()
    test_run()
    test_secrets()
    test_offline()
    test_checks()
    test_search()
