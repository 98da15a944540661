/* SPDX-License-Identifier: Apache-2.0 */
/*
 * embedder.c - requests vectors from a /v1/embeddings server, on the loop.
 *
 * Received vectors are kept even if the job fails. So a server that is too slow to embed all tools
 * during one search has embedded them after a few searches. Tests:
 * tests/exec/embeddings/embedder_test.c, tests/mcp/embeddings_test.py.
 */
#include "exec/embeddings/embedder.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/excerpt.h"
#include "base/hex.h"
#include "base/limits.h"
#include "base/str.h"
#include "exec/embeddings/backoff.h"
#include "exec/embeddings/cache.h"
#include "io/clock.h"
#include "io/random.h"
#include "model/embeddings.h"
#include "model/providers/openai_chat/openai_chat.h"

#define REASON_BYTES 300

struct haft__embedder {
    haft__arena arena;
    haft__embedder_options options;
    haft__provider_headers headers; /* including the key */
    haft__embedding_cache cache;
    uint64_t generation;    /* random; changes when the cache is discarded */
    uint64_t backoff_until; /* end of the backoff on the loop's clock; 0: none */
    size_t batch;           /* texts per request: fewer for a slow server */
    haft_str slow_path;     /* path of the backoff file; "": none is used */
    bool has_backoff_file;  /* the file exists */
    char reason[REASON_BYTES + 1];
};

struct haft__embedder_job {
    haft__embedder *embedder;
    haft__arena arena;
    haft_str *texts;  /* of tools without a vector */
    size_t count, at; /* texts; `at`: the first one whose vector was not received */
    size_t requested; /* texts in the pending request */
    haft_str query;
    haft__buf body, reply;
    uint32_t http_status;
    haft__http_transfer *transfer;
    uint64_t deadline_ms; /* of the tools, on the clock of the loop */
    uint64_t generation;  /* of the embedder when the job began */
    haft__embedder_done *done;
    void *context;
};

/* ---- the embedder ---- */

/* Adds the URL without user, password and query. */
static void hash_server_url(haft__sha256 *hash, haft_str url)
{
    haft_str rest = url, path = haft__str_split(&rest, '?'), scheme = haft__str_split(&path, '/');
    (void)haft__str_split(&path, '/');
    haft_str host = haft__str_split(&path, '/');
    const char *at = host.len > 0 ? memrchr(host.ptr, '@', host.len) : NULL;
    host = at != NULL ? haft__str_skip(host, (size_t)(at - host.ptr) + 1) : host;
    haft__sha256_add(hash, scheme);
    haft__sha256_add(hash, host);
    haft__sha256_add(hash, HAFT__LIT("/"));
    haft__sha256_add(hash, path);
}

/* Reads the backoff that another process recorded. */
static void load_backoff(haft__embedder *embedder, haft_str name)
{
    haft__embedding_backoff slow;
    embedder->slow_path = haft__embedding_backoff_path(&embedder->arena, name);
    if (haft__embedding_backoff_read(&embedder->arena, embedder->slow_path, haft__clock_now(),
                                     &slow)) {
        embedder->has_backoff_file = true;
        embedder->batch = slow.batch;
        if (slow.remaining_ms > 0 && !embedder->options.ignore_backoff) {
            embedder->backoff_until = haft__loop_now(embedder->options.loop) + slow.remaining_ms;
            (void)snprintf(embedder->reason, sizeof(embedder->reason), "%.*s",
                           HAFT__ARG(slow.reason));
        }
    }
}

static haft_status open_cache(haft__embedder *embedder, haft_error *err)
{
    uint8_t digest[HAFT__SHA256_BYTES];
    char name[2 * HAFT__SHA256_BYTES + 1] = "";
    haft__sha256 hash;
    haft__sha256_init(&hash);
    hash_server_url(&hash, embedder->options.url);
    haft__sha256_add(&hash, HAFT__LIT("\n"));
    haft__sha256_add(&hash, embedder->options.model);
    haft__sha256_end(&hash, digest);
    haft__hex_write(name, digest, sizeof(digest));
    if (!embedder->options.in_memory) {
        load_backoff(embedder, haft__str(name));
    }
    return haft__embedding_cache_open(&embedder->cache, haft__str(name),
                                      embedder->options.in_memory, embedder->options.hash_key, err);
}

