/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan_json.c - reads JSON that contains calls: an object with a name and arguments, an array of
 * such objects, or only the arguments.
 *
 * The incremental JSON reader finds where values begin and end. The bytes of arguments are reported
 * unchanged. Members may come in any order: arguments are buffered until the name is known.
 * Tests: tests/format/dialects/hermes_test.c, tests/format/dialects/purejson_test.c.
 */
#include <math.h>

#include "base/ascii.h"
#include "format/parser.h"
#include "json/number.h"

/* The keys that models use for the members. */
static const struct {
    const char *key;
    haft__call_member slot;
} aliases[] = {
    {"name", HAFT__CALL_MEMBER_NAME},       {"tool", HAFT__CALL_MEMBER_NAME},
    {"tool_name", HAFT__CALL_MEMBER_NAME},  {"function", HAFT__CALL_MEMBER_NAME},
    {"arguments", HAFT__CALL_MEMBER_ARGS},  {"parameters", HAFT__CALL_MEMBER_ARGS},
    {"args", HAFT__CALL_MEMBER_ARGS},       {"input", HAFT__CALL_MEMBER_ARGS},
    {"id", HAFT__CALL_MEMBER_ID},           {"tool_call_id", HAFT__CALL_MEMBER_ID},
    {"answer", HAFT__CALL_MEMBER_ANSWER},   {"response", HAFT__CALL_MEMBER_ANSWER},
    {"tool_call", HAFT__CALL_MEMBER_INNER}, {"tool_calls", HAFT__CALL_MEMBER_INNER},
};

haft__call_member haft__scan_call_member(haft_str key)
{
    for (size_t i = 0; i < COUNT(aliases); i++) {
        if (haft__str_equal(haft__str(aliases[i].key), key)) {
            return aliases[i].slot;
        }
    }
    return HAFT__CALL_MEMBER_OTHER;
}

/* The role of the member with this key. An answer or nested calls can only be members of the
 * outermost object, and only if the JSON may be a call. An object may be both a call and an answer;
 * once it is one of them, it has no nested calls. */
static haft__call_member member_of_key(const haft__parser_json_scanner *s, haft_str key)
{
    haft__call_member slot = haft__scan_call_member(key);
    bool of_call = slot < HAFT__CALL_MEMBER_ANSWER;
    bool outermost = s->maybe && s->base == 0;
    if (!of_call && (!outermost || (slot == HAFT__CALL_MEMBER_INNER && s->decided))) {
        return HAFT__CALL_MEMBER_OTHER;
    }
    return slot;
}

static void set_reason(haft__parser *p, const char *why)
{
    if (p->scanner.why == NULL) {
        p->scanner.why = why;
    }
}

/* ---- JSON that may be a call ---- */

/* Decides that the JSON is content, not a call: the bytes so far and the rest of the value. */
static void treat_as_content(haft__parser *p)
{
    p->scanner.is_content = true;
    haft__call_builder_discard(p);
    haft__parser_emit_content(p, haft__buf_str(&p->undecided));
    haft__buf_clear(&p->undecided);
}

/* Decides that the JSON is a call: its name is known and it has arguments. */
static void accept_as_call(haft__parser *p)
{
    haft__parser_json_scanner *s = &p->scanner;
    if (s->maybe && !s->decided) {
        s->decided = true;
        haft__buf_clear(&p->undecided);
    }
}

static void emit_answer(haft__parser *p, haft_str text)
{
    p->scanner.decided = true;
    p->scanner.answered = true;
    haft__buf_clear(&p->undecided);
    haft__parser_emit_content(p, text);
}

/* ---- members of a call ---- */

static void on_key(haft__parser *p, haft_str key)
{
    haft__parser_json_scanner *s = &p->scanner;
    s->slot = member_of_key(s, key);
    if (s->slot == HAFT__CALL_MEMBER_NAME) {
        if (p->call.announced) {
            set_reason(p, "it has two names");
        }
        p->call.named = false;
        haft__buf_clear(&p->call.name);
    } else if (s->slot == HAFT__CALL_MEMBER_ARGS) {
        if (p->call.announced && s->has_args) {
            set_reason(p, "it has arguments twice");
        }
        haft__buf_clear(&p->call.args);
        s->has_args = false;
    } else if (s->slot == HAFT__CALL_MEMBER_ID) {
        haft__buf_clear(&p->call.id);
    }
}

static void on_name(haft__parser *p, haft_str text, bool last)
{
    haft__call_builder_add_text(p, &p->call.name, text);
    const char *why = last ? haft__call_builder_end_name(p) : NULL;
    if (why != NULL) {
        set_reason(p, why);
    } else if (last && p->scanner.has_args) {
        accept_as_call(p);
    }
}

