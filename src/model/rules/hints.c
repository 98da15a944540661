/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hints.c - what a task says in so many letters: addresses, dates, numbers of orders, names
 * and quoted texts, for the arguments that they fit.
 *
 * What fits is decided by the pattern of an argument, its format, or its name, in this order. One
 * that fits nothing is not used. Tests: tests/model/rules/hints_test.c.
 */
#include "base/error.h"
#include "base/macros.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/rules/chars.h"
#include "model/rules/values.h"
#include "schema/regex/pattern.h"

#define LOOKED_AT  4000U
#define MOST_HINTS 24U

typedef enum hint_kind {
    HINT_EMAIL = 1U << 0,
    HINT_URL = 1U << 1,
    HINT_DATE = 1U << 2,
    HINT_TIME = 1U << 3, /* a date with a time */
    HINT_UUID = 1U << 4,
    HINT_CODE = 1U << 5, /* letters and digits: ORD-1042 */
    HINT_NUMBER = 1U << 6,
    HINT_QUOTED = 1U << 7,
    HINT_PROPER = 1U << 8, /* words that begin with a capital */
    HINT_WORD = 1U << 9,
    HINT_PLACE = 1U << 10, /* a path with a slash in front: /tmp, ./src, ~/notes */
} hint_kind;

typedef struct hint {
    haft_str text;
    uint32_t kind;
} hint;

typedef struct hints {
    hint items[MOST_HINTS];
    size_t count;
    bool first; /* of a sentence: its capital says nothing */
} hints;

/* ---- what the task has ---- */

/* Whether the text has this form: 9 for a digit, x for a hexadecimal one, others as they are. */
static bool has_form(haft_str text, const char *form)
{
    haft_str wanted = haft__str(form);
    bool same = text.len == wanted.len;
    for (size_t i = 0; same && i < text.len; i++) {
        char c = to_lower(text.ptr[i]);
        bool hex = is_digit(c) || (c >= 'a' && c <= 'f');
        same = form[i] == '9' ? is_digit(c) : form[i] == 'x' ? hex : c == form[i];
    }
    return same;
}

static bool has_char(haft_str text, char c)
{
    return text.len > 0 && memchr(text.ptr, c, text.len) != NULL;
}

static bool is_place(haft_str text)
{
    static const char *const starts[] = {"/", "./", "../", "~/"};
    bool place = false;
    for (size_t i = 0; i < COUNT(starts); i++) {
        place = place || haft__str_starts_with(text, haft__str(starts[i]));
    }
    return place;
}