static void start_generation(haft__embedder *embedder)
{
    (void)haft__random_bytes(&embedder->generation, sizeof(embedder->generation));
}

haft_status haft__embedder_create(const haft__embedder_options *options,
                                  haft__embedder **ret_embedder, haft_error *err)
{
    haft__embedder *embedder = calloc(1, sizeof(*embedder));
    if (embedder == NULL) {
        return haft__fail_no_memory(err);
    }
    embedder->options = *options;
    embedder->batch = HAFT__LIMIT_EMBED_BATCH;
    embedder->slow_path = HAFT__LIT("");
    embedder->options.tools_ms =
        options->tools_ms > 0 ? options->tools_ms : HAFT__LIMIT_EMBED_TOOLS_MS;
    embedder->options.first_ms =
        options->first_ms > 0 ? options->first_ms : HAFT__LIMIT_EMBED_FIRST_MS;
    haft__arena_init(&embedder->arena, 0);
    start_generation(embedder);
    haft_str *texts[] = {&embedder->options.url, &embedder->options.model,
                         &embedder->options.query_prefix, &embedder->options.document_prefix};
    haft_status status = haft__openai_chat_api.write_headers(options->key, &embedder->arena,
                                                             &embedder->headers, err);
    embedder->options.key = HAFT__LIT("");
    for (size_t i = 0; i < COUNT(texts) && status == HAFT_OK; i++) {
        *texts[i] = haft__arena_copy(&embedder->arena, *texts[i]);
        status = texts[i]->ptr != NULL ? HAFT_OK : haft__arena_fail(&embedder->arena, err);
    }
    status = status == HAFT_OK ? open_cache(embedder, err) : status;
    if (status != HAFT_OK) {
        haft__embedder_destroy(embedder);
        return status;
    }
    *ret_embedder = embedder;
    return HAFT_OK;
}

void haft__embedder_destroy(haft__embedder *embedder)
{
    if (embedder != NULL) {
        haft__embedding_cache_finish(&embedder->cache);
        haft__arena_finish(&embedder->arena);
        free(embedder);
    }
}

uint64_t haft__embedder_generation(const haft__embedder *embedder)
{
    return embedder->generation;
}

/* ---- the end of a job ---- */

static void destroy(haft__embedder_job *job)
{
    haft__buf_finish(&job->body);
    haft__buf_finish(&job->reply);
    haft__arena_finish(&job->arena);
    free(job);
}

void haft__embedder_cancel(haft__embedder_job *job)
{
    if (job->transfer != NULL) {
        haft__http_transfer_cancel(job->transfer);
    }
    haft__embedding_cache_save(&job->embedder->cache);
    destroy(job);
}

static void finish(haft__embedder_job *job, const haft__search_embedding *query, haft_str error)
{
    haft__embedding_cache_save(&job->embedder->cache);
    job->done(job->context, query, error);
    destroy(job);
}

/* Stores the error, redacted and shortened. */
static void store_reason(haft__embedder *embedder, haft_str message)
{
    haft__excerpt excerpt = {.text = message, .max_bytes = REASON_BYTES};
    haft__buf clean;
    haft__buf_init(&clean, REASON_BYTES);
    haft__excerpt_append(&clean, &excerpt, haft__redactor_cleaner(embedder->options.redactor));
    haft_str text = haft__buf_check(&clean, NULL) == HAFT_OK
                        ? haft__buf_str(&clean)
                        : HAFT__LIT("out of memory for the reason");
    (void)snprintf(embedder->reason, sizeof(embedder->reason), "%.*s", HAFT__ARG(text));
    haft__buf_finish(&clean);
}

static void start_backoff(haft__embedder_job *job)
{
    haft__embedder *embedder = job->embedder;
    embedder->backoff_until =
        haft__loop_now(embedder->options.loop) + HAFT__LIMIT_EMBED_COOLDOWN_MS;
    finish(job, NULL, haft__str(embedder->reason));
}

