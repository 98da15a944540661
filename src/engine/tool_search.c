/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool_search.c - tool search: before the first turn, and when the model calls tool_search.
 *
 * A search lists the tools of the run's servers (from the cache if possible), searches them, and
 * records the revealed tools. If the spec has a server of embeddings, the search queries it after
 * listing; meanwhile it uses copies of the lists. Tests: tests/engine/tool_search_test.c,
 * tests/mcp/embeddings_test.py.
 */
#include "engine/tool_search.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "engine/agent.h"
#include "engine/crash_guard.h"
#include "engine/run.h"
#include "engine/runtime.h"
#include "run/host.h"
#include "run/redact/redact.h"
#include "json/number.h"

/* A search that waits for embeddings. */
typedef struct haft__vector_search {
    haft_run *run;
    haft__arena arena;
    haft__mcp_listing *listings;
    size_t count;
    haft__embedder_job *job; /* NULL after the job has ended */
} haft__vector_search;

bool haft__tool_search_is_active(const haft__tool_search *search)
{
    return search->catalogue != NULL || search->vectors != NULL;
}

static void stop_vector_search(haft_run *run)
{
    haft__vector_search *vector_search = run->search.vectors;
    run->search.vectors = NULL;
    if (vector_search != NULL) {
        if (vector_search->job != NULL) {
            haft__embedder_cancel(vector_search->job);
        }
        haft__arena_finish(&vector_search->arena);
        free(vector_search);
    }
}

void haft__tool_search_stop(haft_run *run)
{
    if (run->search.catalogue != NULL) {
        run->runtime->servers.cancel(run->search.catalogue);
        run->search.catalogue = NULL;
    }
    stop_vector_search(run);
}

/* Whether the definition contains a secret of the spec. Such a tool is omitted, because events are
 * redacted and a redacted definition is invalid. */
static bool has_secret(void *context, haft_str definition)
{
    haft_run *run = context;
    haft__buf *clean = &run->runtime->clean;
    haft__buf_clear(clean);
    bool secret = haft__redact(run->agent->redactor, definition, clean);
    return secret || haft__buf_check(clean, NULL) != HAFT_OK;
}

/* The arguments of a call of tool_search. */
static void read_search_arguments(const haft__run_call *call, haft__reveal_request *request)
{
    const haft__json *query = haft__json_get(call->arguments, HAFT__LIT("query"));
    const haft__json *limit = haft__json_get(call->arguments, HAFT__LIT("limit"));
    int64_t number = 0;
    bool given = limit != NULL && haft__number_to_int64(haft__json_text(*limit), &number)
                 && number > 0 && number <= UINT32_MAX;
    request->call = call->id;
    request->query =
        query != NULL ? haft__offer_index_truncate_query(haft__json_text(*query)) : HAFT__LIT("");
    request->limit = given ? (uint32_t)number : 0;
}

static haft_status search_and_write(haft_run *run, haft__reveal_request *request,
                                    haft__arena *scratch, haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    haft__offer offer;
    haft__reveal reveal;
    haft_status status = haft__resolve(request->spec, request->run, request->listings,
                                       request->listing_count, scratch, &offer, err);
    request->offer = &offer;
    if (status == HAFT_OK && request->spec->graph_rules == NULL) {
        status = haft__index_cache_search(&runtime->index_cache, request, run->agent->embedder,
                                          runtime->hash_key, scratch, err);
    }
    if (status == HAFT_OK) {
        status = haft__reveal_decide(request, scratch, runtime->hash_key, &reveal, err);
    }
    if (status == HAFT_OK) {
        haft__buf_clear(&runtime->body);
        haft__input_tools_revealed(&runtime->body, &reveal);
        status = haft__buf_check(&runtime->body, err);
    }
    request->offer = NULL; /* the offer is a local variable */
    return status;
}

static haft__reveal_request make_request(haft_run *run, const haft__mcp_listing *listings,
                                         size_t count)
{
    haft__reveal_request request = {.spec = run->agent->spec,
                                    .run = &run->state,
                                    .listings = listings,
                                    .listing_count = count,
                                    .query = haft__offer_index_truncate_query(run->state.task),
                                    .call = HAFT__LIT(""),
                                    .embeddings_model = run->agent->spec->embeddings.model,
                                    .refuses = has_secret,
                                    .context = run};
    if (run->search.call < run->state.call_count) {
        read_search_arguments(&run->state.calls[run->search.call], &request);
    }
    return request;
}

/* ---- lists that have changed ---- */

/* Records the number of the last list of a server that the run has seen. *ret_new: whether the
 * number has changed. */
static haft_status record_list(haft_run *run, haft_str server, uint64_t number, bool *ret_new,
                               haft_error *err)
{
    haft__known_list *list = run->search.known_lists;
    while (list != NULL && !haft__str_equal(list->server, server)) {
        list = list->next;
    }
    if (list == NULL) {
        haft_str name = haft__arena_copy(&run->arena, server);
        list = haft__arena_array(&run->arena, 1, sizeof(*list));
        if (list == NULL || name.ptr == NULL) {
            return haft__arena_fail(&run->arena, err);
        }
        *list = (haft__known_list){.server = name, .next = run->search.known_lists};
        run->search.known_lists = list;
    }
    *ret_new = list->number != number;
    list->number = number;
    return HAFT_OK;
}

