/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repair.c - JSON with errors, repaired before it is read (options.repair).
 *
 * A value is buffered until its last bracket or quote has arrived. Then the tolerant reader tries
 * to repair it. The strict scanner reads the repaired text, or the original if it could not be
 * repaired. So only the scanner knows what a call is, and a value that is cut is never repaired: it
 * is read unchanged when the text ends.
 *
 * A value that cannot be repaired is read strictly to its last byte, including calls in it: a byte
 * is buffered at most once, and read at most twice. Tests: tests/format/repair_test.c.
 */
#include "json/repair.h"
#include "base/error.h"
#include "base/limits.h"
#include "format/parser.h"
#include "json/write.h"

void haft__parser_repair_init(haft__parser *p)
{
    haft__buf_init(&p->repair.text, HAFT__LIMIT_FORMAT_BYTES);
}

void haft__parser_repair_finish(haft__parser *p)
{
    haft__buf_finish(&p->repair.text);
}

bool haft__parser_repair_applies(const haft__parser *p)
{
    return p->options.repair && !p->repair.strict && !p->scanner.live;
}

/* ---- the end of a value ---- */

static void skip_comment(haft__parser_repair *m, char c)
{
    bool line = m->comment == '#';
    if (line ? c == '\n' || c == '\r' : (c == '/' && m->last == '*')) {
        m->comment = '\0';
    }
}

/* A byte of a string; true at the quote that ends the value. */
static bool on_string(haft__parser_repair *m, char c)
{
    if (m->escape) {
        m->escape = false;
    } else if (c == '\\') {
        m->escape = true;
    } else if (c == m->quote) {
        m->quote = '\0';
        return m->depth == 0;
    }
    return false;
}

/* A closing bracket; true if the value ends here. A bracket that was never opened also ends it. */
static bool on_close(haft__parser_repair *m)
{
    if (m->depth > 1) {
        m->depth--;
        return false;
    }
    return true;
}

/* A byte outside strings; true if the value ends here, or is not a value. */
static bool on_outside(haft__parser_repair *m, char c)
{
    switch (c) {
    case ' ':
    case '\n':
    case '\r':
    case '\t': return false;
    case '"':
    case '\'': m->quote = c; return false;
    case '{':
    case '[': m->depth++; return false;
    case '}':
    case ']': return on_close(m);
    case '#': m->comment = c; return false;
    case '/':
    case '*':
        if (m->last == '/') { /* two slashes begin a comment, as # does */
            m->comment = c == '/' ? '#' : c;
        }
        return false;
    default: return m->depth == 0;
    }
}

static bool ends_value(haft__parser_repair *m, char c)
{
    char comment = m->comment;
    bool ends = false;
    if (m->quote != '\0') {
        ends = on_string(m, c);
    } else if (m->comment != '\0') {
        skip_comment(m, c);
    } else {
        ends = on_outside(m, c);
    }
    m->last = m->comment == comment ? c : '\0'; /* a byte does not belong to two comment marks */
    return ends;
}

/* Whether a mark that ends a call is complete, outside strings: then the value never ends. */
static bool ends_call(haft__parser *p, char c)
{
    haft__parser_repair *m = &p->repair;
    const haft__aho_corasick *marks = haft__parser_marks(p, p->format->malformed);
    if (marks == NULL || m->quote != '\0' || m->comment != '\0') {
        m->mark = 0;
        return false;
    }
    m->mark = haft__aho_corasick_step(marks, m->mark, c);
    return marks->nodes[m->mark].mark != 0;
}

/* ---- the shape of a call ---- */

typedef struct repairer {
    haft__parser *parser;
    haft__scan_kind what;
    haft__arena arena;
    haft__json_options options;
    bool changed;
} repairer;

/* Replaces arguments that are JSON in a string by their object. */
static void unwrap(repairer *m, haft__json *value)
{
    if (value->kind != HAFT__JSON_STRING) {
        return;
    }
    haft__json inner;
    haft_error err = {0};
    haft_status status = haft__json_read_tolerant(&m->arena, haft__json_text(*value), &m->options,
                                                  &inner, NULL, &err);
    if (status == HAFT_NO_MEMORY) {
        haft__parser_fail(m->parser, status, &err);
    } else if (status == HAFT_OK && inner.kind == HAFT__JSON_OBJECT) {
        *value = inner;
        m->changed = true;
    }
}

/* A copy of the members or items of a value, to be changed; NULL if it is of another kind, empty,
 * or memory is exhausted. */
