# SPDX-License-Identifier: Apache-2.0
"""calculate_statistics: count, sum and mean of a column of numbers, for each status."""
import csv

import arguments


def as_number(text):
    return int(text) if text.lstrip("-").isdigit() else float(text)


def short(number):
    return f"{number:.2f}".rstrip("0").rstrip(".")


[column] = arguments.read("column")
groups = {}
with open(arguments.DATA / "customers.csv", newline="", encoding="utf-8") as file:
    reader = csv.DictReader(file)
    if column not in reader.fieldnames:
        arguments.fail(f"there is no column {column!r}; there are {', '.join(reader.fieldnames)}")
    for row in reader:
        try:
            groups.setdefault(row["status"], []).append(as_number(row[column]))
        except ValueError:
            arguments.fail(f"column {column!r} holds no numbers: {row[column]!r}")
for status, numbers in sorted(groups.items()):
    total = sum(numbers)
    print(f"{status}: count {len(numbers)}, sum {short(total)}, mean {short(total / len(numbers))}")