static void fail(haft__embedder_job *job, haft_str message)
{
    store_reason(job->embedder, message);
    start_backoff(job);
}

static void save_backoff(haft__embedder *embedder)
{
    const haft__embedding_backoff slow = {HAFT__LIMIT_EMBED_COOLDOWN_MS, embedder->batch,
                                          haft__str(embedder->reason)};
    embedder->has_backoff_file =
        haft__embedding_backoff_write(embedder->slow_path, haft__clock_now(), &slow);
}

static void clear_backoff(haft__embedder *embedder)
{
    if (embedder->has_backoff_file) {
        (void)unlink(embedder->slow_path.ptr);
        embedder->has_backoff_file = false;
    }
}

/* ---- replies ---- */

static haft_status send_next(haft__embedder_job *job, haft_error *err);

static void on_head(void *context, const haft__http_result *so_far)
{
    haft__embedder_job *job = context;
    job->http_status = so_far->status;
}

static bool on_body(void *context, haft_str bytes)
{
    haft__embedder_job *job = context;
    haft__buf_add_str(&job->reply, bytes);
    return job->reply.status == HAFT_OK;
}

static bool is_good(const haft__embedder_job *job)
{
    return job->http_status >= 200 && job->http_status < 300;
}

/* The transfer failed: reports the server's message or the connection error. */
static void fail_transfer(haft__embedder_job *job, const haft__http_result *result)
{
    haft__model_failure failure = {0};
    haft_str body = haft__buf_str(&job->reply);
    bool slow = result->end == HAFT__HTTP_TOTAL_TIMEOUT || result->end == HAFT__HTTP_IDLE_TIMEOUT
                || result->end == HAFT__HTTP_FIRST_BYTE_TIMEOUT;
    body.len = body.len < HAFT__LIMIT_MODEL_ERROR_BYTES ? body.len : HAFT__LIMIT_MODEL_ERROR_BYTES;
    if (slow && job->requested > 1) {
        job->embedder->batch = (job->requested + 3) / 4;
    }
    bool has_reason =
        result->end == HAFT__HTTP_OK
        && haft__openai_chat_api.read_failure(
               job->http_status, body, HAFT__LIT(""), job->embedder->options.hash_key,
               haft__redactor_cleaner(job->embedder->options.redactor), &job->arena, &failure, NULL)
               == HAFT_OK;
    store_reason(job->embedder, has_reason ? failure.message : haft__str(result->message));
    /* The timeout of a query is short: only slow tool batches are recorded. */
    bool tools = job->at < job->count;
    if ((slow && tools) || result->end == HAFT__HTTP_CONNECT_TIMEOUT) {
        save_backoff(job->embedder);
    }
    start_backoff(job);
}

/* Stores the vectors of the requested batch of tools. */
static haft_status read_tools(haft__embedder_job *job, const haft__embeddings *found,
                              haft_error *err)
{
    haft__embedding_cache *cache = &job->embedder->cache;
    for (size_t i = 0; i < found->count; i++) {
        const float *numbers = found->numbers + i * found->dimensions;
        haft_status status = haft__embedding_cache_put(cache, job->texts[job->at + i], numbers,
                                                       found->dimensions, err);
        if (status != HAFT_OK) {
            return status;
        }
    }
    job->at += found->count;
    return HAFT_OK;
}

/* Discards the cache and fails the job, because the dimensions differ from the cached ones (another
 * model under the same name), or because the cache is full. The next search requests all tools. */
static void discard_cache(haft__embedder_job *job, size_t dimensions)
{
    haft__embedding_cache *cache = &job->embedder->cache;
    char text[128];
    (void)snprintf(text, sizeof(text),
                   "found a vector of %zu numbers, expected %u as for the tools: the next search "
                   "computes them again",
                   dimensions, cache->dimensions);
    haft__embedding_cache_clear(cache);
    start_generation(job->embedder);
    fail(job, haft__str(text));
}

