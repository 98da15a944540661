/* SPDX-License-Identifier: Apache-2.0 */
/*
 * task_values.c - texts of the task for an argument: addresses, numbers, names, quoted text,
 * the words to search for, or the whole task.
 *
 * An argument takes what its format or its name says; one with a pattern may take any value, and
 * the schema check decides. Tests: tests/model/rules/arguments_test.c.
 */
#include "base/ascii.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/rules/chars.h"
#include "model/rules/offline_int.h"

#define READ_BYTES 4000U
#define MAX_VALUES 24U
#define TASK_CHARS 500U

enum {
    VALUE_EMAIL = 1U << 0,
    VALUE_URL = 1U << 1,
    VALUE_CODE = 1U << 2, /* letters and digits: ORD-1042 */
    VALUE_NUMBER = 1U << 3,
    VALUE_QUOTED = 1U << 4,
    VALUE_PROPER = 1U << 5, /* words with a capital: New York */
    VALUE_PATH = 1U << 6,   /* /tmp, ./src, ~/notes */
    VALUE_ANY = (1U << 7) - 1,
    /* not single values of the task: */
    VALUE_FILE = 1U << 7,    /* files that it names or that were found */
    VALUE_WORDS = 1U << 8,   /* its words */
    VALUE_TASK = 1U << 9,    /* all of it */
    VALUE_AMOUNT = 1U << 10, /* a usual number of results */
    VALUE_COLUMN = 1U << 11, /* a column of numbers in a result */
    VALUE_TEXT = 1U << 12,   /* the results, for a tool that writes */
};

typedef struct value {
    haft_str text;
    uint32_t kind; /* 0 for a plain word */
} value;

typedef struct values {
    value items[MAX_VALUES];
    size_t count;
    bool sentence_start; /* a capital says nothing there */
} values;

/* ---- values in the task ---- */

static bool contains(haft_str text, const char *part)
{
    haft_str wanted = haft__str(part);
    for (size_t i = 0; i + wanted.len <= text.len; i++) {
        if (memcmp(text.ptr + i, wanted.ptr, wanted.len) == 0) {
            return true;
        }
    }
    return false;
}

static uint32_t kind_of(haft_str text, bool sentence_start)
{
    size_t digits = 0, letters = 0;
    for (size_t i = 0; i < text.len; i++) {
        digits += haft__ascii_is_digit(text.ptr[i]) ? 1 : 0;
        letters += is_letter(text.ptr[i]) ? 1 : 0;
    }
    if (contains(text, "://")) {
        return VALUE_URL;
    }
    if (text.ptr[0] == '/' || contains(text, "./") || contains(text, "~/")) {
        return VALUE_PATH;
    }
    if (contains(text, "@") && contains(text, ".") && text.ptr[0] != '@') {
        return VALUE_EMAIL;
    }
    if (digits > 0) {
        return letters == 0 ? VALUE_NUMBER : VALUE_CODE;
    }
    return haft__ascii_is_upper(text.ptr[0]) && !sentence_start ? VALUE_PROPER : 0;
}

/* Adds a value. A proper name continues the one before it. */
static void add(values *list, haft_str text, uint32_t kind)
{
    value *last = list->count > 0 ? &list->items[list->count - 1] : NULL;
    if (kind == VALUE_PROPER && last != NULL && last->kind == VALUE_PROPER
        && last->text.ptr + last->text.len + 1 == text.ptr) {
        last->text.len += 1 + text.len;
    } else if (list->count < MAX_VALUES && text.len > 0) {
        list->items[list->count++] = (value){text, kind};
    }
}

