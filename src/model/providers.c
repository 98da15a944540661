/* SPDX-License-Identifier: Apache-2.0 */
/* providers.c - the table of providers. docs/providers.md is made of it. Tests:
 * tests/model/provider_test.c, tests/model/providers_page_test.c. */
#include "base/macros.h"
#include "model/providers/anthropic/anthropic.h"
#include "model/providers/gemini/gemini.h"
#include "model/providers/ollama/ollama.h"
#include "model/providers/openai_chat/openai_chat.h"
#include "model/providers/openai_responses/openai_responses.h"

/* The names of tools in OpenAI's APIs. */
#define OPENAI_NAMES .name_bytes = 64, .name_chars = "A-Za-z0-9_-"

/* OpenAI's own host. The variables are those of its own clients. */
#define OPENAI                                                                                     \
    .base_url = "https://api.openai.com/v1", .base_url_env = "OPENAI_BASE_URL",                    \
    .key_env = "OPENAI_API_KEY", .needs_key = true

#define OPENAI_RESPONSES                                                                           \
    .api = &haft__openai_responses_api,                                                            \
    .capabilities = {.allowed_tools = true,                                                        \
                     .named_choice = true,                                                         \
                     .parallel = true,                                                             \
                     .strict_tools = true,                                                         \
                     .constraint = HAFT__CONSTRAINT_JSON_SCHEMA,                                   \
                     .schema = HAFT__TARGET_OPENAI,                                                \
                     .tool_schema = &haft__tool_schema_openai,                                     \
                     OPENAI_NAMES,                                                                 \
                     .max_tools = 128,                                                             \
                     .deferred_tools = HAFT__DEFERRAL_APPENDED,                                    \
                     .tools = openai_tools,                                                        \
                     .options = responses_options,                                                 \
                     .fixed_sampling = true},                                                      \
    .chat = {.must_call = "required", .max_tokens = "", .reasoning = ""}

/* The tools that providers run themselves, by the name that they have in specs. */
static const haft__provider_tool openai_tools[] = {{"web_search", "web_search"},
                                                   {"file_search", "file_search"},
                                                   {"code_interpreter", "code_interpreter"},
                                                   {"image_generation", "image_generation"},
                                                   {NULL, NULL}};
static const haft__provider_tool anthropic_tools[] = {{"web_search", "web_search_20260318"},
                                                      {"web_fetch", "web_fetch_20260318"},
                                                      {"code_execution", "code_execution_20260521"},
                                                      {NULL, NULL}};
static const haft__provider_tool gemini_tools[] = {{"web_search", "googleSearch"},
                                                   {"web_fetch", "urlContext"},
                                                   {"code_execution", "codeExecution"},
                                                   {NULL, NULL}};

/* Options of Chat Completions at providers with another API. */
static const haft__option_rule responses_options[] = {
    {"max_tokens", "max_output_tokens"},
    {"max_completion_tokens", "max_output_tokens"},
    {"reasoning_effort", "reasoning.effort"},
    {"verbosity", "text.verbosity"},
    {"stop", NULL},
    {"seed", NULL},
    {"n", NULL},
    {"top_k", NULL},
    {"presence_penalty", NULL},
    {"frequency_penalty", NULL},
    {"logit_bias", NULL},
    {"logprobs", NULL},
    {"response_format", NULL},
    {NULL, NULL}};
static const haft__option_rule anthropic_options[] = {{"max_completion_tokens", "max_tokens"},
                                                      {"stop", "stop_sequences"},
                                                      {"reasoning_effort", "output_config.effort"},
                                                      {"temperature", NULL},
                                                      {"top_p", NULL},
                                                      {"top_k", NULL},
                                                      {"seed", NULL},
                                                      {"n", NULL},
                                                      {"presence_penalty", NULL},
                                                      {"frequency_penalty", NULL},
                                                      {"logit_bias", NULL},
                                                      {"logprobs", NULL},
                                                      {"top_logprobs", NULL},
                                                      {"parallel_tool_calls", NULL},
                                                      {"response_format", NULL},
                                                      {"stream_options", NULL},
                                                      {"reasoning", NULL},
                                                      {"verbosity", NULL},
                                                      {"user", NULL},
                                                      {NULL, NULL}};
