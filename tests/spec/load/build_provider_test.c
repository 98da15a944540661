/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/spec/load/build_provider.c: one problem for a model without a usable provider. */
#include "spec/spec_help.h"

#define COMPATIBLE                                                                                 \
    " (providers: openai, anthropic, gemini, mistral, deepseek, ollama, llamacpp, vllm; for "      \
    "another "                                                                                     \
    "OpenAI-compatible server, write {provider: openai, model: NAME, base_url: URL})"
#define NO_PROVIDER(name, hint)                                                                    \
    "1:8: the model \"" name "\" has no provider (write " hint ":" name ")"
#define NO_NAME(provider)                                                                          \
    "1:8: the model \"" provider                                                                   \
    "\" has no name (write provider:model, such as openai:gpt-5.4-mini)"

static const problem_case cases[] = {
    {"model: opnai:gpt\n", "1:8: there is no provider \"opnai\" (did you mean openai?)"},
    {"model: opnai\n", "1:8: there is no provider \"opnai\" (did you mean openai?)"},
    {"model: gpt-4o\n", NO_PROVIDER("gpt-4o", "openai")},
    {"model: gpt-5.4-mini\n", NO_PROVIDER("gpt-5.4-mini", "openai")},
    {"model: o3\n", NO_PROVIDER("o3", "openai")},
    {"model: gpt-oss:20b\n", NO_PROVIDER("gpt-oss:20b", "ollama")},
    {"model: llama3.1\n", NO_PROVIDER("llama3.1", "ollama")},
    {"model: qwen3:8b\n", NO_PROVIDER("qwen3:8b", "ollama")},
    {"model: mistral-large-latest\n", NO_PROVIDER("mistral-large-latest", "mistral")},
    {"model: deepseek-chat\n", NO_PROVIDER("deepseek-chat", "deepseek")},
    {"model: claude-opus-4\n", NO_PROVIDER("claude-opus-4", "anthropic")},
    {"model: gemini-3-pro\n", NO_PROVIDER("gemini-3-pro", "gemini")},
    {"model: our-own\n", "1:8: the model \"our-own\" has no provider" COMPATIBLE},
    {"model: nix:x\n", "1:8: there is no provider \"nix\"" COMPATIBLE},
    {"model: cohere:command-r\n", "1:8: there is no provider \"cohere\"" COMPATIBLE},
    {"model: groq:llama3.1\n", "1:8: there is no provider \"groq\"" COMPATIBLE},
    {"model: openai\n", NO_NAME("openai")},
    {"model: \"script:\"\n", NO_NAME("script")},
    {"model: https://example.org/v1\n", "1:8: there is no provider \"https\"" COMPATIBLE},
    {"model: {provider: openai}\n", NO_NAME("openai")},
    {"model: {provider: x, model: gpt-4o}\n", "1:19: there is no provider \"x\"" COMPATIBLE},
};

TEST(a_model_without_a_usable_provider_gets_one_error_with_a_hint)
{
    check_problems(cases, COUNT(cases));
}