static void *open_value(repairer *m, haft__json value, haft__json_kind kind)
{
    bool object = kind == HAFT__JSON_OBJECT;
    size_t size = object ? sizeof(haft__json_member) : sizeof(haft__json);
    if (value.kind != kind || value.count == 0) {
        return NULL;
    }
    void *copy = haft__arena_array(&m->arena, value.count, size);
    if (copy == NULL) {
        haft_error err = {0};
        haft__parser_fail(m->parser, haft__fail_no_memory(&err), &err);
        return NULL;
    }
    memcpy(copy, object ? (const void *)value.members : (const void *)value.items,
           value.count * size);
    return copy;
}

/* Whether it is an object with a name and arguments; unwraps the arguments. */
static bool take_call(repairer *m, haft__json *io_value)
{
    bool named = false, has_args = false;
    haft__json_member *members = open_value(m, *io_value, HAFT__JSON_OBJECT);
    for (uint32_t i = 0; members != NULL && i < io_value->count; i++) {
        haft__call_member slot = haft__scan_call_member(haft__json_text(members[i].key));
        if (slot == HAFT__CALL_MEMBER_NAME) {
            named = members[i].value.kind == HAFT__JSON_STRING;
        } else if (slot == HAFT__CALL_MEMBER_ARGS) {
            unwrap(m, &members[i].value);
            has_args = members[i].value.kind == HAFT__JSON_OBJECT;
        }
    }
    if (members != NULL) {
        *io_value = haft__json_object(members, io_value->count);
    }
    return named && has_args;
}

/* Whether it is an array that contains a call. */
static bool take_calls(repairer *m, haft__json *io_value)
{
    bool any = false;
    haft__json *items = open_value(m, *io_value, HAFT__JSON_ARRAY);
    for (uint32_t i = 0; items != NULL && i < io_value->count; i++) {
        any = take_call(m, &items[i]) || any;
    }
    if (items != NULL) {
        *io_value = haft__json_array(items, io_value->count);
    }
    return any;
}

/* Whether it is an object with an answer, or with calls one level deeper. */
static bool take_answer(repairer *m, haft__json *io_value)
{
    bool any = false;
    haft__json_member *members = open_value(m, *io_value, HAFT__JSON_OBJECT);
    for (uint32_t i = 0; members != NULL && i < io_value->count; i++) {
        haft__call_member slot = haft__scan_call_member(haft__json_text(members[i].key));
        haft__json *value = &members[i].value;
        any = any || slot == HAFT__CALL_MEMBER_ANSWER
              || (slot == HAFT__CALL_MEMBER_INNER && (take_call(m, value) || take_calls(m, value)));
    }
    if (members != NULL) {
        *io_value = haft__json_object(members, io_value->count);
    }
    return any;
}

/* Whether the value is one that the scanner accepts, so that a repair is useful. */
static bool take(repairer *m, haft__json *io_value)
{
    switch (m->what) {
    case HAFT__SCAN_ARGS: unwrap(m, io_value); return io_value->kind == HAFT__JSON_OBJECT;
    case HAFT__SCAN_CALL: return take_call(m, io_value);
    case HAFT__SCAN_CALLS: return take_calls(m, io_value);
    case HAFT__SCAN_MAYBE_CALL:
        return take_call(m, io_value) || take_calls(m, io_value) || take_answer(m, io_value);
    case HAFT__SCAN_NONE:
    case HAFT__SCAN_FINAL_VALUE:
    case HAFT__SCAN_PYTHON_LIST:
    case HAFT__SCAN_PYTHON_LINES:
    case HAFT__SCAN_PYTHON_ARGS: break;
    }
    HAFT__UNREACHABLE(); /* those are not JSON, or not read yet */
}

/* Writes the repaired text to `out`. False if no repair is needed or possible. */
static bool repair_value(haft__parser *p, haft__scan_kind what, haft_str text, haft__buf *out)
{
    repairer m = {.parser = p, .what = what, .options = HAFT__JSON_OPTIONS_INIT};
    haft__json value;
    haft__json_notes notes = {0};
    haft_error err = {0};
    haft__arena_init(&m.arena, 0);
    haft_status status = haft__json_read_tolerant(&m.arena, text, &m.options, &value, &notes, &err);
    if (status == HAFT_NO_MEMORY) {
        haft__parser_fail(p, status, &err);
    }
    bool wanted = status == HAFT_OK && take(&m, &value);
    bool changed = wanted && (notes.repaired || m.changed);
    if (changed) {
        haft__json_write(out, value);
        haft__parser_check_memory(p, out);
    }
    haft__arena_finish(&m.arena);
    return changed && out->status == HAFT_OK;
}

/* ---- a value, from its first byte to its last ---- */

