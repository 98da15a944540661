# SPDX-License-Identifier: Apache-2.0
"""Attempts of a hostile program, run inside the sandbox by attempts_test.py, which puts the
dictionary HOST in front of this file. Prints one JSON object: {attempt: outcome}. An outcome that
begins with "worked" means that the sandbox did not hold. Names begin with the number of the attempt
in docs/sandbox.md."""
import ctypes
import errno
import json
import os
import platform
import socket
import struct
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
outcomes = {}


class Failed(Exception):
    """A C call returned an error."""


def attempt(name):
    def run(function):
        try:
            found = function()
            outcomes[name] = f"worked: {found!r}"[:200]
        except Failed as failed:
            outcomes[name] = f"refused: {errno.errorcode.get(failed.args[0], failed.args[0])}"
        except OSError as error:
            outcomes[name] = f"refused: {errno.errorcode.get(error.errno, str(error))}"
        except (MemoryError, RuntimeError, ValueError, KeyError, AttributeError) as error:
            outcomes[name] = f"refused: {type(error).__name__}: {error}"
    return run


def each(name, things, function):
    for thing in things:
        attempt(f"{name} {thing}")(lambda thing=thing: function(thing))


def read(path):
    with open(path, "rb") as file:
        return file.read(40)


def write(path):
    with open(path, "wb") as file:
        return file.write(b"x")


def call(name, *arguments):
    """A function of libc; fails as the kernel does."""
    ctypes.set_errno(0)
    found = getattr(libc, name)(*arguments)
    if found == -1:
        raise Failed(ctypes.get_errno())
    return found


def syscall(number, *arguments):
    return call("syscall", ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a
                                                    for a in arguments])


X86 = platform.machine() == "x86_64"

# 1 to 3: files
each("1 read", ["/etc/passwd", "/etc/shadow", os.path.dirname(HOST["secret"]), HOST["secret"],
                HOST["store"], HOST["home"], "/home"], read)
each("1 list", ["/", "/home", HOST["home"], "/etc", os.path.dirname(HOST["store"])], os.listdir)
parent = os.getppid() or HOST["pid"]
each("2 read", ["/proc/1/environ", f"/proc/{parent}/environ", f"/proc/{HOST['pid']}/environ",
                f"/proc/{HOST['pid']}/mem"], read)
each("3 list", ["/proc", "/sys", "/dev"], os.listdir)
each("3 read", ["/dev/kmsg", "/dev/mem", "/dev/vsock", "/sys/kernel/notes"], read)

# 4 to 7: paths
here = os.getcwd()
each("4 write", ["/tmp/haft-out", "/usr/haft-out", "/var/tmp/haft-out", here + "/../haft-out",
                 HOST["outside"] + "/new", HOST["secret"], sys.executable], write)
attempt("4 remove")(lambda: os.unlink(HOST["secret"]))
attempt("4 truncate")(lambda: os.truncate(HOST["secret"], 0))
attempt("4 mkdir")(lambda: os.mkdir(HOST["outside"] + "/directory"))
attempt("4 rename")(lambda: os.rename(HOST["secret"], "stolen"))


@attempt("5 symbolic link")
def _():
    os.symlink(HOST["secret"], "link")
    return read("link")


@attempt("5 swap race")
def _():
    """Replaces a name by a link while it is opened again and again."""
    until = time.monotonic() + 0.3
    write("swapped")

    def swap():
        while time.monotonic() < until:
            try:
                os.symlink(HOST["secret"], "other")
                os.rename("other", "swapped")
            except OSError:
                time.sleep(0.001)
    thread = threading.Thread(target=swap)
    thread.start()
    found = b""
    while time.monotonic() < until and HOST["text"].encode() not in found:
        found = read("swapped")
    thread.join()
    if HOST["text"].encode() not in found:
        raise Failed(errno.EPERM)
    return found


@attempt("6 hard link")
def _():
    os.link(HOST["secret"], "hard")
    return read("hard")


attempt("6 hard link of the interpreter")(lambda: os.link(sys.executable, "python"))
each("7 read", ["../" * 12 + "etc/passwd", "/proc/self/root/etc/passwd",
                "/proc/self/cwd/../../etc/passwd", "//etc//passwd"], read)
for fd in (0, 1, 2, 3, 4):
    attempt(f"7 path of descriptor {fd}")(lambda fd=fd: read(f"/proc/self/fd/{fd}/../passwd"))
    attempt(f"7 openat from descriptor {fd}")(
        lambda fd=fd: os.open("etc/passwd", os.O_RDONLY, dir_fd=fd))

# 8 to 11: networks
for name, port in HOST["ports"].items():
    attempt(f"8 connect to {name}")(
        lambda port=port: socket.create_connection(("127.0.0.1", port), 2))
attempt("9 UDP")(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(
    b"x", ("127.0.0.1", 53)))
