#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes results into the docs: bench/report.py RESULTS_DIR [--docs FILE] [--svg FILE]

RESULTS_DIR has the output of `make bench-peers`: results.json (haft and other runtimes),
product.json (haft and a bare loop) and search.md (its grep). The parts of docs/benchmarks.md
between `<!-- begin NAME -->` and `<!-- end NAME -->` are rewritten from these files, and so is
the plot.
"""
import argparse
import json
import re
import sys
from pathlib import Path

import plot
import product
from rows import Rows, cpu, cpu_per_turn, peak_mb, ratio, runs_per_second, show, table

ROOT = Path(__file__).resolve().parent.parent
TURNS = [8, 32, 128, 256]
STORED_TURNS = [8, 32, 128]


def die(message):
    sys.exit(f"bench/report.py: {message}")


# ---- tables of the comparison ----

def section(rows, title, group, head, line):
    names = rows.names(group)
    if not names:
        return ""
    return f"### {title}\n\n{table(['contender', *head], [[n, *line(n)] for n in names])}"


def tables_of_peers(rows):
    def of(group, key, figure, digits=1):
        return lambda name: show(rows.median(group, name, key, figure), digits)

    def columns(*figures):
        return lambda name: [figure(name) for figure in figures]

    floor = rows.median("steady", "rawc", "c8", cpu_per_turn)
    parts = [
        section(rows, "Cold start, one call of a tool", "cold",
                ["to first request ms", "to exit ms", "peak RSS MB"],
                columns(of("cold", "", lambda r: r["first_req_ms"]),
                        of("cold", "", lambda r: r["exit_ms"]), of("cold", "", peak_mb))),
        section(rows, "A warm process: runs of 8 turns, 8 at a time", "steady",
                ["runs/s", "CPU us/turn", "x rawc"],
                columns(of("steady", "c8", runs_per_second), of("steady", "c8", cpu_per_turn),
                        of("steady", "c8", lambda r: ratio(cpu_per_turn(r), floor)))),
        section(rows, "Runs of 8 turns, 1 and 64 at a time", "load",
                ["runs/s, 1", "runs/s, 64", "CPU us/turn, 1", "CPU us/turn, 64", "p99 run ms, 64",
                 "peak RSS MB, 64"],
                columns(of("load", "c1", runs_per_second), of("load", "c64", runs_per_second),
                        of("load", "c1", cpu_per_turn), of("load", "c64", cpu_per_turn),
                        of("load", "c64", lambda r: r["p99_ms"]), of("load", "c64", peak_mb))),
        section(rows, "CPU us per turn against the number of turns", "scale",
                [*(f"{t} turns" for t in TURNS), "256 / 8"],
                lambda name: [*(of("scale", f"t{t}", cpu_per_turn)(name) for t in TURNS),
                              show(growth(rows, name), 2)]),
        section(rows, "Kept in a file", "durable",
                [*(f"runs/s, {t} turns" for t in STORED_TURNS),
                 *(f"KB/run, {t} turns" for t in STORED_TURNS)],
                lambda name: [*(of("durable", f"t{t}", runs_per_second)(name)
                                for t in STORED_TURNS),
                              *(of("durable", f"t{t}", lambda r: r["db_bytes"] / r["runs"] / 1024
                                   )(name) for t in STORED_TURNS)]),
        section(rows, "1,000 runs that wait for approval, each", "suspend",
                ["RSS KB", "live heap KB", "disk KB"],
                columns(of("suspend", "s1000", lambda r: r["rss_per_run"] / 1024),
                        of("suspend", "s1000", lambda r: r["heap_per_run"] / 1024),
                        of("suspend", "s1000", lambda r: r["db_bytes"] / 1040 / 1024))),
        section(rows, "1,000 runs of 2 turns at once, 200 ms of latency", "fanout",
                ["wall ms", "p99 run ms", "CPU s", "peak RSS MB"],
                columns(of("fanout", "c1000", lambda r: r["wall_ms"]),
                        of("fanout", "c1000", lambda r: r["p99_ms"]),
                        of("fanout", "c1000", lambda r: cpu(r) / 1e3, 2),
                        of("fanout", "c1000", peak_mb))),
    ]
    errors = dict.fromkeys(f"- {r['name']}, {r['group']}: {reason(r['error'])}\n"
                           for r in rows.errors)
    if errors:
        parts.append("These failed:\n\n" + "".join(errors))
    return "\n".join(part for part in parts if part)


def reason(text):
    """The line with the error; the driver has only the end of the output."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if "rror" in line]
    return (named or lines or ["no reason given"])[0][:100]


def growth(rows, name):
    """The cost of a turn in a run of 256 turns, relative to one of 8."""
    return ratio(rows.median("scale", name, "t256", cpu_per_turn),
                 rows.median("scale", name, "t8", cpu_per_turn))


# ---- goals ----

def worst_of_search(text):
    """The greatest ratio to ripgrep's time; None if it was not measured."""
    found, at = [], None
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        at = cells.index("haft / rg") if "haft / rg" in cells else at
        if at is not None and len(cells) > at and re.fullmatch(r"\d+(\.\d+)?", cells[at]):
            found.append(float(cells[at]))
    return max(found, default=None)


