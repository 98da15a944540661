/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repair.c - JSON with errors, repaired before it is read (options.repair).
 *
 * A value is buffered until its last bracket or quote has arrived. Then the tolerant reader tries
 * to repair it. The strict scanner reads the repaired text, or the original if it could not be
 * repaired: the scanner alone decides what is a call. A value that is incomplete when the text ends
 * is never repaired; it is read unchanged.
 *
 * While the scanner reads a complete value, repair is off, also for calls inside the value. So a
 * byte is buffered at most once and read at most twice. Tests: tests/format/repair_test.c.
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

static void skip_comment(haft__parser_repair *r, char c)
{
    bool line = r->comment == '#';
    if (line ? c == '\n' || c == '\r' : (c == '/' && r->last == '*')) {
        r->comment = '\0';
    }
}

/* A byte of a string; true at the quote that ends the value. */
static bool on_string(haft__parser_repair *r, char c)
{
    if (r->escape) {
        r->escape = false;
    } else if (c == '\\') {
        r->escape = true;
    } else if (c == r->quote) {
        r->quote = '\0';
        return r->depth == 0;
    }
    return false;
}

/* A closing bracket; true if the value ends here. A bracket without its opening bracket also
 * ends it. */
static bool on_close(haft__parser_repair *r)
{
    if (r->depth > 1) {
        r->depth--;
        return false;
    }
    return true;
}

/* A byte outside strings; true if the value ends here, or is not a value. */
static bool on_outside(haft__parser_repair *r, char c)
{
    switch (c) {
    case ' ':
    case '\n':
    case '\r':
    case '\t': return false;
    case '"':
    case '\'': r->quote = c; return false;
    case '{':
    case '[': r->depth++; return false;
    case '}':
    case ']': return on_close(r);
    case '#': r->comment = c; return false;
    case '/':
    case '*':
        if (r->last == '/') { /* two slashes begin a comment, as # does */
            r->comment = c == '/' ? '#' : c;
        }
        return false;
    default: return r->depth == 0;
    }
}

static bool ends_value(haft__parser_repair *r, char c)
{
    char comment = r->comment;
    bool ends = false;
    if (r->quote != '\0') {
        ends = on_string(r, c);
    } else if (r->comment != '\0') {
        skip_comment(r, c);
    } else {
        ends = on_outside(r, c);
    }
    r->last = r->comment == comment ? c : '\0'; /* a byte does not belong to two comment marks */
    return ends;
}

/* Whether this byte completes a mark that ends the call, outside strings and comments. Then the
 * call ends before its value does. */
static bool ends_call(haft__parser *p, char c)
{
    haft__parser_repair *r = &p->repair;
    const haft__aho_corasick *marks = haft__parser_marks(p, p->format->malformed);
    if (marks == NULL || r->quote != '\0' || r->comment != '\0') {
        r->mark = 0;
        return false;
    }
    r->mark = haft__aho_corasick_step(marks, r->mark, c);
    return marks->nodes[r->mark].mark != 0;
}

/* ---- the shape of a call ---- */

typedef struct repairer {
    haft__parser *parser;
    haft__scan_kind scan_kind;
    haft__arena arena;
    haft__json_options options;
    bool changed;
} repairer;

/* If the arguments are a string that contains a JSON object, replaces them by the object. */
static void unwrap_arguments(repairer *r, haft__json *value)
{
    if (value->kind != HAFT__JSON_STRING) {
        return;
    }
    haft__json inner;
    haft_error err = {0};
    haft_status status = haft__json_read_tolerant(&r->arena, haft__json_text(*value), &r->options,
                                                  &inner, NULL, &err);
    if (status == HAFT_NO_MEMORY) {
        haft__parser_fail(r->parser, status, &err);
    } else if (status == HAFT_OK && inner.kind == HAFT__JSON_OBJECT) {
        *value = inner;
        r->changed = true;
    }
}

/* Returns a copy of the members or items of a value, which the caller may change. NULL if the value
 * has another kind or is empty, or if out of memory. */
static void *copy_children(repairer *r, haft__json value, haft__json_kind kind)
{
    bool object = kind == HAFT__JSON_OBJECT;
    size_t size = object ? sizeof(haft__json_member) : sizeof(haft__json);
    if (value.kind != kind || value.count == 0) {
        return NULL;
    }
    void *copy = haft__arena_array(&r->arena, value.count, size);
    if (copy == NULL) {
        haft_error err = {0};
        haft__parser_fail(r->parser, haft__fail_no_memory(&err), &err);
        return NULL;
    }
    memcpy(copy, object ? (const void *)value.members : (const void *)value.items,
           value.count * size);
    return copy;
}