static haft_status write_relisted(haft_run *run, haft_str server, haft__arena *scratch,
                                  bool *ret_written, haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    haft__mcp_listing listing;
    haft__offer offer;
    haft__reveal_request request = {.spec = run->agent->spec,
                                    .run = &run->state,
                                    .listings = &listing,
                                    .listing_count = 1,
                                    .offer = &offer,
                                    .call = HAFT__LIT("")};
    haft_status status =
        runtime->servers.list_one(runtime->exec, request.spec, server, scratch, &listing, err);
    if (status == HAFT_OK && listing.error.len > 0) {
        return HAFT_OK; /* the server no longer has a list */
    }
    if (status == HAFT_OK) {
        status = haft__resolve(request.spec, request.run, &listing, 1, scratch, &offer, err);
    }
    if (status == HAFT_OK) {
        haft__buf_clear(&runtime->body);
        *ret_written = haft__input_tools_relisted(&runtime->body, &request);
        status = haft__buf_check(&runtime->body, err);
    }
    return status;
}

haft_status haft__tool_search_refresh_list(haft_run *run, haft_str server, uint64_t number,
                                           haft_error *err)
{
    bool fresh = false, written = false;
    haft__arena scratch;
    haft_status status = number > 0 ? record_list(run, server, number, &fresh, err) : HAFT_OK;
    if (status != HAFT_OK || !fresh) {
        return status;
    }
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    status = write_relisted(run, server, &scratch, &written, err);
    haft__arena_finish(&scratch);
    if (status == HAFT_OK && written) {
        status = haft__log_append(run, haft__runtime_now(run->runtime),
                                  haft__buf_str(&run->runtime->body), err);
    }
    return status;
}

/* ---- search ---- */

/* Searches, and records the result. */
static void finish_search(haft_run *run, haft__reveal_request *request)
{
    haft_error err = {0};
    haft__arena scratch;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    haft_status status = search_and_write(run, request, &scratch, &err);
    haft__arena_finish(&scratch);
    stop_vector_search(run);
    if (status == HAFT_OK) {
        haft__run_record_input(run, haft__buf_str(&run->runtime->body));
    } else {
        haft__run_fail(run, &err);
    }
}

/* ---- embeddings ---- */

static haft_status copy_text(haft__arena *arena, haft_str *text, haft_error *err)
{
    *text = haft__arena_copy(arena, *text);
    return text->ptr != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

/* Copies the parts of a tool that a search reads. */
static haft_status copy_tool(haft__arena *arena, haft__mcp_tool *tool, haft_error *err)
{
    haft_str *texts[] = {&tool->server, &tool->remote,      &tool->name,
                         &tool->title,  &tool->description, &tool->traits.lane};
    haft__json *values[] = {&tool->input_schema, &tool->output_schema, &tool->annotations,
                            &tool->definition};
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < COUNT(texts) && status == HAFT_OK; i++) {
        status = copy_text(arena, texts[i], err);
    }
    for (size_t i = 0; i < COUNT(values) && status == HAFT_OK; i++) {
        status = haft__json_copy_deep(arena, *values[i], values[i], err);
    }
    tool->params = NULL;
    tool->param_count = 0;
    return status;
}

static haft_status copy_changed(haft__arena *arena, haft__mcp_listing *listing, haft_error *err)
{
    if (listing->changed == NULL) {
        return HAFT_OK;
    }
    bool *changed = haft__arena_array(arena, listing->tool_count, sizeof(*changed));
    for (size_t i = 0; changed != NULL && i < listing->tool_count; i++) {
        changed[i] = listing->changed[i];
    }
    listing->changed = changed;
    return changed != NULL ? HAFT_OK : haft__arena_fail(arena, err);
}

static haft_status copy_listing(haft__arena *arena, haft__mcp_listing *listing, haft_error *err)
{
    haft_str *texts[] = {&listing->server,       &listing->state, &listing->error,
                         &listing->stderr_lines, &listing->hash,  &listing->warning};
    haft__mcp_tool *tools = haft__arena_array(arena, listing->tool_count, sizeof(*tools));
    haft_status status =
        tools != NULL ? haft__json_copy_deep(arena, listing->left_out, &listing->left_out, err)
                      : haft__arena_fail(arena, err);
    for (size_t i = 0; i < COUNT(texts) && status == HAFT_OK; i++) {
        status = copy_text(arena, texts[i], err);
    }
    for (size_t i = 0; i < listing->tool_count && status == HAFT_OK; i++) {
        tools[i] = listing->tools[i];
        status = copy_tool(arena, &tools[i], err);
    }
    listing->tools = tools;
    return status == HAFT_OK ? copy_changed(arena, listing, err) : status;
}

