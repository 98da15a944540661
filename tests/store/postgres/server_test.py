#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""haft with a store in PostgreSQL: many processes open a new database at once; the server is killed
and comes back; everything works through PgBouncer in transaction mode, if it is installed."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/house")]
import pg  # noqa: E402
from script import check_none, skip, wait_for  # noqa: E402

HAFT = os.environ["HAFT"]
TESTS = Path(os.environ["HAFT_BUILD"]) / "tests/haft-tests"
PROCESSES = 8
SECONDS = 300


def start(*words):
    return subprocess.Popen([HAFT, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, cwd=ROOT)


def haft(*words):
    process = start(*words)
    out, err = process.communicate(timeout=SECONDS)
    return process.returncode, out, err


def run(url):
    return haft("run", "examples/report.yaml", "what is haft", "--store", url, "--plain")


def check_openings(cluster):
    """Each process sees a complete database, whichever process created its tables."""
    url = cluster.new_database()
    processes = [start("worker", "--until-idle", "--store", url) for _ in range(PROCESSES)]
    outcomes = [(*process.communicate(timeout=SECONDS), process.returncode)
                for process in processes]
    check_none("many_processes_open_a_new_database_at_once",
               [outcome for outcome in outcomes if outcome[2] != 0])


def check_reading(cluster):
    """Commands that only read create nothing, and report an empty store."""
    url = cluster.new_database()
    name = url.split("/")[3].split("?")[0]
    some = "01k00000000000000000000001"
    words = [(0, "runs", "list"), (0, "runs", "gc", "--older", "1d"), (2, "runs", "show", some),
             (0, "doctor"), (0, "completion", "runs"), (2, "cancel", some), (0, "resume", "--all"),
             (0, "migrate", "--dry-run", "--to", "sqlite:unused.db", "--from", url)]
    problems = []
    for wanted, *command in words:
        store = [] if command[0] == "migrate" else ["--store", url]
        done = haft(*command, *store)
        if done[0] != wanted:
            problems.append((command, done))
    made = cluster.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'haft'", name)
    check_none("commands_that_only_read_create_no_tables",
               problems + ([] if made == "0" else [made]))


def check_connections(cluster):
    """A role without special permissions counts the sessions of all roles."""
    url = cluster.new_database()
    cluster.sql("CREATE ROLE plain LOGIN")
    others = [subprocess.Popen([cluster.bin / "psql", "-Xq", "-d", url], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True) for _ in range(8)]
    for other in others:
        other.stdin.write("\\echo here\n")
        other.stdin.flush()
        other.stdout.readline()
    counts = cluster.sql("SELECT sum(numbackends) >= 8 FROM pg_stat_database")
    report = haft("doctor", "--store", url.replace("//haft@", "//plain@"))[1]
    found = re.search(r"connections: (\d+) of", report)
    for other in others:
        other.communicate(timeout=SECONDS)
    good = counts == "t" and found is not None and int(found[1]) >= 8
    check_none("connections_of_others_are_counted", [] if good else [counts, report])


def check_kill(cluster):
    url = cluster.new_database()
    done = run(url)
    before = haft("runs", "events", "last", "--store", url)
    problems = [] if done[0] == 0 and before[0] == 0 and before[1] else [done, before]
    for how in (cluster.kill, lambda: cluster.stop("immediate"), cluster.stop):
        how()
        gone = haft("runs", "--store", url)
        if gone[0] == 0 or "cannot be reached" not in gone[2]:
            problems.append(gone)
        cluster.start()
        after = haft("runs", "events", "last", "--store", url)
        if after != before:
            problems.append(after)
    check_none("reported_events_survive_a_kill_of_the_server", problems)


def check_restart_meanwhile(cluster):
    """A run continues after a restart of the server, or can be resumed."""
    url = cluster.new_database()
    name = url.split("/")[3].split("?")[0]
    process = start("run", "examples/report.yaml", "what is haft", "--store", url, "--plain")
    give_up = time.monotonic() + SECONDS
    while time.monotonic() < give_up and process.poll() is None:
        try:
            if int(cluster.sql("SELECT count(*) FROM haft.events", name)) > 0:
                break
        except RuntimeError:  # the tables do not exist yet
            pass
    cluster.restart("immediate")
    process.communicate(timeout=SECONDS)
    if process.returncode != 0:
        haft("resume", "last", "--store", url)
    replay = haft("runs", "replay", "last", "--store", url)
    listed = haft("runs", "--json", "--store", url)
    check_none("a_run_ends_although_the_server_restarts",
               [] if replay[0] == 0 and '"done"' in listed[1] else [replay, listed])


def check_stop_while_down(cluster):
    """A worker that gets a signal ends although the server does not answer, and reports why."""
    url = cluster.new_database()
    with tempfile.TemporaryDirectory() as scratch:
        spec = write_sleeper(Path(scratch), ["sleep", "1000"], traits={"read_only": True})
        run_id = haft("run", "--detach", str(spec), "rest", "--store", url)[1].strip()
        worker = start("worker", "--poll", "50", "--store", url)
        lines = [worker.stderr.readline()]
        cluster.stop("immediate")
        worker.send_signal(signal.SIGTERM)
        while lines[-1] and "a second signal" not in lines[-1]:
            lines.append(worker.stderr.readline())
        worker.send_signal(signal.SIGTERM)
        lines += worker.communicate(timeout=SECONDS)[1].splitlines()
        cluster.start()
        found = (worker.returncode, any(f"{run_id} kept" in line for line in lines),
                 any("released" in line for line in lines))
        owner = cluster.sql(f"SELECT owner <> '' FROM haft.runs WHERE id = '{run_id}'",
                            url.split("/")[3].split("?")[0])
    check_none("a_worker_stops_while_the_database_is_down",
               [] if (*found, owner) == (1, True, False, "t") else [found, owner, lines])


def check_gc_meanwhile(cluster):
    """While a run is being created in a thread, GC waits and does not remove the earlier runs."""
    url = cluster.new_database()
    name = url.split("/")[3].split("?")[0]
    thread = "01k00000000000000000000001"
    problems = []
    done = haft("run", "examples/report.yaml", "what is haft", "--store", url, "--plain",
                "--thread", thread)
    session = subprocess.Popen([cluster.bin / "psql", "-XqAt", "-d", url], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    session.stdin.write(
        f"BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('{thread}', 0));\n"
        "INSERT INTO haft.runs (id, state, seq, bytes, checksum, epoch, owner, lease, created, "
        "updated, ended, wake, turns, calls, thread, parent, ending) SELECT "
        "'01k00000000000000000000002', 0, 0, 0, checksum, 1, '', 0, created, updated, 0, 0, 0, 0, "
        "thread, '', '' FROM haft.runs;\nSELECT 'here';\n")
    session.stdin.flush()
    while session.stdout.readline().strip() != "here":
        if session.poll() is not None:
            break
    gc = start("runs", "gc", "--keep", "0", "--older", "0s", "--store", url)
    waits, give_up = "0", time.monotonic() + SECONDS
    while waits == "0" and gc.poll() is None and time.monotonic() < give_up:
        waits = cluster.sql("SELECT count(*) FROM pg_locks WHERE NOT granted", name)
    session.communicate("COMMIT;\n", timeout=SECONDS)
    out, err = gc.communicate(timeout=SECONDS)
    left = cluster.sql("SELECT count(*) FROM haft.runs", name)
    if (done[0], waits, gc.returncode, left) != (0, "1", 0, "2"):
        problems.append((done, waits, gc.returncode, out, err, left))
    check_none("gc_waits_for_a_run_that_is_being_created_in_the_thread", problems)


class Standby:
    """A standby of the cluster, with its own socket."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.directory = Path(tempfile.mkdtemp(prefix="haft-pgs-", dir="/tmp"))
        self.data = self.directory / "data"
        if cluster.user is not None:
            os.chown(self.directory, cluster.user.pw_uid, cluster.user.pw_gid)
        copied = subprocess.run(
            cluster._command(cluster.bin / "pg_basebackup", "-D", self.data, "-R", "-X", "stream",
                             "-c", "fast", "--no-sync", "-d", cluster.url()),
            cwd="/", capture_output=True, text=True, check=False)
        if copied.returncode != 0:
            raise RuntimeError(copied.stderr)
        options = [option for option in cluster.options if "unix_socket" not in option]
        words = [word for option in [*options, f"unix_socket_directories={self.directory}"]
                 for word in ("-c", option)]
        with open(self.directory / "log", "wb") as log:
            self.process = subprocess.Popen(
                cluster._command(cluster.bin / "postgres", "-D", self.data, *words), cwd="/",
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        give_up = time.monotonic() + SECONDS
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > give_up:
                raise RuntimeError((self.directory / "log").read_text())
            time.sleep(0.05)

    def psql(self, text):
        return subprocess.run([self.cluster.bin / "psql", "-XqAt", "-d", self.url("postgres"), "-c",
                               text], capture_output=True, text=True, cwd="/", check=False)

    def answers(self):
        return self.psql("SELECT 1").stdout.strip() == "1"

    def url(self, database):
        host = urllib.parse.quote(str(self.directory), safe="")
        return f"postgresql://{pg.ROLE}@/{database}?host={host}"

    def promote(self):
        return self.psql("SELECT pg_promote()")

    def stop(self):
        self.process.terminate()
        self.process.send_signal(pg.MODES["immediate"])
        self.process.wait(SECONDS)
        shutil.rmtree(self.directory, ignore_errors=True)


def check_standby(cluster):
    """A standby can be read; a write reports that it is a standby; a worker continues once it is
    promoted."""
    url = cluster.new_database()
    name = url.split("/")[3].split("?")[0]
    done = run(url)
    problems = [] if done[0] == 0 else [done]
    standby = Standby(cluster)
    try:
        there = standby.url(name)
        for words in (("runs",), ("runs", "events", "last"), ("doctor",)):
            read = haft(*words, "--store", there)
            if not read[1] or "cannot" in read[2] or (read[0] != 0 and words[0] != "doctor"):
                problems.append((words, read))
        found = haft("doctor", "--store", there)[1]
        if "a standby" not in found or "writable: no: the server is read-only" not in found:
            problems.append(f"haft doctor does not say that it is a standby: {found}")
        refused = run(there)
        if refused[0] == 0 or "is read-only" not in refused[2] \
                or "target_session_attrs" not in refused[2]:
            problems.append(refused)
        both = f"{there},{url.split('?host=')[1]}"
        for words in (("run", "examples/report.yaml", "what is haft", "--plain"), ("runs",)):
            found = haft(*words, "--store", both)
            problems += [] if found[0] == 0 else [(words, found)]
        standby.promote()
        again = run(there)
        problems += [] if again[0] == 0 else [again]
    finally:
        standby.stop()
    check_none("a_standby_can_be_read_and_is_reported", problems)


def sessions(server):
    """The haft sessions of a server, by their process."""
    return set(server.psql("SELECT pid FROM pg_stat_activity WHERE application_name = 'haft'")
               .stdout.split())


def count_events(cluster, name):
    try:
        return int(cluster.sql("SELECT coalesce(sum(seq), 0) FROM haft.runs", name))
    except RuntimeError:  # no tables yet, or no server
        return 0


def write_sleeper(directory, command=("sleep", "4"), **more):
    """A spec of a run that calls a slow tool twice."""
    calls = [{"calls": [{"name": "nap", "arguments": {"n": str(n)}}]} for n in range(2)]
    (directory / "script.json").write_text(json.dumps({"replies": [*calls, {"text": "rested"}]}))
    (directory / "spec.json").write_text(json.dumps({
        "haft": 1, "name": "sleeper", "model": "script:script.json", "tools": [
            {"name": "nap", "description": "Sleeps.", "args": ["n"], "command": list(command),
             **more}]}))
    return directory / "spec.json"


def check_both_on_the_primary(cluster):
    """Readers connect to the standby while the primary is down; they must not stay there."""
    url = cluster.new_database()
    name = url.split("/")[3].split("?")[0]
    problems = []
    standby = Standby(cluster)
    spec = write_sleeper(standby.directory)
    both = f"{url},{standby.url(name).split('?host=')[1]}"
    process = start("run", str(spec), "rest", "--plain", "--store", both)
    try:
        wait_for(lambda: process.poll() is not None or count_events(cluster, name) >= 3)
        cluster.stop()
        give_up, stayed = time.monotonic() + 1.5, None
        while time.monotonic() < give_up:  # a session that is seen only once is just closing
            here = sessions(standby)
            stayed = here if stayed is None else stayed & here
            time.sleep(0.1)
        if stayed:
            problems.append(f"what was written to the primary is read on the standby: {stayed}")
        cluster.start()
        before = count_events(cluster, name)
        wait_for(lambda: process.poll() is not None or count_events(cluster, name) > before)
        if sessions(standby):
            problems.append("something is still read on the standby")
        out, err = process.communicate(timeout=SECONDS)
        if process.returncode != 0 or "rested" not in out:
            problems.append((process.returncode, out, err))
    finally:
        process.kill()
        standby.stop()
    check_none("writes_and_reads_use_the_same_server", problems)


class Bouncer:
    """PgBouncer in front of a cluster, with two connections for all clients."""

    def __init__(self, cluster):
        self.directory = Path(tempfile.mkdtemp(prefix="haft-pgb-", dir="/tmp"))
        config = self.directory / "pgbouncer.ini"
        config.write_text(
            f"[databases]\n* = host={cluster.directory} user={pg.ROLE}\n[pgbouncer]\n"
            f"unix_socket_dir = {self.directory}\nlisten_addr =\nlisten_port = 6432\n"
            "auth_type = any\npool_mode = transaction\ndefault_pool_size = 2\n"
            "max_client_conn = 100\nlogfile =\nserver_idle_timeout = 1\n"
            f"pidfile = {self.directory}/pid\n")
        if cluster.user is not None:
            for path in (self.directory, config):
                os.chown(path, cluster.user.pw_uid, cluster.user.pw_gid)
        with open(self.directory / "log", "wb") as log:
            self.process = subprocess.Popen(cluster._command("pgbouncer", config), stdout=log,
                                            stderr=log, stdin=subprocess.DEVNULL)
        give_up = time.monotonic() + SECONDS
        while not (self.directory / ".s.PGSQL.6432").exists():
            if self.process.poll() is not None or time.monotonic() > give_up:
                raise RuntimeError((self.directory / "log").read_text())
            time.sleep(0.01)

    def url(self, database):
        host = urllib.parse.quote(str(self.directory), safe="")
        return f"postgresql://{pg.ROLE}@/{database}?host={host}&port=6432"

    def stop(self):
        self.process.terminate()
        self.process.wait(SECONDS)
        shutil.rmtree(self.directory, ignore_errors=True)


def check_bouncer(cluster):
    bouncer = Bouncer(cluster)
    try:
        name = cluster.new_database().split("/")[3].split("?")[0]
        processes = [start("run", "examples/report.yaml", "what is haft", "--plain", "--store",
                           bouncer.url(name)) for _ in range(3)]
        outcomes = [(*process.communicate(timeout=2 * SECONDS), process.returncode)
                    for process in processes]
        check_none("runs_work_through_pgbouncer",
                   [outcome for outcome in outcomes if outcome[2] != 0])
        environment = dict(os.environ, HAFT_TEST_POSTGRES=bouncer.url("postgres"))
        tests = subprocess.run([TESTS, "--file", "store/store_test.c", "_in_postgres"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               env=environment, cwd=ROOT, timeout=2 * SECONDS)
        lines = tests.stdout.splitlines()
        right = tests.returncode == 0 and any(line.startswith("ok") for line in lines)
        check_none("the_tests_of_stores_pass_through_pgbouncer",
                   [] if right else [tests.stdout[-2000:]])
    finally:
        bouncer.stop()


def check_library():
    """Without libpq, haft names the package that contains it; everything else works."""
    found = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=False)
    paths = [line.split("=>")[1].strip() for line in found.stdout.splitlines()
             if "libpq.so.5 " in line]
    hide = " && ".join(f"mount --bind /dev/null {path}" for path in paths)
    hidden = ["unshare", "--mount", "--map-root-user", "sh", "-c", hide + ' && exec "$@"', "sh"]
    if not paths or subprocess.run([*hidden, "true"], capture_output=True, check=False).returncode:
        skip("a_missing_library_is_reported", "no file can be hidden here")
        return
    done = subprocess.run([*hidden, HAFT, "runs", "--store", "postgres://u:hidden@h/d"],
                          capture_output=True, text=True, check=False)
    others = subprocess.run([*hidden, HAFT, "runs", "--store", "memory:"], capture_output=True,
                            text=True, check=False)
    right = (done.returncode != 0 and "cannot load libpq.so.5" in done.stderr
             and "libpq5" in done.stderr and "hidden" not in done.stderr
             and others.returncode == 0)
    check_none("a_missing_library_is_reported", [] if right else [done, others])


def main():
    check_library()
    try:
        with pg.Cluster() as cluster:
            check_openings(cluster)
            check_reading(cluster)
            check_connections(cluster)
            check_kill(cluster)
            check_restart_meanwhile(cluster)
            check_stop_while_down(cluster)
            check_gc_meanwhile(cluster)
            check_standby(cluster)
            check_both_on_the_primary(cluster)
            if shutil.which("pgbouncer") is None:
                skip("runs_work_through_pgbouncer", "pgbouncer is not installed")
            else:
                check_bouncer(cluster)
    except pg.Unavailable as error:
        skip("a_store_in_postgresql", str(error))


main()
