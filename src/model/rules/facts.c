/* SPDX-License-Identifier: Apache-2.0 */
/*
 * facts.c - values with their keys from results that are JSON, so that what one tool found
 * can be given to the next: {"customer_id": 7} to an argument customer_id.
 *
 * Newest result first; in one result, in the order of the text. Tests:
 * tests/model/rules/facts_test.c.
 */
#include "base/error.h"
#include "base/str.h"
#include "model/rules/offline_int.h"
#include "json/read.h"

/* Longer results are data, not facts. */
#define LONGEST_RESULT ((size_t)256 << 10)

static bool is_full(const haft__offline_facts *facts)
{
    return facts->count == HAFT__LIMIT_OFFLINE_FACTS;
}

/* As deep as values can nest: HAFT__LIMIT_JSON_DEPTH. */
static void collect(haft__offline_facts *facts, haft_str key, haft__json value)
{
    bool single = value.kind != HAFT__JSON_OBJECT && value.kind != HAFT__JSON_ARRAY;
    if (single && key.len > 0 && value.kind != HAFT__JSON_NULL && !is_full(facts)) {
        facts->items[facts->count++] = (haft__offline_fact){key, value};
    }
    for (uint32_t i = 0; !single && i < value.count && !is_full(facts); i++) {
        if (value.kind == HAFT__JSON_ARRAY) {
            collect(facts, key, value.items[i]);
        } else {
            collect(facts, haft__json_text(value.members[i].key), value.members[i].value);
        }
    }
}

static haft_status read_result(haft__offline_facts *facts, haft_str text, haft__arena *arena,
                               haft_error *err)
{
    haft__json_options options = HAFT__JSON_OPTIONS_INIT;
    options.hash_key = HAFT__OFFLINE_KEY;
    haft__json value;
    haft_str bare = haft__str_trim(text);
    bool json =
        haft__str_starts_with(bare, HAFT__LIT("{")) || haft__str_starts_with(bare, HAFT__LIT("["));
    if (!json || bare.len > LONGEST_RESULT) {
        return HAFT_OK;
    }
    haft_status status = haft__json_read(arena, bare, &options, &value, NULL, NULL);
    if (status == HAFT_OK) {
        collect(facts, HAFT__LIT(""), value);
    }
    return status == HAFT_NO_MEMORY ? haft__fail_no_memory(err) : HAFT_OK;
}

haft_status haft__offline_facts_read(const haft__offline_past *past, haft__arena *arena,
                                     haft__offline_facts *ret_facts, haft_error *err)
{
    haft_status status = HAFT_OK;
    ret_facts->count = 0;
    for (size_t i = past->count; i > 0 && status == HAFT_OK && !is_full(ret_facts); i--) {
        const haft__offline_call *call = &past->calls[i - 1];
        if (call->answered && !call->failed) {
            status = read_result(ret_facts, call->result, arena, err);
        }
    }
    return status;
}
