/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write.c - writes calls and results in a format: fills in the templates of its description.
 *
 * Numbers keep their digits, because arguments are written from their source text.
 * Tests: tests/format/write_test.c, tests/format/round_trip_test.c.
 */
#include "json/write.h"
#include "base/error.h"
#include "base/id.h"
#include "base/macros.h"
#include "base/str.h"
#include "format/render.h"
#include "json/read.h"

/* The values of the placeholders. */
typedef struct filling {
    haft__buf *buf;
    const haft__format *format;
    const haft__render *render;
    haft_str name, id, text;
    size_t number;    /* of the call in its conversation */
    haft__json value; /* the arguments; in `param`, the parameter's value */
    haft_str key;
} filling;

static void fill(const filling *f, const char *pattern);

/* ---- placeholders ---- */

static void add_parameters(const filling *f)
{
    haft__json object = f->value;
    for (uint32_t i = 0; object.kind == HAFT__JSON_OBJECT && i < object.count; i++) {
        filling inner = *f;
        inner.key = haft__json_text(object.members[i].key);
        inner.value = object.members[i].value;
        fill(&inner, f->render->param);
    }
}

static void add_value(const filling *f)
{
    if (f->value.kind == HAFT__JSON_STRING) {
        haft__buf_add_str(f->buf, haft__json_text(f->value));
    } else {
        haft__json_write(f->buf, f->value);
    }
}

static void add_short_id(const filling *f)
{
    char id[HAFT__ID_SHORT_LENGTH];
    haft__id_short(f->id, id);
    haft__buf_add(f->buf, id, sizeof(id));
}

/* Adds the id as functions.NAME:N. An id that the model wrote already has this form. */
static void add_function_id(const filling *f)
{
    if (haft__str_starts_with(f->id, HAFT__LIT("functions"))) {
        haft__buf_add_str(f->buf, f->id);
    } else {
        haft__buf_addf(f->buf, "functions.%.*s:%zu", HAFT__ARG(f->name), f->number);
    }
}

static void add_code(const filling *f)
{
    const haft__json *code = haft__json_get(f->value, HAFT__LIT("code"));
    if (code != NULL && code->kind == HAFT__JSON_STRING && f->value.count == 1) {
        haft__buf_add_str(f->buf, haft__json_text(*code));
    } else {
        fill(f, "print(%n(%k))");
    }
}

static void add_letter(const filling *f, char letter)
{
    switch (letter) {
    case 'n': haft__buf_add_str(f->buf, f->name); return;
    case 'N': haft__json_write_string(f->buf, f->name); return;
    case 'a': haft__json_write(f->buf, f->value); return;
    case 'k': haft__format_write_keywords(f->buf, f->value); return;
    case 'p': add_parameters(f); return;
    case 'x': add_code(f); return;
    case 'i': haft__buf_add_str(f->buf, f->id); return;
    case 'I': haft__json_write_string(f->buf, f->id); return;
    case 's': add_short_id(f); return;
    case 'f': add_function_id(f); return;
    case 'd': haft__buf_addf(f->buf, "%zu", f->number); return;
    case 't': haft__buf_add_str(f->buf, f->text); return;
    case 'T': haft__json_write_string(f->buf, f->text); return;
    case 'K': haft__buf_add_str(f->buf, f->key); return;
    case 'v': add_value(f); return;
    case 'b':
        haft__buf_add_str(f->buf, f->value.kind == HAFT__JSON_STRING ? HAFT__LIT("true")
                                                                     : HAFT__LIT("false"));
        return;
    default: haft__buf_add_char(f->buf, letter); return;
    }
}

static void fill(const filling *f, const char *pattern)
{
    while (pattern != NULL && pattern[0] != '\0') {
        const char *letter = strchr(pattern, '%');
        size_t plain = letter != NULL ? (size_t)(letter - pattern) : strlen(pattern);
        haft__buf_add(f->buf, pattern, plain);
        if (letter != NULL) {
            add_letter(f, letter[1]);
        }
        pattern += plain + (letter != NULL ? 2 : 0);
    }
}

/* ---- calls ---- */

/* The arguments as an object. The text of arguments that are not an object becomes the member
 * "not_an_object", so that the model sees its error. */
static haft__json as_object(haft__json_member *member, haft_str text, haft__json read)
{
    if (read.kind == HAFT__JSON_OBJECT) {
        return read;
    }
    if (haft__str_trim(text).len == 0 || read.kind == HAFT__JSON_NULL) {
        return haft__json_object(NULL, 0);
    }
    *member =
        (haft__json_member){haft__json_string(HAFT__LIT("not_an_object")), haft__json_string(text)};
    return haft__json_object(member, 1);
}

