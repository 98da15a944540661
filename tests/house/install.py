#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `make install` leaves behind is enough to compile and run a program, shared and static."""
import tempfile
from pathlib import Path

import house

VERSION = house.run([house.BUILD / "haft", "--version"])[1]


def install(directory):
    status, output = house.run(["make", "--no-print-directory", "install", f"DESTDIR={directory}"])
    return [output] if status != 0 else []


def only(directory, pattern):
    found = sorted(directory.rglob(f"**/{pattern}" if "/" in pattern else pattern))
    return found[0] if found else None


def pkg_config(directory, *words):
    pc = only(directory, "haft.pc")
    environment = {"PKG_CONFIG_PATH": str(pc.parent), "PKG_CONFIG_SYSROOT_DIR": str(directory)}
    return house.run(["pkg-config", *words, "haft"], environment=environment)


def flags_of(directory, static):
    """Debian's libraries are not all there as archives, so that `--static` cannot be had: the
    archive is named, and what it needs is linked as usual."""
    if not static:
        return pkg_config(directory, "--cflags", "--libs")
    _, needed = pkg_config(directory, "--print-requires-private")
    _, own = pkg_config(directory, "--cflags")
    status, flags = house.run(["pkg-config", "--libs", *needed.split()])
    return status, f"{own} {only(directory, 'libhaft.a')} {flags} -pthread"


def compile_and_run(directory, name, static):
    status, flags = flags_of(directory, static)
    if status != 0:
        return [flags]
    program = directory / name
    status, output = house.run([*house.CC, "-Wall", "-Werror", "examples/version.c", "-o", program,
                                *flags.split()])
    if status != 0:
        return [f"{flags}{output}"]
    library = only(directory, "libhaft.so.0")
    found = house.run([program], environment={} if static
                      else {"LD_LIBRARY_PATH": str(library.parent)})
    return [] if found == (0, VERSION) else [f"wanted {(0, VERSION)}, found {found}"]


with tempfile.TemporaryDirectory(prefix="haft-install-") as temporary:
    root = Path(temporary)
    problems = install(root)
    house.check("make_install_works", problems)
    files = ["haft", "haft.h", "haft.pc", "libhaft.a", "libhaft.so", "libhaft.so.0", "guard",
             "config.schema.json", "haft.1", "haft-run.1", "share/bash-completion/completions/haft",
             "share/zsh/site-functions/_haft", "share/fish/vendor_completions.d/haft.fish"]
    problems = [f"{name} was not installed" for name in files if only(root, name) is None]
    house.check("everything_is_installed", problems)
    if not problems:
        house.check("a_program_links_with_the_shared_library",
                    compile_and_run(root, "shared", False))
        house.check("a_program_links_with_the_static_library",
                    compile_and_run(root, "static", True))
        found = house.run([only(root / "usr", "haft"), "--version"])
        house.check("the_installed_command_runs",
                    [] if found == (0, VERSION) else [f"found {found}"])