static haft_str scalar_text(haft__json value)
{
    switch (value.kind) {
    case HAFT__JSON_TRUE: return HAFT__LIT("true");
    case HAFT__JSON_FALSE: return HAFT__LIT("false");
    case HAFT__JSON_NULL: return HAFT__LIT("null");
    default: return haft__json_text(value);
    }
}

static void on_scalar(haft__parser *p, const haft__json_event *event)
{
    bool text = event->value.kind == HAFT__JSON_STRING;
    haft_str value = haft__json_text(event->value);
    switch (p->scanner.slot) {
    case HAFT__CALL_MEMBER_NAME:
        if (text) {
            on_name(p, value, event->kind == HAFT__JSON_EVENT_SCALAR);
        } else {
            set_reason(p, "its name is not a string");
        }
        break;
    case HAFT__CALL_MEMBER_ID:
        if (text || event->value.kind == HAFT__JSON_NUMBER) {
            haft__call_builder_add_text(p, &p->call.id, value);
        }
        break;
    case HAFT__CALL_MEMBER_ARGS: set_reason(p, "its arguments are not an object"); break;
    case HAFT__CALL_MEMBER_ANSWER:
        if (event->value.kind == HAFT__JSON_NULL) {
            /* The null counts only if the object is not a call and has no other answer. */
            p->scanner.null_answer = true;
        } else {
            emit_answer(p, scalar_text(event->value));
        }
        break;
    case HAFT__CALL_MEMBER_OTHER:
    case HAFT__CALL_MEMBER_INNER: break;
    }
}

static void end_call(haft__parser *p)
{
    haft__parser_json_scanner *s = &p->scanner;
    if (s->maybe && !s->decided && s->null_answer) {
        emit_answer(p, HAFT__LIT("null"));
    }
    if (s->maybe && !s->decided) {
        treat_as_content(p);
        return;
    }
    bool whole = p->call.named && s->has_args && s->why == NULL;
    if (s->answered && !p->call.announced && !whole) {
        haft__call_builder_discard(p);
        return;
    }
    if (s->scan_kind != HAFT__SCAN_ARGS && s->why == NULL && !p->call.named) {
        set_reason(p, "it has no name");
    }
    if (s->why == NULL && !s->has_args) {
        set_reason(p, "it has no arguments");
    }
    if (s->why != NULL) {
        haft__call_builder_fail(p, HAFT__PARSER_EVENT_MALFORMED, s->why);
    } else {
        haft__call_builder_end(p);
    }
}

/* ---- events of the reader ---- */

/* Begins a call. `opener` is the first byte of its JSON, which is already consumed. */
static void begin_call(haft__parser *p, haft_str opener)
{
    haft__parser_json_scanner *s = &p->scanner;
    if (!p->call.open) { /* a later call of an array; the first is already open */
        haft__call_builder_begin(p, opener, false);
    }
    s->has_args = false;
    s->slot = HAFT__CALL_MEMBER_OTHER;
    s->why = NULL;
}

static void begin_args(haft__parser *p)
{
    haft__parser_json_scanner *s = &p->scanner;
    s->has_args = true;
    if (s->scan_kind != HAFT__SCAN_ARGS && p->call.named) {
        accept_as_call(p);
    }
    s->in_args = true;
    haft__call_builder_add_args(p, HAFT__LIT("{"));
}

/* A value that is not an object, where a call is expected. */
static void on_value_for_call(haft__parser *p, haft_str opener)
{
    if (p->scanner.maybe && !p->scanner.decided) {
        treat_as_content(p);
    } else {
        begin_call(p, opener);
        set_reason(p, "it is not an object");
    }
}

/* A string, number, true, false or null where a call is expected. A string can arrive in several
 * pieces; only its last piece counts. */
static void on_scalar_for_call(haft__parser *p, const haft__json_event *event)
{
    if (event->kind == HAFT__JSON_EVENT_SCALAR) {
        on_value_for_call(p, HAFT__LIT(""));
        if (!p->scanner.is_content) {
            end_call(p);
        }
    }
}

/* Handles a member whose value is an object or an array. */
static void begin_member(haft__parser *p, const haft__json_event *event, haft_str used)
{
    haft__parser_json_scanner *s = &p->scanner;
    bool object = event->value.kind == HAFT__JSON_OBJECT;
    if (s->slot == HAFT__CALL_MEMBER_ARGS && object) {
        begin_args(p);
    } else if (s->slot == HAFT__CALL_MEMBER_INNER) {
        s->base = object ? 1 : 2;
    } else if (s->slot == HAFT__CALL_MEMBER_ANSWER) {
        s->in_answer = true;
        emit_answer(p, (haft_str){used.ptr + used.len - 1, 1});
    } else {
        on_scalar(p, event); /* cannot be a name or arguments */
    }
}

