/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checker.c - the state of a validation: its budget, and the memory that the next validation
 * reuses.
 *
 * Sets of evaluated members and the hash tables of uniqueItems are on one stack of words. A word
 * costs a step, so the stack never exceeds HAFT__LIMIT_SCHEMA_STEPS words. Tests:
 * tests/schema/budget_test.c.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/vec.h"
#include "schema/schema_int.h"

#define FIRST_WORDS ((size_t)64)

haft__checker *haft__checker_create(void)
{
    haft__checker *checker = calloc(1, sizeof(*checker));
    if (checker == NULL) {
        return NULL;
    }
    haft__arena_init(&checker->arena, 0);
    checker->scratch = haft__pattern_scratch_create();
    if (checker->scratch == NULL) {
        haft__checker_destroy(checker);
        return NULL;
    }
    return checker;
}

void haft__checker_destroy(haft__checker *checker)
{
    if (checker != NULL) {
        haft__pattern_scratch_destroy(checker->scratch);
        haft__arena_finish(&checker->arena);
        free(checker->words);
        free(checker);
    }
}

void haft__checker_begin(haft__checker *checker, const haft__schema *schema)
{
    checker->steps = HAFT__LIMIT_SCHEMA_STEPS;
    checker->nesting = 0;
    checker->stop = HAFT__EXCEEDED_NONE;
    checker->dynamic = schema->dynamic;
    checker->scope = NULL;
    checker->hash_key = schema->hash_key;
    checker->word_count = 0;
}

bool haft__checker_stop(haft__checker *checker, haft__exceeded why)
{
    if (checker->stop == HAFT__EXCEEDED_NONE) {
        checker->stop = why;
    }
    /* Every check in progress ends at its next step. */
    checker->steps = -1;
    return false;
}

bool haft__checker_charge_value(haft__checker *checker, const haft__json *value)
{
    switch ((haft__json_kind)value->kind) {
    case HAFT__JSON_NULL:
    case HAFT__JSON_FALSE:
    case HAFT__JSON_TRUE: return true;
    case HAFT__JSON_NUMBER: return haft__checker_charge(checker, value->count / HAFT__NUMBER_STEP);
    case HAFT__JSON_STRING: return haft__checker_charge(checker, value->count / HAFT__TEXT_STEP);
    case HAFT__JSON_ARRAY:
    case HAFT__JSON_OBJECT: break;
    }
    bool in_budget = haft__checker_charge(checker, 1 + (size_t)value->count)
                     && haft__checker_enter(checker, HAFT__LIMIT_SCHEMA_NESTING);
    if (!in_budget) {
        return false;
    }
    for (uint32_t i = 0; in_budget && i < value->count; i++) {
        bool array = value->kind == HAFT__JSON_ARRAY;
        size_t key = array ? 0 : value->members[i].key.count / HAFT__TEXT_STEP;
        in_budget = haft__checker_charge(checker, key)
                    && haft__checker_charge_value(checker, array ? &value->items[i]
                                                                 : &value->members[i].value);
    }
    haft__checker_leave(checker);
    return in_budget;
}

static bool grow(haft__checker *checker, size_t count)
{
    uint64_t *words = haft__vec_reserve(checker->words, &checker->word_capacity,
                                        count > FIRST_WORDS ? count : FIRST_WORDS, sizeof(*words));
    if (words == NULL) {
        return haft__checker_stop(checker, HAFT__EXCEEDED_MEMORY);
    }
    checker->words = words;
    return true;
}

bool haft__checker_push_words(haft__checker *checker, size_t count, size_t *ret_at)
{
    size_t new_count = checker->word_count + count;
    if (!haft__checker_charge(checker, count)
        || (new_count > checker->word_capacity && !grow(checker, new_count))) {
        return false;
    }
    if (count > 0) {
        memset(checker->words + checker->word_count, 0, count * sizeof(uint64_t));
    }
    *ret_at = checker->word_count;
    checker->word_count = new_count;
    return true;
}

static size_t words_of(const haft__evaluated *marks)
{
    return ((size_t)marks->count + 63) / 64;
}

bool haft__evaluated_push(haft__checker *checker, uint32_t count, haft__evaluated *ret_marks)
{
    haft__evaluated marks = {.count = count};
    if (!haft__checker_push_words(checker, words_of(&marks), &marks.at)) {
        return false;
    }
    *ret_marks = marks;
    return true;
}

void haft__evaluated_pop(haft__checker *checker, const haft__evaluated *marks)
{
    checker->word_count = marks->at;
}

void haft__evaluated_merge(haft__checker *checker, const haft__evaluated *into,
                           const haft__evaluated *from)
{
    for (size_t i = 0; i < words_of(into); i++) {
        checker->words[into->at + i] |= checker->words[from->at + i];
    }
}

void haft__evaluated_add_all(haft__checker *checker, const haft__evaluated *marks)
{
    for (size_t i = 0; i < words_of(marks); i++) {
        checker->words[marks->at + i] = UINT64_MAX;
    }
}

haft_status haft__schema_check(const haft__schema *schema, haft__checker *checker,
                               haft__json instance, haft__arena *arena,
                               haft__schema_report *ret_report, haft_error *err)
{
    haft__checker_begin(checker, schema);
    bool accepted = haft__validate_node(checker, schema->root, &instance, NULL);
    if (HAFT__LIKELY(accepted && checker->stop == HAFT__EXCEEDED_NONE)) {
        *ret_report = (haft__schema_report){.valid = true};
        return HAFT_OK;
    }
    return haft__schema_explain(schema, checker, &instance, arena, ret_report, err);
}
