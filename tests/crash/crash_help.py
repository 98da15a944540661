# SPDX-License-Identifier: Apache-2.0
"""Shared by the crash tests: stores, specs with an effect log, kills, and driving runs to an end.

A store is read with haft's own commands, so that every test runs on every kind of store. Tools of
these tests write one line into the effect log, `KEY TOOL PID EPOCH`, with O_APPEND.
"""
import concurrent.futures
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from script import SOON, check as same, check_none  # noqa: E402, F401
from script import lease_seconds, skip, wait_for  # noqa: E402, F401

ROOT = Path(__file__).resolve().parent.parent.parent
HAFT = os.environ["HAFT"]
BUILD = Path(os.environ.get("HAFT_BUILD", ROOT / "build"))
LONG = bool(os.environ.get("HAFT_LONG"))
POSTGRES = os.environ.get("HAFT_TEST_POSTGRES")
SANITIZED = bool(os.environ.get("HAFT_TEST_SANITIZED"))
LOCKED = "the database is locked by another process"  # the command can be repeated
LEASE_SECONDS = lease_seconds(2)
SHORT_LEASE = {"HAFT_LEASE": f"{LEASE_SECONDS}s"}
CONNECTED = 20  # processes that connect to a PostgreSQL server at once
FIRST_WRITES = 6  # a process that continues a tree writes at least this often


def rounds(usual, many):
    """The number of repetitions of a random test."""
    return int(os.environ.get("HAFT_TEST_ROUNDS") or (many if LONG else usual))


def check(name, problems):
    check_none(name, problems, most=20)


# ---- stores ----

class Store:
    """A store with its own directory for specs and logs."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.environment = dict(os.environ, HAFT_STORE=self.url(), HOME=str(folder), NO_COLOR="1")

    def command(self, *words):
        return [HAFT, *map(str, words)]

    def haft(self, *words, env=None, timeout=SOON, stdin=""):
        """(exit status, standard output, standard error)"""
        done = subprocess.run(self.command(*words), text=True, capture_output=True, input=stdin,
                              cwd=self.folder, env=dict(self.environment, **(env or {})),
                              timeout=timeout)
        return done.returncode, done.stdout, done.stderr

    def start(self, *words, env=None, out=subprocess.PIPE):
        return subprocess.Popen(self.command(*words), text=True, stdin=subprocess.DEVNULL,
                                stdout=out, stderr=subprocess.DEVNULL, cwd=self.folder,
                                env=dict(self.environment, **(env or {})))

    def runs(self, *words):
        """Rows of `runs list`, the newest first, a thousand at most."""
        status, out, err = self.haft("runs", "list", "--json", *words)
        if status != 0:
            raise RuntimeError(f"runs list: exit {status}: {err}")
        return json.loads(out)["runs"]

    def row(self, run):
        return next((row for row in self.runs() if row["run"] == run), None)

    def lines(self, run):
        """The stored events; reading them checks the chain."""
        status, out, err = self.haft("runs", "events", run)
        if status != 0:
            raise RuntimeError(f"runs events {run}: exit {status}: {err}")
        return out.splitlines()

    def events(self, run):
        return [json.loads(line) for line in self.lines(run)]

    def shown(self, run):
        return json.loads(self.haft("runs", "show", run, "--json")[1])

    def put(self, name, value):
        path = self.folder / name
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return path

    def shim(self, **settings):
        """The environment that loads shim.c."""
        more = {f"SHIM_{name.upper()}": str(value) for name, value in settings.items()}
        return dict(more, LD_PRELOAD=str(shim()), **self.shimmed())


class Sqlite(Store):
    kind = "sqlite"

    def file(self):
        return self.folder / "haft.db"

    def url(self):
        return f"sqlite:{self.file()}"

    def shimmed(self):
        return {"SHIM_STORE": str(self.file())}

    def close(self):
        pass


class Postgres(Store):
    kind = "postgres"

    def __init__(self, folder):
        self.name = "crash_" + Path(folder).name.replace("-", "_").lower()
        self.ask(f'CREATE DATABASE "{self.name}"')
        super().__init__(folder)

    @staticmethod
    def ask(statement):
        subprocess.run(["psql", "-qX", "-v", "ON_ERROR_STOP=1", "-d", POSTGRES, "-c", statement],
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def url(self):
        return urllib.parse.urlunsplit(
            urllib.parse.urlsplit(POSTGRES)._replace(path="/" + self.name))

    def shimmed(self):
        return {}

    def close(self):
        self.ask(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')


@contextlib.contextmanager
def new_store(kind):
    with tempfile.TemporaryDirectory(prefix="haft-crash-") as folder:
        store = kind(folder)
        try:
            yield store
        finally:
            store.close()


def kinds():
    """The kinds of stores that are available here."""
    if POSTGRES:
        return [Sqlite, Postgres]
    skip("postgres", "HAFT_TEST_POSTGRES does not name a server")
    return [Sqlite]


def pass_lease():
    """Waits until a lease that a stopped process has renewed has expired."""
    time.sleep(LEASE_SECONDS + 0.5)


def for_each_store(*tests):
    """Runs each test on a new store of each kind; the name of the kind is appended to test
    names."""
    for kind in kinds():
        for test in tests:
            with new_store(kind) as store:
                test(store)


# ---- shim.c ----

def shim():
    made = BUILD / "tests" / "crash-shim.so"
    source = Path(__file__).resolve().parent / "shim.c"
    if not made.exists() or made.stat().st_mtime < source.stat().st_mtime:
        new = made.with_name(f"crash-shim.{os.getpid()}.so")
        subprocess.run([*os.environ.get("CC", "cc").split(), "-Wall", "-Wextra", "-shared", "-fPIC",
                        "-O1", "-o", new, source, "-ldl"], check=True)
        new.rename(made)
    return made


def no_shim():
    """The reason why shim.c cannot be used here, or None."""
    if SANITIZED:
        return "a sanitizer wants to be the first library"
    if not shutil.which(os.environ.get("CC", "cc").split()[0]):
        return "there is no C compiler"
    return None


# ---- specs ----

def tool(name, command=None, **more):
    how = {"command": command} if command else {"headless": True}
    return dict({"name": name, "description": f"Does {name} for the tests of haft.",
                 "input_schema": {"type": "object", "properties": {"q": {"type": "string"}}}},
                **how, **more)


def effect(store, name, before="", after="", **traits):
    """A tool whose effect is a line of the effect log, with optional commands before and after
    it."""
    line = f'echo "$HAFT_IDEMPOTENCY_KEY {name} $$ ${{HAFT_EPOCH:--}}" >> {log_of(store)}'
    return tool(name, ["sh", "-c", f"{before or ':'}; {line}; {after or ':'}; echo did {name}"],
                traits=traits)


def log_of(store):
    return store.folder / "effects.log"


def effects(store):
    """(key, tool, pid, epoch) of each effect, in their order."""
    log = log_of(store)
    return [tuple(line.split()) for line in log.read_text().splitlines()] if log.exists() else []


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def spec(store, name, replies, tools, **more):
    """A spec whose model gives these replies: lists of calls, or a text."""
    turns = [{"text": reply} if isinstance(reply, str) else {"calls": reply} for reply in replies]
    store.put(f"{name}.script.json", {"replies": turns})
    return store.put(f"{name}.json", dict({"haft": 1, "name": name, "tools": tools,
                                           "model": f"script:{name}.script.json"}, **more))


def behind_a_barrier(store, commands):
    """Starts a process for each command, releases all of them at once, and returns their results
    like Store.haft. The number of connections to a server is limited. On a slow machine some
    processes do not get the lock of the file in time: their commands are repeated."""
    most = CONNECTED if store.kind == "postgres" else len(commands)
    if len(commands) > most:
        return (behind_a_barrier(store, commands[:most])
                + behind_a_barrier(store, commands[most:]))
    barrier, go = os.pipe()
    started = [subprocess.Popen(["sh", "-c", 'read -r _; exec "$@"', "sh", *store.command(*words)],
                                text=True, stdin=barrier, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, cwd=store.folder, env=store.environment)
               for words in commands]
    os.close(barrier)
    os.close(go)  # end of file, which all of them wait for
    with concurrent.futures.ThreadPoolExecutor(len(started)) as pool:
        outputs = list(pool.map(lambda process: process.communicate(timeout=2 * SOON), started))
    results = [(process.returncode, *texts) for process, texts in zip(started, outputs)]
    return [try_again(store, words, result) for words, result in zip(commands, results)]


def try_again(store, words, result):
    """Repeats a command while the store is locked; returns its last result."""
    end = time.monotonic() + SOON
    while LOCKED in result[2] and time.monotonic() < end:
        result = store.haft(*words)
    return result


# ---- people ----

ANSWERS = {
    "approval": lambda p: ("approve", p["call"]),
    "headless": lambda p: ("answer", p["call"], '"mine"'),
    "question": lambda p: ("answer", p["call"], "yes"),
    "unknown_outcome": lambda p: ("answer", p["call"], "it did"),
}


def act(store, row, env=None):
    """Does what a person who sees the run would do next; returns haft's exit status."""
    if row["state"] == "running":
        return store.haft("resume", row["run"], env=env)[0]
    pending = store.shown(row["run"])["pending"]
    if not pending:
        return store.haft("resume", row["run"], env=env)[0]
    word, where, *value = ANSWERS[pending[0]["kind"]](pending[0])
    return store.haft(word, row["run"], where, *value, env=env)[0]