static void read_task(haft_str task, values *ret_values)
{
    task.len = haft__utf8_floor(task, READ_BYTES);
    *ret_values = (values){.sentence_start = true};
    for (size_t i = 0; i < task.len; i++) {
        size_t length = haft__offline_quoted_length(task, i);
        if (length > 0) {
            add(ret_values, haft__str_trim((haft_str){task.ptr + i + 1, length}), VALUE_QUOTED);
            i += length + 1;
            continue;
        }
        while (i + length < task.len && !haft__ascii_is_space(task.ptr[i + length])) {
            length++;
        }
        haft_str text = haft__offline_trim_marks((haft_str){task.ptr + i, length});
        i += length;
        if (text.len > 0) {
            add(ret_values, text, kind_of(text, ret_values->sentence_start));
            ret_values->sentence_start = strchr(".!?", task.ptr[i - 1]) != NULL;
        }
    }
}

/* ---- what an argument takes ---- */

/* By the format of an argument or a part of its name; the first rule that fits decides. */
static const struct {
    uint32_t kinds;
    const char *words;
} rules[] = {
    {VALUE_EMAIL, "email mail to"},
    {VALUE_URL, "url uri link"},
    {VALUE_CODE | VALUE_NUMBER, "id uuid order ticket number code"},
    {VALUE_EMAIL | VALUE_PROPER, "recipient user"},
    {VALUE_PATH | VALUE_FILE, "path file filename"},
    {VALUE_PATH, "directory dir folder"},
    {VALUE_QUOTED | VALUE_PROPER, "city location country customer name"},
    {VALUE_NUMBER | VALUE_AMOUNT, "limit count max top"},
    {VALUE_WORDS, "query q search keywords term pattern"},
    {VALUE_COLUMN, "column field metric"},
    {VALUE_QUOTED | VALUE_TASK | VALUE_TEXT, "text content"},
    {VALUE_QUOTED | VALUE_TASK, "title subject message"},
    {VALUE_TASK, "question prompt task input request summary topic"},
};

/* Whether a part of the name is in the list. */
static bool has_part(haft_str name, const char *list)
{
    haft_str rest = haft__str(list);
    while (rest.len > 0 && name.ptr != NULL) {
        haft__offline_word word = {.text = haft__str_split(&rest, ' ')};
        size_t at = haft__offline_word_at(&word, name), end = at + word.text.len;
        if (at != HAFT__OFFLINE_NONE && (end == name.len || !haft__ascii_is_lower(name.ptr[end]))) {
            return true;
        }
    }
    return false;
}

static uint32_t kinds_of(haft_str name, haft__json schema)
{
    const haft__json *format = haft__json_get(schema, HAFT__LIT("format"));
    if (haft__json_get(schema, HAFT__LIT("pattern")) != NULL) {
        return VALUE_ANY;
    }
    name = format != NULL && haft__json_text(*format).ptr != NULL ? haft__json_text(*format) : name;
    for (size_t i = 0; i < COUNT(rules); i++) {
        if (has_part(name, rules[i].words)) {
            return rules[i].kinds;
        }
    }
    return 0;
}

/* ---- use TOOL for X ---- */

/* The offset after the name of the tool; HAFT__OFFLINE_NONE if the task does not name it. */
static size_t after_name(haft_str task, haft_str name)
{
    for (size_t i = 0; i + name.len < task.len; i++) {
        bool starts = i == 0 || task.ptr[i - 1] == ' ' || task.ptr[i - 1] == '`';
        if (starts && memcmp(task.ptr + i, name.ptr, name.len) == 0) {
            return i + name.len;
        }
    }
    return HAFT__OFFLINE_NONE;
}

static bool skip_word(haft_str *text, haft_str word)
{
    bool there = text->len > word.len && haft__str_starts_with(*text, word)
                 && strchr(" =:", text->ptr[word.len]) != NULL;
    *text = there ? haft__str_trim(haft__str_skip(*text, word.len + 1)) : *text;
    return there;
}

