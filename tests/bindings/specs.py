# SPDX-License-Identifier: Apache-2.0
"""Specs with scripted models for the tests of the bindings."""
import json
from pathlib import Path


def call(name, **arguments):
    return {"name": name, "arguments": arguments}


def write(place, replies, name="agent", **parts):
    """A spec NAME.yaml whose model gives the replies; a list is a reply with these calls."""
    place = Path(place)
    listed = [{"calls": each} if isinstance(each, list) else {"text": each} for each in replies]
    (place / f"{name}.script.yaml").write_text(json.dumps({"replies": listed}))
    spec = place / f"{name}.yaml"
    spec.write_text(json.dumps({"haft": 1, "name": name, "model": f"script:{name}.script.yaml",
                                "instructions": "You answer.", **parts}))
    return spec