static void read_query(haft__embedder_job *job, const haft__embeddings *found)
{
    const haft__search_embedding given = {job->embedder->options.model, found->numbers,
                                          found->dimensions};
    uint32_t cached = job->embedder->cache.dimensions;
    if (cached > 0 && cached != found->dimensions) {
        discard_cache(job, found->dimensions);
        return;
    }
    if (job->generation != job->embedder->generation) {
        /* Another search has discarded the cache that this one relies on. */
        finish(job, NULL, haft__str(job->embedder->reason));
        return;
    }
    job->embedder->backoff_until = 0;
    clear_backoff(job->embedder);
    finish(job, &given, HAFT__LIT(""));
}

static void handle_reply(haft__embedder_job *job)
{
    bool query = job->at == job->count;
    haft__embeddings found;
    haft_error err = {0};
    haft_status status = haft__buf_check(&job->reply, &err);
    if (status == HAFT_OK) {
        status = haft__embeddings_read(&job->arena, haft__buf_str(&job->reply), job->requested,
                                       job->embedder->options.hash_key, &found, &err);
    }
    if (status != HAFT_OK) {
        fail(job, haft__str(err.message));
        return;
    }
    if (query) {
        read_query(job, &found);
        return;
    }
    status = read_tools(job, &found, &err);
    if (status == HAFT_BAD_STATE || status == HAFT_TOO_BIG) {
        discard_cache(job, found.dimensions);
    } else if (status != HAFT_OK || send_next(job, &err) != HAFT_OK) {
        fail(job, haft__str(err.message));
    }
}

static void on_done(void *context, const haft__http_result *result)
{
    haft__embedder_job *job = context;
    job->transfer = NULL;
    if (result->end == HAFT__HTTP_OK && is_good(job)) {
        handle_reply(job);
    } else {
        fail_transfer(job, result);
    }
}

/* ---- requests ---- */

static uint64_t min_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The connect timeout does not depend on the request: a connection succeeds soon or not at all. */
static haft_status send(haft__embedder_job *job, uint64_t first_ms, uint64_t ms, haft_error *err)
{
    static const haft__http_handlers handlers = {on_head, on_body, on_done};
    const haft__embedder_options *options = &job->embedder->options;
    const haft__provider_headers *own = &job->embedder->headers;
    haft_str headers[3 + HAFT__PROVIDER_MAX_HEADERS] = {
        HAFT__LIT("Content-Type: application/json"), HAFT__LIT("Accept: application/json"),
        HAFT__LIT("User-Agent: haft/" HAFT_VERSION)};
    memcpy(headers + 3, own->lines, own->count * sizeof(own->lines[0]));
    haft__http_request request = {
        .method = HAFT__LIT("POST"),
        .url = options->url,
        .headers = headers,
        .header_count = 3 + own->count,
        .body = haft__buf_str(&job->body),
        .connect_ms = min_of(ms, min_of(options->query_ms, HAFT__LIMIT_EMBED_FIRST_MS)),
        .first_byte_ms = first_ms,
        .total_ms = ms,
        .max_bytes = HAFT__LIMIT_EMBED_REPLY_BYTES};
    haft__buf_clear(&job->reply);
    job->http_status = 0;
    return haft__http_transfer_start(options->http, &request, &handlers, job, &job->transfer, err);
}

/* Sends the next batch of tools, or the query after the last one. */
static haft_status send_next(haft__embedder_job *job, haft_error *err)
{
    const haft__embedder_options *options = &job->embedder->options;
    uint64_t now = haft__loop_now(options->loop);
    size_t left = job->count - job->at, batch = job->embedder->batch;
    bool query = left == 0;
    job->requested = query ? 1 : left < batch ? left : batch;
    haft__buf_clear(&job->body);
    haft__embeddings_write_request(&job->body, options->model,
                                   query ? &job->query : job->texts + job->at, job->requested);
    haft_status status = haft__buf_check(&job->body, err);
    uint64_t left_ms = now < job->deadline_ms ? job->deadline_ms - now : 1;
    left_ms = min_of(left_ms, HAFT__LIMIT_EMBED_QUERY_MAX_MS);
    return status != HAFT_OK ? status
           : query           ? send(job, options->query_ms, options->query_ms, err)
                             : send(job, options->first_ms, left_ms, err);
}

