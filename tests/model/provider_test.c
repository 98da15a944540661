/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/provider.c and providers.c.
 * tests/model/providers_page_test.c writes docs/providers.md. */
#include "model/provider.h"

#include "base/limits.h"
#include "test.h"

static haft__model_spec model_of(const char *provider, const char *base_url)
{
    return (haft__model_spec){.provider = haft__str(provider), .base_url = haft__str(base_url)};
}

#define COMPATIBLE "openai, own base_url"

static const struct {
    const char *provider, *base_url, *row, *key_env;
} rows[] = {
    {"openai", "", "openai", "OPENAI_API_KEY"},
    {"openai", "https://api.openai.com/v1", "openai", "OPENAI_API_KEY"},
    {"openai", " HTTPS://API.OpenAI.com/v1/ ", "openai", "OPENAI_API_KEY"},
    {"openai", "https://api.openai.com", "openai", "OPENAI_API_KEY"},
    {"openai", "http://api.openai.com/v1", COMPATIBLE, ""},
    {"openai", "https://api.openai.com.example.org/v1", COMPATIBLE, ""},
    {"openai", "https://api.openai.com@example.org/v1", COMPATIBLE, ""},
    {"openai", "https://api.openai.com:444/v1", COMPATIBLE, ""},
    {"openai", "http://127.0.0.1:9/v1", COMPATIBLE, ""},
    {"openai", "nonsense", COMPATIBLE, ""},
    {"mistral", "", "mistral", "MISTRAL_API_KEY"},
    {"mistral", "https://example.org/v1", "mistral", ""},
    {"deepseek", "", "deepseek", "DEEPSEEK_API_KEY"},
    {"deepseek", "https://api.deepseek.com/beta", "deepseek", "DEEPSEEK_API_KEY"},
    {"ollama", "http://example.org:11434/v1", "ollama", ""},
    {"llamacpp", "", "llamacpp", "LLAMACPP_API_KEY"},
    {"vllm", "", "vllm", "VLLM_API_KEY"},
    {"ollama", "", "ollama", "OLLAMA_API_KEY"},
    {"openai-chat", "", "openai-chat", "OPENAI_API_KEY"},
    {"openai-chat", "https://api.openai.com/v1", "openai-chat", "OPENAI_API_KEY"},
    {"openai-chat", "http://example.org/v1", COMPATIBLE, ""},
    {"anthropic", "", "anthropic", "ANTHROPIC_API_KEY"},
    {"anthropic", "https://example.org", "anthropic", ""},
    {"gemini", "", "gemini", "GEMINI_API_KEY"},
    {"gemini", "https://example.org", "gemini", ""},
    {"openai-responses", "", "openai-responses", "OPENAI_API_KEY"},
    {"openai-responses", "https://api.openai.com/v1", "openai-responses", "OPENAI_API_KEY"},
    {"openai-responses", "https://example.org/v1", "openai-responses", ""},
    {"script", "", NULL, NULL},
    {COMPATIBLE, "", NULL, NULL},
    {"", "", NULL, NULL},
};

TEST(models_have_their_rows_and_keys)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        haft__model_spec model = model_of(rows[i].provider, rows[i].base_url);
        const haft__provider *row = haft__provider_for_model(&model);
        CHECK_INT(row == NULL, rows[i].row == NULL, "%s %s", rows[i].provider, rows[i].base_url);
        if (row == NULL || rows[i].row == NULL) {
            continue;
        }
        CHECK_STR(haft__str(row->name), haft__str(rows[i].row), "%s %s", rows[i].provider,
                  rows[i].base_url);
        CHECK_STR(haft__provider_key_env(row, &model), haft__str(rows[i].key_env), "%s %s",
                  rows[i].provider, rows[i].base_url);
        model.api_key_env = HAFT__LIT("MINE");
        CHECK_STR(haft__provider_key_env(row, &model), HAFT__LIT("MINE"), "%s", rows[i].provider);
    }
    size_t count;
    const haft__provider *all = haft__providers(&count);
    CHECK(&all[count - 1] == haft__provider_compatible(),
          "the compatible provider is the last row");
    for (size_t i = 0; i < count; i++) {
        CHECK(all[i].base_url != NULL && all[i].base_url_env != NULL && all[i].key_env != NULL
                  && all[i].local_key_env != NULL,
              "%s leaves something out", all[i].name);
        CHECK(all[i].chat.must_call != NULL && all[i].chat.max_tokens != NULL
                  && all[i].chat.reasoning != NULL,
              "%s leaves something out", all[i].name);
        CHECK(!all[i].needs_key || all[i].key_env[0] != '\0',
              "%s needs a key but names no variable for it", all[i].name);
    }
}

