/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command_words.c - reads the words of a command: their placeholders and the schemas of the
 * arguments. The walk through the programs (command_walk_int.h) marks how each word is read. Tests:
 * tests/tool/command_words_test.c.
 */
#include "tool/command_words.h"

#include "base/macros.h"
#include "base/str.h"
#include "tool/command_walk_int.h"
#include "tool/template.h"

static const haft__json *schema_of(haft__json input_schema, haft_str name)
{
    const haft__json *properties = haft__json_get(input_schema, HAFT__LIT("properties"));
    return properties != NULL ? haft__json_get(*properties, name) : NULL;
}

/* Whether every call has the argument: it is required or has a default. */
static bool is_present(haft__json input_schema, haft_str name)
{
    const haft__json *schema = schema_of(input_schema, name);
    if (schema != NULL && haft__json_get(*schema, HAFT__LIT("default")) != NULL) {
        return true;
    }
    const haft__json *required = haft__json_get(input_schema, HAFT__LIT("required"));
    for (uint32_t i = 0;
         required != NULL && required->kind == HAFT__JSON_ARRAY && i < required->count; i++) {
        if (haft__str_equal(haft__json_text(required->items[i]), name)) {
            return true;
        }
    }
    return false;
}

/* Whether the schema does not allow free text: numbers, booleans or listed texts. */
static bool is_bounded(haft__json input_schema, haft_str name)
{
    const haft__json *schema = schema_of(input_schema, name);
    const haft__json *type = schema != NULL ? haft__json_get(*schema, HAFT__LIT("type")) : NULL;
    haft_str text = type != NULL ? haft__json_text(*type) : HAFT__LIT("");
    return schema != NULL
           && (haft__json_get(*schema, HAFT__LIT("enum")) != NULL
               || haft__str_equal(text, HAFT__LIT("integer"))
               || haft__str_equal(text, HAFT__LIT("number"))
               || haft__str_equal(text, HAFT__LIT("boolean")));
}

/* Whether text after `before` in a word is part of the name of an option. */
static bool continues_name(haft_str before)
{
    return haft__str_equal(before, HAFT__LIT("-"))
           || (haft__str_starts_with(before, HAFT__LIT("--"))
               && memchr(before.ptr, '=', before.len) == NULL);
}

static haft__command_word read_template(haft_str text, haft__json input_schema)
{
    haft__command_word word = {.text = text, .fixed = text, .bounded = true};
    haft__template_piece piece;
    haft_str rest = text;
    while (text.len > 0 && haft__template_next(&rest, &piece)) {
        if (piece.name.ptr == NULL || !haft__template_has_argument(input_schema, piece.name)) {
            continue;
        }
        word.bounded = word.bounded && is_bounded(input_schema, piece.name);
        if (word.argument.ptr == NULL) {
            word.argument = piece.name;
            word.missable = !is_present(input_schema, piece.name);
            word.alone = piece.text.len == text.len;
            word.optional = word.alone && word.missable;
            word.fixed.len = (size_t)(piece.text.ptr - text.ptr);
            word.names_option = continues_name(word.fixed);
        }
    }
    word.names_option = word.names_option && !word.bounded;
    return word;
}

haft_status haft__command_words_read(haft__arena *arena, haft__json command,
                                     haft__json input_schema, haft__command_words *ret_words,
                                     haft_error *err)
{
    haft__command_words words = {
        .count = command.count, .stdin_reader = command.count, .stdin_words = command.count};
    words.items = haft__arena_array(arena, words.count + 1, sizeof(*words.items));
    if (words.items == NULL) {
        return haft__arena_fail(arena, err);
    }
    for (size_t i = 0; i < words.count; i++) {
        words.items[i] = read_template(haft__json_text(command.items[i]), input_schema);
    }
    words.items[words.count] =
        (haft__command_word){.text = HAFT__LIT(""), .argument = HAFT__LIT("standard input")};
    haft__walk_all(&words);
    *ret_words = words;
    return HAFT_OK;
}
