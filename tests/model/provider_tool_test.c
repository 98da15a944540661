/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/provider_tool.c. */
#include "model/provider_tool.h"

#include "base/str.h"
#include "test.h"
#include "json/object.h"

static const haft__provider *named(const char *name)
{
    haft__model_spec model = {.provider = haft__str(name)};
    return haft__provider_for_model(&model);
}

TEST(types_are_those_of_the_table)
{
    static const struct {
        const char *provider, *type, *wire; /* NULL: it has no such tool */
    } rows[] = {
        {"openai", "web_search", "web_search"},
        {"openai", "web_search_20260318", NULL}, /* its types have no dates */
        {"openai", "web_fetch", NULL},
        {"openai-chat", "web_search", NULL},
        {"anthropic", "web_search", "web_search_20260318"},
        {"anthropic", "web_search_20250305", "web_search_20260318"},
        {"anthropic", "web_search_2025030", NULL},
        {"anthropic", "web_search_2025030x", NULL},
        {"anthropic", "web_search_202503055", NULL},
        {"anthropic", "", NULL},
        {"gemini", "code_execution", "codeExecution"},
        {"gemini", "googleSearch", NULL},
        {"mistral", "web_search", NULL},
        {"ollama", "web_search", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const haft__provider_tool *row =
            haft__provider_tool_find(named(rows[i].provider), haft__str(rows[i].type));
        CHECK_INT(row != NULL, rows[i].wire != NULL, "%s: %s", rows[i].provider, rows[i].type);
        if (row != NULL && rows[i].wire != NULL) {
            CHECK_STR(haft__str(row->wire), haft__str(rows[i].wire), "%s", rows[i].type);
        }
    }
}

/* Each row: the items of a reply, and the calls in them that the provider ran. */
static const struct {
    const char *provider, *items, *calls;
} rows[] = {
    {"openai", "[{\"type\":\"web_search_call\",\"id\":\"w\",\"action\":{\"q\":1.50}}]",
     "[{\"type\":\"web_search\",\"id\":\"w\",\"arguments\":{\"q\":1.50}}]"},
    {"openai", "[{\"type\":\"code_interpreter_call\",\"code\":\"1+1\"}]",
     "[{\"type\":\"code_interpreter\",\"id\":null,\"arguments\":\"1+1\"}]"},
    {"openai", "[{\"type\":\"image_generation_call\",\"id\":\"i\"},{\"type\":\"x_call\"}]",
     "[{\"type\":\"image_generation\",\"id\":\"i\",\"arguments\":null},"
     "{\"type\":\"x\",\"id\":null,\"arguments\":null}]"},
    {"openai", "[{\"type\":\"function_call\"},{\"type\":\"message\"},7]", ""},
    {"anthropic",
     "[{\"type\":\"tool_use\"},{\"type\":\"server_tool_use\",\"id\":\"s\",\"name\":\"web_search\","
     "\"input\":{}}]",
     "[{\"type\":\"web_search\",\"id\":\"s\",\"arguments\":{}}]"},
    {"gemini",
     "[{\"toolCall\":{\"id\":\"t\",\"toolType\":\"URL_CONTEXT\",\"args\":{\"a\":1}}},"
     "{\"executableCode\":{\"code\":\"1\"}},{\"toolResponse\":{}}]",
     "[{\"type\":\"URL_CONTEXT\",\"id\":\"t\",\"arguments\":{\"a\":1}},"
     "{\"type\":\"code_execution\",\"id\":null,\"arguments\":{\"code\":\"1\"}}]"},
    {"gemini", "", ""},
    {"gemini", "{broken", ""},
    {"gemini", "{}", ""},
    {"ollama", "[{\"type\":\"web_search_call\"}]", ""},
};

TEST(calls_of_the_provider_are_found_in_its_items)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__buf found;
        haft__buf_init(&found, 1 << 16);
        CHECK_INT(haft__provider_calls_write(named(rows[i].provider), haft__str(rows[i].items),
                                             &found, NULL),
                  HAFT_OK, "%zu", i);
        CHECK_STR(haft__buf_str(&found), haft__str(rows[i].calls), "%s", rows[i].items);
        haft__buf_finish(&found);
    }
}

TEST(memory_that_cannot_be_had)
{
    for (unsigned n = 0;; n++) {
        haft__buf found;
        haft__buf_init(&found, 1 << 16);
        test_fail_allocation(n);
        haft_status status = haft__provider_calls_write(named(rows[0].provider),
                                                        haft__str(rows[0].items), &found, NULL);
        bool failed = test_allow_allocations();
        haft__buf_finish(&found);
        if (!failed) {
            CHECK(n > 0, "there was nothing to fail");
            break;
        }
        CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u", n);
    }
}