static const struct {
    const char *provider, *base_url, *url; /* url: the value of the variable */
    const char *variable;                  /* the one that selects the row; "" for none */
    bool other;
    const char *row, *key_env; /* of a model whose variable names another host, if it does */
} servers[] = {
    {"openai", "", "http://127.0.0.1:9/v1", "OPENAI_BASE_URL", true, COMPATIBLE, "OPENAI_API_KEY"},
    {"openai-chat", "", "http://h/v1", "OPENAI_BASE_URL", true, COMPATIBLE, "OPENAI_API_KEY"},
    {"openai", "", "https://api.openai.com/v1/", "OPENAI_BASE_URL", false, "openai",
     "OPENAI_API_KEY"},
    {"openai", "", "", "OPENAI_BASE_URL", false, "openai", "OPENAI_API_KEY"},
    {"openai", "http://h/v1", "http://i/v1", "", true, COMPATIBLE, ""},
    {"openai-responses", "", "http://h/v1", "", true, "openai-responses", "OPENAI_API_KEY"},
    {"anthropic", "", "http://h/v1", "", true, "anthropic", "ANTHROPIC_API_KEY"},
    {"script", "", "http://h/v1", "", false, NULL, NULL},
};

TEST(a_variable_names_another_server)
{
    for (size_t i = 0; i < COUNT(servers); i++) {
        haft__model_spec model = model_of(servers[i].provider, servers[i].base_url);
        CHECK_STR(haft__provider_server_variable(&model), haft__str(servers[i].variable),
                  "case %zu", i);
        CHECK_INT(haft__provider_is_other_host(&model, haft__str(servers[i].url)), servers[i].other,
                  "case %zu", i);
        model.other_server = servers[i].other;
        const haft__provider *row = haft__provider_for_model(&model);
        CHECK_INT(row == NULL, servers[i].row == NULL, "case %zu", i);
        if (row != NULL && servers[i].row != NULL) {
            CHECK_STR(haft__str(row->name), haft__str(servers[i].row), "case %zu", i);
            CHECK_STR(haft__provider_key_env(row, &model), haft__str(servers[i].key_env),
                      "case %zu", i);
        }
    }
}

TEST(every_row_has_all_functions)
{
    size_t count;
    const haft__provider *all = haft__providers(&count);
    for (size_t i = 0; i < count; i++) {
        const haft__provider_api *api = all[i].api;
        CHECK(api->write_url != NULL && api->write_headers != NULL
                  && api->conversation_size >= sizeof(haft__provider_conversation)
                  && (api->tool_writer != NULL) != (api->write_tool != NULL)
                  && api->add_text != NULL && api->add_message != NULL && api->write_body != NULL
                  && api->reserved_options != NULL && api->schema_field != NULL
                  && api->models_path != NULL && api->version != NULL,
              "%s cannot write requests", all[i].name);
        CHECK(api->stream_size > 0 && api->init_stream != NULL && api->finish_stream != NULL
                  && api->feed != NULL && api->end != NULL && api->read_failure != NULL,
              "replies of %s cannot be read", all[i].name);
    }
}

