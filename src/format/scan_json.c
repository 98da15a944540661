/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_json.c - JSON that holds calls: an object with a name and arguments, an array of such, or
 * the arguments alone.
 *
 * The incremental reader says where values begin and end; the arguments are told as they are
 * written. Members may come in any order: arguments wait for the name.
 * Tests: tests/format/scan_json_test.c.
 */
#include "format/parser.h"

enum {
    SLOT_OTHER,
    SLOT_NAME,
    SLOT_ARGS,
    SLOT_ID,
};

/* What models call the members. */
static const struct {
    const char *key;
    uint8_t slot;
} aliases[] = {
    {"name", SLOT_NAME},       {"tool", SLOT_NAME},      {"tool_name", SLOT_NAME},
    {"function", SLOT_NAME},   {"arguments", SLOT_ARGS}, {"parameters", SLOT_ARGS},
    {"args", SLOT_ARGS},       {"input", SLOT_ARGS},     {"id", SLOT_ID},
    {"tool_call_id", SLOT_ID},
};

static uint8_t find_slot(haft_str key)
{
    for (size_t i = 0; i < COUNT(aliases); i++) {
        if (haft__str_equal(haft__str(aliases[i].key), key)) {
            return aliases[i].slot;
        }
    }
    return SLOT_OTHER;
}

static void complain(haft__parser *p, const char *why)
{
    if (p->scanner.why == NULL) {
        p->scanner.why = why;
    }
}

/* ---- members of a call ---- */

static void on_key(haft__parser *p, haft_str key)
{
    haft__scanner *s = &p->scanner;
    s->slot = find_slot(key);
    if (s->slot == SLOT_NAME) {
        if (p->call.told) {
            complain(p, "it has two names");
        }
        p->call.named = false;
        haft__buf_clear(&p->call.name);
    } else if (s->slot == SLOT_ARGS) {
        if (p->call.told && s->has_args) {
            complain(p, "it has arguments twice");
        }
        haft__buf_clear(&p->call.args);
        s->has_args = false;
    } else if (s->slot == SLOT_ID) {
        haft__buf_clear(&p->call.id);
    }
}

/* A piece of a name or an id; `last` when it is complete. */
static void on_text(haft__parser *p, haft_str text, bool last)
{
    if (p->scanner.slot == SLOT_ID) {
        haft__buf_add_str(&p->call.id, text);
        return;
    }
    haft__buf_add_str(&p->call.name, text);
    const char *why = last ? haft__forming_named(p) : NULL;
    if (why != NULL) {
        complain(p, why);
    }
}

static void on_scalar(haft__parser *p, const haft__json_event *event)
{
    bool text = event->value.kind == HAFT__JSON_STRING;
    uint8_t slot = p->scanner.slot;
    if (text && (slot == SLOT_NAME || slot == SLOT_ID)) {
        on_text(p, haft__json_text(event->value), event->kind == HAFT__JSON_EVENT_SCALAR);
    } else if (slot == SLOT_NAME) {
        complain(p, "its name is no string");
    } else if (slot == SLOT_ARGS) {
        complain(p, "its arguments are no object");
    }
}

static void end_call(haft__parser *p, haft__scan what)
{
    haft__scanner *s = &p->scanner;
    if (what != HAFT__SCAN_ARGS && s->why == NULL && !p->call.named) {
        complain(p, "it has no name");
    }
    if (s->why == NULL && !s->has_args) {
        complain(p, "it has no arguments");
    }
    if (s->why != NULL) {
        haft__forming_spoil(p, HAFT__FOUND_MALFORMED, s->why);
    } else {
        haft__forming_end(p);
    }
}

/* ---- events of the reader ---- */

/* How many containers are around a call. */
static uint32_t base_of(haft__scan what)
{
    return what == HAFT__SCAN_CALLS ? 1 : 0;
}

static void begin_call(haft__parser *p)
{
    haft__scanner *s = &p->scanner;
    if (!p->call.open) { /* not the first of an array */
        haft__forming_open(p, HAFT__LIT("{"), false);
    }
    s->has_args = false;
    s->slot = SLOT_OTHER;
    s->why = NULL;
}

static void begin_args(haft__parser *p)
{
    p->scanner.in_args = true;
    p->scanner.has_args = true;
    haft__forming_args(p, HAFT__LIT("{"));
}

