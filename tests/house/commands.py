#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/commands.md equals the output of `haft help --format markdown`;
`tests/house/commands.py --write` updates it."""
import sys

import house

PAGE = house.ROOT / "docs/commands.md"
status, text = house.run([house.BUILD / "haft", "help", "--format", "markdown"])
if "--write" in sys.argv:
    PAGE.write_text(text)
else:
    house.check("the_page_is_printed", [] if status == 0 and len(text) > 5000 else [text])
    house.check("the_page_has_the_table_of_commands",
                [] if PAGE.exists() and PAGE.read_text() == text
                else ["docs/commands.md is not up to date; "
                      "run tests/house/commands.py --write"])