#define NO_SCHEME "expected a base_url with http:// or https:// and a host"

static const struct {
    const char *provider, *base_url, *url; /* url: or the error */
    haft_status status;
} urls[] = {
    {"openai", "", "https://api.openai.com/v1/responses", HAFT_OK},
    {"openai-chat", "", "https://api.openai.com/v1/chat/completions", HAFT_OK},
    {"openai-chat", "http://h/v1", "http://h/v1/chat/completions", HAFT_OK},
    {"deepseek", "", "https://api.deepseek.com/chat/completions", HAFT_OK},
    {"openai", "http://h:8/v1", "http://h:8/v1/chat/completions", HAFT_OK},
    {"openai", "http://h:8/v1/", "http://h:8/v1/chat/completions", HAFT_OK},
    {"openai", "  http://h:8/v1///  ", "http://h:8/v1/chat/completions", HAFT_OK},
    {"openai", "http://h", "http://h/chat/completions", HAFT_OK},
    {"openai", "HTTP://h", "HTTP://h/chat/completions", HAFT_OK},
    {"openai", "http://h/v1/chat/completions", "http://h/v1/chat/completions", HAFT_OK},
    {"openai", "http://h/v1/chat/completions//", "http://h/v1/chat/completions", HAFT_OK},
    {"openai", "http://h/v1/xchat/completions", "http://h/v1/xchat/completions/chat/completions",
     HAFT_OK},
    {"openai", "http://h/v1/?v=1&b=?", "http://h/v1/chat/completions?v=1&b=?", HAFT_OK},
    {"openai", "http://h/chat/completions?v=1", "http://h/chat/completions?v=1", HAFT_OK},
    {"openai", "http://h/v1?", "http://h/v1/chat/completions", HAFT_OK},
    {"anthropic", "", "https://api.anthropic.com/v1/messages", HAFT_OK},
    {"anthropic", "http://h:8", "http://h:8/v1/messages", HAFT_OK},
    {"anthropic", "http://h:8/", "http://h:8/v1/messages", HAFT_OK},
    {"anthropic", "http://h/v1/", "http://h/v1/messages", HAFT_OK},
    {"anthropic", "http://h/anthropic?a=1", "http://h/anthropic/v1/messages?a=1", HAFT_OK},
    {"anthropic", "http://h/v1/messages", "http://h/v1/messages", HAFT_OK},
    {"openai-responses", "", "https://api.openai.com/v1/responses", HAFT_OK},
    {"openai-responses", "http://h/v1/responses", "http://h/v1/responses", HAFT_OK},
    {"openai", "h:8/v1", NO_SCHEME, HAFT_BAD_INPUT},
    {"openai", "ftp://h/v1", NO_SCHEME, HAFT_BAD_INPUT},
    {"openai", "http://", NO_SCHEME, HAFT_BAD_INPUT},
    {"openai", "http:///v1", NO_SCHEME, HAFT_BAD_INPUT},
    {"openai", "http://h/a b", "expected a base_url without spaces and '#', found one at byte 10",
     HAFT_BAD_INPUT},
    {"openai", "http://h/v1#x", "expected a base_url without spaces and '#', found one at byte 11",
     HAFT_BAD_INPUT},
    {"openai", "http://h/\r\nX: y",
     "expected a base_url without spaces and '#', found one at byte 9", HAFT_BAD_INPUT},
};

