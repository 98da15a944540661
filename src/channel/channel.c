/* SPDX-License-Identifier: Apache-2.0 */
/* channel.c - compiles channels. Tests: tests/channel/channel_test.c. */
#include "channel/channel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "channel/value.h"
#include "json/object.h"

/* Maximum bytes of a message about a channel, with its NUL; longer messages are truncated. */
#define MESSAGE_BYTES 1024

static const char *const reducers[] = {
    [HAFT__REDUCE_REPLACE] = "replace",   [HAFT__REDUCE_LAST] = "last",
    [HAFT__REDUCE_APPEND] = "append",     [HAFT__REDUCE_ADD] = "add",
    [HAFT__REDUCE_MERGE] = "merge",       [HAFT__REDUCE_MIN] = "min",
    [HAFT__REDUCE_MAX] = "max",           [HAFT__REDUCE_UNION] = "union",
    [HAFT__REDUCE_MESSAGES] = "messages", [HAFT__REDUCE_CUSTOM] = "custom",
};

static const char *const lifetimes[] = {
    [HAFT__LIFETIME_RUN] = "run",
    [HAFT__LIFETIME_STEP] = "step",
    [HAFT__LIFETIME_THREAD] = "thread",
};

typedef struct compiler {
    haft__arena *arena;
    haft__channel_report *report;
    void *context;
    haft_error *err;
} compiler;

const char *haft__channel_reducer_name(haft__channel_reducer reducer)
{
    return reducers[reducer];
}

static void HAFT__PRINTF(4, 5)
    problem(const compiler *c, haft_str channel, haft_str key, const char *format, ...)
{
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    c->report(c->context, channel, key, haft__str(text));
}

/* ---- names ---- */

/* Orders members of an object by the bytes of their keys. */
static int compare_members(const void *a, const void *b)
{
    const haft__json_member *const *left = a, *const *right = b;
    return haft__str_compare(haft__json_text((*left)->key), haft__json_text((*right)->key));
}

bool haft__channel_find(const haft__channel *channels, size_t count, haft_str name,
                        uint32_t *ret_channel)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = haft__str_compare(channels[middle].name, name);
        if (order == 0) {
            *ret_channel = (uint32_t)middle;
            return true;
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return false;
}

/* ---- the keys of a channel ---- */

static void check_keys(const compiler *c, haft_str channel, haft__json source)
{
    static const char *const keys[] = {"reducer", "default", "type", "schema", "lifetime"};
    for (uint32_t i = 0; i < source.count; i++) {
        haft_str key = haft__json_text(source.members[i].key);
        if (!haft__str_is_one_of(key, keys, COUNT(keys))) {
            problem(c, channel, key, "unknown key '%.*s'", HAFT__ARG(key));
        }
    }
}

static void read_word(const compiler *c, haft_str channel, haft__json source, const char *key,
                      const char *const *words, size_t count, size_t *io_index)
{
    const haft__json *value = haft__object_find(source, key);
    haft_str text = value != NULL ? haft__json_text(*value) : HAFT__LIT("");
    for (size_t i = 0; value != NULL && i < count; i++) {
        if (haft__str_equal(haft__str(words[i]), text)) {
            *io_index = i;
            return;
        }
    }
    if (value != NULL) {
        problem(c, channel, haft__str(key), "unknown %s '%.*s'", key, HAFT__ARG(text));
    }
}

haft_str haft__channel_custom_reducer(haft__json channel)
{
    haft_str reducer = haft__object_string(channel, "reducer"), prefix = HAFT__LIT("custom:");
    return haft__str_starts_with(reducer, prefix) ? haft__str_skip(reducer, prefix.len)
                                                  : HAFT__LIT("");
}

/* Reads the value of a channel before the first write. */
static void read_default(haft__channel *channel, haft__json source)
{
    static const haft__json zero = {
        .kind = HAFT__JSON_NUMBER, .integer = 1, .count = 1, .text = "0"};
    const haft__json *given = haft__object_find(source, "default");
    channel->has_default = true;
    if (given != NULL) {
        channel->default_value = *given;
        return;
    }
    switch (channel->reducer) {
    case HAFT__REDUCE_APPEND:
    case HAFT__REDUCE_UNION:
    case HAFT__REDUCE_MESSAGES: channel->default_value = haft__json_array(NULL, 0); return;
    case HAFT__REDUCE_ADD: channel->default_value = zero; return;
    case HAFT__REDUCE_MERGE: channel->default_value = haft__json_object(NULL, 0); return;
    case HAFT__REDUCE_REPLACE:
    case HAFT__REDUCE_LAST:
    case HAFT__REDUCE_MIN:
    case HAFT__REDUCE_MAX:
    case HAFT__REDUCE_CUSTOM: channel->has_default = false; return;
    }
}

