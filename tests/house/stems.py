#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The stemmer of scripts/make-vectors produces the stems of tests/tool/search/stems.txt, like the
stemmer in C (tests/tool/index/stem_test.c). Otherwise words would not be found in the vectors."""
import importlib.util
from importlib.machinery import SourceFileLoader

import house

loader = SourceFileLoader("make_vectors", str(house.ROOT / "scripts/make-vectors"))
spec = importlib.util.spec_from_loader("make_vectors", loader)
make_vectors = importlib.util.module_from_spec(spec)
loader.exec_module(make_vectors)

rows = [line.split() for line in
        (house.ROOT / "tests/tool/search/stems.txt").read_text().splitlines()]
house.check("stems_were_found", [] if len(rows) > 1000 else [f"only {len(rows)}"])
house.check("python_and_c_stemmers_agree",
            [f"{word}: found {make_vectors.stem(word)}, wanted {stem}" for word, stem in rows
                     if make_vectors.stem(word) != stem])
