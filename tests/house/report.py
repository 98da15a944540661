#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bench/report.py writes tables, goals and a plot from results, with the same output each time, and
reports invalid results."""
import json
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml
from pathlib import Path

import house
from script import check

PARTS = ["peers", "goals", "product", "search"]
PAGE = "\n".join(["# Page\n",
                  *(f"<!-- begin {p} -->\nold {p}\n<!-- end {p} -->\n" for p in PARTS),
                  "The end.\n"])


def row(group, name, key, **figures):
    usual = {"model": "mock-8", "runs": 100, "conc": 1, "wall_ms": 50.0, "cpu_user_ms": 6.0,
             "cpu_sys_ms": 2.0, "p99_ms": 1.5, "rss_peak_kb": 2048}
    return {"group": group, "name": name, "key": key, "rep": 1, **usual, **figures}


def results(haft=1.0):
    """Rows of three runtimes; haft takes `haft` times as long as the plain loop."""
    rows = []
    for name, factor in [("rawc", 1), ("aisdk", 100), ("haft", haft), ("haft+durable", 2 * haft)]:
        cost = {"cpu_user_ms": 8.0 * factor, "cpu_sys_ms": 0}
        rows += [row("steady", name, "c8", **cost), row("load", name, "c64", **cost),
                 row("load", name, "c1", **cost, rss_start_kb=9216),
                 row("cold", name, "", first_req_ms=3.0 * factor, exit_ms=5.0 * factor),
                 row("fanout", name, "c1000", model="mock-2", wall_ms=600.0 * factor)]
        rows += [row("scale", name, f"t{t}", model=f"mock-{t}", cpu_user_ms=0.01 * factor * t * 100,
                     cpu_sys_ms=0) for t in (8, 32, 128, 256)]
    rows.append(row("durable", "haft+durable", "t8", db_bytes=100 * 8192))
    rows.append(row("suspend", "haft+durable", "s1000", rss_per_run=1024, heap_per_run=100,
                    db_bytes=1040 * 2048))
    rows.append({"group": "load", "name": "mastra", "key": "c1", "rep": 1,
                 "error": "at line 7\nError: it fell over\n"})
    rows.append(rows[-1])
    return rows


def own_rows():
    return [row("scale", "haft+durable", f"t{t}", model=f"mock-{t}", runs=8, longest=3000 + 400 * t,
                db_bytes=10 * t * 1200) for t in (8, 32, 128, 256)]


SEARCH = """### grep

| tree | pattern | haft | rg -j1 | haft / rg |
|---|---|---:|---:|---:|
| small | `a\\|b` | 1.0 | 1.0 | 1.00 |
| large | `c` | 3.0 | 2.0 | 1.50 |
"""


def report(files, page=PAGE, times=1):
    """(status, errors, the page, the plot)"""
    with tempfile.TemporaryDirectory(prefix="haft-report-") as temporary:
        directory = Path(temporary)
        docs, svg = directory / "page.md", directory / "plot.svg"
        docs.write_text(page)
        for name, text in files.items():
            (directory / name).write_text(text)
        for _ in range(times):
            done = subprocess.run([sys.executable, house.ROOT / "bench/report.py", directory,
                                   "--docs", docs, "--svg", svg], capture_output=True, text=True,
                                  check=False, env={"PYTHONDONTWRITEBYTECODE": "1"})
        return (done.returncode, done.stdout + done.stderr, docs.read_text(),
                svg.read_text() if svg.exists() else "")


def goal(page, name):
    """The measured value and the verdict of a goal."""
    lines = [line for line in page.splitlines() if line.startswith(f"| {name}")]
    return [cell.strip() for line in lines for cell in line.split("|")[3:5]]


ALL = {"results.json": json.dumps({"rows": results()}), "search.md": SEARCH,
       "product.json": json.dumps({"rows": own_rows()})}
status, errors, written, svg = report(ALL)
check("report_is_written", (status, errors), (0, ""))
check("text_outside_the_marks_is_unchanged",
      (written[:8], written[-9:]), ("# Page\n\n", "The end.\n"))
check("old_parts_are_removed", re.findall(r"^old \w+$", written, re.M), [])
check("second_report_changes_nothing", report(ALL, times=2)[2], written)
check("each_peer_has_a_row", "| aisdk | 2,000 | 1,000 | 100 |" in written, True)
check("failure_is_reported_once", written.count("- mastra, load: Error: it fell over\n"), 1)
check("search_table_is_written", "| large | `c` | 3.0 | 2.0 | 1.50 |" in written, True)
check("product_table_is_written", "| 256 | 1,200 | 400 | 800 |" in written, True)
for name, wanted in [("CPU per turn in memory, x rawc", ["1", "met"]),
                     ("CPU per turn in memory, times less", ["100", "met"]),
                     ("runs of 8 turns a second", ["2,000", "met"]),
                     ("cold start to first request", ["3 ms", "met"]),
                     ("RSS before the first request", ["9 MB", "met"]),
                     ("1,000 runs at 200 ms latency", ["1", "met"]),
                     ("CPU per turn at 256", ["1", "met"]),
                     ("bytes stored per turn beyond content, 256", ["800", "met"]),
                     ("heap of a durable run", ["100 bytes", "met"]),
                     ("grep, x rg -j1", ["1.5", "met"])]:
    check("goal_" + re.sub(r"\W+", "_", name), goal(written, name), wanted)

slow = report({"results.json": json.dumps({"rows": results(haft=5)})})[2]
check("goal_that_is_not_met_is_marked",
      goal(slow, "CPU per turn in memory, x rawc"), ["5", "not met"])
check("goal_that_was_not_measured_is_marked", goal(slow, "grep, x rg -j1"), ["-", "not measured"])
check("other_parts_are_unchanged", "old product\n" in slow and "old search\n" in slow, True)

plot = xml.fromstring(svg)
texts = [node.text for node in plot.iter() if node.tag.endswith("text")]
check("plot_names_all_runtimes", {"rawc", "aisdk", "haft", "haft+durable"} <= set(texts), True)
check("the_plot_has_bars", len([n for n in plot.iter() if n.tag.endswith("rect")]), 16)
check("picture_refers_to_no_external_file",
      re.findall(r"https?://(?!www\.w3\.org/2000/svg)|url\(|href|@import", svg), [])
check("fonts_are_generic", set(re.findall(r"font: \d+px ([^;]*);", svg)), {"sans-serif"})
check("picture_has_dark_colours", "prefers-color-scheme: dark" in svg, True)
width = float(plot.get("width"))
check("bars_stay_inside_the_plot", [n.attrib for n in plot.iter() if n.tag.endswith("rect")
                           and not 0 < float(n.get("x")) + float(n.get("width")) < width], [])

few = [r for r in results() if r["group"] in ("steady", "durable")]
few = xml.fromstring(report({"results.json": json.dumps({"rows": few})})[3])
check("a_panel_without_bars_is_left_out", [n.text for n in few.iter() if n.get("class") == "title"],
      ["CPU per tool turn, microseconds (warm process, 8 runs at a time)"])

status, errors, page, _ = report({})
check("missing_results_are_an_error", (status, "make bench-peers" in errors, page), (1, True, PAGE))
for name, text in [("cut", '{"rows": ['), ("a_list", "[]"), ("no_rows", "{}")]:
    status, errors, page, _ = report({"results.json": text})
    check(f"invalid_results_are_an_error_{name}", (status, "is not a results file" in errors, page),
          (1, True, PAGE))
status, errors, _, _ = report(ALL, page="# Page\n")
check("page_without_marks_is_an_error", (status, "<!-- begin peers -->" in errors), (1, True))
