/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_family.c - fills in settings that a spec omits and that depend on the family of its model:
 * those of the model itself, and spec->context.
 *
 * Settings of the spec take precedence over the values of the table. Tests:
 * tests/spec/load/build_family_test.c, tests/spec/load/context_test.c.
 */
#include "base/buf.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/suggestion.h"
#include "model/families.h"
#include "spec/load/build_int.h"
#include "json/object.h"

#define NONE "none" /* this value of `family` disables the table */

static void report_family(haft__loader *l, haft_str name)
{
    size_t count;
    const haft__family *rows = haft__families(&count);
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    haft__suggestion_offer(&near, HAFT__LIT(NONE));
    for (size_t i = 0; i < count; i++) {
        haft__suggestion_offer(&near, haft__str(rows[i].name));
    }
    haft__spec_problem *problem =
        haft__loader_error(l, HAFT__LIT("/model/family"), HAFT__SUBJECT_VALUE,
                           "there is no model family \"%.*s\"", HAFT__ARG(name));
    if (near.best.ptr != NULL) {
        haft__loader_hint(l, problem, "did you mean %.*s?", HAFT__ARG(near.best));
    } else {
        haft__loader_hint(l, problem, "docs/local-models.md lists them; write none for no family");
    }
}

/* Finds the row of the family that the spec names; else the row for the chat template; else the row
 * for the model's name. */
static const haft__family *find(haft__loader *l, haft__json source)
{
    haft__model_family *family = &l->spec->model.family;
    haft_str named = haft__object_string(source, "family");
    const char *pattern = NULL;
    const haft__family *row = NULL;
    if (named.len > 0) {
        bool none = haft__str_equal_ignore_case(named, HAFT__LIT(NONE));
        family->found_by = HAFT__LIT("spec");
        row = haft__family_find(named);
        if (row == NULL && !none) {
            report_family(l, named);
        }
        return row;
    }
    family->found_by = HAFT__LIT("chat_template");
    row = haft__family_match_template(haft__object_string(source, "chat_template"), &pattern);
    if (row == NULL) {
        family->found_by = HAFT__LIT("name");
        row = haft__family_match_name(l->spec->model.model, &pattern);
    }
    family->pattern = haft__str(pattern != NULL ? pattern : "");
    return row;
}

static haft_str write_size(haft__loader *l, uint64_t millions)
{
    haft__buf buf;
    haft__buf_init(&buf, HAFT__LIMIT_JSON_NUMBER_BYTES);
    haft__family_add_size(&buf, millions);
    haft_str kept = haft__arena_copy(l->arena, haft__buf_str(&buf));
    if (buf.status == HAFT_NO_MEMORY || kept.ptr == NULL) {
        l->status = HAFT_NO_MEMORY;
        kept = HAFT__LIT("");
    }
    haft__buf_finish(&buf);
    return kept;
}

/* Whether the row was found by its chat template. A template defines the format, but not the size
 * of a model. */
static bool by_template(const haft__model_family *family)
{
    return haft__str_equal(family->found_by, HAFT__LIT("chat_template"));
}

static void fill_size(haft__loader *l, const haft__family *row)
{
    haft__model_spec *model = &l->spec->model;
    uint64_t millions = haft__family_size_of_name(model->model);
    model->family.size_in_name = millions > 0 && model->size_b.len == 0;
    if (millions == 0 && row != NULL && !by_template(&model->family)) {
        millions = row->size;
        model->family.gave_size = millions > 0 && model->size_b.len == 0;
    }
    if (millions > 0 && model->size_b.len == 0) {
        model->size_b = write_size(l, millions);
    }
}

static bool is_set(haft__json source, const char *key)
{
    haft__json found = haft__object_get(source, key);
    return found.kind != HAFT__JSON_NULL;
}