/* The text X if the task says "use TOOL for X"; "" otherwise. */
static haft_str request_of(haft_str task, haft_str tool, haft_str argument)
{
    static const char *const links[] = {"for", "with", "on", "about", "to"};
    size_t at = after_name(task, tool);
    haft_str rest = at != HAFT__OFFLINE_NONE ? haft__str_skip(task, at) : HAFT__LIT("");
    rest = haft__str_starts_with(rest, HAFT__LIT("`")) ? haft__str_skip(rest, 1) : rest;
    rest = haft__str_trim(rest);
    bool linked = false;
    for (size_t i = 0; i < COUNT(links) && !linked; i++) {
        linked = skip_word(&rest, haft__str(links[i]));
    }
    (void)skip_word(&rest, argument); /* with city Berlin */
    while (rest.len > 0 && strchr(".!?\"'`", rest.ptr[rest.len - 1]) != NULL) {
        rest.len--;
    }
    while (rest.len > 0 && strchr("\"'`", rest.ptr[0]) != NULL) {
        rest = haft__str_skip(rest, 1);
    }
    return linked ? rest : HAFT__LIT("");
}

/* ---- candidates ---- */

/* Neighbouring words of the task: all of them, and fewer with each `nth`. */
static haft_str words_at(haft__offline *o, unsigned nth)
{
    size_t count = o->words.count, length = count, start = nth;
    while (length > 0 && start > count - length) {
        start -= count - length + 1;
        length--;
    }
    haft_str text = HAFT__LIT("");
    for (size_t i = start; i < start + length; i++) {
        text = haft__offline_check_text(o, haft__arena_format(o->arena, "%.*s%s%.*s",
                                                              HAFT__ARG(text), i > start ? " " : "",
                                                              HAFT__ARG(o->words.items[i].shown)));
    }
    return text;
}

/* Files that the task names, then those that were found, best first. */
static haft_str file_at(const haft__offline *o, unsigned nth)
{
    if (nth < o->words.path_count) {
        return o->words.paths[nth];
    }
    size_t rank = nth - o->words.path_count;
    bool known = rank < o->findings.file_count;
    return known ? o->findings.files[o->findings.ranked[rank]].path : HAFT__LIT("");
}

haft_str haft__offline_task_value(haft__offline *o, const haft__tool *tool, haft_str name,
                                  haft__json schema, unsigned nth)
{
    haft_str task = o->words.task, requested = request_of(task, tool->name, name);
    uint32_t kinds = kinds_of(name, schema);
    values list;
    if (requested.len > 0 && nth-- == 0) {
        return requested;
    }
    read_task(task, &list);
    for (size_t i = 0; i < list.count; i++) {
        bool fits = (list.items[i].kind & kinds) != 0;
        if (fits && !haft__str_equal(list.items[i].text, tool->name) && nth-- == 0) {
            return list.items[i].text;
        }
    }
    if ((kinds & VALUE_FILE) != 0) {
        return file_at(o, nth);
    }
    if ((kinds & VALUE_AMOUNT) != 0) {
        return HAFT__LIT("10");
    }
    if ((kinds & VALUE_COLUMN) != 0) {
        return haft__offline_result_column(o, nth);
    }
    haft_str results = (kinds & VALUE_TEXT) != 0 && haft__offline_is_writer(tool)
                           ? haft__offline_results_text(o)
                           : HAFT__LIT("");
    if (results.len > 0 && nth-- == 0) {
        return results;
    }
    if ((kinds & VALUE_TASK) != 0 && nth-- == 0) {
        return (haft_str){task.ptr, haft__utf8_offset(task, TASK_CHARS)};
    }
    return (kinds & (VALUE_WORDS | VALUE_TASK)) != 0 ? words_at(o, nth) : HAFT__LIT("");
}

bool haft__offline_task_number(haft_str task, int64_t *ret_number)
{
    values list;
    read_task(task, &list);
    for (size_t i = 0; i < list.count; i++) {
        uint64_t number = 0;
        if (list.items[i].kind == VALUE_NUMBER && haft__str_to_u64(list.items[i].text, &number)
            && number <= INT32_MAX) {
            *ret_number = (int64_t)number;
            return true;
        }
    }
    return false;
}
