# SPDX-License-Identifier: Apache-2.0
"""pgbench with the store's own statements: src/store/postgres/sql.h, expanded by the C preprocessor
and sent in the same round trips as by the store."""
import ast
import glob
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = ["NULL", "'5000'", "'30000'", "'5000'"]  # of HAFT__PG_META: the time and three limits
SUM = r"'\x0011223344556677'::bytea"
NEW = "'c' || :client_id || '.' || :n"  # the id of a new run, also used as its thread
BODY = "convert_to(repeat('x', 600), 'UTF8')"


def ids(rows):
    """Ids of the runs that a client appends to, as bench/postgres.py makes them."""
    return "ARRAY[" + ", ".join(f":client_id || '.{row}'" for row in range(rows)) + "]"


def appending(rows):
    """This many appends at once. A single append has its own statements; otherwise each parameter
    is an array, and all rows are equal except for the id."""
    def columns(*values):
        return values if rows == 1 else [f"array_fill({value}, ARRAY[{rows}])" for value in values]

    add, grow = ("EVENT_ADD", "RUN_UPDATE") if rows == 1 else ("EVENTS_ADD", "RUNS_UPDATE")
    run = ":client_id || '.0'" if rows == 1 else ids(rows)
    numbers = [f"{n}::bigint" for n in (":m", 1, ":n", 600, 1, 0, 1, 1, 1, 0)]
    return ("\\set m :n\n\\set n :n + 1\n", [
        [("BEGIN_WRITE",), ("META", *SETTINGS), ("HEADS_LOCK", ids(rows))],
        [(add, run, *columns(":n::bigint", SUM, BODY)),
         (grow, run, *columns(*numbers, SUM, "''::text")),
         ("COMMIT",)]])


def single_row(*values):
    """The parameters of a statement for many rows that gets one row: arrays of one value."""
    return [f"ARRAY[{value}]" for value in values]


# A script has a prefix, then a list of (statement, parameters...) for each round trip.
SCRIPTS = {
    "append": appending(1),
    "append64": appending(64),
    "claim": ("", [
        [("BEGIN_WRITE",), ("META", *SETTINGS)],
        [("CLAIM_FREE", "9000000000000", "'pgbench'", "9000000000000", "'{}'")],
        [("COMMIT",)]]),
    "create": ("\\set n :n + 1\n", [
        [("BEGIN_WRITE",), ("META", *SETTINGS), ("HEADS_LOCK", *single_row(NEW)),
         ("THREAD_LOCK", NEW)],
        [("RUN_ADD", *single_row(NEW, "0", "1", "600", SUM, "''", "0", "1", "1", "0", "0", "1", "0",
                                 "0", NEW, "''", "''", "1")),
         ("ABOUT_ADD", *single_row(NEW, "''", "'bench'", "''", "'/'", "''", "''", "''", BODY,
                                   "''")),
         ("EVENT_ADD", NEW, "1", SUM, BODY),
         ("COMMIT",)]]),
    # One of the ids that bench/postgres.py has stored.
    "resume": ("\\set k random(1, 99000)\n", [
        [("BEGIN_WRITE",), ("META", *SETTINGS),
         ("HEADS_LOCK", "ARRAY(SELECT id FROM bench_ids WHERE n = :k)")],
        [("CLAIM", "(SELECT id FROM bench_ids WHERE n = :k)", "'pgbench'", "1")],
        [("COMMIT",)],
        [("BEGIN_READ",), ("META", *SETTINGS),
         ("HEAD", "(SELECT id FROM bench_ids WHERE n = :k)"),
         ("EVENTS_CHECKSUM", "(SELECT id FROM bench_ids WHERE n = :k)", "0"),
         ("EVENTS", "(SELECT id FROM bench_ids WHERE n = :k)", "0", "1000000", "1000000"),
         ("COMMIT",)]]),
}


def statements(names, compiler="cc"):
    """The texts of HAFT__PG_NAME, by name."""
    source = '#include "store/postgres/sql.h"\n' + "".join(f"{n}: HAFT__PG_{n}\n" for n in names)
    done = subprocess.run([compiler, "-E", "-P", "-I", ROOT / "src", "-"], input=source, text=True,
                          capture_output=True, check=True)
    return read_statements(done.stdout)


def read_statements(text):
    """NAME: "literals" "one after the other", as the preprocessor leaves them."""
    found = {}
    for name, literals in re.findall(r'(\w+):((?:\s*"(?:[^"\\]|\\.)*")+)', text):
        found[name] = ast.literal_eval("(" + literals.strip() + ")")
    return found


def fill(statement, values):
    """Replaces $1, $2 ... by values; each must have one."""
    def value(match):
        at = int(match.group(1))
        if at > len(values):
            raise ValueError(f"no value for ${at} of {statement}")
        return values[at - 1] if re.fullmatch(r"[:\w']*|'.*'", values[at - 1]) \
            else f"({values[at - 1]})"

    return re.sub(r"\$(\d+)", value, statement)


def script(name):
    before, trips = SCRIPTS[name]
    texts = statements({words[0] for trip in trips for words in trip})
    lines = [before]
    for trip in trips:
        filled = [fill(texts[words[0]], words[1:]) + ";\n" for words in trip]
        lines += ["\\startpipeline\n", *filled, "\\endpipeline\n"]
    return "".join(lines)


def times(lines):
    """Milliseconds of each transaction, sorted; pgbench's log has client, number, microseconds."""
    return sorted(int(line.split()[2]) / 1e3 for line in lines)


def part(values, share):
    """The percentile of sorted values."""
    return values[int(share * (len(values) - 1))] if values else float("nan")


def figures(text):
    """The output of haft-bench for a crowd: (per second, p50 ms, p99 ms)."""
    words = text.split()
    if len(words) != 3:
        raise ValueError(f"expected three numbers, found {text!r}")
    return tuple(float(word) for word in words)


class Failed(Exception):
    """pgbench failed."""


def run(cluster, url, name, clients, seconds=1, mode="extended"):
    """(per second, p50 ms, p99 ms) of a script; the store prepares no statements ("extended")."""
    with tempfile.TemporaryDirectory(prefix="haft-bench-") as folder:
        path = Path(folder) / "script.sql"
        path.write_text(script(name))
        done = subprocess.run([cluster.bin / "pgbench", "-n", "-M", mode, "-f", path, "-c",
                               str(clients), "-j", "2", "-T", str(seconds), "-D", "n=0", "-l",
                               "--log-prefix", f"{folder}/log", url], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        found = []
        for log in glob.glob(f"{folder}/log*"):
            found += Path(log).read_text().splitlines()
    if done.returncode != 0 or not found:
        raise Failed(done.stdout)
    found = times(found)
    return len(found) / seconds, part(found, 0.5), part(found, 0.99)