static void on_begin(haft__parser *p, const haft__json_event *event, haft_str used)
{
    haft__parser_json_scanner *s = &p->scanner;
    bool object = event->value.kind == HAFT__JSON_OBJECT;
    if (event->depth == 0 && (s->maybe || s->scan_kind == HAFT__SCAN_CALLS)) {
        s->base = object ? 0 : 1; /* a single call may omit the array */
    }
    if (event->depth == s->base && object) {
        begin_call(p, HAFT__LIT("{"));
        if (s->scan_kind == HAFT__SCAN_ARGS) {
            begin_args(p);
        }
    } else if (event->depth == s->base) {
        on_value_for_call(p, HAFT__LIT("["));
    } else if (event->depth == s->base + 1) {
        begin_member(p, event, used);
        if (s->base == 1 && s->slot == HAFT__CALL_MEMBER_INNER) {
            begin_call(p, HAFT__LIT("{"));
        }
    }
}

/* An array of calls has ended. If a call is still open, the array was empty. */
static void end_array(haft__parser *p)
{
    if (p->scanner.maybe && !p->scanner.decided) {
        treat_as_content(p);
    } else if (p->call.open) {
        haft__call_builder_discard(p);
    }
}

static void on_outside(haft__parser *p, const haft__json_event *event, haft_str used)
{
    haft__parser_json_scanner *s = &p->scanner;
    switch (event->kind) {
    case HAFT__JSON_EVENT_BEGIN: on_begin(p, event, used); break;
    case HAFT__JSON_EVENT_END:
        if (event->depth == s->base) {
            end_call(p);
        } else if (event->depth == 0) {
            end_array(p);
        }
        break;
    case HAFT__JSON_EVENT_KEY:
        if (event->depth == s->base + 1) {
            on_key(p, haft__json_text(event->value));
        }
        break;
    case HAFT__JSON_EVENT_PART:
    case HAFT__JSON_EVENT_SCALAR:
        if (event->depth == s->base + 1) {
            on_scalar(p, event);
        } else if (event->depth == s->base) {
            on_scalar_for_call(p, event);
        }
        break;
    case HAFT__JSON_EVENT_MORE:
    case HAFT__JSON_EVENT_DONE: break;
    }
}

bool haft__scan_is_not_finite(const haft__json_event *event)
{
    return event->kind == HAFT__JSON_EVENT_SCALAR && event->value.kind == HAFT__JSON_NUMBER
           && !event->value.integer && isinf(haft__number_to_double(haft__json_text(event->value)));
}

static void check_number(haft__parser *p, const haft__json_event *event)
{
    if (haft__scan_is_not_finite(event)) {
        set_reason(p, "a number is too large");
    }
}

/* Withholds the bytes until it is decided whether they are a call. If they are not, they are
 * content. */
static void keep_undecided(haft__parser *p, haft_str used)
{
    haft__parser_json_scanner *s = &p->scanner;
    if (s->is_content) {
        haft__parser_emit_content(p, used);
    } else if (s->maybe && !s->decided) {
        haft__buf_add_str(&p->undecided, used);
        haft__parser_check(p, &p->undecided);
    }
}

static void on_event(haft__parser *p, const haft__json_event *event, haft_str used)
{
    haft__parser_json_scanner *s = &p->scanner;
    keep_undecided(p, used);
    if (s->in_answer) {
        haft__parser_emit_content(p, used);
        s->in_answer = !(event->kind == HAFT__JSON_EVENT_END && event->depth == 1);
    } else if (!s->is_content) {
        on_outside(p, event, used);
    }
}

/* ---- the scanner ---- */

static void begin_scan(haft__parser *p, haft__scan_kind scan_kind)
{
    haft__parser_json_scanner *s = &p->scanner;
    if (!s->live) {
        s->scan_kind = (uint8_t)scan_kind;
        s->base = scan_kind == HAFT__SCAN_CALLS ? 1 : 0;
        s->maybe = scan_kind == HAFT__SCAN_MAYBE_CALL;
        s->in_args = s->in_answer = s->decided = s->answered = s->is_content = s->null_answer =
            false;
        s->why = NULL;
        s->slot = HAFT__CALL_MEMBER_OTHER;
        haft__json_stream_init(&s->json, NULL);
        s->live = true;
    }
}