/* `type` is short for `schema: {type}`. */
static haft_status read_schema(const compiler *c, haft__channel *channel, haft__json source)
{
    const haft__json *type = haft__object_find(source, "type");
    const haft__json *schema = haft__object_find(source, "schema");
    if (type == NULL && schema == NULL) {
        return HAFT_OK;
    }
    haft__json_member *member = haft__arena_array(c->arena, 1, sizeof(*member));
    haft_error why = {.status = HAFT_OK};
    if (member == NULL) {
        return haft__arena_fail(c->arena, c->err);
    }
    *member = (haft__json_member){.key = haft__json_string(HAFT__LIT("type")),
                                  .value = type != NULL ? *type : haft__json_null()};
    haft__json wanted = schema != NULL ? *schema : haft__json_object(member, 1);
    haft_status status = haft__schema_compile(c->arena, wanted, NULL, &channel->schema, &why);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(c->err);
    }
    if (status != HAFT_OK) {
        problem(c, channel->name, haft__str(schema != NULL ? "schema" : "type"), "%s", why.message);
    }
    return HAFT_OK;
}

/* Checks the default, like any value, against the schema. */
static haft_status check_default(const compiler *c, const haft__channel *channel, haft__json source)
{
    const haft__json *given = haft__object_find(source, "default");
    haft__checker *checker = given != NULL ? haft__checker_create() : NULL;
    haft_error why = {.status = HAFT_OK};
    haft_str reason = {NULL, 0};
    bool valid = true;
    if (given == NULL) {
        return HAFT_OK;
    }
    haft_status status =
        checker != NULL
            ? haft__channel_check_value(channel, checker, *given, c->arena, &valid, &reason, &why)
            : HAFT_NO_MEMORY;
    haft__checker_destroy(checker);
    if (status == HAFT_NO_MEMORY) {
        return haft__fail_no_memory(c->err);
    }
    if (status != HAFT_OK || !valid) {
        problem(c, channel->name, HAFT__LIT("default"), "the default is not a value of its %.*s",
                HAFT__ARG(status != HAFT_OK ? haft__str(why.message) : reason));
    }
    return HAFT_OK;
}

static haft_status compile_channel(const compiler *c, haft_str name, haft__json source,
                                   haft__channel *ret_channel)
{
    size_t reducer = HAFT__REDUCE_REPLACE, lifetime = HAFT__LIFETIME_RUN;
    haft__channel channel = {.name = name, .custom = haft__channel_custom_reducer(source)};
    check_keys(c, name, source);
    if (channel.custom.len > 0) {
        reducer = HAFT__REDUCE_CUSTOM;
    } else {
        read_word(c, name, source, "reducer", reducers, HAFT__REDUCE_CUSTOM, &reducer);
    }
    read_word(c, name, source, "lifetime", lifetimes, COUNT(lifetimes), &lifetime);
    channel.reducer = (haft__channel_reducer)reducer;
    channel.lifetime = (haft__channel_lifetime)lifetime;
    read_default(&channel, source);
    haft_status status = read_schema(c, &channel, source);
    if (status == HAFT_OK) {
        status = check_default(c, &channel, source);
    }
    *ret_channel = channel;
    return status;
}

haft_status haft__channels_compile(haft__arena *arena, haft__json source,
                                   haft__channel_report *report, void *context,
                                   const haft__channel **ret_channels, size_t *ret_count,
                                   haft_error *err)
{
    compiler c = {.arena = arena, .report = report, .context = context, .err = err};
    size_t count = source.kind == HAFT__JSON_OBJECT ? source.count : 0;
    const haft__json_member **sorted = haft__arena_array(arena, count + 1, sizeof(*sorted));
    haft__channel *channels = haft__arena_array(arena, count + 1, sizeof(*channels));
    if (sorted == NULL || channels == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < count; i++) {
        sorted[i] = &source.members[i];
    }
    qsort(sorted, count, sizeof(*sorted), compare_members);
    haft_status status = HAFT_OK;
    for (size_t i = 0; i < count && status == HAFT_OK; i++) {
        status =
            compile_channel(&c, haft__json_text(sorted[i]->key), sorted[i]->value, &channels[i]);
    }
    *ret_channels = channels;
    *ret_count = status == HAFT_OK ? count : 0;
    return status;
}