static void begin(haft__parser *p, haft_str bytes)
{
    haft__parser_repair *m = &p->repair;
    size_t known = p->again ? bytes.len : 0; /* the bytes that were consumed already */
    haft__buf text = m->text;
    *m = (haft__parser_repair){.live = true, .ended = m->ended, .text = text};
    haft__buf_clear(&m->text);
    m->offset = p->offset - known;
    m->raw = p->call.raw.len > known ? p->call.raw.len - known : 0;
    m->written = p->call.written > known ? p->call.written - known : 0;
}

/* Reads the buffered bytes as if they arrived now. */
static void replay(haft__parser *p, haft_str text)
{
    bool again = p->again;
    p->again = false;
    p->offset = p->repair.offset;
    if (p->call.open) {
        p->call.raw.len = p->repair.raw;
        p->call.written = p->repair.written;
    }
    haft__parser_read(p, text);
    p->again = again;
}

static void release(haft__parser *p, haft__scan_kind what)
{
    haft__parser_repair *m = &p->repair;
    haft__buf text = m->text, out;
    size_t end = m->offset + text.len;
    haft__buf_init(&m->text, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&out, HAFT__LIMIT_FORMAT_BYTES);
    m->live = false;
    m->strict = true;
    if (!m->broken && repair_value(p, what, haft__buf_str(&text), &out)) {
        m->repaired = true;
        replay(p, haft__buf_str(&out));
        m->repaired = false;
        p->offset = end;
    } else if (p->status == HAFT_OK) {
        replay(p, haft__buf_str(&text));
    }
    m->strict = false;
    haft__buf_finish(&out);
    haft__buf_finish(&text);
}

/* Buffers the bytes that belong to the value. */
static haft_str follow(haft__parser *p, haft_str *io_bytes, bool *ret_ends)
{
    haft__parser_repair *m = &p->repair;
    bool ends = false;
    size_t used = 0;
    while (used < io_bytes->len && !ends) {
        char c = io_bytes->ptr[used++];
        ends = ends_value(m, c);
        m->broken = ends_call(p, c);
        ends = ends || m->broken;
    }
    haft_str piece = {io_bytes->ptr, used};
    haft__parser_advance(p, piece);
    *io_bytes = haft__str_skip(*io_bytes, used);
    *ret_ends = ends;
    return piece;
}

void haft__parser_repair_scan(haft__parser *p, haft__scan_kind what, haft_str *io_bytes)
{
    haft__parser_repair *m = &p->repair;
    if (!m->live) {
        begin(p, *io_bytes);
    }
    bool ends;
    haft__buf_add_str(&m->text, follow(p, io_bytes, &ends));
    haft__parser_check(p, &m->text);
    if (ends && p->status == HAFT_OK) {
        release(p, what);
    }
}

bool haft__parser_repair_hold(haft__parser *p, haft_str *io_bytes)
{
    haft__parser_repair *m = &p->repair;
    if (p->last_read) { /* the end of the text was reached before: this is ordinary text */
        haft__parser_enter_state(p, p->format->plain);
        haft__parser_reconsume(p, haft__buf_str(&p->undecided));
        return false;
    }
    if (!m->waits) {
        haft__buf text = m->text;
        *m = (haft__parser_repair){
            .waits = true, .strict = m->strict, .cut = m->cut, .ended = m->ended, .text = text};
    }
    bool ends;
    haft__buf_add_str(&p->undecided, follow(p, io_bytes, &ends));
    haft__parser_check(p, &p->undecided);
    m->waits = !ends;
    if (ends && m->broken) {
        haft__parser_enter_state(p, haft__parser_state(p)->disowned);
    }
    return ends && !m->broken;
}

/* Reads an unfinished value unchanged; repair continues after it only the first time. */
static void end_once(haft__parser *p, bool last)
{
    haft__parser_repair *m = &p->repair;
    if (m->live) {
        haft__buf text = m->text;
        haft__buf_init(&m->text, HAFT__LIMIT_FORMAT_BYTES);
        m->live = false;
        m->strict = m->cut = true;
        m->ended = last;
        replay(p, haft__buf_str(&text));
        haft__buf_finish(&text);
    }
}

void haft__parser_repair_end(haft__parser *p)
{
    bool any = p->repair.live;
    end_once(p, false);
    end_once(p, true);
    p->repair.strict = any; /* the bytes that are still withheld are read unchanged */
}

void haft__parser_repair_done(haft__parser *p)
{
    haft__parser_repair *m = &p->repair;
    if (m->cut && !m->ended) {
        m->strict = m->cut = false;
    }
}
