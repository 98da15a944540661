/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/model_rules.c. */
#include "model/model_rules.h"

#include "base/str.h"
#include "test.h"
#include "json/read.h"

TEST(rules_are_found_by_the_name_of_the_model)
{
    static const struct {
        const char *model;
        bool no_force, binds;
    } cases[] = {
        {"claude-opus-5", false, false},
        {"claude-opus-5-5", true, true},
        {"claude-opus-5-5-20261001", true, true},
        {"claude-opus-5-50", false, false},
        {"us.anthropic.claude-sonnet-5-5-v1:0", true, true},
        {"anthropic/claude-sonnet-5-5", true, true},
        {"anthropic/claude-sonnet-5.5", true, true},
        {"claude-opus-5.50", false, false},
        {"claude-opus-5_5", false, false},
        {"notclaude-sonnet-5-5", false, false},
        {"claude-fable-5-1", true, true},
        {"claude-haiku-5-5", false, true},
        {"other", false, false},
        {"", false, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const haft__model_rules *rules = haft__model_rules_find(haft__str(cases[i].model));
        CHECK_INT(rules->no_force, cases[i].no_force, "%s", cases[i].model);
        CHECK_INT(rules->binds_reasoning, cases[i].binds, "%s", cases[i].model);
    }
}

TEST(models_from_gemini_3_on_need_signatures)
{
    static const struct {
        const char *model;
        bool needs;
    } rows[] = {
        {"gemini-3-pro-preview", true},
        {"gemini-3.8-flash", true},
        {"gemini-10-pro", true},
        {"gemini-flash-latest", true},
        {"models/gemini-3-pro", true},
        {"gemini-2.5-pro", false},
        {"models/gemini-2.0-flash", false},
        {"gemini-1.5-flash-8b", false},
        {"gemma-3-27b-it", false},
        {"tunedModels/mine", false},
        {"", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        CHECK_INT(haft__model_rules_find(haft__str(rows[i].model))->needs_signatures, rows[i].needs,
                  "%s", rows[i].model);
    }
}

TEST(a_call_is_forced_natively_or_in_words)
{
    static const struct {
        const char *provider, *model, *options;
        haft__member_set refused;
        haft__force_rule rule;
    } cases[] = {
        {"anthropic", "claude-opus-5", "{}", 0, HAFT__FORCE_NATIVE},
        {"anthropic", "claude-opus-5-5", "{}", 0, HAFT__FORCE_MODEL},
        {"anthropic", "claude-opus-5", "{\"thinking\":{\"type\":\"adaptive\"}}", 0,
         HAFT__FORCE_THINKING},
        {"anthropic", "claude-opus-5", "{\"thinking\":{\"type\":\"disabled\"}}", 0,
         HAFT__FORCE_NATIVE},
        {"deepseek", "m", "{\"thinking\":{\"type\":\"enabled\"}}", 0, HAFT__FORCE_NATIVE},
        {"vllm", "m", "null", HAFT__MEMBER_BIT(HAFT__MEMBER_TOOL_CHOICE), HAFT__FORCE_REFUSED},
        {"vllm", "m", "null", HAFT__MEMBER_BIT(HAFT__MEMBER_PARALLEL), HAFT__FORCE_NATIVE},
    };
    haft__arena arena;
    haft__arena_init(&arena, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__model_spec model = {.provider = haft__str(cases[i].provider)};
        haft__json options;
        CHECK_INT(haft__json_read(&arena, haft__str(cases[i].options), NULL, &options, NULL, NULL),
                  HAFT_OK, "case %zu", i);
        haft__force_rule rule = haft__model_force_rule(
            haft__provider_for_model(&model), haft__str(cases[i].model), options, cases[i].refused);
        CHECK_STR(haft__str(haft__force_rule_text(rule)),
                  haft__str(haft__force_rule_text(cases[i].rule)), "case %zu", i);
    }
    haft__arena_finish(&arena);
}

TEST(tools_in_chat_completions_depend_on_the_model_at_openai_only)
{
    static const struct {
        const char *provider, *base_url, *model;
        haft__chat_tools wanted;
    } cases[] = {
        {"openai-chat", "", "gpt-6.1-sol", HAFT__CHAT_TOOLS_NEVER},
        {"openai-chat", "https://api.openai.com/v1", "gpt-6-astra", HAFT__CHAT_TOOLS_NEVER},
        {"openai-chat", "", "gpt-5.6", HAFT__CHAT_TOOLS_WITHOUT_REASONING},
        {"openai-chat", "", "gpt-5.1", HAFT__CHAT_TOOLS_ALWAYS},
        {"openai-chat", "", "gpt-4o-mini", HAFT__CHAT_TOOLS_ALWAYS},
        {"openai-chat", "https://example.org/v1", "gpt-6.1-sol", HAFT__CHAT_TOOLS_ALWAYS},
        {"openai", "", "gpt-6.1-sol", HAFT__CHAT_TOOLS_ALWAYS},
        {"vllm", "", "gpt-6.1-sol", HAFT__CHAT_TOOLS_ALWAYS},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__model_spec model = {.provider = haft__str(cases[i].provider),
                                  .base_url = haft__str(cases[i].base_url)};
        CHECK_INT(
            haft__model_chat_tools(haft__provider_for_model(&model), haft__str(cases[i].model)),
            cases[i].wanted, "case %zu", i);
    }
}

TEST(deferred_tools_reach_the_model_in_the_form_of_its_provider)
{
    static const struct {
        const char *provider, *model;
        haft__member_set refused;
        haft__deferral wanted;
    } cases[] = {
        {"anthropic", "claude-haiku-5-5", 0, HAFT__DEFERRAL_DECLARED},
        {"anthropic", "claude-opus-5-5-20261001", 0, HAFT__DEFERRAL_DECLARED},
        {"anthropic", "claude-opus-4-6", 0, HAFT__DEFERRAL_NONE},
        {"anthropic", "claude-haiku-5-5", HAFT__MEMBER_BIT(HAFT__MEMBER_DEFER),
         HAFT__DEFERRAL_NONE},
        {"anthropic", "claude-haiku-5-5", HAFT__MEMBER_BIT(HAFT__MEMBER_CACHE),
         HAFT__DEFERRAL_DECLARED},
        {"anthropic", "gpt-6.1-sol", 0, HAFT__DEFERRAL_NONE},
        {"openai-responses", "gpt-5.4-mini", 0, HAFT__DEFERRAL_APPENDED},
        {"openai-responses", "gpt-6.1-sol", 0, HAFT__DEFERRAL_APPENDED},
        {"openai-responses", "gpt-6.1-sol", HAFT__MEMBER_BIT(HAFT__MEMBER_DEFER),
         HAFT__DEFERRAL_NONE},
        {"openai-responses", "gpt-4o-mini", 0, HAFT__DEFERRAL_NONE},
        {"openai-responses", "claude-haiku-5-5", 0, HAFT__DEFERRAL_NONE},
        {"openai-chat", "gpt-6.1-sol", 0, HAFT__DEFERRAL_NONE},
        {"gemini", "gemini-3.8-flash", 0, HAFT__DEFERRAL_NONE},
        {"vllm", "claude-haiku-5-5", 0, HAFT__DEFERRAL_NONE},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        haft__model_spec model = {.provider = haft__str(cases[i].provider)};
        haft__deferral found = haft__model_deferral(haft__provider_for_model(&model),
                                                    haft__str(cases[i].model), cases[i].refused);
        CHECK_STR(haft__str(haft__deferral_text(found)),
                  haft__str(haft__deferral_text(cases[i].wanted)), "case %zu", i);
    }
}
