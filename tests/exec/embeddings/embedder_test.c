/* SPDX-License-Identifier: Apache-2.0 */
/* Tests for src/exec/embeddings/embedder.c with a local server: batches and limits. The rest is
 * in tests/mcp/embeddings_test.py. */
#include "exec/embeddings/embedder.h"

#include "base/buf.h"
#include "base/limits.h"
#include "exec/mcp_help.h"
#include "io/server/server.h"

static const haft__hash_key key = {1, 2};

typedef struct fixture {
    bool plain;  /* responses are built without allocation */
    bool silent; /* no response */
    char url[128];
    haft__loop *loop;
    haft__http_server *server;
    haft__http_client *http;
    haft__embedder *embedder;
    size_t requests, max, padding; /* so far; most texts in one request; spaces after each answer */
    bool over, used;
} fixture;

/* Answers a request with one text or with three tools. */
static void answer_plainly(fixture *f, haft__http_server_request *request)
{
    bool tools =
        memmem(haft__http_server_body(request).ptr, haft__http_server_body(request).len, "tool_", 5)
        != NULL;
    haft__http_server_head head = {.status = 200, .content_type = HAFT__LIT("application/json")};
    f->requests++;
    haft__http_server_reply(
        request, &head,
        tools ? HAFT__LIT("{\"data\":[{\"embedding\":[1,2]},{\"embedding\":[3,4]},"
                          "{\"embedding\":[5,6]}]}")
              : HAFT__LIT("{\"data\":[{\"embedding\":[1,2]}]}"));
}

static void on_gone(void *context, haft__http_server_request *request)
{
    (void)context;
    haft__http_server_abort(request);
}

static void answer(void *context, haft__http_server_request *request)
{
    fixture *f = context;
    if (f->plain) {
        answer_plainly(f, request);
        return;
    }
    if (f->silent) {
        f->requests++;
        haft__http_server_on_disconnect(request, on_gone, f);
        return;
    }
    haft__arena arena;
    haft__buf body;
    haft__arena_init(&arena, 0);
    haft__json asked =
        help_read(&arena, haft__arena_copy(&arena, haft__http_server_body(request)).ptr);
    const haft__json *input = haft__json_get(asked, HAFT__LIT("input"));
    haft__buf_init(&body, 64 << 20);
    for (uint32_t i = 0; i < input->count; i++) {
        haft__buf_addf(&body, "%s{\"embedding\":[1,%u]}", i > 0 ? "," : "{\"data\":[", i);
    }
    haft__buf_addf(&body, "]}");
    while (f->padding > 0 && body.len < f->padding) {
        haft__buf_add_char(&body, ' ');
    }
    f->requests++;
    f->max = input->count > f->max ? input->count : f->max;
    haft__http_server_head head = {.status = 200, .content_type = HAFT__LIT("application/json")};
    haft__http_server_reply(request, &head, haft__buf_str(&body));
    haft__buf_finish(&body);
    haft__arena_finish(&arena);
}

static haft__embedder_options options_of(const fixture *f)
{
    return (haft__embedder_options){.loop = f->loop,
                                    .http = f->http,
                                    .url = haft__str(f->url),
                                    .key = HAFT__LIT(""),
                                    .model = HAFT__LIT("m"),
                                    .query_prefix = HAFT__LIT(""),
                                    .document_prefix = HAFT__LIT(""),
                                    .query_ms = 60000,
                                    .tools_ms = 60000,
                                    .first_ms = 60000,
                                    .hash_key = key,
                                    .in_memory = true};
}

static void begin(fixture *f)
{
    const haft__http_client_options web = {0};
    const haft__http_server_options at = {.address = HAFT__LIT("127.0.0.1:0")};
    *f = (fixture){0};
    CHECK_INT(haft__loop_create(&f->loop, NULL), HAFT_OK, "loop");
    CHECK_INT(haft__http_server_create(f->loop, &at, answer, f, &f->server, NULL), HAFT_OK,
              "server");
    CHECK_INT(haft__http_client_create(f->loop, &web, &f->http, NULL), HAFT_OK, "client");
    (void)snprintf(f->url, sizeof(f->url), "http://%.*s/v1/embeddings",
                   HAFT__ARG(haft__http_server_address(f->server)));
    const haft__embedder_options options = options_of(f);
    CHECK_INT(haft__embedder_create(&options, &f->embedder, NULL), HAFT_OK, "embedder");
}

static void end(fixture *f)
{
    haft__embedder_destroy(f->embedder);
    haft__http_client_destroy(f->http);
    haft__http_server_destroy(f->server);
    haft__loop_destroy(f->loop);
}

static void on_done(void *context, const haft__search_embedding *query, haft_str error)
{
    fixture *f = context;
    f->over = true;
    f->used = query != NULL;
    CHECK(f->used == (error.len == 0), "neither vectors nor an error, or both");
}

static haft_status ask(fixture *f, size_t count)
{
    haft__embedder_job *job = NULL;
    haft__search_doc *docs = test_alloc((count + 1) * sizeof(*docs));
    char(*names)[32] = test_alloc((count + 1) * sizeof(*names));
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "tool_%zu", i);
        docs[i] = (haft__search_doc){.id = haft__str(names[i]), .name = haft__str(names[i])};
    }
    f->over = f->used = false;
    haft_status status =
        haft__embedder_start(f->embedder, docs, count, HAFT__LIT("q"), on_done, f, &job, NULL);
    while (status == HAFT_OK && !f->over) {
        CHECK_INT(haft__loop_step(f->loop, 1000, NULL), HAFT_OK, "step");
    }
    return status;
}