attempt("9 DNS")(lambda: socket.getaddrinfo("example.com", 80))
for name, family, kind in [("netlink", 16, socket.SOCK_RAW), ("raw", 2, socket.SOCK_RAW),
                           ("packet", 17, socket.SOCK_RAW), ("vsock", 40, socket.SOCK_STREAM),
                           ("alg", 38, socket.SOCK_SEQPACKET), ("bluetooth", 31, 3),
                           ("inet6", 10, socket.SOCK_STREAM)]:
    attempt(f"10 socket {name}")(lambda family=family, kind=kind: socket.socket(family, kind))
attempt("11 unix path")(lambda: socket.socket(socket.AF_UNIX).connect(HOST["socket"]))
attempt("11 unix abstract")(lambda: socket.socket(socket.AF_UNIX).connect("\0haft"))
attempt("11 socketpair")(socket.socketpair)
attempt("11 send a descriptor")(lambda: call("sendmsg", 4, ctypes.create_string_buffer(64), 0))

# 12 and 13: other processes
for name, pid in [("parent", parent), ("haft", HOST["pid"]), ("sibling", HOST["sibling"])]:
    attempt(f"12 ptrace {name}")(lambda pid=pid: call("ptrace", 16, pid, None, None))
    buffer = ctypes.create_string_buffer(16)
    vector = struct.pack("QQ", ctypes.addressof(buffer), 16)
    attempt(f"12 process_vm_readv {name}")(
        lambda pid=pid: call("process_vm_readv", pid, vector, 1, vector, 1, 0))
    attempt(f"13 kill {name}")(lambda pid=pid: os.kill(pid, 19))
    attempt(f"13 kill group {name}")(lambda pid=pid: os.killpg(pid, 19))
attempt("13 kill all")(lambda: os.kill(-1, 9))
attempt("13 pidfd_open")(lambda: os.pidfd_open(parent))
attempt("13 pidfd_send_signal")(lambda: syscall(424, 4, 9, None, 0))
attempt("13 fcntl F_SETOWN")(lambda: __import__("fcntl").fcntl(4, 8, parent))
attempt("13 tgkill")(lambda: syscall(234 if X86 else 131, parent, parent, 19))

# 14 to 17: privileges and programs
attempt("14 mount")(lambda: call("mount", b"none", b"/", b"tmpfs", 0, None))
attempt("14 umount")(lambda: call("umount2", b"/", 2))
attempt("14 chroot")(lambda: os.chroot("."))
attempt("14 pivot_root")(lambda: syscall(155 if X86 else 41, b".", b"."))
attempt("14 open_tree")(lambda: syscall(428, -100, b"/", 1))
for name, flag in [("user", 0x10000000), ("mount", 0x20000), ("net", 0x40000000),
                   ("pid", 0x20000000)]:
    attempt(f"15 unshare {name}")(lambda flag=flag: call("unshare", flag))
    attempt(f"15 setns {name}")(lambda flag=flag: call("setns", 0, flag))
    attempt(f"15 clone {name}")(
        lambda flag=flag: syscall(56 if X86 else 220, flag | 17, 0, 0, 0, 0))
attempt("15 clone3")(lambda: syscall(435, struct.pack("Q", 0x10000000) + bytes(80), 88))
attempt("16 setuid")(lambda: os.setuid(0))
attempt("16 setgid")(lambda: os.setgid(0))
attempt("16 setgroups")(lambda: os.setgroups([0]))
attempt("16 capset")(lambda: call("capset", struct.pack("Ii", 0x20080522, 0), b"\xff" * 24))
attempt("16 set-uid program")(lambda: os.execv("/usr/bin/su", ["su"]))
if os.getuid() == 0 or os.geteuid() == 0:
    outcomes["16 user"] = "worked: the program is root"
each("17 execute", ["/bin/sh", "/usr/bin/env", "/bin/true"], lambda path: os.execv(path, [path]))


@attempt("17 execute a file of the scratch directory")
def _():
    with open("script", "w") as file:
        file.write("#!/bin/sh\necho out\n")
    os.chmod("script", 0o755)
    os.execv("./script", ["script"])


attempt("17 subprocess")(lambda: __import__("subprocess").run(["/bin/true"], check=True))


@attempt("17 os.system")
def _():
    status = os.system("true")
    if status != 0:
        raise Failed(errno.EPERM)
    return status


attempt("17 posix_spawn")(lambda: os.posix_spawn("/bin/true", ["true"], {}))
attempt("17 memfd")(lambda: os.memfd_create("x"))
attempt("17 execveat")(lambda: syscall(322 if X86 else 281, 3, b"", None, None, 0x1000))

# 18 and 19: processes and memory
attempt("18 fork")(lambda: os.fork() or os._exit(0))
attempt("18 vfork")(lambda: call("vfork"))


@attempt("18 threads")
def _():
    stop, count = threading.Event(), 0
    try:
        while count < 400:
            threading.Thread(target=stop.wait, daemon=True).start()
            count += 1
    finally:
        stop.set()
    return count


