#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A private PostgreSQL cluster for tests, made from Debian's package in a temporary directory.

It runs as an unprivileged user, listens on a unix socket in its own directory and nowhere else, and
syncs what it commits, but for the one that all tests of a run share.
`tests/house/pg.py --run COMMAND...` runs a command with one, its URL in HAFT_TEST_POSTGRES; without
arguments the cluster itself is tested."""
import glob
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

ROLE = "haft"
VARIABLE = "HAFT_TEST_POSTGRES"
SECONDS = 300
# The number only names the socket's file.
OPTIONS = ["listen_addresses=", "port=5432", "max_connections=200", "shared_buffers=32MB",
           "fsync=on", "synchronous_commit=on", "deadlock_timeout=100ms", "log_min_messages=fatal"]
# For the cluster of a whole run. What is committed is still written before it is reported, and
# outlives a kill of whatever process; only a loss of power could take it back, and no test has one:
# those of the server itself (tests/store/pg_test.py) make a cluster of their own.
SHARED = ["fsync=off"]
MODES = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}


class Unavailable(Exception):
    """Why there is no cluster to be had."""


def programs():
    """The directory with the newest server's programs."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"),
                   key=lambda path: int(path.split("/")[4]) if path.split("/")[4].isdigit() else 0)
    if not found:
        raise Unavailable("no PostgreSQL server is installed (Debian: postgresql)")
    return Path(found[-1]).parent


