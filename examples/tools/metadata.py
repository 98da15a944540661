# SPDX-License-Identifier: Apache-2.0
"""extract_metadata: the lines `Key: value` at the head of a document, as JSON."""
import json
import re

import arguments

[path] = arguments.read("path")
metadata = {}
for line in arguments.document(path).splitlines():
    found = re.fullmatch(r"(\w+): (.*)", line)
    if not found:
        break
    metadata[found[1].lower()] = found[2]
print(json.dumps(metadata))
