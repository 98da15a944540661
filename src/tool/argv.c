/* SPDX-License-Identifier: Apache-2.0 */
/* argv.c - see argv.h. Tests: tests/tool/argv_test.c. */
#include "tool/argv.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/str.h"
#include "tool/command_words.h"
#include "tool/template.h"

/* One word while it is built. */
typedef struct word {
    haft__buf text;
    haft_str option; /* the argument that gives the word its '-' at the start; .ptr is NULL if none
                        does */
    bool absent;     /* all arguments of the word are missing */
} word;

/* The words that are built already. */
typedef struct builder {
    haft__arena *arena;
    const haft__command_words *templates;
    haft_str *words;
    size_t count;
    size_t unsure; /* index of an option that may take the next word as its value; 0: none */
} builder;

static void fill(word *w, haft_str template, haft__json input_schema, haft__json arguments)
{
    haft__template_piece piece;
    haft__buf_clear(&w->text);
    w->option = (haft_str){NULL, 0};
    w->absent = true;
    while (haft__template_next(&template, &piece)) {
        bool known =
            piece.name.ptr != NULL && haft__template_has_argument(input_schema, piece.name);
        size_t before = w->text.len;
        if (!known) {
            haft__buf_add_str(&w->text, piece.text);
            continue;
        }
        const haft__json *value = haft__json_get(arguments, piece.name);
        w->absent = w->absent && value == NULL;
        haft__template_add(&w->text, value);
        if (before == 0 && w->text.len > 0 && w->text.ptr[0] == '-') {
            w->option = piece.name;
        }
    }
}

static haft_status check(const word *w, const haft__command_word *template, haft_error *err)
{
    haft_status status = haft__buf_check(&w->text, err);
    if (status == HAFT_OK && w->text.len > 0 && memchr(w->text.ptr, '\0', w->text.len) != NULL) {
        return haft__fail(err, HAFT_BAD_INPUT, "", "an argument of a program cannot contain a NUL");
    }
    if (status == HAFT_OK && template->names_option) {
        return haft__fail(err, HAFT_BAD_INPUT, "",
                          "the argument \"%.*s\" would be part of the name of an option",
                          HAFT__ARG(template->argument));
    }
    if (status == HAFT_OK && w->option.ptr != NULL && !template->after_dashes) {
        status = haft__fail(
            err, HAFT_BAD_INPUT, "",
            "the argument \"%.*s\" starts with '-', so the program would read it as an option",
            HAFT__ARG(w->option));
        return haft__hint(err, status, "for a file, put ./ in front of it");
    }
    return status;
}

static haft_status keep(haft__arena *arena, haft_str text, haft_str *ret_word, haft_error *err)
{
    char *copy = haft__arena_alloc(arena, text.len + 1);
    if (copy == NULL) {
        return haft__arena_fail(arena, err);
    }
    memcpy(copy, text.len > 0 ? text.ptr : "", text.len);
    copy[text.len] = '\0';
    *ret_word = (haft_str){copy, text.len};
    return HAFT_OK;
}

static haft_status fail_unsure(const haft__command_words *templates, size_t at, haft_error *err)
{
    const haft__command_word *template = &templates->items[at];
    haft_str option = template->alone ? templates->items[at - 1].text : template->fixed;
    return haft__fail(err, HAFT_BAD_INPUT, "",
                      "the argument \"%.*s\" is missing or empty, so '%.*s' may take the next word "
                      "as its value",
                      HAFT__ARG(template->argument), HAFT__ARG(option));
}

/* Adds the word of template `at`, or leaves it out. An option without its value must not take the
 * next word instead: the option is left out too, or no word may follow it. */
static haft_status add(builder *b, size_t at, const word *w, haft_error *err)
{
    const haft__command_word *template = &b->templates->items[at];
    bool argument = at > 0 && template->argument.ptr != NULL;
    bool left_out = argument && template->alone && w->absent;
    bool bare = argument && !template->alone && w->text.len == template->fixed.len;
    bool with_option = template->absence == HAFT__ABSENT_OPTION;
    if (left_out && with_option) { /* the option is the word before: it has no argument */
        b->count--;
        return HAFT_OK;
    }
    if (bare && with_option) {
        return w->absent ? HAFT_OK : fail_unsure(b->templates, at, err);
    }
    if (!left_out && b->unsure > 0) {
        return fail_unsure(b->templates, b->unsure, err);
    }
    if ((left_out || bare) && template->absence == HAFT__ABSENT_UNSURE && b->unsure == 0) {
        b->unsure = at;
    }
    if (left_out) {
        return HAFT_OK;
    }
    haft_status status = check(w, template, err);
    return status == HAFT_OK ? keep(b->arena, haft__buf_str(&w->text), &b->words[b->count++], err)
                             : status;
}

haft_status haft__argv_build(haft__arena *arena, haft__json command, haft__json input_schema,
                             haft__json arguments, haft_str **ret_words, size_t *ret_count,
                             haft_error *err)
{
    haft__command_words templates;
    builder b = {.arena = arena, .templates = &templates};
    b.words = haft__arena_array(arena, command.count, sizeof(*b.words));
    if (b.words == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = haft__command_words_read(arena, command, input_schema, &templates, err);
    word w = {0};
    haft__buf_init(&w.text, HAFT__LIMIT_EXEC_WORD_BYTES);
    for (uint32_t i = 0; i < command.count && status == HAFT_OK; i++) {
        fill(&w, templates.items[i].text, i > 0 ? input_schema : haft__json_null(), arguments);
        status = add(&b, i, &w, err);
        if (status != HAFT_OK) {
            char where[32];
            (void)snprintf(where, sizeof(where), "/command/%u", i);
            haft__error_prepend_location(err, where);
        }
    }
    haft__buf_finish(&w.text);
    if (status == HAFT_OK) {
        *ret_words = b.words;
        *ret_count = b.count;
    }
    return status;
}
