#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""systemd accepts the units, and they stop a worker in the right way."""
import re
import tempfile
from pathlib import Path

import house

UNITS = house.ROOT / "packaging/systemd"


def settings(text):
    return dict(line.split("=", 1) for line in text.splitlines() if re.match(r"\w+=", line))


for name in ("haft-worker@", "haft-serve"):
    unit = settings((UNITS / f"{name}.service.in").read_text())
    house.check(f"only_{name}_gets_the_stop_signal",
                [] if (unit["KillMode"], unit["KillSignal"]) == ("mixed", "SIGTERM") else [unit])
    hidden = [word for word in ("ProtectProc", "PrivatePIDs", "ProcSubset") if word in unit]
    house.check(f"{name}_does_not_hide_other_processes", hidden)

if not house.has("systemd-analyze"):
    house.skip("systemd_accepts_the_units", "systemd-analyze is not installed")
else:
    with tempfile.TemporaryDirectory(prefix="haft-units-") as temporary:
        paths = []
        for unit in sorted(UNITS.iterdir()):
            name = unit.name.removesuffix(".in").replace("@.", "@1.")
            path = Path(temporary) / name
            # The command is not installed, and the account may not exist.
            path.write_text(unit.read_text().replace("@bindir@/haft", str(house.BUILD / "haft")))
            paths.append(path)
        status, output = house.run(["systemd-analyze", "verify", "--man=no", *paths])
        wrong = [line for line in output.splitlines() if temporary in line or "haft-" in line]
        house.check("systemd_accepts_the_units", wrong if status != 0 or wrong else [])
