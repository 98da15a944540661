#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""/openapi.json describes the routes, docs/http-api.md is printed from it (`--write` updates it),
and responses are valid for its schemas."""
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from serve_help import ASKER, HAFT, LOOKER, Server, write_files  # noqa: E402
from script import check, check_none  # noqa: E402

ROOT = Path(os.environ.get("HAFT_SOURCE_ROOT", Path(__file__).resolve().parents[2]))
PAGE = ROOT / "docs/http-api.md"
SCHEMAS = ROOT / "docs/schemas/http.schema.json"
HEAD = """# The HTTP API

The routes of `haft serve`. `GET /openapi.json` has the same as OpenAPI 3.1, with all schemas; their
source is [docs/schemas/http.schema.json](schemas/http.schema.json). [server.md](server.md) is the
guide, [security.md](security.md) says which token may do what. This page is printed from the
server's table; `tests/serve/openapi_test.py --write` updates it.

Errors are problems (RFC 9457): `{type, title, status, detail, instance, error}`, where `error` is
`{status, where, message, hint}` as everywhere in haft.

"""


def rows(document):
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            yield method.upper(), path, operation


def shape(content):
    """The schema or the media type of a body."""
    for media_type, value in content.items():
        target = value["schema"].get("$ref", "")
        return f"`{target.rsplit('/', 1)[-1]}`" if target else f"`{media_type}`"
    return ""


def page(document):
    lines = ["| route | role | body | response | |", "|---|---|---|---|---|"]
    for method, path, operation in rows(document):
        body = shape(operation.get("requestBody", {}).get("content", {}))
        status = next(name for name in operation["responses"] if name != "default")
        response = shape(operation["responses"][status].get("content", {}))
        lines.append(f"| {method} `{path}` | {operation['x-haft-role']} | {body} | "
                     f"{status} {response} | {operation['summary']}. |")
    lines += ["", "## Parameters", ""]
    for method, path, operation in rows(document):
        query = [one for one in operation["parameters"] if one["in"] == "query"]
        if query:
            lines += [f"### {method} {path}", "", "| parameter | type | |", "|---|---|---|"]
            lines += [f"| `{one['name']}` | {one['schema']['type']} | {one['description']} |"
                      for one in query]
            lines.append("")
    lines += ["## Bodies", ""]
    schemas = document["components"]["schemas"]
    used = sorted({shape(operation["requestBody"]["content"]).strip("`")
                   for _, _, operation in rows(document) if "requestBody" in operation})
    for name in used:
        schema = schemas[name]
        lines += [f"### {name}", "", "| member | required | |", "|---|---|---|"]
        for member, value in schema.get("properties", {}).items():
            words = value.get("description") or ", ".join(
                f"`{word}`" for word in value.get("enum", [])) or value.get("type", "")
            words = words if isinstance(words, str) else " or ".join(words)
            needed = "yes" if member in schema.get("required", []) else ""
            lines.append(f"| `{member}` | {needed} | {words} |")
        lines.append("")
    return HEAD + "\n".join(lines).rstrip() + "\n"


def is_valid(name, value, directory):
    """The problems of a response."""
    schema = {"$ref": f"#/$defs/{name}", "$defs": json.loads(SCHEMAS.read_text())["$defs"]}
    (directory / "schema.json").write_text(json.dumps(schema))
    (directory / "value.json").write_text(json.dumps(value))
    done = subprocess.run([HAFT, "validate", "schema.json", "value.json"], cwd=directory,
                          capture_output=True, text=True, check=False)
    return [f"{name}: {line}" for line in (done.stdout + done.stderr).splitlines()
            if done.returncode != 0]


def responses(server, document, directory):
    """Validates a response of each route that can be asked with GET, and those of commands."""
    run = server.start("asker")["run"]
    waiting = server.wait(run)
    names = {"run": run, "agent": "asker", "thread": waiting["thread"], "name": "notes/answer.txt"}
    problems = []
    problems += is_valid("pending_list", server.get("/api/v1/pending").json, directory)
    problems += is_valid("run", server.command(run, "answer", value="x").json, directory)
    server.wait(run)
    for method, path, operation in rows(document):
        media = operation["responses"].get("200", {}).get("content", {})
        only_graphs = operation["operationId"] == "run_state"
        if method != "GET" or "application/json" not in media or only_graphs:
            continue
        known = re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], "1"), path)
        required = [one for one in operation["parameters"] if one["in"] == "query"
                    and one.get("required")]
        reply = server.get(known)
        if reply.status != 200 or required:
            problems.append(f"{known}: {reply.status} {reply.body[:200]}")
            continue
        problems += is_valid(shape(media).strip("`"), reply.json, directory)
    problems += is_valid("problem", server.get("/api/v1/nothing").json, directory)
    check_none("responses_are_valid_for_their_schemas", problems)


def structure(document):
    """What OpenAPI requires, as far as it can be checked without its validator."""
    text = json.dumps(document)
    problems = [f"{ref} has no target" for ref in set(re.findall(r'"\$ref": "([^"]+)"', text))
                if ref.rsplit("/", 1)[-1] not in document["components"]["schemas"]
                or not ref.startswith("#/components/schemas/")]
    seen = set()
    for method, path, operation in rows(document):
        if operation["operationId"] in seen:
            problems.append(f"{operation['operationId']} occurs twice")
        seen.add(operation["operationId"])
        declared = [one["name"] for one in operation["parameters"] if one["in"] == "path"]
        if declared != re.findall(r"\{(\w+)\}", path):
            problems.append(f"{method} {path}: path parameters {declared}")
    check_none("the_description_is_consistent", problems)
    check("the_version_of_openapi", document["openapi"], "3.1.0")


def main():
    with tempfile.TemporaryDirectory(prefix="haft-openapi-") as scratch:
        directory = Path(scratch)
        write_files(directory, ASKER, LOOKER)
        with Server(directory, "asker.json", "looker.json", store="memory:") as server:
            document = server.get("/openapi.json").json
            if sys.argv[1:] == ["--write"]:
                PAGE.write_text(page(document))
                return
            check_none("http_api_md_is_up_to_date",
                       [] if PAGE.exists() and PAGE.read_text() == page(document)
                       else ["run tests/serve/openapi_test.py --write"])
            structure(document)
            responses(server, document, directory)


main()
