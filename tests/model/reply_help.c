/* SPDX-License-Identifier: Apache-2.0 */
#include "model/reply_help.h"

#define KEY ((haft__hash_key){1, 2})

haft_str help_quotes(const char *text)
{
    size_t length = strlen(text);
    char *copy = test_alloc(length + 1);
    for (size_t i = 0; i < length; i++) {
        copy[i] = text[i] == '\'' ? '"' : text[i];
    }
    return (haft_str){copy, length};
}

haft_str help_events(const char *lines)
{
    haft_str rest = help_quotes(lines);
    size_t room = rest.len * 9 + 16, length = 0;
    char *bytes = test_alloc(room);
    while (rest.len > 0) {
        haft_str line = haft__str_split(&rest, '\n');
        bool raw = haft__str_starts_with(line, HAFT__LIT("!"));
        line = raw ? haft__str_skip(line, 1) : line;
        size_t start = length;
        length += (size_t)snprintf(bytes + length, room - length, "%s%.*s%s",
                                   raw ? "" : "data: ", HAFT__ARG(line), raw ? "" : "\n\n");
        for (size_t i = start; raw && i < length; i++) {
            bytes[i] = (char)(bytes[i] == '~' ? '\n' : bytes[i] == '^' ? '\r' : bytes[i]);
        }
    }
    return (haft_str){bytes, length};
}

void help_describe(haft__buf *buf, const haft__model_outcome *answer)
{
    const haft__reply *reply = &answer->reply;
    if (answer->failed) {
        haft__buf_addf(buf, "%s %u %.*s", haft__failure_name(answer->failure.kind),
                       answer->failure.status, HAFT__ARG(answer->failure.message));
        return;
    }
    haft__buf_addf(buf, "%.*s|%.*s|%s|%d %d %d|%.*s", HAFT__ARG(reply->content),
                   HAFT__ARG(reply->reasoning), haft__stop_reason_name(reply->stop),
                   (int)reply->usage.input, (int)reply->usage.output, (int)reply->usage.cached,
                   HAFT__ARG(reply->model));
    for (size_t i = 0; i < reply->call_count; i++) {
        haft__buf_addf(buf, "|%.*s %.*s %.*s", HAFT__ARG(reply->calls[i].id),
                       HAFT__ARG(reply->calls[i].name), HAFT__ARG(reply->calls[i].arguments));
    }
    if (reply->items.len > 0) {
        haft__buf_addf(buf, "|items %.*s", HAFT__ARG(reply->items));
    }
}

/* The listener assembles the deltas too. */
typedef struct listener {
    haft__assembly assembly;
    haft_status status;
} listener;

static void listen(void *context, const haft__delta *delta)
{
    listener *l = context;
    if (l->status == HAFT_OK) {
        l->status = haft__assembly_add(&l->assembly, delta, NULL);
    }
}

static haft_status check_heard(const listener *l, const haft__model_outcome *answer,
                               haft__arena *arena)
{
    haft__model_outcome heard = {.failed = false};
    haft_status status = l->status;
    if (status == HAFT_OK) {
        status = haft__assembly_reply(&l->assembly, arena, &heard.reply, NULL);
    }
    if (status != HAFT_OK) {
        return status;
    }
    heard.reply.model = answer->reply.model;
    char kept[2][16384];
    haft__buf texts[2];
    for (size_t i = 0; i < 2; i++) {
        texts[i] = (haft__buf){.ptr = kept[i], .cap = sizeof(kept[i]), .max = sizeof(kept[i])};
        help_describe(&texts[i], i == 0 ? answer : &heard);
    }
    CHECK_STR(haft__buf_str(&texts[1]), haft__buf_str(&texts[0]),
              "the emitted deltas give the same reply");
    return HAFT_OK;
}

static haft_status feed(const haft__provider_api *api, haft__provider_stream *stream, haft_str body,
                        size_t size)
{
    haft_status status = HAFT_OK;
    size = size > 0 ? size : body.len;
    for (size_t at = 0; at < body.len && status == HAFT_OK; at += size) {
        size_t left = body.len - at;
        haft_str piece = {body.ptr + at, left < size ? left : size};
        bool over = false;
        status = api->feed(stream, piece, &over, NULL);
    }
    return status;
}

haft_status help_answer(const haft__provider_api *api, haft_str body, size_t size,
                        const haft__tools *tools, haft__buf *buf)
{
    static _Alignas(16) char memory[1 << 16];
    listener l = {.status = HAFT_OK};
    haft__provider_stream_options options = {
        .tools = tools, .emit = listen, .context = &l, .hash_key = KEY};
    haft__provider_stream *stream = (haft__provider_stream *)memory;
    haft__model_outcome answer = {.failed = false};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__assembly_init(&l.assembly);
    CHECK(api->stream_size <= sizeof(memory), "a stream has %zu bytes", api->stream_size);
    api->init_stream(stream, &options);
    haft_status status = feed(api, stream, body, size);
    if (status == HAFT_OK) {
        status = api->end(stream, &arena, &answer, NULL);
    }
    if (status == HAFT_OK) {
        status = answer.failed ? l.status : check_heard(&l, &answer, &arena);
    }
    if (status == HAFT_OK) {
        help_describe(buf, &answer);
        status = buf->status;
    }
    api->finish_stream(stream);
    haft__assembly_finish(&l.assembly);
    haft__arena_finish(&arena);
    return status;
}

void help_check_answer(const haft__provider_api *api, haft_str body, const haft__tools *tools,
                       const char *wanted, const char *name)
{
    bool same = true;
    for (size_t size = 0; same && size <= body.len + 1; size += size < 20 ? 1 : 17) {
        haft__buf found;
        haft__buf_init(&found, 1 << 20);
        CHECK_INT(help_answer(api, body, size, tools, &found), HAFT_OK, "%s", name);
        CHECK_STR(haft__buf_str(&found), haft__str(wanted), "%s, %zu bytes at a time", name, size);
        same = haft__str_equal(haft__buf_str(&found), haft__str(wanted));
        haft__buf_finish(&found);
    }
}

void help_check_memory(const haft__provider_api *api, haft_str body, const haft__tools *tools,
                       const char *name)
{
    for (unsigned n = 0;; n++) {
        char kept[16384]; /* a fixed buffer, so that only the code under test allocates */
        haft__buf found = {.ptr = kept, .cap = sizeof(kept), .max = sizeof(kept)};
        test_fail_allocation(n);
        haft_status status = help_answer(api, body, 7, tools, &found);
        bool failed = test_allow_allocations();
        CHECK_INT(status, failed ? HAFT_NO_MEMORY : HAFT_OK, "%s, allocation %u", name, n);
        if (!failed) {
            CHECK(n > 0, "%s: no allocation was made", name);
            break;
        }
    }
}
