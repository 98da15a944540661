/* SPDX-License-Identifier: Apache-2.0 */
/*
 * values.c - texts and numbers for arguments, by their names: the words of the task for a
 * query, the task for a question, a file for a path, what was found for the text of a report.
 *
 * Tests: tests/model/rules/args_test.c.
 */
#include "model/rules/values.h"

#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"

/* What a name can stand for. */
typedef enum meaning {
    MEANS_NOTHING,
    MEANS_WORDS,  /* what to look for */
    MEANS_TASK,   /* what is wanted */
    MEANS_PATH,   /* a file */
    MEANS_PLACE,  /* a directory */
    MEANS_TEXT,   /* something to work on or to write */
    MEANS_TITLE,  /* a few words */
    MEANS_AMOUNT, /* how many */
    MEANS_COLUMN, /* the name of something that is counted */
    MEANS_CALL,   /* an earlier call */
    MEANS_CODE,   /* a program */
    MEANS_SQL,    /* a statement */
} meaning;

static const struct {
    const char *word;
    meaning meaning;
} meanings[] = {
    {"query", MEANS_WORDS},    {"q", MEANS_WORDS},         {"search", MEANS_WORDS},
    {"keywords", MEANS_WORDS}, {"keyword", MEANS_WORDS},   {"terms", MEANS_WORDS},
    {"term", MEANS_WORDS},     {"pattern", MEANS_WORDS},   {"question", MEANS_TASK},
    {"prompt", MEANS_TASK},    {"task", MEANS_TASK},       {"input", MEANS_TASK},
    {"request", MEANS_TASK},   {"goal", MEANS_TASK},       {"instructions", MEANS_TASK},
    {"path", MEANS_PATH},      {"file", MEANS_PATH},       {"filename", MEANS_PATH},
    {"document", MEANS_PATH},  {"directory", MEANS_PLACE}, {"dir", MEANS_PLACE},
    {"folder", MEANS_PLACE},   {"text", MEANS_TEXT},       {"content", MEANS_TEXT},
    {"body", MEANS_TEXT},      {"summary", MEANS_TEXT},    {"report", MEANS_TEXT},
    {"message", MEANS_TEXT},   {"notes", MEANS_TEXT},      {"comment", MEANS_TEXT},
    {"title", MEANS_TITLE},    {"subject", MEANS_TITLE},   {"topic", MEANS_TITLE},
    {"limit", MEANS_AMOUNT},   {"count", MEANS_AMOUNT},    {"top", MEANS_AMOUNT},
    {"max", MEANS_AMOUNT},     {"n", MEANS_AMOUNT},        {"k", MEANS_AMOUNT},
    {"column", MEANS_COLUMN},  {"field", MEANS_COLUMN},    {"metric", MEANS_COLUMN},
    {"call", MEANS_CALL},      {"code", MEANS_CODE},       {"sql", MEANS_SQL},
};

#define USUAL_AMOUNT 10
/* Longer tasks are cut where they are given to a tool. */
#define TASK_CHARS  500U
#define TITLE_CHARS 60U

static bool is_small(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool is_capital(char c)
{
    return c >= 'A' && c <= 'Z';
}

static meaning look_up(haft_str word)
{
    for (size_t i = 0; i < COUNT(meanings); i++) {
        haft_str listed = haft__str(meanings[i].word);
        bool same = listed.len == word.len;
        for (size_t k = 0; same && k < word.len; k++) {
            char c = word.ptr[k];
            same = (is_capital(c) ? (char)(c - 'A' + 'a') : c) == listed.ptr[k];
        }
        if (same) {
            return meanings[i].meaning;
        }
    }
    return MEANS_NOTHING;
}

/* The last part of the name that means something: file_path, maxResults, search-query. */
static meaning meaning_of(haft_str name)
{
    size_t end = name.len;
    for (size_t i = name.len; i > 0; i--) {
        char c = name.ptr[i - 1];
        bool letter = is_small(c) || is_capital(c);
        bool starts = letter && (i == 1 || (is_capital(c) && is_small(name.ptr[i - 2])));
        if (starts || !letter) {
            size_t from = letter ? i - 1 : i;
            meaning found = look_up((haft_str){name.ptr + from, end - from});
            if (found != MEANS_NOTHING) {
                return found;
            }
            end = i - 1;
        }
    }
    return MEANS_NOTHING;
}

bool haft__offline_is_about_task(haft_str name)
{
    switch (meaning_of(name)) {
    case MEANS_WORDS:
    case MEANS_TASK:
    case MEANS_PATH:
    case MEANS_TEXT: return true;
    case MEANS_NOTHING:
    case MEANS_PLACE:
    case MEANS_TITLE:
    case MEANS_AMOUNT:
    case MEANS_COLUMN:
    case MEANS_CALL:
    case MEANS_CODE:
    case MEANS_SQL: return false;
    }
    HAFT__UNREACHABLE();
}

/* ---- from earlier results ---- */

static bool takes(haft__json schema, const char *name)
{
    const haft__json *type = haft__json_get(schema, HAFT__LIT("type"));
    if (type == NULL || type->kind == HAFT__JSON_STRING) {
        return type == NULL || haft__str_equal(haft__json_text(*type), haft__str(name));
    }
    for (uint32_t i = 0; type->kind == HAFT__JSON_ARRAY && i < type->count; i++) {
        if (haft__str_equal(haft__json_text(type->items[i]), haft__str(name))) {
            return true;
        }
    }
    return false;
}

static bool fits(haft__json schema, haft__json value)
{
    bool number = value.kind == HAFT__JSON_NUMBER;
    return takes(schema, haft__json_kind_name(value))
           || (number && value.integer != 0 && takes(schema, "integer"));
}

/* Without regard to case and to what joins the parts: customerId, customer_id. */
static bool same_key(haft_str a, haft_str b)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a.len && (a.ptr[i] == '_' || a.ptr[i] == '-')) {
            i++;
        }
        while (k < b.len && (b.ptr[k] == '_' || b.ptr[k] == '-')) {
            k++;
        }
        if (i == a.len || k == b.len) {
            return i == a.len && k == b.len && a.len > 0;
        }
        char x = is_capital(a.ptr[i]) ? (char)(a.ptr[i] - 'A' + 'a') : a.ptr[i];
        char y = is_capital(b.ptr[k]) ? (char)(b.ptr[k] - 'A' + 'a') : b.ptr[k];
        if (x != y) {
            return false;
        }
    }
}

