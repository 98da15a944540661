/* SPDX-License-Identifier: Apache-2.0 */
/* models.c - see models.h. Tests: tests/model/providers/anthropic/models_test.c. */
#include "model/providers/anthropic/models.h"

#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"

static const haft__anthropic_model models[] = {
    {"claude-opus-5-5", true, true},    {"claude-sonnet-5-5", true, true},
    {"claude-haiku-5-5", false, true},  {"claude-fable-5-1", true, true},
    {"claude-fable-5-2", false, true},  {"claude-mythos-5-1", false, true},
    {"claude-mythos-5-2", false, true},
};

const haft__anthropic_model *haft__anthropic_models(size_t *ret_count)
{
    *ret_count = COUNT(models);
    return models;
}

/* Other hosts put their own words before the name: us.anthropic.claude-.., anthropic/claude-... */
static haft_str name_of(haft_str model)
{
    size_t start = 0;
    for (size_t i = 0; i < model.len; i++) {
        haft_str rest = haft__str_skip(model, i);
        start = haft__str_starts_with(rest, HAFT__LIT("claude-")) ? i : start;
    }
    return haft__str_skip(model, start);
}

/* The row of a model; COUNT if it has none. claude-opus-5-50 is not claude-opus-5-5. */
static size_t find(haft_str model)
{
    haft_str name = name_of(model);
    for (size_t i = 0; i < COUNT(models); i++) {
        haft_str start = haft__str(models[i].name);
        if (haft__str_starts_with(name, start)
            && (name.len == start.len || !haft__ascii_is_digit(name.ptr[start.len]))) {
            return i;
        }
    }
    return COUNT(models);
}

bool haft__anthropic_can_force(haft_str model)
{
    size_t i = find(model);
    return i == COUNT(models) || !models[i].no_force;
}

bool haft__anthropic_binds_thinking(haft_str model)
{
    size_t i = find(model);
    return i < COUNT(models) && models[i].binds_thinking;
}
