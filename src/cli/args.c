/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - parses the words of a command line by an option table. Tests: tests/cli/args_test.c. */
#include "cli/args.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "base/suggestion.h"

/* The state of the parser: the words of the command line, the position, and the result. */
typedef struct parser {
    const haft__option *options;
    char *const *words;
    int count, at;
    haft__args_option *given;
    const char **arguments;
    haft__args *args;
    haft_error *err;
} parser;

static const haft__option no_options[] = {{0}};

static const haft__option *find_name(const haft__option *options, haft_str name)
{
    for (; options->name != NULL; options++) {
        if (haft__str_equal(haft__str(options->name), name)) {
            return options;
        }
    }
    return NULL;
}

static const haft__option *find_letter(const haft__option *options, char letter)
{
    for (; options->name != NULL; options++) {
        if (options->letter != '\0' && options->letter == letter) {
            return options;
        }
    }
    return NULL;
}

static haft_status fail_unknown_name(const parser *p, haft_str name)
{
    haft_status status =
        haft__fail(p->err, HAFT_BAD_INPUT, "", "unknown option --%.*s", HAFT__ARG(name));
    haft__suggestion near;
    haft__suggestion_init(&near, name);
    for (const haft__option *option = p->options; option->name != NULL; option++) {
        haft__suggestion_offer(&near, haft__str(option->name));
    }
    if (near.best.ptr != NULL) {
        return haft__hint(p->err, status, "did you mean --%.*s?", HAFT__ARG(near.best));
    }
    return haft__hint(p->err, status, "--help lists the options");
}

static haft_status fail_unknown_letter(const parser *p, const char *word)
{
    haft_status status = haft__fail(p->err, HAFT_BAD_INPUT, "", "unknown option %s", word);
    return haft__hint(p->err, status,
                      "--help lists the options; put -- before an argument that starts with '-'");
}

static bool is_choice(haft_str choices, haft_str value)
{
    while (choices.len > 0) {
        if (haft__str_equal(haft__str_split(&choices, '|'), value)) {
            return true;
        }
    }
    return false;
}

static haft_status check_value(const parser *p, const haft__option *option, const char *value)
{
    uint64_t number;
    switch (option->kind) {
    case HAFT__OPTION_FLAG:
    case HAFT__OPTION_TEXT: return HAFT_OK;
    case HAFT__OPTION_NUMBER:
        if (haft__str_to_u64(haft__str(value), &number)) {
            return HAFT_OK;
        }
        return haft__fail(p->err, HAFT_BAD_INPUT, "", "--%s expects a whole number, found '%s'",
                          option->name, value);
    case HAFT__OPTION_OPTIONAL_CHOICE:
    case HAFT__OPTION_CHOICE:
        if (is_choice(haft__str(option->value), haft__str(value))) {
            return HAFT_OK;
        }
        return haft__fail(p->err, HAFT_BAD_INPUT, "", "--%s expects one of %s, found '%s'",
                          option->name, option->value, value);
    }
    HAFT__UNREACHABLE();
}

/* Whether the value may be in the next word. */
static bool takes_word(const haft__option *option)
{
    return option->kind != HAFT__OPTION_FLAG && option->kind != HAFT__OPTION_OPTIONAL_CHOICE;
}

/* Adds an option; `value` is the rest of the same word, or NULL. */
static haft_status add_option(parser *p, const haft__option *option, const char *value)
{
    if (option->kind == HAFT__OPTION_FLAG && value != NULL) {
        return haft__fail(p->err, HAFT_BAD_INPUT, "", "--%s takes no value, found '%s'",
                          option->name, value);
    }
    if (takes_word(option) && value == NULL) {
        if (p->at == p->count) {
            return haft__fail(p->err, HAFT_BAD_INPUT, "",
                              "--%s expects a value (%s), found nothing", option->name,
                              option->value);
        }
        value = p->words[p->at++];
    }
    haft_status status = value != NULL ? check_value(p, option, value) : HAFT_OK;
    if (status == HAFT_OK) {
        p->given[p->args->given_count++] = (haft__args_option){option, value};
    }
    return status;
}

