#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The installed npm package, with each node that is there: node_cases.mjs has the cases. Also its
types: the examples are checked by the TypeScript compiler."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import place
from script import check, skip

HERE = Path(__file__).resolve().parent
project = place.npm_project()
shutil.copy(HERE / "node_cases.mjs", project)

keys = place.temporary("keys")
status, output = place.log_of(
    "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
    "/CN=localhost", "-keyout", keys / "key.pem", "-out", keys / "cert.pem")
if status != 0:
    skip("https", "openssl cannot make a certificate")

for version, node in place.nodes():
    directory = place.temporary("node")
    words = [keys] if status == 0 else []
    done = subprocess.run([node, "--expose-gc", "node_cases.mjs", f"{place.NAME} {version}",
                           directory, *words], cwd=project, timeout=1800)
    check(f"{version}_ends_well", done.returncode, 0)

# libcurl finds the functions of the system's OpenSSL, although Node exports its own.
for version, node in place.nodes() if status == 0 else []:
    directory = place.temporary("node")
    with open(directory / "log", "w") as log:  # not a pipe: Node makes it non-blocking
        subprocess.run([node, "node_cases.mjs", place.NAME, directory, keys, "https"], cwd=project,
                       stdout=subprocess.DEVNULL, stderr=log, timeout=600,
                       env={**os.environ, "LD_DEBUG": "bindings"})
    found = set(re.findall(r"libcurl\S* \[0\] to (\S+) .*`SSL_\w+'",
                           (directory / "log").read_text()))
    check(f"{version}_libcurl_uses_the_openssl_of_the_system",
          [Path(each).name for each in found], ["libssl.so.3"])

installed, output = place.log_of("npm", "install", "--no-audit", "--no-fund", "typescript@5",
                                 "@types/node@22", cwd=project)
if installed != 0:
    skip("types", "npm cannot install typescript")
else:
    shutil.copy(place.ROOT / "bindings/node/examples/shop.ts", project)
    (project / "wrong.ts").write_text("import { Runtime } from 'haft'\n"
                                      "new Runtime({ stor: 'x' })\n")
    tsc = [project / "node_modules/.bin/tsc", "--noEmit", "--strict", "--target", "es2022",
           "--module", "nodenext", "--types", "node", "--skipLibCheck", "false"]
    (project / "package.json").write_text('{"private": true, "type": "module"}\n')
    check("the_types_fit_the_example", place.log_of(*tsc, "shop.ts", cwd=project), (0, ""))
    status, output = place.log_of(*tsc, "wrong.ts", cwd=project)
    check("the_types_reject_a_wrong_option", (status != 0, "stor" in output), (True, True))
sys.exit(0)