def server_user():
    """Whom the server runs as: a server refuses to be root's. None: as ourselves."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise Unavailable("there is neither a user postgres nor nobody for the server to run as")


class Cluster:
    """`disk`: the size of a disk of its own that its data is on, "96m"."""

    def __init__(self, options=(), disk=None):
        self.bin, self.user = programs(), server_user()
        if shutil.which("setpriv") is None:
            raise Unavailable("setpriv is not installed (Debian: util-linux)")
        # Not where TMPDIR says: the path of a socket has at most 107 bytes.
        self.directory = Path(tempfile.mkdtemp(prefix="haft-pg-", dir="/tmp"))
        self.disk = self.directory / "disk" if disk else None
        self.data, self.log = (self.disk or self.directory) / "data", self.directory / "log"
        self.options = [*OPTIONS, *options, f"unix_socket_directories={self.directory}"]
        self.process, self.databases = None, 0
        try:
            if disk:
                self._mount(disk)
            self._initialise()
        except BaseException:
            self.remove()
            raise

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.remove()

    def _command(self, *words):
        """As the server's user, ended with whoever started it."""
        become = ["setpriv", "--pdeathsig", "QUIT"]
        if self.user is not None:
            become += ["--reuid", str(self.user.pw_uid), "--regid", str(self.user.pw_gid),
                       "--clear-groups"]
        return [*become, "--", *map(str, words)]

    def _mount(self, size):
        self.disk.mkdir()
        done = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "haft-test", self.disk],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            self.disk = None
            raise Unavailable(f"no disk can be mounted: {done.stderr.strip()}")
        if self.user is not None:
            os.chown(self.disk, self.user.pw_uid, self.user.pw_gid)

    def _initialise(self):
        if self.user is not None:
            os.chown(self.directory, self.user.pw_uid, self.user.pw_gid)
        done = subprocess.run(
            self._command(self.bin / "initdb", "-D", self.data, "-U", ROLE, "-A", "trust", "-E",
                          "UTF8", "--locale=C.UTF-8", "--no-sync", "--no-instructions"),
            cwd="/", text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Unavailable(f"initdb failed: {done.stdout.strip()[-300:]}")

    def start(self):
        words = [word for option in self.options for word in ("-c", option)]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self._command(self.bin / "postgres", "-D", self.data, *words), cwd="/",
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        give_up = time.monotonic() + SECONDS
        while self._state() != "ready":
            if self.process.poll() is not None or time.monotonic() > give_up:
                self.stop("immediate")
                raise Unavailable(f"the server does not start: {self.log.read_text()[-300:]}")
            time.sleep(0.01)

    def _pid_file(self):
        try:
            return (self.data / "postmaster.pid").read_text().splitlines()
        except OSError:
            return []

    def _state(self):
        """What the server that runs now says of itself."""
        lines = self._pid_file()
        ours = len(lines) > 7 and lines[0] == str(self.process.pid)
        return lines[7].strip() if ours else ""

    def stop(self, mode="fast"):
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(MODES[mode])
        try:
            self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process = None

    def _family(self):
        """The postmaster and its children, none of which is a descendant of another."""
        pids = [self.process.pid]
        for name in glob.glob("/proc/[0-9]*/stat"):
            try:
                fields = Path(name).read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[1] == str(self.process.pid):
                pids.append(int(name.split("/")[2]))
        return pids

    def kill(self):
        """kill -9 of the postmaster and of all its children: as if the power had gone."""
        if self.process is None:
            return
        os.kill(self.process.pid, signal.SIGSTOP)  # so that no child comes meanwhile
        family = self._family()
        for pid in family:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        self.process = None
        give_up = time.monotonic() + SECONDS
        while any(os.path.exists(f"/proc/{pid}") for pid in family):
            if time.monotonic() > give_up:
                raise Unavailable("children of the server outlive a SIGKILL")
            time.sleep(0.005)

    def restart(self, mode="fast"):
        self.stop(mode)
        self.start()

    def url(self, database="postgres"):
        host = urllib.parse.quote(str(self.directory), safe="")
        return f"postgresql://{ROLE}@/{database}?host={host}"

    def sql(self, text, database="postgres"):
        """What psql prints for it, a line for each row."""
        done = subprocess.run([self.bin / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d",
                               self.url(database), "-c", text], text=True, cwd="/",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise RuntimeError(f"{text}: {done.stdout}")
        return done.stdout.rstrip("\n")

    def new_database(self):
        """The URL of a database that nobody else uses."""
        self.databases += 1
        name = f"test_{os.getpid()}_{self.databases}"
        self.sql(f"CREATE DATABASE {name}")
        return self.url(name)

    def remove(self):
        """Nothing of it is left."""
        self.stop("immediate")
        lines = self._pid_file()  # still there when the server was killed
        if len(lines) > 6 and len(lines[6].split()) == 2:
            subprocess.run(["ipcrm", "-m", lines[6].split()[1]], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        if self.disk is not None:
            subprocess.run(["umount", "-l", self.disk], stdin=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.directory, ignore_errors=True)


def run(command):
    try:
        with Cluster() as cluster:
            return subprocess.run(command, env=dict(os.environ,
                                                    **{VARIABLE: cluster.url()})).returncode
    except Unavailable as error:
        print(f"pg.py: {error}", file=sys.stderr)
        return 1


def check_cluster(cluster):
    import house
    url = cluster.new_database()
    name = url.split("/")[3].split("?")[0]
    found = [cluster.sql(f"SHOW {setting}", name)
             for setting in ("fsync", "synchronous_commit", "listen_addresses", "server_encoding")]
    house.check("it_syncs_and_listens_on_a_socket_only",
                [] if found == ["on", "on", "", "UTF8"] else [found])
    owner = os.stat(f"/proc/{cluster.process.pid}").st_uid
    house.check("it_is_not_run_by_root", [] if owner != 0 else ["the server is root's"])
    cluster.sql("CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)", name)
    problems = []
    for how in (cluster.kill, lambda: cluster.stop("immediate"), cluster.stop):
        family = cluster._family()
        how()
        problems += [f"{pid} is still there" for pid in family if os.path.exists(f"/proc/{pid}")]
        cluster.start()
        if cluster.sql("SELECT n FROM kept", name) != "1":
            problems.append("what was committed is gone")
    house.check("what_was_committed_outlives_kills_and_restarts", problems)


def main():
    if sys.argv[1:2] == ["--run"]:
        return run(sys.argv[2:])
    import house
    try:
        with Cluster() as cluster:
            directory = cluster.directory
            check_cluster(cluster)
    except Unavailable as error:
        house.skip("a_private_cluster", str(error))
        return 0
    house.check("nothing_of_it_is_left",
                [f"{directory} is there"] if directory.exists() else [])
    return 0


if __name__ == "__main__":
    sys.exit(main())