static haft_status copy_listings(haft__vector_search *vector_search,
                                 const haft__mcp_listing *listings, haft_error *err)
{
    haft__arena *arena = &vector_search->arena;
    vector_search->listings = haft__arena_array(arena, vector_search->count, sizeof(*listings));
    if (vector_search->listings == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < vector_search->count && status == HAFT_OK; i++) {
        vector_search->listings[i] = listings[i];
        status = copy_listing(arena, &vector_search->listings[i], err);
    }
    return status;
}

static haft_status make_embedder(haft_agent *agent, haft_error *err)
{
    const haft__embeddings_spec *spec = &agent->spec->embeddings;
    haft__http_client *http = haft__runtime_http_client(agent->runtime, err);
    if (http == NULL || agent->embedder != NULL) {
        return http != NULL ? HAFT_OK : HAFT_NO_MEMORY;
    }
    haft__embedder_options options = {.loop = agent->runtime->loop,
                                      .http = http,
                                      .url = agent->embed_url,
                                      .key = agent->embed_key,
                                      .model = spec->model,
                                      .query_prefix = spec->query_prefix,
                                      .document_prefix = spec->document_prefix,
                                      .query_ms = spec->timeout_ms,
                                      .redactor = agent->redactor,
                                      .hash_key = agent->runtime->hash_key};
    return haft__embedder_create(&options, &agent->embedder, err);
}

static void on_embedded(void *context, const haft__search_embedding *query, haft_str error)
{
    haft__vector_search *vector_search = context;
    haft_run *run = vector_search->run;
    haft__reveal_request request = make_request(run, vector_search->listings, vector_search->count);
    vector_search->job = NULL;
    request.query_embedding = query;
    request.embeddings_error = error;
    finish_search(run, &request);
}

/* Requests the embeddings of all tools that can be found, and of the query. */
static haft_status request_vectors(haft__vector_search *vector_search,
                                   const haft__reveal_request *request, haft_error *err)
{
    haft_run *run = vector_search->run;
    haft__arena scratch;
    haft__offer offer;
    haft__search_doc *docs = NULL;
    size_t count = 0;
    haft__arena_init(&scratch, HAFT__LIMIT_RUN_BYTES);
    haft_status status = make_embedder(run->agent, err);
    if (status == HAFT_OK) {
        status = haft__resolve(request->spec, request->run, request->listings,
                               request->listing_count, &scratch, &offer, err);
    }
    if (status == HAFT_OK) {
        status = haft__offer_index_docs(&offer, &scratch, &docs, &count, err);
    }
    if (status == HAFT_OK && count == 0) {
        status = haft__fail(err, HAFT_BAD_STATE, "", "no tools can be searched");
    }
    if (status == HAFT_OK) {
        status = haft__embedder_start(run->agent->embedder, docs, count, request->query,
                                      on_embedded, vector_search, &vector_search->job, err);
    }
    haft__arena_finish(&scratch);
    return status;
}

static haft_status start_vector_search(haft_run *run, const haft__reveal_request *request,
                                       haft_error *err)
{
    haft__vector_search *vector_search = calloc(1, sizeof(*vector_search));
    if (vector_search == NULL) {
        return haft__fail_no_memory(err);
    }
    run->search.vectors = vector_search;
    *vector_search = (haft__vector_search){.run = run, .count = request->listing_count};
    haft__arena_init(&vector_search->arena, 0);
    haft_status status = request_vectors(vector_search, request, err);
    return status == HAFT_OK ? copy_listings(vector_search, request->listings, err) : status;
}

static void on_listed(void *context, const haft__mcp_listing *listings, size_t count)
{
    haft_run *run = context;
    haft_error err = {0};
    haft__reveal_request request = make_request(run, listings, count);
    run->search.catalogue = NULL;
    for (size_t i = 0; i < count; i++) {
        bool fresh; /* unused: the search records new tools */
        (void)!record_list(run, listings[i].server, listings[i].number, &fresh, NULL);
    }
    if (request.embeddings_model.len > 0 && request.spec->graph_rules == NULL) {
        if (start_vector_search(run, &request, &err) == HAFT_OK) {
            return;
        }
        stop_vector_search(run);
        request.embeddings_error = haft__str(err.message);
    }
    finish_search(run, &request);
}

haft_status haft__tool_search_start(haft_run *run, size_t call, haft_error *err)
{
    haft_runtime *runtime = run->runtime;
    if (haft__tool_search_is_active(&run->search)) {
        return HAFT_OK; /* only one search runs at a time: this search starts later */
    }
    if (call == HAFT__SEARCH_BEFORE_FIRST_TURN && haft__crash_guard_limit_reached(run)) {
        return haft__crash_guard_end_run(run, err);
    }
    run->search.call = call;
    return runtime->servers.list_all(runtime->exec, run->agent->spec, on_listed, run,
                                     &run->search.catalogue, err);
}