static void on_begin(haft__parser *p, haft__scan what, const haft__json_event *event)
{
    uint32_t base = base_of(what);
    bool object = event->value.kind == HAFT__JSON_OBJECT;
    if (event->depth == base) {
        begin_call(p);
        if (!object) {
            complain(p, "it is no object");
        } else if (what == HAFT__SCAN_ARGS) {
            begin_args(p);
        }
    } else if (event->depth == base + 1 && p->scanner.slot == SLOT_ARGS && object) {
        begin_args(p);
    } else if (event->depth == base + 1) {
        on_scalar(p, event); /* nothing that a name or arguments could be */
    }
}

static void on_outside(haft__parser *p, haft__scan what, const haft__json_event *event)
{
    uint32_t base = base_of(what);
    switch (event->kind) {
    case HAFT__JSON_EVENT_BEGIN: on_begin(p, what, event); break;
    case HAFT__JSON_EVENT_END:
        if (event->depth == base) {
            end_call(p, what);
        }
        break;
    case HAFT__JSON_EVENT_KEY:
        if (event->depth == base + 1) {
            on_key(p, haft__json_text(event->value));
        }
        break;
    case HAFT__JSON_EVENT_PART:
    case HAFT__JSON_EVENT_SCALAR:
        if (event->depth == base + 1) {
            on_scalar(p, event);
        } else if (event->depth == base && event->kind == HAFT__JSON_EVENT_SCALAR) {
            begin_call(p);
            complain(p, "it is no object");
            end_call(p, what);
        }
        break;
    case HAFT__JSON_EVENT_MORE:
    case HAFT__JSON_EVENT_DONE: break;
    }
}

static void on_event(haft__parser *p, haft__scan what, const haft__json_event *event, haft_str used)
{
    haft__scanner *s = &p->scanner;
    if (!s->in_args) {
        on_outside(p, what, event);
        return;
    }
    haft__forming_args(p, used);
    uint32_t around = what == HAFT__SCAN_ARGS ? 0 : base_of(what) + 1;
    if (event->kind == HAFT__JSON_EVENT_END && event->depth == around) {
        s->in_args = false;
        if (what == HAFT__SCAN_ARGS) {
            end_call(p, what);
        }
    }
}

/* ---- the whole ---- */

static void begin_scan(haft__parser *p)
{
    if (!p->scanner.live) {
        haft__json_stream_init(&p->scanner.json, NULL);
        p->scanner.live = true;
        p->scanner.in_args = false;
        p->scanner.why = NULL;
    }
}

void haft__scan_finish(haft__parser *p)
{
    if (p->scanner.live) {
        haft__json_stream_finish(&p->scanner.json);
        p->scanner.live = false;
    }
}

/* It is no JSON. What is left of it is of no use. */
static void give_up(haft__parser *p, haft_status status, const haft_error *err)
{
    haft__scan_finish(p);
    if (status == HAFT_NO_MEMORY) {
        haft__parser_fail(p, status, err);
        return;
    }
    haft__forming_spoil(p, HAFT__FOUND_MALFORMED, err->message);
    haft__parser_go(p, p->format->spoilt);
}

bool haft__scan_json(haft__parser *p, haft__scan what, haft_str *io_bytes)
{
    begin_scan(p);
    while (p->status == HAFT_OK) {
        haft_str before = *io_bytes;
        haft__json_event event;
        haft_error err = {0};
        haft_status status = haft__json_stream_next(&p->scanner.json, io_bytes, &event, &err);
        haft_str used = {before.ptr, before.len - io_bytes->len};
        haft__parser_use(p, used);
        if (status != HAFT_OK) {
            give_up(p, status, &err);
            return false;
        }
        if (event.kind == HAFT__JSON_EVENT_DONE) {
            haft__scan_finish(p);
            return true;
        }
        on_event(p, what, &event, used);
        if (event.kind == HAFT__JSON_EVENT_MORE) {
            return false;
        }
    }
    return false;
}

bool haft__scan_complete(const haft__parser *p)
{
    return p->scanner.live && !p->call.open && p->scanner.json.state == HAFT__JSON_AT_SEPARATOR;
}

void haft__scan_decide(haft__parser *p)
{
    (void)p;
}
