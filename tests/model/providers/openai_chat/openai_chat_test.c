/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/model/providers/openai_chat/openai_chat.c, through the table of providers. */
#include "model/conversation.h"
#include "model/provider.h"

#include "test.h"

static const haft__tool look = {.name = HAFT__LIT("docs:look"),
                                .description = HAFT__LIT("Looks."),
                                .input_schema = {.kind = HAFT__JSON_OBJECT}};
static const haft__tool *const tools[] = {&look};
static const bool allowed[] = {true};

static haft__message items[] = {
    {.role = HAFT__MESSAGE_SYSTEM, .text = HAFT__LIT("Be brief.")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Find it.")},
    {.role = HAFT__MESSAGE_ASSISTANT, .text = HAFT__LIT("Where?")},
    {.role = HAFT__MESSAGE_USER, .text = HAFT__LIT("Here.")},
};

static haft__request request_of(const haft__messages *messages, const char *format)
{
    return (haft__request){.model = HAFT__LIT("m"),
                           .messages = messages,
                           .tools = tools,
                           .allowed = allowed,
                           .tool_count = 1,
                           .callable_count = 1,
                           .format = haft__str(format)};
}

static const haft__provider *provider_named(const char *name)
{
    haft__model_spec model = {.provider = haft__str(name)};
    return haft__provider_for_model(&model);
}

/* ---- headers ---- */

TEST(the_key_is_a_bearer_token)
{
    const haft__provider_api *api = provider_named("openai-chat")->api;
    haft__provider_headers headers = {.count = 9};
    haft__arena arena;
    haft__arena_init(&arena, 0);
    CHECK_INT(api->write_headers(HAFT__LIT(""), &arena, &headers, NULL), HAFT_OK,
              "headers without a key");
    CHECK_INT(headers.count, 0, "headers without a key");
    CHECK_INT(api->write_headers(HAFT__LIT("sk-1"), &arena, &headers, NULL), HAFT_OK,
              "headers with a key");
    CHECK_INT(headers.count, 1, "headers with a key");
    CHECK_STR(headers.lines[0], HAFT__LIT("Authorization: Bearer sk-1"), "headers with a key");
    haft__arena_finish(&arena);
    test_fail_allocation(0);
    haft_status status = api->write_headers(HAFT__LIT("sk-1"), &arena, &headers, NULL);
    CHECK(test_allow_allocations(), "the failing allocation was not reached");
    CHECK_INT(status, HAFT_NO_MEMORY, "out of memory");
    haft__arena_finish(&arena);
}

/* ---- requests ---- */

static haft_status write_to(haft__provider_conversation *conversation, const char *format,
                            size_t count, haft__declared_tools *shared, haft__buf *buf)
{
    haft__messages messages = {.items = items, .count = count};
    haft__request request = request_of(&messages, format);
    haft__provider_request_options options = {.shared_tools = shared};
    haft__buf_clear(buf);
    return haft__conversation_write(conversation, &request, &options, buf, NULL);
}

/* The request as the first one of a conversation. */
static void write_alone(const char *format, size_t count, haft__buf *buf)
{
    const haft__provider *provider = haft__provider_compatible();
    haft__provider_conversation *conversation = NULL;
    CHECK_INT(haft__conversation_create(provider, &conversation, NULL), HAFT_OK, "create");
    CHECK_INT(write_to(conversation, format, count, NULL, buf), HAFT_OK, "%s", format);
    haft__conversation_destroy(conversation);
}

TEST(one_request_in_another_format_leaves_the_conversation_as_it_is)
{
    static const struct {
        const char *format;
        size_t count;
    } turns[] = {{"native", 2}, {"purejson", 2}, {"native", 4}, {"purejson", 4}, {"native", 4}};
    const haft__provider *provider = haft__provider_compatible();
    haft__provider_conversation *conversation = NULL;
    haft__buf found, wanted;
    haft__buf_init(&found, 1 << 20);
    haft__buf_init(&wanted, 1 << 20);
    CHECK_INT(haft__conversation_create(provider, &conversation, NULL), HAFT_OK, "create");
    for (size_t i = 0; i < COUNT(turns); i++) {
        CHECK_INT(write_to(conversation, turns[i].format, turns[i].count, NULL, &found), HAFT_OK,
                  "turn %zu", i);
        write_alone(turns[i].format, turns[i].count, &wanted);
        CHECK_STR(haft__buf_str(&found), haft__buf_str(&wanted), "turn %zu", i);
    }
    size_t before = test_allocation_count();
    CHECK_INT(write_to(conversation, "native", 4, NULL, &found), HAFT_OK,
              "write the same turn again");
    CHECK_INT(test_allocation_count() - before, 0, "kept text is copied, without an allocation");
    haft__conversation_destroy(conversation);
    haft__buf_finish(&found);
    haft__buf_finish(&wanted);
}

TEST(tools_are_shared_for_a_request_if_the_caller_allows_it)
{
    const haft__provider *provider = haft__provider_compatible();
    haft__provider_conversation *conversation = NULL;
    haft__declared_tools shared;
    haft__buf with, without;
    haft__declared_tools_init(&shared);
    haft__buf_init(&with, 1 << 20);
    haft__buf_init(&without, 1 << 20);
    CHECK_INT(haft__conversation_create(provider, &conversation, NULL), HAFT_OK, "create");
    CHECK_INT(write_to(conversation, "native", 2, NULL, &without), HAFT_OK, "alone");
    CHECK_INT(shared.count, 0, "nothing is shared");
    CHECK_INT(write_to(conversation, "native", 2, &shared, &with), HAFT_OK,
              "write with shared tools");
    CHECK_INT(shared.count, 1, "the tool is shared");
    CHECK_STR(haft__buf_str(&with), haft__buf_str(&without), "the bytes are the same");
    haft__conversation_destroy(conversation);
    haft__declared_tools_finish(&shared);
    haft__buf_finish(&with);
    haft__buf_finish(&without);
}

TEST(options_of_the_request_itself_are_reserved)
{
    const haft__provider *provider = provider_named("mistral");
    CHECK(haft__provider_is_reserved_option(provider, HAFT__LIT("messages")), "messages");
    CHECK(haft__provider_is_reserved_option(provider, HAFT__LIT("stream")), "stream");
    CHECK(!haft__provider_is_reserved_option(provider, HAFT__LIT("temperature")), "temperature");
    CHECK(!haft__provider_is_reserved_option(provider, HAFT__LIT("")), "an empty name");
}

/* ---- replies ---- */

#define HI       "data: {\"model\":\"m-1\",\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n"
#define END      "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define DONE     "data: [DONE]\n\n"
#define PROVIDER "deepseek"

typedef struct delta_counts {
    size_t outputs;
    size_t others;
} delta_counts;

static void count_delta(void *context, const haft__delta *delta)
{
    delta_counts *h = context;
    *(haft__delta_is_output(delta) ? &h->outputs : &h->others) += 1;
}

/* Feeds `body` in pieces of `size` bytes. *ret_left: number of bytes after its end. */
static haft_status read_body(haft_str body, size_t size, haft__arena *arena, delta_counts *h,
                             haft__model_outcome *ret_outcome, size_t *ret_left)
{
    const haft__provider_api *api = provider_named(PROVIDER)->api;
    haft__provider_stream *stream = test_alloc(api->stream_size);
    haft__provider_stream_options options = {.emit = count_delta, .context = h, .hash_key = {1, 2}};
    bool over = false;
    haft_status status = HAFT_OK;
    size_t before = test_allocation_count();
    api->init_stream(stream, &options);
    CHECK_INT(test_allocation_count() - before, 0, "a stream that read nothing has no memory");
    while (status == HAFT_OK && body.len > 0 && !over) {
        haft_str piece = {body.ptr, size < body.len ? size : body.len};
        status = api->feed(stream, piece, &over, NULL);
        body = haft__str_skip(body, piece.len);
    }
    *ret_left = body.len;
    if (status == HAFT_OK) {
        status = api->end(stream, arena, ret_outcome, NULL);
    }
    api->finish_stream(stream);
    return status;
}

TEST(a_reply_is_read_at_every_cut)
{
    static const char body[] = HI END DONE "rest";
    for (size_t size = 1; size <= sizeof(body); size++) {
        haft__arena arena;
        haft__model_outcome outcome = {.failed = true};
        delta_counts h = {0};
        size_t left = 0;
        haft__arena_init(&arena, 0);
        CHECK_INT(read_body(haft__str(body), size, &arena, &h, &outcome, &left), HAFT_OK,
                  "%zu bytes at a time", size);
        CHECK(!outcome.failed, "%zu bytes at a time", size);
        CHECK_STR(outcome.reply.content, HAFT__LIT("Hi"), "%zu bytes at a time", size);
        CHECK_STR(outcome.reply.model, HAFT__LIT("m-1"), "%zu bytes at a time", size);
        CHECK(h.outputs == 1 && h.others == 1, "%zu bytes at a time: one text and one stop", size);
        CHECK(size > 4 || left >= 4 - size, "%zu bytes at a time: bytes after the end are not read",
              size);
        haft__arena_finish(&arena);
    }
}

TEST(a_reply_that_was_cut_is_a_failure)
{
    haft__arena arena;
    haft__model_outcome outcome = {.failed = false};
    delta_counts h = {0};
    size_t left = 0;
    haft__arena_init(&arena, 0);
    CHECK_INT(read_body(HAFT__LIT(HI), 7, &arena, &h, &outcome, &left), HAFT_OK, "read the body");
    CHECK(outcome.failed && outcome.failure.kind == HAFT__FAILURE_CUT,
          "the failure is a cut reply");
    CHECK(h.outputs == 1 && left == 0, "all of it was read");
    haft__arena_finish(&arena);
}

TEST(a_failure_is_read)
{
    const haft__provider_api *api = provider_named(PROVIDER)->api;
    haft__arena arena;
    haft__model_failure failure = {0};
    haft__arena_init(&arena, 0);
    CHECK_INT(api->read_failure(401, HAFT__LIT("{\"error\":{\"message\":\"No key\"}}"),
                                HAFT__LIT("r1"), (haft__hash_key){1, 2}, (haft__cleaner){0}, &arena,
                                &failure, NULL),
              HAFT_OK, "a response with status 401");
    CHECK_INT(failure.kind, HAFT__FAILURE_AUTH, "a response with status 401");
    CHECK_STR(failure.message, HAFT__LIT("HTTP 401 from the model server: No key (request r1)"),
              "a response with status 401");
    haft__arena_finish(&arena);
}

/* ---- memory ---- */

static haft_status talk(haft__arena *arena)
{
    const haft__provider *provider = haft__provider_compatible();
    haft__provider_conversation *conversation = NULL;
    haft__model_outcome outcome = {.failed = true};
    delta_counts h = {0};
    size_t left = 0;
    haft__buf body;
    haft__buf_init(&body, 1 << 20);
    haft_status status = haft__conversation_create(provider, &conversation, NULL);
    static const char *const formats[] = {"native", "hermes", "native"};
    for (size_t i = 0; i < COUNT(formats) && status == HAFT_OK; i++) {
        status = write_to(conversation, formats[i], i + 2, NULL, &body);
    }
    if (status == HAFT_OK) {
        status = read_body(HAFT__LIT(HI END DONE), 9, arena, &h, &outcome, &left);
    }
    haft__conversation_destroy(conversation);
    haft__buf_finish(&body);
    return status;
}

TEST(a_turn_survives_every_failed_allocation)
{
    for (unsigned n = 0;; n++) {
        haft__arena arena;
        haft__arena_init(&arena, 0);
        test_fail_allocation(n);
        haft_status status = talk(&arena);
        bool failed = test_allow_allocations();
        haft__arena_finish(&arena);
        if (!failed) {
            CHECK_INT(status, HAFT_OK, "without a failed allocation");
            break;
        }
        CHECK_INT(status, HAFT_NO_MEMORY, "allocation %u", n);
    }
}