/* Collects the texts of tools without a vector. */
static haft_status gather(haft__embedder_job *job, const haft__search_doc *docs, size_t count,
                          haft__buf *text, haft_error *err)
{
    const haft__embedder *embedder = job->embedder;
    job->texts = haft__arena_array(&job->arena, count, sizeof(*job->texts));
    if (job->texts == NULL) {
        return haft__arena_fail(&job->arena, err);
    }
    for (size_t i = 0; i < count; i++) {
        haft__buf_clear(text);
        haft__embeddings_write_document(text, embedder->options.document_prefix, &docs[i]);
        haft_status status = haft__buf_check(text, err);
        if (status == HAFT_OK
            && haft__embedding_cache_get(&embedder->cache, haft__buf_str(text)) == NULL) {
            job->texts[job->count] = haft__arena_copy(&job->arena, haft__buf_str(text));
            status =
                job->texts[job->count++].ptr != NULL ? HAFT_OK : haft__arena_fail(&job->arena, err);
        }
        if (status != HAFT_OK) {
            return status;
        }
    }
    return HAFT_OK;
}

static haft_status prepare(haft__embedder_job *job, const haft__search_doc *docs, size_t count,
                           haft_str query, haft_error *err)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    haft_status status = gather(job, docs, count, &text, err);
    if (status == HAFT_OK) {
        haft__buf_clear(&text);
        haft__embeddings_write_query(&text, job->embedder->options.query_prefix, query);
        job->query = haft__arena_copy(&job->arena, haft__buf_str(&text));
        status = job->query.ptr != NULL ? haft__buf_check(&text, err)
                                        : haft__arena_fail(&job->arena, err);
    }
    haft__buf_finish(&text);
    return status == HAFT_OK ? send_next(job, err) : status;
}

haft_status haft__embedder_start(haft__embedder *embedder, const haft__search_doc *docs,
                                 size_t count, haft_str query, haft__embedder_done *done,
                                 void *context, haft__embedder_job **ret_job, haft_error *err)
{
    uint64_t now = haft__loop_now(embedder->options.loop);
    if (now < embedder->backoff_until) {
        return haft__fail(err, HAFT_BAD_STATE, "", "%s", embedder->reason);
    }
    haft__embedder_job *job = calloc(1, sizeof(*job));
    if (job == NULL) {
        return haft__fail_no_memory(err);
    }
    *job = (haft__embedder_job){.embedder = embedder,
                                .deadline_ms = now + embedder->options.tools_ms,
                                .generation = embedder->generation,
                                .done = done,
                                .context = context};
    haft__arena_init(&job->arena, 0);
    haft__buf_init(&job->body, HAFT__LIMIT_JSON_BYTES);
    haft__buf_init(&job->reply, HAFT__LIMIT_EMBED_REPLY_BYTES);
    haft_status status = prepare(job, docs, count, query, err);
    if (status != HAFT_OK) {
        destroy(job);
        return status;
    }
    *ret_job = job;
    return HAFT_OK;
}

/* ---- the index ---- */

haft_status haft__embedder_apply(haft__embedder *embedder, const haft__search_doc *docs,
                                 size_t count, haft__search_index *index, haft_error *err)
{
    float numbers[HAFT__LIMIT_SEARCH_DIMENSIONS];
    haft__search_embedding given = {embedder->options.model, numbers, embedder->cache.dimensions};
    haft__buf text;
    haft_status status = HAFT_OK;
    haft__buf_init(&text, HAFT__LIMIT_JSON_BYTES);
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        haft__buf_clear(&text);
        haft__embeddings_write_document(&text, embedder->options.document_prefix, &docs[i]);
        status = haft__buf_check(&text, err);
        const int8_t *row = haft__embedding_cache_get(&embedder->cache, haft__buf_str(&text));
        for (size_t j = 0; row != NULL && j < given.dimensions; j++) {
            numbers[j] = row[j];
        }
        if (status == HAFT_OK && row != NULL) {
            status = haft__search_set_embedding(index, docs[i].id, &given, err);
            status = status == HAFT_NOT_FOUND ? HAFT_OK : status; /* the index was full */
        }
    }
    haft__buf_finish(&text);
    return status;
}