void haft__scan_finish(haft__parser *p)
{
    if (p->scanner.live) {
        haft__json_stream_finish(&p->scanner.json);
        p->scanner.live = false;
    }
}

/* Enters the state that follows a value that was not a call. */
static void enter_text_state(haft__parser *p)
{
    uint8_t state = p->format->states[p->state].not_call;
    haft__parser_enter_state(p, state != 0 ? state : p->format->plain);
}

static bool is_string(haft__json_stream_state state)
{
    return state >= HAFT__JSON_IN_STRING && state <= HAFT__JSON_IN_HEX;
}

static bool is_object(const haft__json_stream *json, uint32_t level)
{
    return (json->objects[level / 64] >> (level % 64) & 1) != 0;
}

/* Whether the current call is an item of an array. */
static bool is_item(const haft__parser_json_scanner *s)
{
    return s->base > 0 && s->json.depth >= s->base && !is_object(&s->json, s->base - 1);
}

/* Marks the call as malformed. The JSON reader cannot continue, so malformed_call.c finds the end
 * of the call; `how` contains the open brackets and strings. */
static void begin_malformed(haft__parser *p, const char *why)
{
    const haft__parser_json_scanner *s = &p->scanner;
    bool item = is_item(s);
    haft__malformed_call how = {.json = true,
                                .resumes = item,
                                .state = p->state,
                                .depth = s->json.depth,
                                .floor = item ? s->base : 0,
                                .quote = is_string(s->json.failed_in) ? '"' : '\0',
                                .escape = s->json.failed_in == HAFT__JSON_IN_ESCAPE};
    for (uint32_t i = 0; i < s->json.depth; i++) {
        how.closers[i] = is_object(&s->json, i) ? '}' : ']';
    }
    haft__malformed_call_begin(p, why, &how);
}

/* Marks the call as malformed because of the byte `next`. If the JSON has not begun, the text may
 * be prose that mentions the mark of a call. Then the text is content, or later bytes decide
 * whether it is content. */
static void begin_malformed_at(haft__parser *p, const char *why, char next)
{
    bool first = p->scanner.json.depth == 0;
    haft__mention mention = first ? haft__mention_judge(p, next) : HAFT__MENTION_NO;
    if (mention == HAFT__MENTION_TEXT) {
        haft__mention_release(p, 0);
        return;
    }
    begin_malformed(p, why);
    if (mention == HAFT__MENTION_HELD) {
        haft__mention_hold(p, next);
    }
}

void haft__scan_resume(haft__parser *p)
{
    haft__parser_json_scanner *s = &p->scanner;
    haft_str before = s->base == 1 ? HAFT__LIT("[null") : HAFT__LIT("{\"\":[null");
    haft__json_event event;
    haft_error err;
    haft_status status;
    haft__json_stream_init(&s->json, NULL);
    s->live = true;
    s->in_args = s->in_answer = false;
    s->why = NULL;
    do {
        status = haft__json_stream_next(&s->json, &before, &event, &err);
    } while (status == HAFT_OK && event.kind != HAFT__JSON_EVENT_MORE);
    if (status != HAFT_OK) {
        haft__parser_fail(p, status, &err);
    }
}

/* Rejects the call at the byte `next`. */
static void reject(haft__parser *p, const char *why, char next)
{
    if (!p->call.open) { /* between two calls of an array */
        haft__call_builder_begin(p, HAFT__LIT(""), false);
    }
    haft__parser_repair_done(p);
    begin_malformed_at(p, why, next);
}

/* Handles text that is not JSON: a malformed call, or content if it cannot be a call. */
static void give_up(haft__parser *p, haft_status status, const haft_error *err, haft_str rest)
{
    haft__parser_json_scanner *s = &p->scanner;
    haft__scan_finish(p);
    if (status == HAFT_NO_MEMORY) {
        haft__parser_fail(p, status, err);
    } else if (s->maybe && !s->decided) {
        if (!s->is_content) {
            treat_as_content(p);
        }
        enter_text_state(p);
    } else {
        reject(p, err->message, rest.len > 0 ? rest.ptr[0] : '\0');
    }
}

/* Reads one event and its bytes. */
static haft_status next_event(haft__parser *p, haft_str *io_bytes, haft__json_event *event,
                              haft_str *ret_used, haft_error *err)
{
    haft_str before = *io_bytes;
    haft_status status = haft__json_stream_next(&p->scanner.json, io_bytes, event, err);
    *ret_used = (haft_str){before.ptr, before.len - io_bytes->len};
    return status;
}

/* Reads bytes that need no interpretation (arguments, or a value that is content) up to their end.
 * Reports them in the largest possible pieces. */
