#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The files of `make install` suffice to compile and run a program, shared and static."""
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


def pkg_config(directory, name, *words):
    pc = only(directory, f"{name}.pc")
    environment = {"PKG_CONFIG_PATH": str(pc.parent), "PKG_CONFIG_SYSROOT_DIR": str(directory)}
    return house.run(["pkg-config", *words, name], environment=environment)


def flags_of(directory, name, static):
    """Debian does not package every library as an archive, so `--static` is not possible: our
    archive is named, and its dependencies are linked dynamically."""
    if not static:
        return pkg_config(directory, name, "--cflags", "--libs")
    needed = pkg_config(directory, name, "--print-requires-private")[1].split()
    _, own = pkg_config(directory, name, "--cflags")
    status, flags = house.run(["pkg-config", "--libs", *needed]) if needed else (0, "")
    return status, f"{own} {only(directory, f'lib{name}.a')} {flags} {'-pthread' * bool(needed)}"


def compile_and_run(directory, name, static):
    status, flags = flags_of(directory, name, static)
    if status != 0:
        return [flags]
    program = directory / f"{name}-{'static' if static else 'shared'}"
    status, output = house.run([*house.CC, "-Wall", "-Werror", "examples/version.c", "-o", program,
                                *flags.split()])
    if status != 0:
        return [f"{flags}{output}"]
    library = only(directory, f"lib{name}.so.0")
    found = house.run([program], environment={} if static
                      else {"LD_LIBRARY_PATH": str(library.parent)})
    return [] if found == (0, VERSION) else [f"wanted {(0, VERSION)}, found {found}"]


with tempfile.TemporaryDirectory(prefix="haft-install-") as temporary:
    root = Path(temporary)
    problems = install(root)
    house.check("make_install_works", problems)
    files = ["haft", "haft.h", "guard", *(file for name in ("haft", "haft-core") for file in (
        f"{name}.pc", f"lib{name}.a", f"lib{name}.so", f"lib{name}.so.0")),
             "config.schema.json", "haft.1", "haft-run.1", "share/bash-completion/completions/haft",
             "share/zsh/site-functions/_haft", "haft-worker@.service", "haft-workers.target",
             "haft-gc.service", "haft-gc.timer", "share/fish/vendor_completions.d/haft.fish"]
    problems = [f"{name} was not installed" for name in files if only(root, name) is None]
    house.check("everything_is_installed", problems)
    if not problems:
        for name in ("haft", "haft-core"):
            house.check(f"a_program_links_with_the_shared_lib{name}",
                        compile_and_run(root, name, False))
            house.check(f"a_program_links_with_the_static_lib{name}",
                        compile_and_run(root, name, True))
        found = pkg_config(root, "haft-core", "--libs")
        house.check("haft-core_is_linked_alone",
                    [] if found[1].split()[-1:] == ["-lhaft-core"] and "-lhaft " not in found[1]
                    else [found])
        found = house.run([only(root / "usr", "haft"), "--version"])
        house.check("the_installed_command_runs",
                    [] if found == (0, VERSION) else [f"found {found}"])
