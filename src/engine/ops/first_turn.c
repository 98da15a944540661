/* SPDX-License-Identifier: Apache-2.0 */
/* first_turn.c - decides the first turn as a run would. Tests: tests/cli/run_test.py. */
#include "engine/ops/first_turn.h"

#include "base/limits.h"
#include "base/str.h"
#include "exec/embeddings/word_vectors.h"
#include "model/provider.h"
#include "run/offer/index.h"

static const haft_str run_id = {"00000000000000000000000000", 26};

/* Folds one event. If it is turn_started, returns it in *ret_turn. */
static haft_status fold(haft__arena *arena, haft__run *run, haft_str body, haft__hash_key hash_key,
                        haft__json *ret_turn, haft_error *err)
{
    haft__buf line;
    haft__buf_init(&line, HAFT__LIMIT_RUN_BYTES);
    haft__event_write(&line, run->seq + 1, 0, run_id, body);
    haft_str copy = haft__arena_copy(arena, haft__buf_str(&line));
    haft_status status = haft__buf_check(&line, err);
    haft__buf_finish(&line);
    haft__event event;
    if (status == HAFT_OK) {
        status = copy.ptr != NULL ? haft__run_fold(run, copy, err) : haft__arena_fail(arena, err);
    }
    if (status == HAFT_OK) {
        status = haft__event_read(arena, copy, hash_key, &event, err);
    }
    if (status == HAFT_OK && event.kind == HAFT__EVENT_TURN_STARTED) {
        *ret_turn = event.object;
    }
    return status;
}

/* Performs the search before the first turn, in the cached listings. */
static haft_status search(haft__arena *arena, const haft__spec *spec, haft_str task,
                          haft__hash_key hash_key, haft__first_turn_preview *preview,
                          haft__buf *body, haft_error *err)
{
    haft__offer offer;
    haft__reveal reveal = {0};
    haft__reveal_request ask = {.spec = spec,
                                .run = &preview->run,
                                .listings = preview->listings,
                                .listing_count = preview->listing_count,
                                .offer = &offer,
                                .query = haft__offer_index_truncate_query(task),
                                .call = HAFT__LIT("")};
    haft_status status = haft__resolve(spec, &preview->run, preview->listings,
                                       preview->listing_count, arena, &offer, err);
    if (status == HAFT_OK) {
        haft__word_vectors vectors = {.found = false};
        bool found = haft__word_vectors_load(NULL, &vectors, NULL) == HAFT_OK && vectors.found;
        status = haft__offer_index_search_once(&ask, hash_key, found ? &vectors.table : NULL, arena,
                                               err);
        haft__word_vectors_finish(&vectors);
    }
    if (status == HAFT_OK) {
        status = haft__reveal_decide(&ask, arena, hash_key, &reveal, err);
    }
    if (status == HAFT_OK) {
        haft__buf_clear(body);
        haft__input_tools_revealed(body, &reveal);
        status = haft__buf_check(body, err);
        preview->search = reveal;
        preview->search.request = (haft__reveal_request){0}; /* the request points to local
                                                              * variables */
    }
    return status;
}

static haft_status decide_first_turn(haft__arena *arena, const haft__spec *spec, haft_str task,
                                     haft__hash_key hash_key, haft__decider *decider,
                                     haft__buf *body, haft__first_turn_preview *preview,
                                     haft_error *err)
{
    haft_str none = {NULL, 0}, variable = haft__provider_server_variable(&spec->model);
    haft__spec_origin origin = {.file = HAFT__LIT(""),
                                .variables = &variable,
                                .variable_count = spec->model.other_server && variable.len > 0};
    haft__input_run_started_from(body, spec, task, run_id, none, none, &origin);
    haft__effect effect = {.kind = HAFT__EFFECT_EVENT, .body = haft__buf_str(body)};
    haft_status status = haft__run_init(&preview->run, arena, spec, hash_key, err);
    while (status == HAFT_OK
           && (effect.kind == HAFT__EFFECT_EVENT || effect.kind == HAFT__EFFECT_SEARCH_TOOLS)) {
        if (effect.kind == HAFT__EFFECT_SEARCH_TOOLS) { /* without asking a server */
            status = search(arena, spec, task, hash_key, preview, body, err);
            effect.body = haft__buf_str(body);
        }
        if (status == HAFT_OK) {
            status = fold(arena, &preview->run, effect.body, hash_key, &preview->turn, err);
        }
        if (status == HAFT_OK) {
            status = haft__decide(decider, &preview->run, 0, &effect, err);
        }
    }
    return status;
}

haft_status haft__first_turn_decide_with(haft__arena *arena, const haft__spec *spec, haft_str task,
                                         haft__hash_key hash_key, const haft__mcp_listing *listings,
                                         size_t count, haft__first_turn_preview *ret_preview,
                                         haft_error *err)
{
    haft__buf body;
    haft__decider decider;
    *ret_preview = (haft__first_turn_preview){
        .turn = haft__json_null(), .listings = listings, .listing_count = count};
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft_status status = haft__decider_init(&decider, err);
    if (status == HAFT_OK) {
        status = decide_first_turn(arena, spec, task, hash_key, &decider, &body, ret_preview, err);
    }
    if (status == HAFT_OK) {
        status = haft__resolve(spec, &ret_preview->run, listings, count, arena, &ret_preview->offer,
                               err);
    }
    haft__decider_finish(&decider);
    haft__buf_finish(&body);
    return status;
}

haft_status haft__first_turn_decide(haft__arena *arena, const haft__spec *spec, haft_str task,
                                    haft__hash_key hash_key, haft__first_turn_preview *ret_preview,
                                    haft_error *err)
{
    const haft__mcp_listing *listings = NULL;
    size_t count = 0;
    haft_status status = haft__exec_offline_listings(spec, arena, &listings, &count, err);
    return status == HAFT_OK ? haft__first_turn_decide_with(arena, spec, task, hash_key, listings,
                                                            count, ret_preview, err)
                             : status;
}

haft_status haft__first_turn_refuse(haft__arena *arena, haft__first_turn_preview *preview,
                                    const haft__optional_member *member, uint16_t http_status,
                                    haft__hash_key hash_key, haft_error *err)
{
    const haft__model_failure failure = {.status = http_status, .message = HAFT__LIT("")};
    haft__json turn; /* unused: the event is not turn_started */
    haft__buf body;
    haft__buf_init(&body, HAFT__LIMIT_RUN_BYTES);
    haft__input_option_refused(&body, member, &failure, true, 0);
    haft_status status = haft__buf_check(&body, err);
    if (status == HAFT_OK) {
        status = fold(arena, &preview->run, haft__buf_str(&body), hash_key, &turn, err);
    }
    haft__buf_finish(&body);
    return status;
}