static haft_status parse_long(parser *p, const char *word)
{
    haft_str rest = haft__str(word + 2);
    haft_str name = haft__str_split(&rest, '=');
    const char *value = word[2 + name.len] == '=' ? word + 2 + name.len + 1 : NULL;
    const haft__option *option = find_name(p->options, name);
    return option != NULL ? add_option(p, option, value) : fail_unknown_name(p, name);
}

/* -n VALUE, -nVALUE, or several flags in one word: -ab. */
static haft_status parse_short(parser *p, const char *word)
{
    for (const char *letter = word + 1; *letter != '\0'; letter++) {
        const haft__option *option = find_letter(p->options, *letter);
        if (option == NULL) {
            return fail_unknown_letter(p, word);
        }
        bool has_value = takes_word(option) && letter[1] != '\0';
        haft_status status = add_option(p, option, has_value ? letter + 1 : NULL);
        if (status != HAFT_OK || takes_word(option)) {
            return status;
        }
    }
    return HAFT_OK;
}

static haft_status parse_all(parser *p)
{
    bool only_arguments = false;
    haft_status status = HAFT_OK;
    while (status == HAFT_OK && p->at < p->count && !p->args->help) {
        const char *word = p->words[p->at++];
        if (only_arguments || word[0] != '-' || word[1] == '\0') {
            p->arguments[p->args->word_count++] = word;
        } else if (strcmp(word, "--") == 0) {
            only_arguments = true;
        } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            p->args->help = true;
        } else if (word[1] == '-') {
            status = parse_long(p, word);
        } else {
            status = parse_short(p, word);
        }
    }
    return status;
}

/* An upper bound of the number of options: each takes at least one letter. */
static size_t count_needed(int count, char *const *words)
{
    size_t letters = 0;
    for (int i = 0; i < count; i++) {
        letters += strlen(words[i]) + 1;
    }
    return letters;
}

haft_status haft__args_parse(haft__arena *arena, const haft__option *options, int count,
                             char *const *words, haft__args *ret_args, haft_error *err)
{
    haft__args args = {0};
    parser p = {
        .options = options != NULL ? options : no_options,
        .words = words,
        .count = count,
        .given = haft__arena_array(arena, count_needed(count, words), sizeof(*p.given)),
        .arguments = haft__arena_array(arena, (size_t)count, sizeof(*p.arguments)),
        .args = &args,
        .err = err,
    };
    if (p.given == NULL || p.arguments == NULL) {
        return haft__arena_fail(arena, err);
    }
    haft_status status = parse_all(&p);
    if (status == HAFT_OK) {
        args.given = p.given;
        args.words = p.arguments;
        *ret_args = args;
    }
    return status;
}

bool haft__args_has(const haft__args *args, const char *name)
{
    for (size_t i = 0; i < args->given_count; i++) {
        if (strcmp(args->given[i].option->name, name) == 0) {
            return true;
        }
    }
    return false;
}

const char *haft__args_text(const haft__args *args, const char *name, const char *fallback)
{
    size_t at = 0;
    for (const char *value; (value = haft__args_next(args, name, &at)) != NULL;) {
        fallback = value;
    }
    return fallback;
}

uint64_t haft__args_number(const haft__args *args, const char *name, uint64_t fallback)
{
    const char *text = haft__args_text(args, name, NULL);
    if (text != NULL) {
        bool good = haft__str_to_u64(haft__str(text), &fallback);
        assert(good && "the option's kind is NUMBER, so the parser has checked it");
        (void)good;
    }
    return fallback;
}

const char *haft__args_next(const haft__args *args, const char *name, size_t *at)
{
    while (*at < args->given_count) {
        const haft__args_option *given = &args->given[(*at)++];
        if (strcmp(given->option->name, name) == 0) {
            return given->value;
        }
    }
    return NULL;
}

void haft__option_write_syntax(const haft__option *option, const char *no_letter,
                               char ret_text[HAFT__OPTION_SYNTAX_SIZE])
{
    char letter[5] = {'-', option->letter, ',', ' ', '\0'};
    bool optional = option->kind == HAFT__OPTION_OPTIONAL_CHOICE;
    (void)snprintf(ret_text, HAFT__OPTION_SYNTAX_SIZE, "%s--%s%s%s%s",
                   option->letter != '\0' ? letter : no_letter, option->name,
                   option->value == NULL ? ""
                   : optional            ? "[="
                                         : " ",
                   option->value != NULL ? option->value : "", optional ? "]" : "");
}