static const haft__option_rule gemini_options[] = {
    {"max_tokens", "generationConfig.maxOutputTokens"},
    {"max_completion_tokens", "generationConfig.maxOutputTokens"},
    {"max_output_tokens", "generationConfig.maxOutputTokens"},
    {"temperature", "generationConfig.temperature"},
    {"top_p", "generationConfig.topP"},
    {"top_k", "generationConfig.topK"},
    {"seed", "generationConfig.seed"},
    {"stop", "generationConfig.stopSequences"},
    {"stop_sequences", "generationConfig.stopSequences"},
    {"presence_penalty", "generationConfig.presencePenalty"},
    {"frequency_penalty", "generationConfig.frequencyPenalty"},
    {"reasoning_effort", "generationConfig.thinkingConfig"},
    {"n", NULL},
    {"logit_bias", NULL},
    {"logprobs", NULL},
    {"top_logprobs", NULL},
    {"parallel_tool_calls", NULL},
    {"response_format", NULL},
    {"stream_options", NULL},
    {"reasoning", NULL},
    {"verbosity", NULL},
    {"user", NULL},
    {NULL, NULL}};
static const haft__option_rule mistral_options[] = {{"max_completion_tokens", "max_tokens"},
                                                    {"seed", "random_seed"},
                                                    {"top_k", NULL},
                                                    {"logit_bias", NULL},
                                                    {"logprobs", NULL},
                                                    {"top_logprobs", NULL},
                                                    {"stream_options", NULL},
                                                    {"reasoning", NULL},
                                                    {"verbosity", NULL},
                                                    {"user", NULL},
                                                    {NULL, NULL}};
static const haft__option_rule ollama_options[] = {{"max_tokens", "options.num_predict"},
                                                   {"max_completion_tokens", "options.num_predict"},
                                                   {"reasoning_effort", "think"},
                                                   {"n", NULL},
                                                   {"logit_bias", NULL},
                                                   {"parallel_tool_calls", NULL},
                                                   {"response_format", NULL},
                                                   {"stream_options", NULL},
                                                   {"reasoning", NULL},
                                                   {"verbosity", NULL},
                                                   {"user", NULL},
                                                   {NULL, NULL}};