def drive(store, limit=40):
    """Continues every run until all have ended; returns the runs that have not ended."""
    for _ in range(limit):
        left = store.runs("--open")
        if not left:
            return []
        for row in left:
            act(store, row)
    return [f"{row['run']} is stuck as {row['state']}" for row in store.runs("--open")]


def drive_later(store, run):
    """A process that resumes the run; the test waits for it later."""
    return [store.start("resume", run, out=subprocess.DEVNULL)]


# ---- output ----

class Reader(threading.Thread):
    """Collects the complete lines that a process prints; `at(n)` is called after the n-th."""

    def __init__(self, process, at=None):
        super().__init__(daemon=True)
        self.process, self.lines, self.at = process, [], at
        self.start()

    def run(self):
        for line in self.process.stdout:
            if line.endswith("\n"):
                self.lines.append(line[:-1])
                if self.at:
                    self.at(len(self.lines))


def roots(store, *words):
    return [row for row in store.runs(*words) if row["run"] != row["thread"]]


def remove_trees(store):
    """Removes all trees, which have ended, and their effects. A list has 1,000 runs at most."""
    removed = [store.haft("runs", "rm", row["run"])[0] for row in roots(store)]
    log_of(store).unlink(missing_ok=True)
    return [f"a tree was not removed: exit status {status}" for status in removed if status != 0]


def drive_trees(store, limit=40):
    """Continues every tree from its root until all have ended; returns trees that have not."""
    for _ in range(limit):
        left = roots(store, "--open")
        if not left:
            return []
        for row in left:
            act(store, row)
    return [f"{row['run']} is stuck as {row['state']}" for row in store.runs("--open")]


def tree_moments(store, most):
    """Writes of a tree at which to kill: each, or some from a random start among the first writes,
    which every process has."""
    if LONG:
        return range(1, most)
    each = 18 if store.kind == "postgres" else 12
    return range(1 + time.time_ns() // 1000 % FIRST_WRITES, most, each)