TEST(urls_are_joined)
{
    for (size_t i = 0; i < COUNT(urls); i++) {
        haft__model_spec model = model_of(urls[i].provider, urls[i].base_url);
        const haft__provider *provider = haft__provider_for_model(&model);
        haft__buf found;
        haft_error err = {0};
        haft__buf_init(&found, 4096);
        haft_status status = provider->api->write_url(provider, &model, &found, &err);
        CHECK_INT(status, urls[i].status, "%s", urls[i].base_url);
        CHECK_STR(status == HAFT_OK ? haft__buf_str(&found) : haft__str(err.message),
                  haft__str(urls[i].url), "%s", urls[i].base_url);
        CHECK_INT(status == HAFT_OK, err.hint[0] == '\0', "%s: only an error has a hint",
                  urls[i].base_url);
        haft__buf_finish(&found);
    }
    haft__buf found;
    haft_error err = {0};
    haft__buf_init(&found, 4096);
    const haft__provider *compatible = haft__provider_compatible();
    CHECK_INT(haft__provider_join_url(compatible, HAFT__LIT(" "), HAFT__LIT("/path"), &found, &err),
              HAFT_BAD_INPUT, "an empty base URL");
    CHECK_STR(haft__str(err.message), HAFT__LIT("base_url is missing"),
              "the error of an empty base URL");
    test_fail_allocation(0);
    haft_status status = haft__provider_join_url(compatible, HAFT__LIT("http://h"),
                                                 HAFT__LIT("/path"), &found, &err);
    CHECK(test_allow_allocations(), "the failing allocation was not reached");
    CHECK_INT(status, HAFT_NO_MEMORY, "out of memory");
    haft__buf_finish(&found);
}

/* ---- timeouts ---- */

TEST(default_timeouts_are_the_limits)
{
    haft__model_timeouts times = haft__model_timeouts_resolve((haft__model_timeouts){0});
    CHECK_INT(haft__model_timeouts_resolve((haft__model_timeouts){.idle_ms = 7}).idle_ms, 7,
              "a timeout that is set stays");
    CHECK_INT(times.connect_ms, HAFT__LIMIT_MODEL_CONNECT_MS, "connect timeout");
    CHECK_INT(times.first_byte_ms, HAFT__LIMIT_MODEL_FIRST_BYTE_MS, "first byte timeout");
    CHECK_INT(times.idle_ms, HAFT__LIMIT_MODEL_IDLE_MS, "idle timeout");
    CHECK_INT(times.total_ms, HAFT__LIMIT_MODEL_TOTAL_MS, "total timeout");
    CHECK(times.connect_ms < times.first_byte_ms && times.first_byte_ms < times.total_ms,
          "timeouts grow from connect to total");
}

/* ---- docs/adding-a-provider.md ---- */

/* Every C block of docs/adding-a-provider.md is in one of these files unchanged. */
TEST(the_page_about_adding_a_provider_shows_the_code)
{
    static const char *const paths[] = {"src/model/providers.c",
                                        "src/model/providers/openai_chat/openai_chat.c",
                                        "src/model/providers/openai_chat/stream.c",
                                        "src/model/providers/anthropic/anthropic.c",
                                        "src/model/providers/anthropic/request.h",
                                        "tests/model/providers/openai_chat/openai_chat_test.c"};
    static const char open[] = "```c\n", close[] = "```\n";
    haft_str page = test_read_file("docs/adding-a-provider.md");
    size_t blocks = 0;
    CHECK(page.ptr != NULL, "docs/adding-a-provider.md is not there");
    while (page.ptr != NULL) {
        const char *at = memmem(page.ptr, page.len, open, strlen(open));
        if (at == NULL) {
            break;
        }
        page = haft__str_skip(page, (size_t)(at - page.ptr) + strlen(open));
        const char *end = memmem(page.ptr, page.len, close, strlen(close));
        haft_str block = {page.ptr, end != NULL ? (size_t)(end - page.ptr) : page.len};
        bool found = false;
        for (size_t i = 0; i < COUNT(paths) && !found; i++) {
            haft_str file = test_read_file(paths[i]);
            found = file.ptr != NULL && memmem(file.ptr, file.len, block.ptr, block.len) != NULL;
        }
        CHECK(found, "no file has the block %zu: %.*s", blocks, HAFT__ARG(block));
        page = haft__str_skip(page, block.len);
        blocks++;
    }
    CHECK(blocks > 3, "the page shows too few blocks of code");
}