bool haft__offline_fact_for(const haft__offline *o, haft_str name, haft__json schema,
                            unsigned variant, haft__json *ret_value)
{
    bool usual = meaning_of(name) == MEANS_WORDS || meaning_of(name) == MEANS_TASK;
    for (size_t i = 0; !usual && i < o->facts->count; i++) {
        const haft__offline_fact *fact = &o->facts->items[i];
        if (same_key(fact->key, name) && fits(schema, fact->value) && variant-- == 0) {
            *ret_value = fact->value;
            return true;
        }
    }
    return false;
}

/* The key of a number in the results: what can be counted. */
static haft_str countable(const haft__offline *o, unsigned variant)
{
    haft_str last = HAFT__LIT("");
    for (size_t i = 0; i < o->facts->count; i++) {
        const haft__offline_fact *fact = &o->facts->items[i];
        bool id = haft__str_ends_with(fact->key, HAFT__LIT("id"));
        if (fact->value.kind == HAFT__JSON_NUMBER && !id && !haft__str_equal(last, fact->key)) {
            last = fact->key;
            if (variant-- == 0) {
                break;
            }
        }
    }
    return last;
}

/* ---- texts ---- */

/* Words of the task that follow each other: all of them, then fewer, then single ones; nothing is
 * made up. */
static void add_words(haft__buf *buf, const haft__offline *o, unsigned variant)
{
    const haft__offline_words *words = &o->words;
    size_t count = words->count, length = count;
    if (count == 0) {
        haft__offline_add_line(buf, o->past.task, TITLE_CHARS);
        return;
    }
    size_t nth = variant % (count * (count + 1) / 2);
    while (nth > count - length) {
        nth -= count - length + 1;
        length--;
    }
    for (size_t i = nth; i < nth + length; i++) {
        haft__buf_add_str(buf, i > nth ? HAFT__LIT(" ") : HAFT__LIT(""));
        haft__buf_add_str(buf, words->items[i].shown);
    }
}

/* Files: named by the task, then found, best first. */
static haft_str path_at(const haft__offline *o, unsigned variant)
{
    const haft__offline_words *words = &o->words;
    if (variant < words->path_count) {
        return words->paths[variant];
    }
    size_t rank = variant - words->path_count;
    bool known = variant >= words->path_count && rank < o->found.file_count;
    return known ? o->found.files[o->found.ranked[rank]].path : HAFT__LIT("");
}

/* The task, then words of it. */
static void add_task(haft__buf *buf, const haft__offline *o, size_t chars, unsigned variant)
{
    if (variant == 0 || o->words.count == 0) {
        haft__offline_add_line(buf, o->past.task, chars);
    } else {
        add_words(buf, o, variant - 1);
    }
}

/* What was found, for a tool that writes; the task for one that works on it. */
static void add_text(haft__buf *buf, const haft__offline *o, const haft__tool *tool,
                     unsigned variant)
{
    for (size_t i = 0; i < o->request->tool_count; i++) {
        if (o->request->tools[i] == tool && o->past.count > 0
            && haft__offline_manner_of(o, i) != HAFT__OFFLINE_LOOKS) {
            if (variant == 0) {
                haft__offline_write_findings(buf, o);
            } else {
                haft__offline_write_summary(buf, o);
            }
            return;
        }
    }
    add_task(buf, o, TASK_CHARS, variant);
}

/* The id of a call that was made, the last one first; "" when there is none. */
static haft_str call_at(const haft__offline *o, unsigned variant)
{
    const haft__messages *messages = o->request->messages;
    for (size_t i = messages->count; i > 0; i--) {
        const haft__message *message = &messages->items[i - 1];
        for (size_t k = message->call_count; k > 0; k--) {
            if (variant-- == 0) {
                return message->calls[k - 1].id;
            }
        }
    }
    return HAFT__LIT("");
}

