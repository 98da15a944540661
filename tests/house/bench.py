#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/bench runs the requested tables, scripts/bench-peers says what is missing, and
bench/pgbench.py reads and writes its files. The programs that the scripts run are stand-ins."""
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import house
from script import check

sys.path.insert(0, str(house.ROOT / "bench"))
import pgbench  # noqa: E402

REAL = ["sh", "dirname", "env", "cat", "tee"]


def stand_in(path, body):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def tables(*words):
    """The commands that scripts/bench runs for the words."""
    with tempfile.TemporaryDirectory(prefix="haft-bench-") as temporary:
        directory = Path(temporary)
        stand_in(directory / "build/bench/haft-bench", "echo tables $#")
        stand_in(directory / "bin/python3", 'echo "$@"')
        done = subprocess.run([house.ROOT / "scripts/bench", directory / "build", *words],
                              capture_output=True, text=True, check=False,
                              env={"PATH": f"{directory}/bin:{os.environ['PATH']}"})
        lines = [line.replace(str(directory / "build"), "").split()
                 for line in done.stdout.splitlines()]
        return [" ".join(line[:1] + [w for w in line[1:] if not w.isdigit()]) for line in lines]


def refused(function, *arguments):
    try:
        function(*arguments)
    except ValueError:
        return True
    return False


def peers(drivers=True, npm="exit 0", installed=False, missing=()):
    """(status, standard error, commands) of scripts/bench-peers on a simulated machine."""
    with tempfile.TemporaryDirectory(prefix="haft-peers-") as temporary:
        directory = Path(temporary)
        calls, tree = directory / "calls", directory / "tree"
        (directory / "bin").mkdir()
        calls.write_text("")
        for name in REAL:
            os.symlink(shutil.which(name), directory / "bin" / name)
        for name in ["node", "wrk", "cc", "c++"]:
            if name not in missing:
                stand_in(directory / "bin" / name, "exit 0")
        stand_in(directory / "bin/npm", f'[ "$1" = ping ] || echo REGISTRY; {npm}')
        for name in ["deps", "build"]:
            stand_in(tree / "scripts" / name, f'echo {name} "$@" >>"{calls}"')
        stand_in(tree / "build-bench/bench/haft-bench", "echo table")
        stand_in(directory / "bin/python3", f'echo "$@" >>"{calls}"')
        shutil.copy(house.ROOT / "scripts/bench-peers", tree / "scripts")
        if drivers:
            stand_in(directory / "drivers/run-peers.sh", f'echo "$HAFT" "$1" >>"{calls}"')
        (directory / "place").mkdir()
        if installed:
            (directory / "place/node_modules/langchain").mkdir(parents=True)
        done = subprocess.run([tree / "scripts/bench-peers"], capture_output=True, text=True,
                              check=False, env={"PATH": str(directory / "bin"),
                                                "PEERS_DRIVERS": str(directory / "drivers"),
                                                "PEERS_DIR": str(directory / "place")})
        return done.returncode, done.stderr, calls.read_text().replace(temporary, "")


check("all_tables_without_words", tables() == ["tables", "bench/product.py", "bench/children.py",
                                             "bench/telemetry.py", "bench/graphs.py",
                                             "bench/postgres.py", "bench/search_tree.py",
                                             "bench/serve.py"])
check("serve_selects_only_its_table", tables("serve") == ["bench/serve.py"])
check("children_select_only_their_tables", tables("children") == ["bench/children.py"])
check("telemetry_selects_only_its_table", tables("telemetry") == ["bench/telemetry.py"])
check("graphs_select_only_their_tables", tables("graphs") == ["bench/graphs.py"])
check("search_tree_selects_only_its_table", tables("search_tree") == ["bench/search_tree.py"])
check("one_word_selects_one_table", tables("search") == ["tables"])
check("product_selects_only_its_table", tables("product") == ["bench/product.py"])
check("postgres_selects_only_its_tables", tables("postgres") == ["bench/postgres.py"])
check("one_postgres_table_can_be_selected", tables("postgres-claims", "postgres-idle") == [
    "bench/postgres.py claims idle"])
check("two_words_select_two_tables", tables("product", "search") == ["tables", "bench/product.py"])
status, errors, calls = peers()
check("peers_are_run", status == 0 and calls == (
    "deps build bench peers\nbuild build-release -Doptimization=2 -Ddebug=false\n"
    "/tree/build-release/haft /place\nbuild build-bench -Dbench=true\n"
    "bench/product.py build-bench /place/product.json\n"))
check("directory_of_the_results_is_printed", "bench/report.py" in errors)
status, errors, calls = peers(drivers=False)
check("missing_drivers_are_reported",
      (status, calls) == (1, "") and "run-peers.sh is missing" in errors
      and "'make bench'" in errors)
status, errors, calls = peers(missing=["wrk"])
check("missing_program_is_reported", status == 1 and "program wrk is missing" in errors)
status, errors, calls = peers(npm="exit 1")
check("unreachable_npm_registry_is_reported", status == 1 and "cannot reach REGISTRY" in errors
      and "build-release" not in calls)
check("installed_packages_need_no_network", peers(npm="exit 1", installed=True)[0] == 0)

check("statements_of_the_store_are_read", pgbench.read_statements(
    'A: "SELECT \\"x\\" " "FROM t"\nB:\n"COMMIT"\n') == {"A": 'SELECT "x" FROM t', "B": "COMMIT"})
check("every_script_can_be_written", all(
    "$" not in pgbench.script(name) and pgbench.script(name).count("\\startpipeline")
    == len(pgbench.SCRIPTS[name][1]) for name in pgbench.SCRIPTS))
check("parameters_are_filled_in", pgbench.fill("a = $1 AND b = $12 AND c = $1::text",
                                               [":x", *"bcdefghijk", "1 + 1"])
      == "a = :x AND b = (1 + 1) AND c = :x::text")
check("missing_parameter_is_an_error", refused(pgbench.fill, "a = $2", ["1"]))
check("times_are_sorted", pgbench.times(["0 1 2500 0 1 2", "1 1 1500 0 1 2"]) == [1.5, 2.5])
check("percentiles_are_computed", [pgbench.part([1, 2, 3], share) for share in (0, 0.5, 0.99, 1)]
      == [1, 2, 2, 3])
check("figures_of_a_table_are_read", pgbench.figures("10 1.5 2.25\n") == (10, 1.5, 2.25))
check("invalid_figures_are_an_error",
      refused(pgbench.figures, "") and refused(pgbench.figures, "1 2 x"))
