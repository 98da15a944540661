# SPDX-License-Identifier: Apache-2.0
"""search_database: customers with words of the query in any column, best first, as JSON."""
import csv
import json
import re

import arguments


def typed(row):
    """Numbers as numbers."""
    return {key: int(value) if value.isdigit() else value for key, value in row.items()}


query, limit = arguments.read("query", "limit")
if not limit.isdigit() or int(limit) == 0:
    arguments.fail(f"limit: expected a whole number from 1, found {limit!r}")
words = set(re.findall(r"\w+", query.lower()))
found = []
with open(arguments.DATA / "customers.csv", newline="", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        hits = len(words & set(re.findall(r"\w+", " ".join(row.values()).lower())))
        if hits:
            found.append((-hits, int(row["id"]), typed(row)))
print("[" + ",\n ".join(json.dumps(row) for _, _, row in sorted(found)[:int(limit)]) + "]")