static const haft__provider providers[] = {
    {.name = "openai", OPENAI, .local_key_env = "", .compatible_elsewhere = true, OPENAI_RESPONSES},
    {.name = "openai-responses", OPENAI, .local_key_env = "OPENAI_API_KEY", OPENAI_RESPONSES},
    {.name = "openai-chat",
     OPENAI,
     .local_key_env = "",
     .compatible_elsewhere = true,
     .api = &haft__openai_chat_api,
     .capabilities = {.allowed_tools = true,
                      .named_choice = true,
                      .parallel = true,
                      .constraint = HAFT__CONSTRAINT_JSON_SCHEMA,
                      .schema = HAFT__TARGET_OPENAI,
                      .tool_schema = &haft__tool_schema_openai,
                      OPENAI_NAMES,
                      .max_tools = 128,
                      .fixed_sampling = true},
     .chat = {.stream_usage = true,
              .any_arguments = true,
              .limits_tools = true,
              .must_call = "required",
              .max_tokens = "max_completion_tokens",
              .reasoning = ""}},
    {.name = "anthropic",
     .base_url = "https://api.anthropic.com/v1",
     .base_url_env = "ANTHROPIC_BASE_URL", /* the variable of Anthropic's own clients */
     .key_env = "ANTHROPIC_API_KEY",
     .local_key_env = "",
     .needs_key = true,
     .api = &haft__anthropic_api,
     .capabilities = {.named_choice = true,
                      .parallel = true,
                      .constraint = HAFT__CONSTRAINT_JSON_SCHEMA,
                      .schema = HAFT__TARGET_ANTHROPIC,
                      .tool_schema = &haft__tool_schema_anthropic,
                      .name_bytes = 128,
                      .name_chars = "A-Za-z0-9_-",
                      .no_forced_thinking = true,
                      .choice_breaks_cache = true,
                      .cache = HAFT__CACHE_MARKS,
                      .deferred_tools = HAFT__DEFERRAL_DECLARED,
                      .tools = anthropic_tools,
                      .named_tools = true,
                      .options = anthropic_options,
                      .cache_write_percent = 125,
                      .cache_write_1h_percent = 200},
     .chat = {.must_call = "any", .max_tokens = "max_tokens", .reasoning = ""}},
    {.name = "gemini",
     .base_url = "https://generativelanguage.googleapis.com/v1beta",
     .base_url_env = "GEMINI_BASE_URL",
     .key_env = "GEMINI_API_KEY",
     .local_key_env = "",
     .needs_key = true,
     .api = &haft__gemini_api,
     .capabilities = {.allowed_tools = true,
                      .named_choice = true,
                      .constraint = HAFT__CONSTRAINT_JSON_SCHEMA,
                      .schema = HAFT__TARGET_GEMINI,
                      .tool_schema = &haft__tool_schema_gemini,
                      .name_bytes = 128,
                      .name_chars = "A-Za-z0-9_.:-",
                      .max_tools = 512,
                      .tools = gemini_tools,
                      .options = gemini_options},
     .chat = {.must_call = "ANY", .max_tokens = "maxOutputTokens", .reasoning = ""}},
    {.name = "mistral",
     .base_url = "https://api.mistral.ai/v1",
     .base_url_env = "MISTRAL_BASE_URL",
     .key_env = "MISTRAL_API_KEY",
     .local_key_env = "",
     .needs_key = true,
     .api = &haft__openai_chat_api,
     .capabilities = {.named_choice = true,
                      .parallel = true,
                      .schema = HAFT__TARGET_OPENAI,
                      OPENAI_NAMES,
                      .options = mistral_options},
     .chat = {.strict_order = true,
              .short_ids = true,
              .must_call = "any",
              .max_tokens = "max_tokens",
              .reasoning = ""}},
    {.name = "deepseek",
     .base_url = "https://api.deepseek.com",
     .base_url_env = "DEEPSEEK_BASE_URL",
     .key_env = "DEEPSEEK_API_KEY",
     .local_key_env = "",
     .needs_key = true,
     .api = &haft__openai_chat_api,
     .capabilities =
         {.named_choice = true, .schema = HAFT__TARGET_OPENAI, OPENAI_NAMES, .max_tools = 128},
     .chat = {.stream_usage = true,
              .must_call = "required",
              .max_tokens = "max_tokens",
              .reasoning = "reasoning_content",
              .needs_reasoning = true}},
    {.name = "ollama",
     .base_url = "http://127.0.0.1:11434",
     .base_url_env = "OLLAMA_BASE_URL",
     .key_env = "OLLAMA_API_KEY",
     .local_key_env = "",
     .api = &haft__ollama_api,
     .capabilities = {.constraint = HAFT__CONSTRAINT_JSON_SCHEMA,
                      .schema = HAFT__TARGET_OLLAMA,
                      .tool_schema = &haft__tool_schema_ollama,
                      .options = ollama_options},
     .chat = {.must_call = "", .max_tokens = "num_predict", .reasoning = "thinking"}},
    {.name = "llamacpp",
     .base_url = "http://127.0.0.1:8080/v1",
     .base_url_env = "LLAMACPP_BASE_URL",
     .key_env = "LLAMACPP_API_KEY",
     .local_key_env = "",
     .api = &haft__openai_chat_api,
     .capabilities = {.parallel = true,
                      .constraint = HAFT__CONSTRAINT_GBNF,
                      .schema = HAFT__TARGET_OLLAMA}, /* Ollama uses the converter of llama.cpp */
     .chat = {.stream_usage = true,
              .must_call = "required",
              .max_tokens = "max_tokens",
              .reasoning = "reasoning_content"}},
    {.name = "vllm",
     .base_url = "http://127.0.0.1:8000/v1",
     .base_url_env = "VLLM_BASE_URL",
     .key_env = "VLLM_API_KEY",
     .local_key_env = "",
     .api = &haft__openai_chat_api,
     .capabilities = {.named_choice = true,
                      .parallel = true,
                      .constraint = HAFT__CONSTRAINT_JSON_SCHEMA,
                      .schema = HAFT__TARGET_VLLM},
     .chat = {.stream_usage = true,
              .must_call = "required",
              .max_tokens = "max_tokens",
              .reasoning = "reasoning_content"}},
    {.name = "openai, own base_url",
     .base_url = "",
     .base_url_env = "OPENAI_BASE_URL",
     .key_env = "OPENAI_API_KEY",
     .local_key_env = "OPENAI_API_KEY",
     .api = &haft__openai_chat_api,
     .capabilities = {.named_choice = true,
                      .schema = HAFT__TARGET_OPENAI, /* the strictest */
                      .tool_schema = &haft__tool_schema_openai,
                      OPENAI_NAMES},
     .chat = {.stream_usage = true, .must_call = "required", .max_tokens = "", .reasoning = ""}},
};

const haft__provider *haft__providers(size_t *ret_count)
{
    *ret_count = COUNT(providers);
    return providers;
}

const haft__provider *haft__provider_compatible(void)
{
    return &providers[COUNT(providers) - 1];
}
