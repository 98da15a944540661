#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A private PostgreSQL cluster for tests, created from Debian's package in a temporary directory.

It runs as an unprivileged user and listens only on a unix socket in its own directory. It syncs its
commits, except for the cluster that all tests share.
`tests/house/pg.py --run COMMAND...` runs a command with a cluster, whose URL is in
HAFT_TEST_POSTGRES. Without arguments it tests the cluster itself."""
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
# The port only names the socket file.
OPTIONS = ["listen_addresses=", "port=5432", "max_connections=200", "shared_buffers=32MB",
           "fsync=on", "synchronous_commit=on", "deadlock_timeout=100ms", "log_min_messages=fatal"]
# For the shared cluster. A commit is still written before it is reported and survives the kill of
# any process. Only a power failure could lose it. Tests that crash the server
# (tests/store/postgres/server_test.py) create their own cluster.
SHARED = ["fsync=off", "max_wal_size=128MB"]
MEMORY, MEMORY_BYTES = "/dev/shm", 2 << 30
MODES = {"smart": signal.SIGTERM, "fast": signal.SIGINT, "immediate": signal.SIGQUIT}


class Unavailable(Exception):
    """No cluster is available; the message is the reason."""


def programs():
    """The directory with the programs of the newest server."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"),
                   key=lambda path: int(path.split("/")[4]) if path.split("/")[4].isdigit() else 0)
    if not found:
        raise Unavailable("no PostgreSQL server is installed (Debian: postgresql)")
    return Path(found[-1]).parent


def server_user():
    """The user of the server, which refuses to run as root. None: the current user."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise Unavailable("neither the user postgres nor nobody exists; the server needs one of them")


def fast_directory():
    """A directory in memory if it has room for a cluster; tests create and drop thousands of
    tables, and each is a file."""
    try:
        room = os.statvfs(MEMORY)
    except OSError:
        return "/tmp"
    enough = room.f_bavail * room.f_frsize >= MEMORY_BYTES and os.access(MEMORY, os.W_OK)
    return MEMORY if enough else "/tmp"


class Cluster:
    """`disk`: the size of a separate disk for its data, such as "96m"; `parent`: the directory of
    its own."""

    def __init__(self, options=(), disk=None, parent="/tmp"):
        self.bin, self.user = programs(), server_user()
        if shutil.which("setpriv") is None:
            raise Unavailable("setpriv is not installed (Debian: util-linux)")
        # Not in TMPDIR: the path of a socket has at most 107 bytes.
        self.directory = Path(tempfile.mkdtemp(prefix="haft-pg-", dir=parent))
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
        """The command as the server's user; it ends when its parent ends."""
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
        """The state that the running server reports; "" if it is not ours."""
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
        """The postmaster and its children (they have no children themselves)."""
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
        """kill -9 of the postmaster and all its children, like a power failure."""
        if self.process is None:
            return
        os.kill(self.process.pid, signal.SIGSTOP)  # so that it starts no child meanwhile
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
        """The output of psql, one line per row."""
        done = subprocess.run([self.bin / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d",
                               self.url(database), "-c", text], text=True, cwd="/",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise RuntimeError(f"{text}: {done.stdout}")
        return done.stdout.rstrip("\n")

    def new_database(self):
        """Creates a new database and returns its URL."""
        self.databases += 1
        name = f"test_{os.getpid()}_{self.databases}"
        self.sql(f"CREATE DATABASE {name}")
        return self.url(name)

    def remove(self):
        """Stops the server and removes all files."""
        self.stop("immediate")
        lines = self._pid_file()  # remains if the server was killed
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
    house.check("server_syncs_and_listens_on_a_socket_only",
                [] if found == ["on", "on", "", "UTF8"] else [found])
    owner = os.stat(f"/proc/{cluster.process.pid}").st_uid
    house.check("server_does_not_run_as_root", [] if owner != 0 else ["the server runs as root"])
    cluster.sql("CREATE TABLE kept (n int); INSERT INTO kept VALUES (1)", name)
    problems = []
    for how in (cluster.kill, lambda: cluster.stop("immediate"), cluster.stop):
        family = cluster._family()
        how()
        problems += [f"process {pid} exists" for pid in family if os.path.exists(f"/proc/{pid}")]
        cluster.start()
        if cluster.sql("SELECT n FROM kept", name) != "1":
            problems.append("a commit is lost")
    house.check("commits_survive_kills_and_restarts", problems)


def main():
    if sys.argv[1:2] == ["--run"]:
        return run(sys.argv[2:])
    import house
    try:
        with Cluster() as cluster:
            directory = cluster.directory
            check_cluster(cluster)
    except Unavailable as error:
        house.skip("private_cluster_works", str(error))
        return 0
    house.check("all_files_are_removed",
                [f"{directory} exists"] if directory.exists() else [])
    return 0


if __name__ == "__main__":
    sys.exit(main())