/* Unwraps the arguments of a call. Returns whether the value is an object with a name and
 * arguments. */
static bool accept_call(repairer *r, haft__json *io_value)
{
    bool named = false, has_args = false;
    haft__json_member *members = copy_children(r, *io_value, HAFT__JSON_OBJECT);
    for (uint32_t i = 0; members != NULL && i < io_value->count; i++) {
        haft__call_member slot = haft__scan_call_member(haft__json_text(members[i].key));
        if (slot == HAFT__CALL_MEMBER_NAME) {
            named = members[i].value.kind == HAFT__JSON_STRING;
        } else if (slot == HAFT__CALL_MEMBER_ARGS) {
            unwrap_arguments(r, &members[i].value);
            has_args = members[i].value.kind == HAFT__JSON_OBJECT;
        }
    }
    if (members != NULL) {
        *io_value = haft__json_object(members, io_value->count);
    }
    return named && has_args;
}

/* Calls accept_call for each item. Returns whether the value is an array that contains a call. */
static bool accept_calls(repairer *r, haft__json *io_value)
{
    bool any = false;
    haft__json *items = copy_children(r, *io_value, HAFT__JSON_ARRAY);
    for (uint32_t i = 0; items != NULL && i < io_value->count; i++) {
        any = accept_call(r, &items[i]) || any;
    }
    if (items != NULL) {
        *io_value = haft__json_array(items, io_value->count);
    }
    return any;
}

/* Accepts an answer or nested calls. Returns whether the value is an object with an answer or with
 * calls one level deeper. */
static bool accept_answer(repairer *r, haft__json *io_value)
{
    bool any = false;
    haft__json_member *members = copy_children(r, *io_value, HAFT__JSON_OBJECT);
    for (uint32_t i = 0; members != NULL && i < io_value->count; i++) {
        haft__call_member slot = haft__scan_call_member(haft__json_text(members[i].key));
        haft__json *value = &members[i].value;
        any = any || slot == HAFT__CALL_MEMBER_ANSWER
              || (slot == HAFT__CALL_MEMBER_INNER
                  && (accept_call(r, value) || accept_calls(r, value)));
    }
    if (members != NULL) {
        *io_value = haft__json_object(members, io_value->count);
    }
    return any;
}

/* Unwraps the arguments of all calls. Returns whether the scanner will accept the value; otherwise
 * a repair is useless. */
static bool accept_value(repairer *r, haft__json *io_value)
{
    switch (r->scan_kind) {
    case HAFT__SCAN_ARGS: unwrap_arguments(r, io_value); return io_value->kind == HAFT__JSON_OBJECT;
    case HAFT__SCAN_CALL: return accept_call(r, io_value);
    case HAFT__SCAN_CALLS: return accept_calls(r, io_value);
    case HAFT__SCAN_MAYBE_CALL:
        return accept_call(r, io_value) || accept_calls(r, io_value) || accept_answer(r, io_value);
    case HAFT__SCAN_NONE:
    case HAFT__SCAN_FINAL_VALUE:
    case HAFT__SCAN_PYTHON_LIST:
    case HAFT__SCAN_PYTHON_LINES:
    case HAFT__SCAN_PYTHON_ARGS: break;
    }
    HAFT__UNREACHABLE(); /* Python, or a value that stays undecided */
}

/* Writes the repaired text to `out`. False if no repair is needed or possible. */
static bool repair_value(haft__parser *p, haft__scan_kind scan_kind, haft_str text, haft__buf *out)
{
    repairer r = {.parser = p, .scan_kind = scan_kind, .options = HAFT__JSON_OPTIONS_INIT};
    haft__json value;
    haft__json_notes notes = {0};
    haft_error err = {0};
    haft__arena_init(&r.arena, 0);
    haft_status status = haft__json_read_tolerant(&r.arena, text, &r.options, &value, &notes, &err);
    if (status == HAFT_NO_MEMORY) {
        haft__parser_fail(p, status, &err);
    }
    bool accepted = status == HAFT_OK && accept_value(&r, &value);
    bool changed = accepted && (notes.repaired || r.changed);
    if (changed) {
        haft__json_write(out, value);
        haft__parser_check_memory(p, out);
    }
    haft__arena_finish(&r.arena);
    return changed && out->status == HAFT_OK;
}

/* ---- a value, from its first byte to its last ---- */

static void begin_value(haft__parser *p, haft_str bytes)
{
    haft__parser_repair *r = &p->repair;
    size_t consumed =
        p->rereading ? bytes.len : 0; /* the call and the offset include them already */
    haft__buf text = r->text;
    *r = (haft__parser_repair){.live = true, .ended = r->ended, .text = text};
    haft__buf_clear(&r->text);
    r->offset = p->offset - consumed;
    r->raw = p->call.raw.len > consumed ? p->call.raw.len - consumed : 0;
    r->written = p->call.written > consumed ? p->call.written - consumed : 0;
}

