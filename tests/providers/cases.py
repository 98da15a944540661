# SPDX-License-Identifier: Apache-2.0
"""The providers as cases of a test: a mock, and the `model` of a spec that uses it."""
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import mock
import mock_anthropic
import mock_chat
import mock_gemini
import mock_ollama
import mock_responses

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from own_host import can_serve_hosts  # noqa: E402

ADAPTIVE = {"thinking": {"type": "adaptive"}}


@dataclass
class Case:
    name: str
    provider: str
    wire: type
    model: str
    base: str = "/v1"           # after the mock's URL
    options: dict = field(default_factory=dict)
    signs: bool = False         # thinking is signed or encrypted: no other model gets it
    variable: str = None        # has the base URL
    host: str = None            # the provider's own host, whose place the mock takes

    def spec(self, url, streams=True):
        """The model of a spec."""
        model = {"provider": self.provider, "model": self.model, "api_key_env": "MOCK_KEY",
                 "options": self.options | ({} if streams else {"stream": False})}
        return model if self.variable or self.host else model | {"base_url": url + self.base}

    def environment(self, server):
        """The variables with which haft reaches a mock."""
        if self.host:
            return server.host.environment
        return {self.variable: server.url + self.base} if self.variable else {}


CASES = [
    Case("openai_chat", "openai-chat", mock_chat.Chat, "gpt-5.6", host="api.openai.com"),
    Case("openai_compatible", "openai", mock_chat.Chat, "some-model"),
    Case("openai_responses", "openai-responses", mock_responses.Responses, "gpt-6.1-sol",
         options={"reasoning": {"effort": "low", "summary": "auto"}}, signs=True,
         variable="OPENAI_BASE_URL"),
    Case("anthropic", "anthropic", mock_anthropic.Anthropic, "claude-haiku-4-5", base="",
         signs=True),
    Case("anthropic_thinking", "anthropic", mock_anthropic.Anthropic, "claude-opus-4-6", base="",
         options=ADAPTIVE, signs=True),
    Case("anthropic_unforced", "anthropic", mock_anthropic.Anthropic, "claude-sonnet-5-5", base="",
         options=ADAPTIVE, signs=True),
    Case("anthropic_bound", "anthropic", mock_anthropic.Anthropic, "claude-haiku-5-5", base="",
         signs=True),
    Case("gemini", "gemini", mock_gemini.Gemini, "gemini-3.8-flash", base="/v1beta",
         options={"generationConfig": {"thinkingConfig": {"includeThoughts": True}}}, signs=True),
    Case("gemini_without_ids", "gemini", mock_gemini.GeminiWithoutIds, "gemini-3.8-pro",
         base="/v1beta", signs=True),
    Case("mistral", "mistral", mock_chat.Mistral, "mistral-large-latest", signs=True),
    Case("deepseek", "deepseek", mock_chat.DeepSeek, "deepseek-v4-pro", base=""),
    Case("ollama", "ollama", mock_ollama.Ollama, "qwen3:8b", base=""),
    Case("llamacpp", "llamacpp", mock_chat.LlamaCpp, "model.gguf"),
    Case("vllm", "vllm", mock_chat.Vllm, "some/model"),
    Case("gateway", "openai-chat", mock_chat.Gateway, "some/model:free", base="/api/v1",
         signs=True),
]
if not can_serve_hosts():
    CASES = [case for case in CASES if case.host is None]


def run_haft(words, environment, directory):
    """Runs haft. Returns (exit status, events, standard error)."""
    done = subprocess.run([os.environ["HAFT"], *map(str, words)], text=True, capture_output=True,
                          cwd=directory, stdin=subprocess.DEVNULL, timeout=300,
                          env={**os.environ, "XDG_STATE_HOME": str(directory),
                               "MOCK_KEY": "mock-key-0123456789", **environment})
    events = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return done.returncode, events, done.stderr


def start(case, turns):
    """A running mock for a case."""
    return mock.Mock(case.wire(), turns, host=case.host)