static void write_call(filling *f, const haft__format_call *call)
{
    haft__arena arena;
    haft__arena_init(&arena, 0);
    haft__json_member member;
    haft__json value =
        haft__json_bool(false); /* for a text that is not JSON: any value that is not an object */
    haft_status status = haft__json_read(&arena, call->arguments, NULL, &value, NULL, NULL);
    if (status == HAFT_NO_MEMORY) {
        haft__buf_fail(f->buf, status, "out of memory");
    }
    f->name = call->name;
    f->id = call->id;
    f->number = call->number;
    f->value = as_object(&member, call->arguments, value);
    fill(f, f->render->call);
    haft__arena_finish(&arena);
}

/* ---- malformed calls ---- */

/* Whether a malformed call is written like a call of a section, and so belongs between the marks of
 * the section. */
static bool is_in_section(const haft__render *render, const haft__format_call *call)
{
    bool tagged =
        render->calls_begin != NULL && render->calls_end != NULL && render->call[0] == '<';
    haft_str tag = {render->call, 0};
    while (tagged && tag.ptr[tag.len] != '\0' && strchr("%> ", tag.ptr[tag.len]) == NULL) {
        tag.len++;
    }
    return tagged && haft__str_starts_with(call->arguments, tag);
}

/* Writes a malformed call without the end of its section, which is written after the last call. */
static void write_malformed(const filling *f, const haft__format_call *call)
{
    haft_str text = haft__str_trim(call->arguments);
    haft_str end = haft__str_trim(haft__str(f->render->calls_end));
    if (haft__str_ends_with(text, end)) {
        text = haft__str_trim((haft_str){text.ptr, text.len - end.len});
    }
    bool on_own_line = haft__str_ends_with(haft__str(f->render->call), HAFT__LIT("\n"));
    haft__format_neutralise_turn(f->buf, f->format, text);
    haft__buf_add_str(f->buf, on_own_line ? HAFT__LIT("\n") : HAFT__LIT(""));
}

/* The number of calls from `first` on that form a group. */
static size_t count_group(const haft__render *render, const haft__format_call *calls, size_t first,
                          size_t count)
{
    size_t i = first;
    while (i < count && (!calls[i].malformed || is_in_section(render, &calls[i]))) {
        i++;
    }
    return i - first;
}

static void write_group(filling *f, const haft__format_call *calls, size_t count)
{
    const haft__render *render = f->render;
    bool bare = render->bare_one && count == 1;
    fill(f, bare ? "" : render->calls_begin);
    for (size_t i = 0; i < count; i++) {
        fill(f, i > 0 ? render->call_next : "");
        if (calls[i].malformed) {
            write_malformed(f, &calls[i]);
        } else {
            write_call(f, &calls[i]);
        }
    }
    fill(f, bare ? "" : render->calls_end);
}

static void write_all(filling *f, const haft__format_call *calls, size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t group = count_group(f->render, calls, i, count);
        haft__buf_add_str(f->buf, i > 0 ? HAFT__LIT("\n") : HAFT__LIT(""));
        if (group > 0) {
            write_group(f, calls + i, group);
        } else {
            haft__format_neutralise_turn(f->buf, f->format, calls[i].arguments);
        }
        i += group > 0 ? group : 1;
    }
}

void haft__format_write_calls(haft__buf *buf, const haft__format *format, haft_str text,
                              const haft__format_call *calls, size_t count)
{
    const haft__render *render = &format->render;
    const char *pattern = count > 0 ? render->together : render->alone;
    bool both = text.len > 0 && count > 0;
    haft__buf safe_text;
    haft__buf_init(&safe_text, buf->max);
    haft__format_neutralise_turn(&safe_text, NULL, text);
    if (safe_text.status != HAFT_OK) {
        haft__buf_fail(buf, safe_text.status, safe_text.why);
    }
    filling f = {.buf = buf,
                 .format = format,
                 .render = render,
                 .text = haft__buf_str(&safe_text),
                 .value = haft__json_null()};
    if (text.len > 0) {
        fill(&f, pattern != NULL ? pattern : "%t");
    }
    fill(&f, both ? render->before : "");
    write_all(&f, calls, count);
    fill(&f, both ? render->after_calls : "");
    haft__buf_finish(&safe_text);
}

/* ---- results ---- */

void haft__format_write_results(haft__buf *buf, const haft__format *format,
                                const haft__format_result *results, size_t count)
{
    const haft__render *render = &format->render;
    haft__buf text;
    haft__buf_init(&text, buf->max);
    filling f = {.buf = buf, .render = render, .value = haft__json_null()};
    fill(&f, render->results_begin);
    for (size_t i = 0; i < count; i++) {
        haft__buf_clear(&text);
        haft__format_neutralise(&text, format, results[i].text);
        if (text.status != HAFT_OK) {
            haft__buf_fail(buf, text.status, text.why);
        }
        f.name = results[i].name;
        f.id = results[i].id;
        f.text = haft__buf_str(&text);
        f.number = results[i].number;
        fill(&f, i > 0 ? render->result_next : "");
        fill(&f, render->result);
    }
    fill(&f, render->results_end);
    haft__buf_finish(&text);
}