TEST(the_texts_of_a_request_are_bounded)
{
    for (size_t more = 0; more < 2; more++) {
        fixture f;
        begin(&f);
        CHECK_INT(ask(&f, HAFT__LIMIT_EMBED_BATCH + more), HAFT_OK,
                  "the search for embeddings starts");
        CHECK(f.used, "no vectors");
        CHECK_INT(f.requests, 2 + more, "requests: for the tools, and one for the query");
        CHECK_INT(f.max, HAFT__LIMIT_EMBED_BATCH, "most texts in one request");
        CHECK_INT(ask(&f, HAFT__LIMIT_EMBED_BATCH + more), HAFT_OK, "a second search");
        CHECK_INT(f.requests, 3 + more, "requests: one more, for the query only");
        end(&f);
    }
}

/* A response that is too long is a failure; then no request is sent for
 * HAFT__LIMIT_EMBED_COOLDOWN_MS. No test waits for that, for HAFT__LIMIT_EMBED_TOOLS_MS or for
 * HAFT__LIMIT_EMBED_FIRST_MS. */
TEST(the_bytes_of_an_embedding_response_are_bounded)
{
    for (size_t more = 0; more < 2; more++) {
        fixture f;
        begin(&f);
        f.padding = HAFT__LIMIT_EMBED_REPLY_BYTES + more;
        CHECK_INT(ask(&f, 0), HAFT_OK, "a request");
        CHECK(f.used == (more == 0), "%zu bytes past the limit: vectors", more);
        CHECK_INT(ask(&f, 0), more == 0 ? HAFT_OK : HAFT_BAD_STATE, "the next request");
        CHECK_INT(f.requests, more == 0 ? 2 : 1, "requests");
        end(&f);
    }
}

/* Whichever allocation fails, in the server or in haft, the job is reported once and ends. */
TEST(embeddings_survive_every_failed_allocation)
{
    bool failed = true;
    for (unsigned n = 0; failed; n++) {
        fixture f;
        begin(&f);
        f.plain = true;
        CHECK_INT(ask(&f, 0), HAFT_OK, "open the connection");
        test_fail_allocation(n);
        haft_status status = ask(&f, 3);
        failed = test_allow_allocations();
        CHECK(status == HAFT_OK || (failed && status == HAFT_NO_MEMORY), "allocation %u: %d", n,
              status);
        CHECK(failed || f.used, "allocation %u: no vectors", n);
        end(&f);
    }
}

/* Creates a new embedder, as another process would, with its own file. */
static void restart_embedder(fixture *f, uint64_t first_ms, bool ignore_backoff)
{
    haft__embedder_options options = options_of(f);
    options.first_ms = first_ms;
    options.ignore_backoff = ignore_backoff;
    options.in_memory = false;
    haft__embedder_destroy(f->embedder);
    CHECK_INT(haft__embedder_create(&options, &f->embedder, NULL), HAFT_OK,
              "the embedder cannot be created");
}

/* Other processes also avoid a server that is slow with tools, unless they ignore the backoff; and
 * batches are smaller until it has answered for all tools. */
TEST(a_server_that_hangs_has_a_backoff)
{
    fixture f;
    char place[64], path[128];
    (void)snprintf(place, sizeof(place), "/tmp/haft-embed-test-XXXXXX");
    CHECK(mkdtemp(place) != NULL, "no directory");
    CHECK(setenv("XDG_STATE_HOME", place, 1) == 0, "no variable");
    begin(&f);
    f.silent = true;
    restart_embedder(&f, 20, false);
    CHECK_INT(ask(&f, HAFT__LIMIT_EMBED_BATCH), HAFT_OK, "a first request");
    CHECK(!f.used, "a silent server gave vectors");
    restart_embedder(&f, 60000, false);
    CHECK_INT(ask(&f, HAFT__LIMIT_EMBED_BATCH), HAFT_BAD_STATE, "a request during the backoff");
    CHECK_INT(f.requests, 1, "requests");
    f.silent = false;
    restart_embedder(&f, 60000, true);
    CHECK_INT(ask(&f, HAFT__LIMIT_EMBED_BATCH), HAFT_OK, "a request that ignores the backoff");
    CHECK(f.used, "no vectors");
    CHECK_INT(f.max, HAFT__LIMIT_EMBED_BATCH / 4, "most texts in one request after a timeout");
    restart_embedder(&f, 60000, false);
    CHECK_INT(ask(&f, 2 * HAFT__LIMIT_EMBED_BATCH), HAFT_OK,
              "a request after the server has answered");
    CHECK_INT(f.max, HAFT__LIMIT_EMBED_BATCH, "most texts in one request");
    end(&f);
    (void)unsetenv("XDG_STATE_HOME");
    (void)snprintf(path, sizeof(path), "rm -r %s", place);
    CHECK_INT(system(path), 0, "the directory cannot be removed");
}
