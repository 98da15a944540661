# SPDX-License-Identifier: Apache-2.0
"""Rows of measurements, and medians and tables from them.

A row is an object with a group (what was measured), a name (of the contender), a key (with which
parameters), a repetition, and the figures that the contender printed. bench/product.py makes such
rows, and so does the driver of the comparison with other runtimes.
"""


def median(values):
    values = sorted(v for v in values if v is not None)
    return values[(len(values) - 1) // 2] if values else None


def cpu(row):
    """Milliseconds of processor time."""
    return row["cpu_user_ms"] + row["cpu_sys_ms"]


def turns(row):
    return int(row["model"].split("-")[1].split("x")[0])


def cpu_per_turn(row):
    """Microseconds of processor time for a tool turn."""
    return cpu(row) * 1e3 / row["runs"] / turns(row)


def runs_per_second(row):
    return row["runs"] / row["wall_ms"] * 1e3


def peak_mb(row):
    return row["rss_peak_kb"] / 1024


class Rows:
    """Rows without errors; `errors` has the others."""

    def __init__(self, rows):
        self.rows = [r for r in rows if not r.get("error")]
        self.errors = [r for r in rows if r.get("error")]

    def names(self, group):
        """Contenders of a group, in their order."""
        return list(dict.fromkeys(r["name"] for r in self.rows if r["group"] == group))

    def median(self, group, name, key, figure):
        """None if there is no such row, or it has no such figure."""
        found = []
        for row in self.rows:
            if (row["group"], row["name"], row["key"]) == (group, name, key):
                try:
                    found.append(figure(row))
                except (KeyError, TypeError, ZeroDivisionError):
                    pass
        return median(found)


def ratio(a, b):
    return a / b if a is not None and b else None


def show(value, digits=1):
    """"-" for None; thousands are separated, as in 12,345."""
    if value is None:
        return "-"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def table(head, lines):
    """Markdown; the first column is text, the others are numbers."""
    rule = "|---|" + "---:|" * (len(head) - 1)
    return "\n".join(["| " + " | ".join(head) + " |", rule,
                      *("| " + " | ".join(line) + " |" for line in lines)]) + "\n"
