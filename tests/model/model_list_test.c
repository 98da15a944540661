/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/model_list.c. */
#include "model/model_list.h"

#include "base/limits.h"
#include "test.h"

static const struct {
    const char *provider, *base_url, *url;
} urls[] = {
    {"openai", "", "https://api.openai.com/v1/models"},
    {"openai-chat", "http://h:1/v1/", "http://h:1/v1/models"},
    {"anthropic", "", "https://api.anthropic.com/v1/models?limit=1000"},
    {"anthropic", "http://h:1", "http://h:1/v1/models?limit=1000"},
    {"anthropic", "http://h:1/v1/", "http://h:1/v1/models?limit=1000"},
    {"anthropic", "http://h:1/proxy?k=1", "http://h:1/proxy/v1/models?k=1&limit=1000"},
    {"gemini", "", "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000"},
    {"gemini", "http://h:1/", "http://h:1/v1beta/models?pageSize=1000"},
    {"gemini", "http://h:1/v1", "http://h:1/v1/models?pageSize=1000"},
    {"deepseek", "", "https://api.deepseek.com/models"},
    {"llamacpp", "", "http://127.0.0.1:8080/v1/models"},
    {"ollama", "", "http://127.0.0.1:11434/api/tags"},
    {"ollama", "http://h:1/v1", "http://h:1/api/tags"},
    {"ollama", "http://h:1/api", "http://h:1/api/tags"},
    {"ollama", "http://h:1/", "http://h:1/api/tags"},
    {"vllm", "nonsense", NULL},
};

TEST(the_list_of_models_has_its_url)
{
    for (size_t i = 0; i < COUNT(urls); i++) {
        haft__model_spec model = {.provider = haft__str(urls[i].provider)};
        haft__buf found;
        haft__buf_init(&found, 4096);
        haft_status status = haft__model_list_write_url(haft__provider_for_model(&model),
                                                        haft__str(urls[i].base_url), &found, NULL);
        CHECK_INT(status, urls[i].url != NULL ? HAFT_OK : HAFT_BAD_INPUT, "case %zu", i);
        if (urls[i].url != NULL) {
            CHECK_STR(haft__buf_str(&found), haft__str(urls[i].url), "case %zu", i);
        }
        haft__buf_finish(&found);
    }
}

static haft_status read_list(haft_str body, haft__buf *names, size_t *ret_count)
{
    haft__arena arena;
    const haft_str *found = NULL;
    haft__arena_init(&arena, 0);
    haft_status status =
        haft__model_list_read(&arena, body, (haft__hash_key){1, 2}, &found, ret_count, NULL);
    for (size_t i = 0; status == HAFT_OK && i < *ret_count; i++) {
        haft__buf_addf(names, "%.*s ", HAFT__ARG(found[i]));
    }
    haft__arena_finish(&arena);
    return status;
}

static const struct {
    const char *body, *names; /* NULL: it is not a list */
} lists[] = {
    {"{\"object\":\"list\",\"data\":[{\"id\":\"a\"},{\"id\":\"b/c\",\"name\":\"B\"}]}", "a b/c "},
    {"{\"models\":[{\"name\":\"q:8b\",\"model\":\"q:8b\"}]}", "q:8b "},
    {"{\"models\":[{\"name\":\"models/gemini-x\"}]}", "gemini-x "},
    {"{\"data\":[]}", ""},
    {"{\"data\":[{},1,{\"id\":7},{\"id\":\"x\"}]}", "x "},
    {"{\"data\":{}}", NULL},
    {"[]", NULL},
    {"<html>", NULL},
    {"", NULL},
};

TEST(lists_of_all_servers_are_read)
{
    for (size_t i = 0; i < COUNT(lists); i++) {
        haft__buf names;
        size_t count = 0;
        haft__buf_init(&names, 4096);
        haft_status status = read_list(haft__str(lists[i].body), &names, &count);
        CHECK_INT(status, lists[i].names != NULL ? HAFT_OK : HAFT_BAD_INPUT, "%s", lists[i].body);
        if (lists[i].names != NULL) {
            CHECK_STR(haft__buf_str(&names), haft__str(lists[i].names), "%s", lists[i].body);
        }
        haft__buf_finish(&names);
    }
}

TEST(a_list_of_models_has_a_limit)
{
    for (size_t more = 0; more < 2; more++) {
        haft__buf body, names;
        size_t count = 0;
        haft__buf_init(&body, 1 << 20);
        haft__buf_init(&names, 1 << 20);
        haft__buf_add_str(&body, HAFT__LIT("{\"data\":["));
        for (size_t i = 0; i < HAFT__LIMIT_MODEL_LIST + more; i++) {
            haft__buf_addf(&body, "%s{\"id\":\"m%zu\"}", i > 0 ? "," : "", i);
        }
        haft__buf_add_str(&body, HAFT__LIT("]}"));
        CHECK_INT(read_list(haft__buf_str(&body), &names, &count), HAFT_OK,
                  "%zu more than the limit", more);
        CHECK_INT(count, HAFT__LIMIT_MODEL_LIST, "%zu more than the limit", more);
        haft__buf_finish(&body);
        haft__buf_finish(&names);
    }
}

TEST(a_list_survives_every_failed_allocation)
{
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        haft__buf names;
        size_t count = 0;
        haft__buf_init(&names, 4096);
        test_fail_allocation(n);
        haft_status status = read_list(haft__str(lists[0].body), &names, &count);
        failed = test_allow_allocations();
        CHECK(status == HAFT_NO_MEMORY || status == HAFT_OK, "allocation %u", n);
        haft__buf_finish(&names);
    }
}
