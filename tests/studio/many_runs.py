# SPDX-License-Identifier: Apache-2.0
"""tests/studio/many_runs.py DATABASE COUNT: copies the row of the newest run of an SQLite store
until the store lists COUNT runs, so that the list of runs can be tested with many. The copies have
no events: they can be listed, but not opened."""
import sqlite3
import sys

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def spell(number):
    """A run id: 130 bits in base 32, 26 characters."""
    return "".join(ALPHABET[number >> shift & 31] for shift in range(125, -1, -5))


with sqlite3.connect(sys.argv[1]) as store:
    cursor = store.execute("SELECT * FROM runs ORDER BY number DESC LIMIT 1")
    names = [column[0] for column in cursor.description]
    row = dict(zip(names, cursor.fetchone()))
    first = int("".join(f"{ALPHABET.index(letter):05b}" for letter in row["id"]), 2)
    rows = []
    for index in range(1, int(sys.argv[2])):
        copy = dict(row, number=row["number"] + index, id=spell(first - index * 65536),
                    created=row["created"] - index * 1000, updated=row["updated"] - index * 1000)
        rows.append([copy[name] for name in names])
    store.executemany(f"INSERT INTO runs VALUES ({', '.join('?' * len(names))})", rows)
