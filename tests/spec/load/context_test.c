/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for the key `context` of a spec (src/spec/load/build_family.c): what is omitted depends on
 * the family. */
#include "spec/spec_help.h"
#include "tool/builtin.h"

TEST(defaults_depend_on_the_family)
{
    static const struct {
        const char *text;
        uint64_t tokens, reserve;
        uint32_t clear_at, clear_keep;
    } cases[] = {
        {"model: offline\n", 0, 0, 75, 3},
        {"model: openai:gpt-4o\n", 128000, 8192, 80, 5},
        {"model: {provider: ollama, model: qwen2.5}\n", 32768, 4096, 75, 3},
        {"model: {provider: ollama, model: qwq}\n", 131072, 8192, 75, 3},
        {"model: {provider: ollama, model: qwen2.5, options: {max_tokens: 500}}\n", 32768, 500, 75,
         3},
        {"model: offline\ncontext: {tokens: 8000}\n", 8000, 2000, 75, 3},
        {"model: openai:gpt-4o\ncontext: {tokens: 50000, reserve: 100}\n", 50000, 100, 80, 5},
        {"model: offline\ncontext: {clear: {at: 40, keep: 7}}\n", 0, 0, 40, 7},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        loaded f;
        load(&f, cases[i].text);
        CHECK_STR(f.listing, HAFT__LIT(""), "%s", cases[i].text);
        const haft__context_spec *context = &f.spec->context;
        CHECK_INT(f.spec->model.context_tokens, cases[i].tokens, "%s", cases[i].text);
        CHECK_INT(context->reserve, cases[i].reserve, "%s", cases[i].text);
        CHECK_INT(context->clear_at, cases[i].clear_at, "%s", cases[i].text);
        CHECK_INT(context->clear_keep, cases[i].clear_keep, "%s", cases[i].text);
        CHECK(context->clear && context->summarise, "%s", cases[i].text);
        CHECK_INT(context->summarise_at, 90, "%s", cases[i].text);
        CHECK_INT(context->summarise_keep, 4, "%s", cases[i].text);
        unload(&f);
    }
}

TEST(a_rule_can_be_switched_off)
{
    loaded f;
    load(&f, "model: offline\ncontext: {clear: false, summarise: false}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK(!f.spec->context.clear && !f.spec->context.summarise, "both are off");
    CHECK(haft__tools_find(&f.spec->tools, HAFT__LIT(HAFT__READ_RESULT)) == NULL,
          "nothing is forgotten, so nothing has to be read again");
    unload(&f);
}

TEST(a_spec_with_a_context_has_read_result)
{
    loaded f;
    load(&f, "model: offline\ncontext: {tokens: 8000}\n");
    CHECK(haft__tools_find(&f.spec->tools, HAFT__LIT(HAFT__READ_RESULT)) != NULL, "read_result");
    unload(&f);
}

TEST(the_model_for_summaries_is_a_model_of_its_own)
{
    loaded f;
    load(&f, "models: [openai:gpt-4o, openai:gpt-4.1-mini]\n"
             "context: {summarise: {at: 80, model: openai:gpt-4.1, instructions: Be short.}}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    CHECK(f.spec->fallback != NULL
              && f.spec->fallback->context.summariser == f.spec->context.summariser,
          "the next model has the same summariser");
    unload(&f);
    load(&f, "model: openai:gpt-4o\n"
             "context: {summarise: {at: 80, model: openai:gpt-4.1, instructions: Be short.}}\n");
    CHECK_STR(f.listing, HAFT__LIT(""), "no problems");
    const haft__spec *summariser = f.spec->context.summariser;
    CHECK(summariser != NULL, "a spec for it");
    if (summariser != NULL) {
        CHECK_STR(summariser->model.model, HAFT__LIT("gpt-4.1"), "its model");
        CHECK_INT(summariser->model.context_tokens, 1047576, "its own context");
        CHECK(summariser->context.summariser == NULL, "it has none itself");
    }
    CHECK_STR(f.spec->context.summary_instructions, HAFT__LIT("Be short."), "instructions");
    unload(&f);
}

TEST(problems_of_a_context_have_their_places)
{
    static const struct {
        const char *text, *listing;
    } cases[] = {
        {"model: offline\ncontext: {tokens: 1000, reserve: 1000}\n",
         "2:34: expected less than the 1000 tokens of the context, found 1000"},
        {"model: offline\ncontext: {summarise: {model: nobody:small}}\n", "2:30: "},
        {"model: offline\ncontext: {clear: {at: 101}}\n", "2:23: "},
        {"model: offline\ncontext: {clear: true}\n", "2:18: "},
        {"model: offline\ncontext: {tokens: 10}\n", "2:19: "},
        {"model: offline\ncontext: {tokens: 0}\n", "2:19: "},
        {"model: offline\ncontext: {tokens: 255}\n", "2:19: "},
        {"model: offline\ncontext: {tokens: 100000001}\n", "2:19: "},
        {"model: offline\ncontext: {reserve: 0}\n", "2:20: "},
        {"model: offline\ncontext: {tokens: 1000, reserve: 5000}\n", "2:34: "},
        {"model: openai:gpt-4o\ncontext: {reserve: 128000}\n", "2:20: "},
        {"model: offline\ncontext: {clear: {keep: 10001}}\n", "2:25: "},
        {"model: offline\ncontext: {clear: {keep: -1}}\n", "2:25: "},
        {"model: offline\ncontext: {summarise: {keep: 10001}}\n", "2:29: "},
        {"model: offline\ncontext: {summarise: {keep: 0}}\n", "2:29: "},
        {"model: offline\ncontext: {clear: {spare: [1]}}\n", "2:27: "},
        {"model: offline\ncontext: {clear: {spare: [nothing*]}}\n",
         "2:27: warning: no tool matches \"nothing*\""},
        {"models: [openai:gpt-4o, {provider: vllm, model: m, context_tokens: 9000}]\n"
         "context: {reserve: 9000}\n",
         "2:20: with models[1]: expected less than the 9000 tokens of the context, found 9000"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        loaded f;
        load(&f, cases[i].text);
        CHECK(haft__str_starts_with(f.listing, haft__str(cases[i].listing)), "%s: %.*s",
              cases[i].text, HAFT__ARG(f.listing));
        unload(&f);
    }
}