static haft_status scan_raw(haft__parser *p, haft_str *io_bytes, haft__json_event *event,
                            haft_error *err)
{
    haft__parser_json_scanner *s = &p->scanner;
    haft_str all = *io_bytes, used;
    bool args = s->in_args;
    uint32_t args_depth = s->scan_kind == HAFT__SCAN_ARGS ? 0 : s->base + 1;
    haft_status status = HAFT_OK;
    do {
        status = next_event(p, io_bytes, event, &used, err);
        if (status == HAFT_OK && args) {
            check_number(p, event);
            s->in_args = !(event->kind == HAFT__JSON_EVENT_END && event->depth == args_depth);
        }
    } while (status == HAFT_OK && s->in_args == args && event->kind > HAFT__JSON_EVENT_DONE);
    used = (haft_str){all.ptr, all.len - io_bytes->len};
    haft__parser_advance(p, used);
    keep_undecided(p, used);
    if (args && status == HAFT_OK) {
        haft__call_builder_add_args(p, used);
    }
    if (args && !s->in_args && s->scan_kind == HAFT__SCAN_ARGS) {
        end_call(p);
    }
    return status;
}

/* Reads one event of the structure around the arguments. */
static haft_status scan_structure(haft__parser *p, haft_str *io_bytes, haft__json_event *event,
                                  haft_error *err)
{
    haft_str used;
    haft_status status = next_event(p, io_bytes, event, &used, err);
    haft__parser_advance(p, used);
    if (status == HAFT_OK && event->kind != HAFT__JSON_EVENT_DONE) {
        on_event(p, event, used);
    } else if (status != HAFT_OK) {
        keep_undecided(p, used);
        if (p->scanner.in_answer) {
            /* The bytes before the invalid one are content, no matter how the text is split. */
            haft__parser_emit_content(p, used);
        }
    }
    return status;
}

/* The value has ended. Returns false if it was not a call. */
static bool end_scan(haft__parser *p)
{
    haft__scan_finish(p);
    haft__parser_repair_done(p);
    if (p->scanner.is_content) {
        enter_text_state(p);
    }
    return !p->scanner.is_content;
}

static bool begins_scalar(char c)
{
    return haft__ascii_is_digit(c) || (c != '\0' && strchr("\"-", c) != NULL);
}

/* Rejects a string or number at the place where a call must begin, if it may be prose. The call is
 * rejected at the first byte of the value; white space before it is skipped. */
static bool reject_scalar(haft__parser *p, haft_str *io_bytes)
{
    const haft__json_stream *json = &p->scanner.json;
    bool first = json->state == HAFT__JSON_AT_VALUE && json->depth == 0;
    if (!first) {
        return false;
    }
    size_t spaces = 0;
    while (spaces < io_bytes->len && haft__ascii_is_space(io_bytes->ptr[spaces])) {
        spaces++;
    }
    if (spaces == io_bytes->len || !begins_scalar(io_bytes->ptr[spaces])
        || haft__mention_judge(p, io_bytes->ptr[spaces]) == HAFT__MENTION_NO) {
        return false;
    }
    haft__parser_advance(p, (haft_str){io_bytes->ptr, spaces});
    *io_bytes = haft__str_skip(*io_bytes, spaces);
    haft__scan_finish(p);
    reject(p, "it is not an object", io_bytes->ptr[0]);
    return true;
}

bool haft__scan_json(haft__parser *p, haft__scan_kind scan_kind, haft_str *io_bytes)
{
    if (haft__parser_repair_applies(p)) {
        haft__parser_repair_scan(p, scan_kind, io_bytes);
        return false;
    }
    begin_scan(p, scan_kind);
    bool call = scan_kind == HAFT__SCAN_CALL || scan_kind == HAFT__SCAN_CALLS;
    if (call && reject_scalar(p, io_bytes)) {
        return false;
    }
    haft_error err;
    while (p->status == HAFT_OK) {
        haft__json_event event;
        bool raw = p->scanner.in_args || p->scanner.is_content;
        haft_status status =
            raw ? scan_raw(p, io_bytes, &event, &err) : scan_structure(p, io_bytes, &event, &err);
        if (status != HAFT_OK) {
            give_up(p, status, &err, *io_bytes);
            return false;
        }
        if (event.kind == HAFT__JSON_EVENT_DONE) {
            return end_scan(p);
        }
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
    haft__parser_json_scanner *s = &p->scanner;
    bool open = !s->is_content && !s->decided && !p->call.named;
    if (!s->live || open) { /* a scanner that is not live has read no byte */
        treat_as_content(p);
    }
}
