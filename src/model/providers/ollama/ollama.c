/* SPDX-License-Identifier: Apache-2.0 */
/* ollama.c - the functions of Ollama's own API for the table of providers. Tests:
 * tests/model/providers/ollama/request_test.c. */
#include "model/providers/ollama/ollama.h"

#include "base/str.h"
#include "model/providers/ollama/request.h"
#include "model/providers/ollama/stream.h"

/* ---- endpoint and headers ---- */

/* The base URL of the same server for Ollama's other APIs ends in /v1, and that of some clients in
 * /api; both mean the server. */
static haft_str server_of(haft_str url)
{
    url = haft__str_trim(url);
    haft_str query = url;
    if (haft__str_split(&query, '?').len < url.len) {
        return url;
    }
    while (haft__str_ends_with(url, HAFT__LIT("/"))) {
        url.len--;
    }
    static const char *const ends[] = {"/v1", "/api"};
    for (size_t i = 0; i < COUNT(ends); i++) {
        haft_str end = haft__str(ends[i]);
        if (haft__str_ends_with(url, end)) {
            url.len -= end.len;
            break;
        }
    }
    return url;
}

static haft_status write_url(const haft__provider *provider, const haft__model_spec *model,
                             haft__buf *buf, haft_error *err)
{
    return haft__provider_join_url(provider, server_of(model->base_url), HAFT__LIT("/api/chat"),
                                   buf, err);
}

/* ---- requests ---- */

static const haft__optional_member optional_members[] = {
    {"format", HAFT__MEMBER_SCHEMA, {"schema", "grammar"}},
    {"think", HAFT__MEMBER_EFFORT, {"thinking"}},
    {NULL, HAFT__MEMBER_COUNT, {NULL}},
};

static const char *const reserved_options[] = {"model", "messages", "tools", "stream", NULL};

/* ---- replies ---- */

static void init_stream(haft__provider_stream *stream, const haft__provider_stream_options *options)
{
    haft__ollama_stream_init((haft__ollama_stream *)stream, options);
}

const haft__provider_api haft__ollama_api = {.write_url = write_url,
                                             .write_headers = haft__provider_write_bearer,
                                             .conversation_size =
                                                 sizeof(haft__provider_conversation),
                                             .write_tool = haft__ollama_write_tool,
                                             .add_text = haft__ollama_add_text,
                                             .add_message = haft__ollama_add_message,
                                             .write_body = haft__ollama_write_body,
                                             .reserved_options = reserved_options,
                                             .optional_members = optional_members,
                                             .schema_field = "format",
                                             .models_path = "/api/tags",
                                             .version = "",
                                             .stream_size = sizeof(haft__ollama_stream),
                                             .init_stream = init_stream,
                                             .finish_stream = haft__reply_reader_finish_stream,
                                             .feed = haft__reply_reader_feed_stream,
                                             .end = haft__reply_reader_end_stream,
                                             .read_failure = haft__server_error_read_failure};
