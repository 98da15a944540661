/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/model_options.c: options that are not sent. The tests of each wire format
 * have the requests. */
#include "model/model_options.h"

#include "base/str.h"
#include "model/reply_help.h"
#include "json/read.h"

static const struct {
    const char *provider, *base_url, *model, *options, *option;
    bool sent;
} cases[] = {
    {"anthropic", "", "claude-opus-5", "{'temperature':1}", "temperature", false},
    {"anthropic", "", "claude-opus-5", "{'stop':'x'}", "stop", true},
    {"anthropic", "", "claude-opus-5", "{'thinking':{}}", "thinking", true},
    {"openai", "", "gpt-6.1-sol", "{'temperature':1}", "temperature", false},
    {"openai", "", "gpt-5.4", "{'temperature':1}", "temperature", false},
    {"openai", "", "o3-mini", "{'top_p':1}", "top_p", false},
    {"openai", "", "gpt-5-chat-latest", "{'temperature':1}", "temperature", true},
    {"openai", "", "gpt-5.4", "{'temperature':1,'reasoning_effort':'none'}", "temperature", true},
    {"openai", "", "gpt-5.4", "{'temperature':1,'reasoning':{'effort':'none'}}", "temperature",
     true},
    {"openai", "", "gpt-4o-mini", "{'temperature':1}", "temperature", true},
    {"openai", "", "gpt-4o-mini", "{'stop':'x'}", "stop", false},
    {"openai", "http://h/v1", "gpt-5.4", "{'temperature':1}", "temperature", true},
    {"openai", "http://h/v1", "gpt-5.4", "{'stop':'x'}", "stop", true},
    {"openai-chat", "", "gpt-5.4", "{'temperature':1}", "temperature", false},
    {"openai-chat", "", "gpt-5.4", "{'stop':'x'}", "stop", true},
    {"gemini", "", "gemini-3-pro", "{'temperature':1}", "temperature", true},
    {"gemini", "", "gemini-3-pro", "{'logit_bias':{}}", "logit_bias", false},
    {"mistral", "", "mistral-large", "{'seed':1}", "seed", true},
    {"mistral", "", "mistral-large", "{'user':'u'}", "user", false},
    {"ollama", "", "qwen3", "{'response_format':{}}", "response_format", false},
    {"ollama", "", "qwen3", "{'num_ctx':1}", "num_ctx", true},
    {"vllm", "", "m", "{'temperature':1}", "temperature", true},
};

TEST(options_that_a_provider_or_model_rejects_are_not_sent)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__arena arena;
        haft__json options;
        const haft__model_spec model = {.provider = haft__str(cases[i].provider),
                                        .base_url = haft__str(cases[i].base_url)};
        haft__arena_init(&arena, 0);
        CHECK_INT(
            haft__json_read(&arena, help_quotes(cases[i].options), NULL, &options, NULL, NULL),
            HAFT_OK, "case %zu", i);
        const char *why = haft__model_options_why_unsent(haft__provider_for_model(&model),
                                                         haft__str(cases[i].model), options,
                                                         haft__str(cases[i].option));
        CHECK_INT(why == NULL, cases[i].sent, "%s %s %s", cases[i].provider, cases[i].model,
                  cases[i].options);
        haft__arena_finish(&arena);
    }
}