static uint32_t kind_of(haft_str text, bool first)
{
    if (is_place(text)) {
        return HINT_PLACE;
    }
    size_t digits = 0, letters = 0;
    for (size_t i = 0; i < text.len; i++) {
        digits += is_digit(text.ptr[i]) ? 1 : 0;
        letters += is_letter(text.ptr[i]) ? 1 : 0;
    }
    if (has_char(text, '@') && has_char(text, '.') && text.ptr[0] != '@') {
        return HINT_EMAIL;
    }
    for (size_t i = 0; i + 2 < text.len; i++) {
        if (memcmp(text.ptr + i, "://", 3) == 0 && i > 0) {
            return HINT_URL;
        }
    }
    if (has_form(text, "9999-99-99")) {
        return HINT_DATE;
    }
    if (text.len > 11 && text.ptr[10] == 'T' && has_form((haft_str){text.ptr, 10}, "9999-99-99")) {
        return HINT_TIME;
    }
    if (has_form(text, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx")) {
        return HINT_UUID;
    }
    if (digits > 0 && letters == 0) {
        return HINT_NUMBER;
    }
    return digits > 0 ? HINT_CODE : is_upper(text.ptr[0]) && !first ? HINT_PROPER : HINT_WORD;
}

static haft_str without_marks(haft_str token)
{
    while (token.len > 0 && strchr("([{<\"'`*#$", token.ptr[0]) != NULL) {
        token = haft__str_skip(token, 1);
    }
    while (token.len > 0 && strchr(")]}>\"'`*.,;:!?%", token.ptr[token.len - 1]) != NULL) {
        token.len--;
    }
    return token;
}

static void add(hints *list, haft_str text, uint32_t kind)
{
    hint *last = list->count > 0 ? &list->items[list->count - 1] : NULL;
    bool grows = kind == HINT_PROPER && last != NULL && last->kind == HINT_PROPER
                 && last->text.ptr + last->text.len + 1 == text.ptr; /* New York */
    if (grows) {
        last->text.len += 1 + text.len;
    } else if (list->count < MOST_HINTS && text.len > 0) {
        list->items[list->count++] = (hint){text, kind};
    }
}

/* The length of a quoted text at the beginning of `rest`; 0 when there is none. */
static size_t quoted(haft_str rest)
{
    char quote = rest.ptr[0];
    for (size_t i = 1; (quote == '"' || quote == '\'' || quote == '`') && i < rest.len; i++) {
        if (rest.ptr[i] == quote && (i + 1 == rest.len || !is_letter(rest.ptr[i + 1]))) {
            return i - 1;
        }
        if (rest.ptr[i] == '\n') {
            return 0;
        }
    }
    return 0;
}

static void read_task(haft_str task, hints *list)
{
    task.len = haft__utf8_floor(task, LOOKED_AT);
    *list = (hints){.first = true};
    while (task.len > 0) {
        size_t phrase = quoted(task);
        if (phrase > 0) {
            add(list, haft__str_trim((haft_str){task.ptr + 1, phrase}), HINT_QUOTED);
            task = haft__str_skip(task, phrase + 2);
            continue;
        }
        size_t length = 0;
        while (length < task.len && !is_space(task.ptr[length])) {
            length++;
        }
        haft_str token = {task.ptr, length}, text = without_marks(token);
        if (text.len > 0) {
            add(list, text, kind_of(text, list->first));
            char end = token.ptr[token.len - 1];
            list->first = end == '.' || end == '!' || end == '?';
        }
        task = haft__str_skip(task, length + 1);
    }
}

/* ---- what an argument wants ---- */

static const struct {
    const char *format;
    uint32_t kinds;
} formats[] = {
    {"email", HINT_EMAIL},     {"uri", HINT_URL},   {"url", HINT_URL},
    {"date", HINT_DATE},       {"uuid", HINT_UUID}, {"date-time", HINT_TIME | HINT_DATE},
    {"idn-email", HINT_EMAIL},
};

/* By a part of its name. */
static const struct {
    const char *word;
    uint32_t kinds;
} names[] = {
    {"email", HINT_EMAIL},
    {"mail", HINT_EMAIL},
    {"recipient", HINT_EMAIL | HINT_PROPER},
    {"url", HINT_URL},
    {"uri", HINT_URL},
    {"link", HINT_URL},
    {"website", HINT_URL},
    {"date", HINT_DATE},
    {"day", HINT_DATE},
    {"when", HINT_DATE},
    {"start", HINT_DATE},
    {"end", HINT_DATE},
    {"since", HINT_DATE},
    {"until", HINT_DATE},
    {"due", HINT_DATE},
    {"id", HINT_CODE | HINT_NUMBER | HINT_UUID},
    {"code", HINT_CODE},
    {"sku", HINT_CODE},
    {"order", HINT_CODE | HINT_NUMBER},
    {"ticket", HINT_CODE | HINT_NUMBER},
    {"number", HINT_CODE | HINT_NUMBER},
    {"invoice", HINT_CODE | HINT_NUMBER},
    {"city", HINT_QUOTED | HINT_PROPER},
    {"location", HINT_QUOTED | HINT_PROPER},
    {"country", HINT_QUOTED | HINT_PROPER},
    {"place", HINT_QUOTED | HINT_PROPER},
    {"person", HINT_QUOTED | HINT_PROPER},
    {"customer", HINT_QUOTED | HINT_PROPER},
    {"user", HINT_EMAIL | HINT_PROPER},
    {"attendee", HINT_EMAIL | HINT_PROPER},
    {"name", HINT_QUOTED | HINT_PROPER},
    {"title", HINT_QUOTED},
    {"subject", HINT_QUOTED},
    {"message", HINT_QUOTED},
    {"text", HINT_QUOTED},
    {"body", HINT_QUOTED},
    {"comment", HINT_QUOTED},
    {"phrase", HINT_QUOTED},
    {"term", HINT_QUOTED},
    {"to", HINT_EMAIL},
    {"path", HINT_PLACE},
    {"directory", HINT_PLACE},
    {"dir", HINT_PLACE},
    {"folder", HINT_PLACE},
    {"file", HINT_PLACE},
    {"filename", HINT_PLACE},
};

static bool has_part(haft_str name, const char *part)
{
    haft__offline_word word = {.text = haft__str(part)};
    size_t at = haft__offline_word_at(&word, name), end = at + word.text.len;
    return at != HAFT__OFFLINE_NONE
           && (end == name.len || !is_lower(name.ptr[end])
               || (name.ptr[end] == 's' && end + 1 == name.len));
}

/* What kinds it takes, a bit for each; a format says so more surely than a name. */
static uint32_t kinds_of(haft_str name, haft__json schema)
{
    const haft__json *format = haft__json_get(schema, HAFT__LIT("format"));
    for (size_t i = 0; format != NULL && i < COUNT(formats); i++) {
        if (haft__str_equal(haft__json_text(*format), haft__str(formats[i].format))) {
            return formats[i].kinds;
        }
    }
    for (size_t i = 0; i < COUNT(names); i++) {
        if (has_part(name, names[i].word)) {
            return names[i].kinds;
        }
    }
    return 0;
}

/* The text in the form that the schema wants: a time for a date. */
static haft_status keep(haft__offline *o, const hint *found, haft__json schema, haft_str *ret_text)
{
    const haft__json *format = haft__json_get(schema, HAFT__LIT("format"));
    bool time = format != NULL && found->kind == HINT_DATE
                && haft__str_equal(haft__json_text(*format), HAFT__LIT("date-time"));
    *ret_text =
        haft__arena_format(o->arena, "%.*s%s", HAFT__ARG(found->text), time ? "T00:00:00Z" : "");
    return ret_text->ptr != NULL ? HAFT_OK : haft__arena_fail(o->arena, o->err);
}

/* The first hint from `variant` on that the pattern takes. */
static haft_status match(haft__offline *o, const hints *list, haft_str source, unsigned variant,
                         const hint **ret_hint)
{
    const haft__pattern *pattern = NULL;
    haft_status status = haft__pattern_compile(o->arena, source, &pattern, NULL);
    if (status != HAFT_OK) {
        return status == HAFT_NO_MEMORY ? haft__fail_no_memory(o->err) : HAFT_OK;
    }
    haft__pattern_scratch *scratch = haft__pattern_scratch_create();
    if (scratch == NULL) {
        return haft__fail_no_memory(o->err);
    }
    haft__pattern_result result = HAFT__PATTERN_NO;
    for (size_t i = 0; *ret_hint == NULL && result != HAFT__PATTERN_NO_MEMORY && i < list->count;
         i++) {
        haft_str text = list->items[i].text;
        result =
            haft__utf8_valid(text) ? haft__pattern_match(pattern, scratch, text) : HAFT__PATTERN_NO;
        if (result == HAFT__PATTERN_YES && variant-- == 0) {
            *ret_hint = &list->items[i];
        }
    }
    haft__pattern_scratch_destroy(scratch);
    return result == HAFT__PATTERN_NO_MEMORY ? haft__fail_no_memory(o->err) : HAFT_OK;
}

bool haft__offline_hint_for(haft__offline *o, haft_str name, haft__json schema, unsigned variant,
                            haft_str *ret_text)
{
    const haft__json *pattern = haft__json_get(schema, HAFT__LIT("pattern"));
    hints list;
    const hint *found = NULL;
    read_task(o->past.task, &list);
    if (pattern != NULL && haft__json_text(*pattern).ptr != NULL) {
        haft_status status = match(o, &list, haft__json_text(*pattern), variant, &found);
        return haft__offline_ok(o, status) && found != NULL
               && haft__offline_ok(o, keep(o, found, schema, ret_text));
    }
    uint32_t kinds = kinds_of(name, schema);
    bool last = has_part(name, "end") || has_part(name, "until"); /* the second of two dates */
    unsigned nth = variant + (last ? 1 : 0);
    const hint *any = NULL;
    for (size_t i = 0; found == NULL && i < list.count; i++) {
        if ((list.items[i].kind & kinds) != 0) {
            any = &list.items[i];
            found = nth-- == 0 ? any : NULL;
        }
    }
    found = found == NULL && variant == 0 ? any : found;
    return found != NULL && haft__offline_ok(o, keep(o, found, schema, ret_text));
}

bool haft__offline_names_value(const haft__offline *o, haft_str value)
{
    char room[64];
    if (value.len < 2 || value.len > sizeof(room)) {
        return false;
    }
    haft__offline_word word = {.text = haft__offline_stem(value, room)};
    return haft__offline_word_in(&word, o->past.task);
}

/* The number beside a word of the name: "limit 5", "3 guests". */
bool haft__offline_number_for(const haft__offline *o, haft_str name, int64_t *ret_number)
{
    hints list;
    read_task(o->past.task, &list);
    for (size_t i = 0; i < list.count; i++) {
        uint64_t number = 0;
        bool is_number = list.items[i].kind == HINT_NUMBER
                         && haft__str_to_u64(list.items[i].text, &number) && number <= INT32_MAX;
        for (size_t k = 0; is_number && k < 2; k++) {
            size_t at = k == 0 ? i - 1 : i + 1;
            char room[64];
            haft_str beside = at < list.count ? list.items[at].text : HAFT__LIT("");
            if (beside.len < 3 || beside.len > sizeof(room)) {
                continue;
            }
            haft__offline_word word = {.text = haft__offline_stem(beside, room)};
            if (haft__offline_word_in(&word, name)) {
                *ret_number = (int64_t)number;
                return true;
            }
        }
    }
    return false;
}