attempt("19 2 GB")(lambda: bytearray(2 << 30) and None)
attempt("19 shared memory")(lambda: __import__("mmap").mmap(-1, 2 << 30))
attempt("19 text")(lambda: len("a" * 2 ** 33))

# 20: files
@attempt("20 large file")
def _():
    with open("large", "wb") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))


if os.path.exists("large"):
    os.unlink("large")


@attempt("20 sparse file")
def _():
    with open("sparse", "wb") as file:
        file.truncate(1 << 40)


# 24 and 25: what was inherited
found = []
for fd in range(5, 1024):
    try:
        os.fstat(fd)
        found.append(fd)
    except OSError:
        pass
outcomes["24 descriptors"] = f"worked: {found}" if found else "refused: none"
names = sorted(os.environ)
outcomes["25 environment"] = ("refused: 3 fixed names" if names == ["HOME", "LANG",
                              "PYTHONHASHSEED"] else f"worked: {names}")

# 26 and 27: unusual calls
for name, x86, arm, arguments in [
        ("io_uring_setup", 425, 425, (1, None)), ("bpf", 321, 280, (0, None, 0)),
        ("keyctl", 250, 219, (0, -3, 0)), ("add_key", 248, 217, (b"user", b"a", b"b", 1, -3)),
        ("userfaultfd", 323, 282, (0,)), ("perf_event_open", 298, 241, (None, 0, -1, -1, 0)),
        ("open_by_handle_at", 304, 265, (-100, None, 0)),
        ("name_to_handle_at", 303, 264, (-100, b"/", None, None, 0)),
        ("kexec_load", 246, 104, (0, 0, None, 0)), ("init_module", 175, 105, (None, 0, b"")),
        ("reboot", 169, 142, (0xfee1dead, 672274793, 0, None)), ("syslog", 103, 116, (3, None, 0)),
        ("personality", 135, 92, (0x40000,)), ("fanotify_init", 300, 262, (0, 0)),
        ("inotify_init1", 294, 26, (0,)), ("seccomp", 317, 277, (0, 0, None)),
        ("landlock_create_ruleset", 444, 444, (None, 0, 1)), ("swapon", 167, 224, (b"x", 0)),
        ("sethostname", 170, 161, (b"x", 1)), ("settimeofday", 164, 170, (None, None)),
        ("shmget", 29, 194, (1, 4096, 0o1600)), ("semget", 64, 190, (1, 1, 0o1600)),
        ("msgget", 68, 186, (1, 0o1600)), ("mq_open", 240, 180, (b"q", 0o102, 0o600, None)),
        ("mknodat", 259, 33, (-100, b"fifo", 0o10600, 0)),
        ("setxattr", 188, 5, (b".", b"user.a", b"b", 1, 0)),
        ("fchownat", 260, 54, (-100, HOST["secret"].encode(), 1000, 1000, 0)),
        ("quotactl", 179, 60, (0, None, 0, None)), ("acct", 163, 89, (b"x",)),
        ("pidfd_getfd", 438, 438, (3, 0, 0)), ("process_madvise", 440, 440, (3, None, 0, 0, 0)),
        ("sched_setaffinity", 203, 122, (0, 8, b"\1" + bytes(7))),
        ("setpriority", 141, 140, (0, 0, -5)), ("mlockall", 151, 230, (1,)),
        ("ioprio_set", 251, 30, (1, 0, 0)), ("migrate_pages", 256, 238, (0, 0, None, None))]:
    number = 27 if name in ("shmget", "semget", "msgget", "mq_open", "sched_setaffinity") else 26
    attempt(f"{number} {name}")(lambda x86=x86, arm=arm, arguments=arguments:
                                syscall(x86 if X86 else arm, *arguments))
resource = __import__("resource")
each("27 raise", ["RLIMIT_AS", "RLIMIT_CPU", "RLIMIT_NOFILE", "RLIMIT_FSIZE"],
     lambda name: resource.setrlimit(getattr(resource, name), (1 << 40, 1 << 40)))
attempt("27 prlimit of another process")(
    lambda: resource.prlimit(parent, resource.RLIMIT_CPU, (1, 1)))
attempt("27 TIOCSTI")(lambda: __import__("fcntl").ioctl(1, 0x5412, b"x"))

# What must work.
try:
    write("allowed")
    os.makedirs("one/two")
    os.rename("allowed", "one/two/moved")
    result = read("one/two/moved") == b"x" and json.loads("[1]") == [1]
    thread = threading.Thread(target=lambda: outcomes.update({"thread": "ran"}))
    thread.start()
    thread.join()
    outcomes["allowed"] = "yes" if result and outcomes.pop("thread") == "ran" else "no"
except BaseException as error:
    outcomes["allowed"] = f"no: {error!r}"
for name in ("one/two/moved", "script", "sparse", "swapped"):
    if os.path.exists(name):
        os.unlink(name)
print(json.dumps(outcomes))
