#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Many processes and one PostgreSQL, compared with SQLite and with pgbench running the same
statements: bench/postgres.py BUILD_DIR [TABLE]... Starts a private server, or reports that
PostgreSQL is not installed. Everything runs on this machine; nothing is compared with a limit."""
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pgbench
import workers
from rows import median, ratio, show, table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/house"))
import pg  # noqa: E402

CLIENTS = [1, 4, 16]
REPETITIONS = 3
CLAIMABLE = 8000  # more runs than can be claimed during a measurement
QUEUED = 300      # runs of eight turns
SIZE = ("SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c WHERE c.relkind = 'r' "
        "AND c.relnamespace = 'haft'::regnamespace")
RUNS = """INSERT INTO haft.runs (id, state, seq, bytes, checksum, epoch, owner, lease, created,
updated, ended, wake, due, turns, calls, thread, parent, ending) SELECT c || '.' || n, 0, 0, 0, '',
1, 'me', 0, 0, 0, 0, 0, NULL, 0, 0, '', '', '' FROM generate_series(0, 15) c,
generate_series(0, 63) n"""
RELEASE_ALL = "UPDATE haft.runs SET owner = '', lease = 0, due = number WHERE state < 2"


class Bench:
    def __init__(self, build, cluster, folder):
        self.program, self.haft = build / "bench/haft-bench", build / "haft"
        self.cluster, self.folder, self.files = cluster, folder, 0

    def new_store(self, kind):
        if kind == "PostgreSQL":
            return self.cluster.new_database()
        self.files += 1
        return f"sqlite:{self.folder}/{self.files}.db"

    def crew(self, kind):
        return workers.Crew(self.haft, self.new_store(kind), self.folder)

    def sql(self, url, text):
        return self.cluster.sql(text, url.split("/")[3].split("?")[0])

    def call(self, table_name, url=None, **more):
        """The output of haft-bench; without a URL it uses a new SQLite file."""
        environment = dict(os.environ, **more)
        if url is not None:
            environment["HAFT_BENCH_STORE"] = url
        if url is not None and not url.startswith("sqlite:"):
            environment["HAFT_BENCH_BYTES"] = \
                f"{self.cluster.bin}/psql -XqAt -d '{url}' -c \"{SIZE}\""
        return subprocess.run([self.program, table_name], env=environment, check=True, cwd=ROOT,
                              stdout=subprocess.PIPE, text=True).stdout

    def copy(self, url, run, count):
        self.call("copies", url, HAFT_BENCH_RUN=run, HAFT_BENCH_COPIES=str(count))

    def crowd(self, table_name, url, crowd):
        return pgbench.figures(self.call(table_name, url, HAFT_BENCH_CROWD=crowd))


def crowds(title, what, contenders):
    """Prints a table with the median figures of each contender. Every repetition measures all of
    them in turn. A contender is a tuple: its name, the number of processes, a function that
    returns its figures, and whether it is the baseline for this number of processes."""
    found = [[] for _ in contenders]
    for _ in range(REPETITIONS):
        for row, (_, _, measure, _) in zip(found, contenders):
            row.append(measure())
    medians = [[median(column) for column in zip(*row)] for row in found]
    baselines = {c[1]: row[0] for c, row in zip(contenders, medians) if c[3]}
    print(f"### {title}\n")
    print(table(["who", "processes", what, "p50 ms", "p99 ms", "x pgbench"],
                [[c[0], str(c[1]), show(row[0], 0), show(row[1], 2), show(row[2], 2),
                  show(ratio(row[0], baselines.get(c[1])), 2)]
                 for c, row in zip(contenders, medians)]), flush=True)


def appends(bench):
    url, file, own = (bench.new_store(kind) for kind in ("PostgreSQL", "SQLite", "PostgreSQL"))
    workers.Crew(bench.haft, own, bench.folder).run("runs", "list")  # makes the tables

    def by_pgbench(clients, script="append", **more):
        bench.sql(own, "TRUNCATE haft.events; TRUNCATE haft.runs; " + RUNS)
        return pgbench.run(bench.cluster, own, script, clients, **more)

    def in_batches(clients, rows=64):
        """Each transaction of pgbench has `rows` appends."""
        each, *waits = by_pgbench(clients, "append64")
        return (each * rows, *waits)

    contenders = []
    for count in CLIENTS:
        contenders += [("haft, PostgreSQL", count,
                        lambda n=count: bench.crowd("crowd-appends", url, f"{n}"), False),
                       ("pgbench, the same statements", count,
                        lambda n=count: by_pgbench(n), True),
                       ("haft, SQLite", count,
                        lambda n=count: bench.crowd("crowd-appends", file, f"{n}"), False)]
    contenders.append(("pgbench, prepared", 4, lambda: by_pgbench(4, mode="prepared"), False))
    for count, runs in ((1, 16), (1, 32), (1, 64), (4, 64)):
        contenders += [(f"haft, {kind}, {runs} runs each", count,
                        lambda c=f"{count}x{runs}", s=store: bench.crowd("crowd-appends", s, c),
                        False)
                       for kind, store in (("PostgreSQL", url), ("SQLite", file))]
    contenders += [("pgbench, 64 rows in each statement", count, lambda n=count: in_batches(n),
                    False)
                   for count in (1, 4)]
    crowds("Durable appends of 600 bytes", "appends/s", contenders)


def claims(bench):
    def release_all(url):
        bench.sql(url, RELEASE_ALL)
        bench.sql(url, "VACUUM ANALYZE haft.runs")

    def store_with_runs(kind):
        crew = bench.crew(kind)
        bench.copy(crew.url, workers.eight_turns(crew), CLAIMABLE)
        return crew.url

    def by_haft(url, clients):
        release_all(url)
        return bench.crowd("crowd-claims", url, str(clients))

    def by_pgbench(url, clients):
        release_all(url)
        return pgbench.run(bench.cluster, url, "claim", clients)

    url = store_with_runs("PostgreSQL")
    contenders = []
    for count in CLIENTS:
        contenders += [("haft, PostgreSQL", count, lambda n=count: by_haft(url, n), False),
                       ("pgbench, the same statements", count,
                        lambda n=count: by_pgbench(url, n), True),
                       ("haft, SQLite", count,
                        lambda n=count: bench.crowd("crowd-claims", store_with_runs("SQLite"),
                                                    str(n)), False)]
    crowds("Claiming runs without an owner", "runs/s", contenders)


def first(bench):
    lines = []
    for kind in ("PostgreSQL", "SQLite"):
        for poll in (500, 50):
            commands, waits = workers.first_calls(bench.crew(kind), 15, "--poll", poll)
            lines.append([kind, str(poll), *(show(pgbench.part(values, share))
                                             for values in (commands, waits)
                                             for share in (0.5, 0.99))])
    url = bench.new_store("PostgreSQL")
    workers.Crew(bench.haft, url, bench.folder).run("runs", "list")  # makes the tables
    costs = [pgbench.run(bench.cluster, url, "create", 1)]
    bench.sql(url, "VACUUM ANALYZE haft.runs")
    costs.append(pgbench.run(bench.cluster, url, "claim", 1))
    print("### From `haft run --detach` to the first request to a model, an idle worker\n")
    print(table(["store", "poll ms", "the command p50 ms", "p99", "then p50 ms", "p99"], lines))
    print(f"pgbench, one client: creating a run takes {costs[0][1]:.2f} ms, claiming it "
          f"{costs[1][1]:.2f} ms (p50).\n", flush=True)


def transactions(bench, url):
    """The transactions since the database was created. Sessions report theirs at most once a
    second, so this waits a little longer than that."""
    time.sleep(1.1)
    name = url.split("/")[3].split("?")[0]
    return int(bench.cluster.sql("SELECT xact_commit + xact_rollback FROM pg_stat_database "
                                 f"WHERE datname = '{name}'"))


def queue(bench):
    lines = []
    for kind in ("PostgreSQL", "SQLite"):
        for concurrency in (1, 16):
            crew = bench.crew(kind)
            bench.copy(crew.url, workers.eight_turns(crew), QUEUED - 1)
            before = transactions(bench, crew.url) if kind == "PostgreSQL" else 0
            seconds, cpu = workers.finish_all(crew, 2, concurrency)
            each = "-" if kind != "PostgreSQL" else show(
                (transactions(bench, crew.url) - before) / QUEUED)
            lines.append([kind, str(concurrency), show(QUEUED / seconds),
                          show(9 * QUEUED / seconds), show(cpu / QUEUED * 1e3, 2), each])
    print("### Runs of 8 turns, two workers\n")
    print(table(["store", "runs at once, each", "runs/s", "model turns/s",
                 "CPU ms a run (workers)", "transactions a run"], lines), flush=True)


def statements(bench):
    return int(bench.cluster.sql("SELECT coalesce(sum(calls), 0) FROM pg_stat_statements s "
                                 "JOIN pg_database d ON d.oid = s.dbid "
                                 "WHERE d.datname <> 'postgres'"))


def idle(bench):
    """The cost of an idle worker. Restarts the server with an extension that counts statements."""
    seconds, lines = 6, []
    bench.cluster.options.append("shared_preload_libraries=pg_stat_statements")
    bench.cluster.restart()
    bench.cluster.sql("CREATE EXTENSION pg_stat_statements")
    for kind in ("PostgreSQL", "SQLite"):
        crew = bench.crew(kind)
        with crew.idle_worker() as process:
            time.sleep(2)
            sessions = []
            if kind == "PostgreSQL":
                name = crew.url.split("/")[3].split("?")[0]
                sessions = bench.cluster.sql("SELECT pid FROM pg_stat_activity WHERE datname = "
                                             f"'{name}'").split()
            pids = [process.pid, *map(int, sessions)]
            before, asked = [workers.cpu_seconds(pid) for pid in pids], statements(bench)
            time.sleep(seconds)
            cpu = [workers.cpu_seconds(pid) - b for pid, b in zip(pids, before)]
            asked = statements(bench) - asked
        server = sessions and show(sum(cpu[1:]) / seconds * 1e3, 2) or "-"
        lines.append([kind, show(cpu[0] / seconds * 1e3, 2), server,
                      show(asked / seconds) if sessions else "-", str(len(sessions)) or "-"])
    print("### A worker that has nothing to do\n")
    print(table(["store", "CPU ms a second", "the server's", "statements a second",
                 "connections"], lines), flush=True)


def paused(bench):
    url = bench.new_store("PostgreSQL")
    print(f"PostgreSQL:\n\n{bench.call('paused', url)}", flush=True)
    bench.sql(url, "CREATE TABLE bench_ids (n int PRIMARY KEY, id text); INSERT INTO bench_ids "
                   "SELECT row_number() OVER (), id FROM haft.runs WHERE state = 1")
    bench.sql(url, "ANALYZE")
    each, middle, most = pgbench.run(bench.cluster, url, "resume", 1)
    print(f"pgbench, claiming and reading one of them: {each:.0f} a second, p50 and p99 ms "
          f"{middle:.2f}, {most:.2f}\n")
    print(f"SQLite:\n\n{bench.call('paused')}", flush=True)


def turns(bench):
    print(f"PostgreSQL:\n\n{bench.call('turns', bench.new_store('PostgreSQL'))}")
    print(f"SQLite:\n\n{bench.call('turns')}", flush=True)


def recovery(bench):
    lines = []
    for kind, other, samples in (("PostgreSQL", False, 5), ("PostgreSQL", True, 3),
                                 ("SQLite", False, 5)):
        try:
            found = workers.recovery(bench.crew(kind), samples, other)
        except (OSError, RuntimeError) as error:  # only root can make a PID namespace
            print(f"bench: {kind}, {'another' if other else 'the same'} machine: {error}",
                  file=sys.stderr)
            continue
        lines.append([kind, "another, lease of 2 s" if other else "the same", str(len(found)),
                      *(show(pgbench.part(found, share)) for share in (0, 0.5, 1))])
    print("### After kill -9 of a worker: until the call runs again in another, idle one\n")
    print(table(["store", "machine", "kills", "least ms", "p50 ms", "most ms"], lines), flush=True)


# `idle` restarts the server with an extension that would slow the others down.
TABLES = {f.__name__: f for f in (appends, claims, first, queue, paused, turns, recovery, idle)}


def main():
    words = sys.argv[2:] or list(TABLES)
    try:
        with pg.Cluster() as cluster, tempfile.TemporaryDirectory(prefix="haft-bench-",
                                                                  dir="/var/tmp") as folder:
            bench = Bench(Path(sys.argv[1]).resolve(), cluster, folder)
            for name in TABLES:
                if name in words:
                    TABLES[name](bench)
    except pg.Unavailable as error:
        print(f"bench: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