/* Reads the buffered bytes as if they arrived now. */
static void replay(haft__parser *p, haft_str text)
{
    bool rereading = p->rereading;
    p->rereading = false;
    p->offset = p->repair.offset;
    if (p->call.open) {
        p->call.raw.len = p->repair.raw;
        p->call.written = p->repair.written;
    }
    haft__parser_read(p, text);
    p->rereading = rereading;
}

/* The value is complete: reads it repaired, or unchanged if no repair is needed or possible. */
static void read_value(haft__parser *p, haft__scan_kind scan_kind)
{
    haft__parser_repair *r = &p->repair;
    haft__buf text = r->text, out;
    size_t end = r->offset + text.len;
    haft__buf_init(&r->text, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&out, HAFT__LIMIT_FORMAT_BYTES);
    r->live = false;
    r->strict = true;
    if (!r->broken && repair_value(p, scan_kind, haft__buf_str(&text), &out)) {
        r->repaired = true;
        replay(p, haft__buf_str(&out));
        r->repaired = false;
        p->offset = end;
    } else if (p->status == HAFT_OK) {
        replay(p, haft__buf_str(&text));
    }
    r->strict = false;
    haft__buf_finish(&out);
    haft__buf_finish(&text);
}

/* Consumes bytes up to the end of the value and returns them. *ret_ends: the value, or its call,
 * ends with them. */
static haft_str consume_value(haft__parser *p, haft_str *io_bytes, bool *ret_ends)
{
    haft__parser_repair *r = &p->repair;
    bool ends = false;
    size_t used = 0;
    while (used < io_bytes->len && !ends) {
        char c = io_bytes->ptr[used++];
        ends = ends_value(r, c);
        r->broken = ends_call(p, c);
        ends = ends || r->broken;
    }
    haft_str piece = {io_bytes->ptr, used};
    haft__parser_advance(p, piece);
    *io_bytes = haft__str_skip(*io_bytes, used);
    *ret_ends = ends;
    return piece;
}

void haft__parser_repair_scan(haft__parser *p, haft__scan_kind scan_kind, haft_str *io_bytes)
{
    haft__parser_repair *r = &p->repair;
    if (!r->live) {
        begin_value(p, *io_bytes);
    }
    bool ends;
    haft__buf_add_str(&r->text, consume_value(p, io_bytes, &ends));
    haft__parser_check(p, &r->text);
    if (ends && p->status == HAFT_OK) {
        read_value(p, scan_kind);
    }
}

bool haft__parser_repair_scan_undecided(haft__parser *p, haft_str *io_bytes)
{
    haft__parser_repair *r = &p->repair;
    if (p->last_read) { /* the last value of the text was read already: this is ordinary text */
        haft__parser_enter_state(p, p->format->plain);
        haft__parser_reconsume(p, haft__buf_str(&p->undecided));
        return false;
    }
    if (!r->scans_undecided) {
        haft__buf text = r->text;
        *r = (haft__parser_repair){.scans_undecided = true,
                                   .strict = r->strict,
                                   .cut = r->cut,
                                   .ended = r->ended,
                                   .text = text};
    }
    bool ends;
    haft__buf_add_str(&p->undecided, consume_value(p, io_bytes, &ends));
    haft__parser_check(p, &p->undecided);
    r->scans_undecided = !ends;
    if (ends && r->broken) {
        haft__parser_enter_state(p, haft__parser_state(p)->not_call);
    }
    return ends && !r->broken;
}

/* The text has ended inside a value: reads it unchanged. After that, repair is on again unless
 * `last`. */
static void read_incomplete(haft__parser *p, bool last)
{
    haft__parser_repair *r = &p->repair;
    if (r->live) {
        haft__buf text = r->text;
        haft__buf_init(&r->text, HAFT__LIMIT_FORMAT_BYTES);
        r->live = false;
        r->strict = r->cut = true;
        r->ended = last;
        replay(p, haft__buf_str(&text));
        haft__buf_finish(&text);
    }
}

void haft__parser_repair_end(haft__parser *p)
{
    bool any = p->repair.live;
    read_incomplete(p, false);
    read_incomplete(p, true); /* a value that began in the bytes of the first one */
    p->repair.strict = any;   /* withheld bytes that follow are read unchanged too */
}

void haft__parser_repair_done(haft__parser *p)
{
    haft__parser_repair *r = &p->repair;
    if (r->cut && !r->ended) {
        r->strict = r->cut = false;
    }
}