/* ---- what somebody asks a tool for ---- */

/* Where the text begins behind the name of the tool; HAFT__OFFLINE_NONE when it is not there. */
static size_t behind_name(haft_str task, haft_str name)
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

haft_str haft__offline_asked_with(const haft__offline *o, const haft__tool *tool, haft_str name)
{
    static const char *const links[] = {"for", "with", "on", "about", "to"};
    size_t at = behind_name(o->words.task, tool->name);
    haft_str rest = at != HAFT__OFFLINE_NONE ? haft__str_skip(o->words.task, at) : HAFT__LIT("");
    rest = haft__str_starts_with(rest, HAFT__LIT("`")) ? haft__str_skip(rest, 1) : rest;
    rest = haft__str_trim(rest);
    bool linked = false;
    for (size_t i = 0; i < COUNT(links) && !linked; i++) {
        linked = skip_word(&rest, haft__str(links[i]));
    }
    (void)skip_word(&rest, name); /* with city Berlin */
    while (rest.len > 0 && strchr(".!?\"'`", rest.ptr[rest.len - 1]) != NULL) {
        rest.len--;
    }
    while (rest.len > 0 && strchr("\"'`", rest.ptr[0]) != NULL) {
        rest = haft__str_skip(rest, 1);
    }
    return linked ? rest : HAFT__LIT("");
}

bool haft__offline_can_fill(const haft__offline *o, const haft__tool *tool, haft_str name)
{
    bool asked = haft__offline_asked_with(o, tool, name).len > 0, task = o->words.task.len > 0;
    switch (meaning_of(name)) {
    case MEANS_WORDS: return asked || o->words.count > 0;
    case MEANS_TASK:
    case MEANS_TEXT:
    case MEANS_TITLE: return task;
    case MEANS_PATH: return asked || path_at(o, 0).len > 0;
    case MEANS_PLACE:
    case MEANS_AMOUNT: return true;
    case MEANS_COLUMN: return asked || countable(o, 0).len > 0;
    case MEANS_CALL: return call_at(o, 0).len > 0;
    case MEANS_CODE:
    case MEANS_SQL:
    case MEANS_NOTHING: return asked;
    }
    HAFT__UNREACHABLE();
}

static void add_value(haft__buf *buf, const haft__offline *o, const haft__tool *tool, haft_str name,
                      unsigned variant)
{
    bool sql = haft__str_equal(tool->name, HAFT__LIT("execute_sql"));
    meaning means = meaning_of(name);
    haft_str asked = haft__offline_asked_with(o, tool, name);
    bool only = means == MEANS_NOTHING && o->request->mode == HAFT__MODE_AUTO;
    if (asked.len > 0 && (variant == 0 || only) && means != MEANS_CALL && means != MEANS_AMOUNT) {
        haft__offline_add_line(buf, asked, TASK_CHARS);
        return;
    }
    means = sql && means == MEANS_WORDS ? MEANS_SQL : means;
    switch (means) {
    case MEANS_WORDS: add_words(buf, o, variant); break;
    case MEANS_PATH: haft__buf_add_str(buf, path_at(o, variant)); break;
    case MEANS_PLACE: haft__buf_add_char(buf, '.'); break;
    case MEANS_TEXT: add_text(buf, o, tool, variant); break;
    case MEANS_TITLE: add_task(buf, o, TITLE_CHARS, variant); break;
    case MEANS_AMOUNT: haft__buf_add_int(buf, haft__offline_amount(o, name) + variant); break;
    case MEANS_COLUMN: haft__buf_add_str(buf, countable(o, variant)); break;
    case MEANS_CALL: haft__buf_add_str(buf, call_at(o, variant)); break;
    case MEANS_CODE: haft__buf_addf(buf, "print(%u)", variant + 1); break;
    case MEANS_SQL: haft__buf_addf(buf, "SELECT %u", variant + 1); break;
    case MEANS_TASK:
    case MEANS_NOTHING: break;
    }
    if (buf->len == 0) {
        add_task(buf, o, TASK_CHARS, variant);
    }
}

haft_status haft__offline_text(haft__offline *o, const haft__tool *tool, haft_str name,
                               unsigned variant, haft_str *ret_text)
{
    haft__buf text;
    haft__buf_init(&text, HAFT__LIMIT_REPLY_BYTES);
    add_value(&text, o, tool, name, variant);
    haft_status status = haft__buf_check(&text, o->err);
    if (status == HAFT_OK) {
        *ret_text = haft__arena_copy(o->arena, haft__buf_str(&text));
        status = ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(o->arena, o->err);
    }
    haft__buf_finish(&text);
    return status;
}

int64_t haft__offline_amount(const haft__offline *o, haft_str name)
{
    uint64_t number = 0;
    int64_t beside = 0;
    if (haft__offline_number_for(o, name, &beside)) {
        return beside;
    }
    if (o->words.number_count > 0 && haft__str_to_u64(o->words.numbers[0], &number)
        && number <= INT32_MAX) {
        return (int64_t)number;
    }
    return meaning_of(name) == MEANS_AMOUNT ? USUAL_AMOUNT : 1;
}