def goals(rows, own, search):
    """(goal, target, result, whether it is met; None: not measured)"""
    def steady(name):
        return rows.median("steady", name, "c8", cpu_per_turn)

    def at_most(goal, found, most, unit="", digits=2):
        met = None if found is None else found <= most
        return goal, f"at most {show(most)}{unit}", show(found, digits) + unit * bool(found), met

    def at_least(goal, found, least, unit="", digits=0):
        met = None if found is None else found >= least
        return goal, f"at least {show(least)}{unit}", show(found, digits) + unit * bool(found), met

    def fan_out(name, figure):
        return rows.median("fanout", name, "c1000", figure)

    def beyond(turns):
        stored, content = product.stored_and_content(own, turns)
        return stored - content if stored is not None else None

    idle = [r["rss_start_kb"] / 1024 for r in rows.rows + own.rows
            if r["name"] == "haft" and "rss_start_kb" in r]
    return [
        at_most("CPU per turn in memory, x rawc", ratio(steady("haft"), steady("rawc")), 2),
        at_most("CPU per turn durable, x rawc", ratio(steady("haft+durable"), steady("rawc")), 4),
        at_least("CPU per turn in memory, times less than AI SDK",
                 ratio(steady("aisdk"), steady("haft")), 50),
        at_least("CPU per turn durable, times less than AI SDK",
                 ratio(steady("aisdk"), steady("haft+durable")), 25),
        at_least("runs of 8 turns a second in one process, 64 at once",
                 rows.median("load", "haft", "c64", runs_per_second), 2000),
        at_least("the same durable",
                 rows.median("load", "haft+durable", "c64", runs_per_second), 1000),
        at_most("cold start to first request",
                rows.median("cold", "haft", "", lambda r: r["first_req_ms"]), 15, " ms", 1),
        at_most("RSS before the first request", max(idle, default=None), 12, " MB", 1),
        at_most("1,000 runs at 200 ms latency, wall time x rawc",
                ratio(fan_out("haft", lambda r: r["wall_ms"]),
                      fan_out("rawc", lambda r: r["wall_ms"])), 1.1),
        at_most("their peak RSS", fan_out("haft", peak_mb), 60, " MB", 1),
        at_most("CPU per turn at 256 turns / at 8, x that of rawc",
                ratio(growth(rows, "haft"), growth(rows, "rawc")), 1.1),
        at_most("bytes stored per turn beyond content, 8 turns", beyond(8), 1024, "", 0),
        at_most("bytes stored per turn beyond content, 256 turns", beyond(256), 1024, "", 0),
        at_most("heap of a durable run that waits",
                rows.median("suspend", "haft+durable", "s1000", lambda r: r["heap_per_run"]),
                1024, " bytes", 0),
        at_most("grep, x rg -j1, the worst of all rows", worst_of_search(search), 2),
    ]


def table_of_goals(found):
    verdict = {True: "met", False: "not met", None: "not measured"}
    return table(["goal", "wanted", "found", ""],
                 [[goal, wanted, value, verdict[met]] for goal, wanted, value, met in found])


# ---- the plot ----

def panels(rows):
    def bars(group, key, figure):
        return [(name, rows.median(group, name, key, figure)) for name in rows.names(group)]

    return [
        ("CPU per tool turn, microseconds (warm process, 8 runs at a time)",
         bars("steady", "c8", cpu_per_turn)),
        ("Cold start to the first request, milliseconds",
         bars("cold", "", lambda r: r["first_req_ms"])),
        ("1,000 runs at once, 200 ms of latency: wall time, milliseconds (600 at best)",
         bars("fanout", "c1000", lambda r: r["wall_ms"])),
        ("The same: peak memory, MB", bars("fanout", "c1000", peak_mb)),
    ]


# ---- writing ----

def replace_part(text, name, part):
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->\n"
    before, found, rest = text.partition(begin)
    _, ended, after = rest.partition(end)
    if not found or not ended:
        die(f"the docs have no '{begin.strip()}' ... '{end.strip()}' for this part")
    return before + begin + "\n" + part.strip() + "\n\n" + end + after


def read_rows(path):
    if not path.exists():
        return Rows([])
    try:
        return Rows(json.loads(path.read_text())["rows"])
    except (ValueError, KeyError, TypeError) as problem:
        return die(f"{path} is not a results file: {problem!r}")


def main():
    parser = argparse.ArgumentParser(description="writes results into the docs")
    parser.add_argument("results", type=Path, metavar="RESULTS_DIR")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs/benchmarks.md")
    parser.add_argument("--svg", type=Path, default=ROOT / "docs/benchmarks.svg")
    options = parser.parse_args()
    rows = read_rows(options.results / "results.json")
    own = read_rows(options.results / "product.json")
    search = options.results / "search.md"
    search = search.read_text() if search.exists() else ""
    if not rows.rows and not own.rows and not search:
        die(f"{options.results} has neither results.json nor product.json nor search.md: "
            "run `make bench-peers` first")
    text = options.docs.read_text()
    if rows.rows:
        text = replace_part(text, "peers", tables_of_peers(rows))
        text = replace_part(text, "goals", table_of_goals(goals(rows, own, search)))
        options.svg.write_text(plot.draw(panels(rows), "haft beside other agent runtimes"))
    if own.rows:
        text = replace_part(text, "product", product.tables(own))
    if search:
        text = replace_part(text, "search", search.partition("\n")[2])
    options.docs.write_text(text)


if __name__ == "__main__":
    main()
