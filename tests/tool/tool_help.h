/* SPDX-License-Identifier: Apache-2.0 */
/* tool_help.h - shared by the tests of tools: values from text, tools from a line, errors as
 * text. */
#ifndef HAFT_TESTS_TOOL_HELP_H
#define HAFT_TESTS_TOOL_HELP_H

#include "base/buf.h"
#include "test.h"
#include "tool/registry.h"
#include "tool/traits.h"
#include "json/read.h"
#include "json/write.h"

static inline haft__json help_json(haft__arena *arena, const char *text)
{
    haft__json value = haft__json_null();
    haft_error err = {0};
    haft_status status = haft__json_read(arena, haft__str(text), NULL, &value, NULL, &err);
    CHECK_INT(status, HAFT_OK, "%s: %s %s", text, err.where, err.message);
    return value;
}

/* A value as text that lives until the test ends. */
static inline haft_str help_text(haft__json value)
{
    haft__buf buf;
    haft__buf_init(&buf, 1 << 20);
    haft__json_write(&buf, value);
    char *copy = test_alloc(buf.len + 1);
    memcpy(copy, buf.ptr, buf.len);
    haft_str text = {copy, buf.len};
    haft__buf_finish(&buf);
    return text;
}

/* A tool that passes every check, with that name. */
static inline haft__tool help_tool(haft__arena *arena, const char *name)
{
    haft__tool tool = {.name = haft__str(name),
                       .description = HAFT__LIT("Count the words of a text."),
                       .source = HAFT__TOOL_COMMAND,
                       .typed = true};
    tool.input_schema =
        help_json(arena, "{\"type\":\"object\",\"properties\":{\"text\":{\"type\":\"string\"}}}");
    haft__traits_init(&tool.traits);
    return tool;
}

/* Limits memory: `left` more bytes in the arena, and nothing from malloc. (With the address
 * sanitizer each piece is its own malloc, and left / 8 more of those are allowed.) Until
 * test_allow_allocations. */
static inline void help_leave(haft__arena *arena, size_t left)
{
    if (HAFT__ASAN) {
        test_fail_allocations_from((unsigned)(left / 8));
        return;
    }
    (void)haft__arena_alloc(arena, left > 0 ? left : 1);
    while ((size_t)(arena->end - arena->next) < left) {
        (void)haft__arena_alloc(arena, (size_t)(arena->end - arena->next) + 1);
    }
    if ((size_t)(arena->end - arena->next) > left) {
        (void)haft__arena_alloc(arena, (size_t)(arena->end - arena->next) - left);
    }
    test_fail_allocations_from(0);
}

/* "where | message | hint", in memory that lives until the test ends. */
static inline haft_str help_error(const haft_error *err)
{
    size_t size = sizeof(*err) + 16;
    char *text = test_alloc(size);
    (void)snprintf(text, size, "%s | %s | %s", err->where, err->message, err->hint);
    return haft__str(text);
}

#endif