void haft__loader_fill_family(haft__loader *l, haft__json source)
{
    haft__model_spec *model = &l->spec->model;
    const haft__family *row = find(l, source);
    fill_size(l, row);
    if (row == NULL) {
        model->family = (haft__model_family){.size_in_name = model->family.size_in_name};
        return;
    }
    haft__model_family *family = &model->family;
    family->name = haft__str(row->name);
    family->format = haft__str(row->format);
    family->hosted = row->hosted && !by_template(family);
    family->reasoning_open = row->reasoning_open;
    family->reasoning_close = row->reasoning_close;
    if (!is_set(source, "native_tools")) {
        model->native_tools = haft__family_is_native(row, model);
        family->gave_native = true;
    }
    if (!is_set(source, "context_tokens") && row->context > 0 && !by_template(family)) {
        model->context_tokens = row->context;
        family->gave_context = true;
    }
    if (!is_set(source, "starts_in_reasoning") && row->starts_in_reasoning) {
        model->starts_in_reasoning = family->gave_opened = true;
    }
}

/* ---- the context ---- */

enum {
    RESERVE = 4096,
    LARGE_RESERVE = 8192, /* of families that are hosted or reason: their replies are long */
    RESERVE_SHARE = 4,    /* at most this part of the context, unless the spec says otherwise */
    CLEAR_AT = 75,
    CLEAR_KEEP = 3,
    HOSTED_CLEAR_AT = 80, /* large contexts, and caches that cost money to break */
    HOSTED_CLEAR_KEEP = 5,
    SUMMARISE_AT = 90,
    SUMMARISE_KEEP = 4,
};

/* The limit of a reply among the options of the model; 0 without one. */
static uint64_t find_reply_limit(haft__json options)
{
    static const char *const names[] = {"max_completion_tokens", "max_tokens", "max_output_tokens",
                                        "num_predict"};
    uint64_t limit = 0;
    for (size_t i = 0; i < COUNT(names) && limit == 0; i++) {
        limit = haft__object_number(options, names[i], 0);
    }
    return limit;
}

static uint64_t default_reserve(const haft__model_spec *model)
{
    bool large = model->family.hosted || model->family.reasoning_open != NULL;
    uint64_t limit = find_reply_limit(model->options);
    uint64_t reserve = limit > 0 ? limit : large ? LARGE_RESERVE : RESERVE;
    uint64_t max = model->context_tokens / RESERVE_SHARE;
    return reserve < max ? reserve : max;
}

static bool is_off(haft__json setting)
{
    return setting.kind == HAFT__JSON_FALSE;
}

static void check_reserve(haft__loader *l)
{
    uint64_t tokens = l->spec->model.context_tokens, reserve = l->spec->context.reserve;
    if (tokens > 0 && reserve >= tokens) {
        haft__spec_problem *problem =
            haft__loader_error(l, HAFT__LIT("/context/reserve"), HAFT__SUBJECT_VALUE,
                               "expected less than the %llu tokens of the context, found %llu",
                               (unsigned long long)tokens, (unsigned long long)reserve);
        haft__loader_hint(l, problem, "the default is at most a quarter of the context");
    }
}

void haft__loader_build_context(haft__loader *l)
{
    haft__model_spec *model = &l->spec->model;
    haft__json source = haft__object_object(l->source, "context");
    haft__json clear = haft__object_get(source, "clear"),
               summarise = haft__object_get(source, "summarise");
    bool hosted = model->family.hosted;
    uint64_t tokens = haft__object_number(source, "tokens", 0);
    if (tokens > 0) {
        model->context_tokens = tokens;
        model->family.gave_context = false;
    }
    haft__context_spec *context = &l->spec->context;
    *context = (haft__context_spec){
        .given = haft__json_get(l->source, HAFT__LIT("context")) != NULL,
        .reserve = haft__object_number(source, "reserve", default_reserve(model)),
        .clear = !is_off(clear),
        .clear_at = (uint32_t)haft__object_number(clear, "at", hosted ? HOSTED_CLEAR_AT : CLEAR_AT),
        .clear_keep =
            (uint32_t)haft__object_number(clear, "keep", hosted ? HOSTED_CLEAR_KEEP : CLEAR_KEEP),
        .summarise = !is_off(summarise),
        .summarise_at = (uint32_t)haft__object_number(summarise, "at", SUMMARISE_AT),
        .summarise_keep = (uint32_t)haft__object_number(summarise, "keep", SUMMARISE_KEEP),
        .summary_instructions = haft__object_string(summarise, "instructions"),
    };
    context->spare =
        haft__loader_read_strings(l, haft__object_array(clear, "spare"), &context->spare_count);
    check_reserve(l);
}
