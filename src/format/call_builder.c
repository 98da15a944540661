/* SPDX-License-Identifier: Apache-2.0 */
/* call_builder.c - the call that is being read, from its first byte to its end. Tests:
 * tests/format/parser_test.c. */
#include "base/ascii.h"
#include "base/limits.h"
#include "format/parser.h"

void haft__call_builder_init(haft__parser *p)
{
    haft__call_builder *call = &p->call;
    haft__buf_init(&call->name, HAFT__LIMIT_FORMAT_NAME_BYTES);
    haft__buf_init(&call->id, HAFT__LIMIT_FORMAT_NAME_BYTES);
    haft__buf_init(&call->key, HAFT__LIMIT_JSON_KEY_BYTES);
    haft__buf_init(&call->args, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&call->raw, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&call->value, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&p->head.raw, HAFT__LIMIT_FORMAT_BYTES);
}

void haft__call_builder_finish(haft__parser *p)
{
    haft__call_builder *call = &p->call;
    haft__buf_finish(&call->name);
    haft__buf_finish(&call->id);
    haft__buf_finish(&call->key);
    haft__buf_finish(&call->args);
    haft__buf_finish(&call->raw);
    haft__buf_finish(&call->value);
    haft__buf_finish(&p->head.raw);
}

static void clear(haft__call_builder *call)
{
    haft__buf_clear(&call->name);
    haft__buf_clear(&call->id);
    haft__buf_clear(&call->key);
    haft__buf_clear(&call->args);
    haft__buf_clear(&call->raw);
    haft__buf_clear(&call->value);
    call->open = call->if_known = call->if_named = call->named = call->announced = call->repaired =
        false;
    call->members = call->wrapped = call->in_value = call->late = call->bad_recipient = false;
    call->in_section = false;
    call->written = call->opener = call->head = 0;
    call->is_code = call->in_comment = false;
    call->text = (haft__py_text){0};
    call->depth = 0;
    call->tool = NULL;
}

/* Adds as much of `bytes` as fits. */
static void keep(haft__parser *p, haft__buf *raw, haft_str bytes, size_t max)
{
    if (raw->len < max) {
        size_t room = max - raw->len;
        haft__buf_add(raw, bytes.ptr, bytes.len < room ? bytes.len : room);
        haft__parser_check(p, raw);
    }
}

void haft__call_builder_begin_header(haft__parser *p, haft_str mark)
{
    haft__message_header *head = &p->head;
    haft__buf_clear(&head->raw);
    head->live = true;
    head->offset = p->offset - mark.len;
    head->written = mark.len;
    keep(p, &head->raw, mark, HAFT__LIMIT_FORMAT_RAW_BYTES);
}

void haft__call_builder_begin(haft__parser *p, haft_str mark, bool if_known)
{
    const haft__message_header *head = &p->head;
    clear(&p->call);
    haft__malformed_call_reset(p);
    p->call.open = true;
    p->marked = true;
    p->call.if_known = if_known;
    p->call.opener = head->live ? 0 : mark.len;
    p->call.offset = head->live ? head->offset : p->offset - mark.len;
    haft__call_builder_record(p, head->live ? haft__buf_str(&head->raw) : mark);
    p->call.written = head->live ? head->written : p->call.written;
    p->head.live = false;
}

void haft__call_builder_record(haft__parser *p, haft_str bytes)
{
    const haft__call_builder *call = &p->call;
    haft__buf *raw = &p->call.raw;
    bool content = (call->if_known || call->if_named) && !call->named; /* it may become content */
    size_t max = content ? HAFT__LIMIT_FORMAT_BYTES : HAFT__LIMIT_FORMAT_RAW_BYTES;
    if (call->open) {
        p->call.written += bytes.len;
        keep(p, raw, bytes, max);
    } else if (p->head.live) {
        p->head.written += bytes.len;
        keep(p, &p->head.raw, bytes, HAFT__LIMIT_FORMAT_RAW_BYTES);
    }
}

void haft__call_builder_unrecord(haft__parser *p, size_t count)
{
    haft__call_builder *call = &p->call;
    call->written -= count < call->written ? count : call->written;
    call->raw.len = call->raw.len < call->written ? call->raw.len : call->written;
}

void haft__call_builder_add_text(haft__parser *p, haft__buf *to, haft_str text)
{
    size_t room = to->max - to->len;
    haft__buf_add(to, text.ptr, text.len < room ? text.len : room);
    if (text.len > room) { /* detected when the name is complete */
        haft__buf_fail(to, HAFT_TOO_BIG, NULL);
    }
    haft__parser_check_memory(p, to);
}

/* ---- the name ---- */

static bool is_name_byte(char c)
{
    bool letter = haft__ascii_is_letter(c);
    return letter || haft__ascii_is_digit(c) || (c != '\0' && strchr("_.:/-", c) != NULL);
}

bool haft__call_builder_is_name(haft_str name)
{
    size_t i = 0;
    bool word = false; /* the name has a letter or a digit */
    while (i < name.len && is_name_byte(name.ptr[i])) {
        word = word || strchr(".:/-", name.ptr[i]) == NULL;
        i++;
    }
    return i == name.len && word;
}

haft_str haft__call_builder_leading_name(haft_str text)
{
    size_t i = 0;
    while (i < text.len && is_name_byte(text.ptr[i])) {
        i++;
    }
    return (haft_str){text.ptr, i};
}

size_t haft__call_builder_name_length(const haft__parser *p, haft_str text)
{
    size_t room = HAFT__LIMIT_FORMAT_NAME_BYTES - p->call.name.len, i = 0;
    room = room < text.len ? room : text.len;
    bool spaced = !p->call.if_named; /* after >>>NAME only a line end is allowed */
    while (i < room
           && (is_name_byte(text.ptr[i]) || text.ptr[i] == '\r'
               || (spaced && haft__ascii_is_space(text.ptr[i])))) {
        i++;
    }
    return i;
}

const haft__format_tool *haft__call_builder_find_tool(const haft__parser *p, haft_str name)
{
    for (size_t i = 0; i < p->options.tool_count; i++) {
        if (haft__str_equal(p->options.tools[i].name, name)) {
            return &p->options.tools[i];
        }
    }
    return NULL;
}

static void follow_code(haft__call_builder *call, char c)
{
    if (call->text.quote != '\0' && haft__python_skip_string(&call->text, c)) {
        return;
    }
    if (call->in_comment) {
        call->in_comment = c != '\n';
    } else if (c == '#') {
        call->in_comment = true;
    } else if (c == '"' || c == '\'') {
        call->text = (haft__py_text){.quote = c, .quotes = 1};
    } else if (c == '(' || c == '[' || c == '{') {
        call->depth++;
    } else if ((c == ')' || c == ']' || c == '}') && call->depth > 0) {
        call->depth--;
    }
}

void haft__call_builder_add_code(haft__parser *p, haft_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        follow_code(&p->call, text.ptr[i]);
    }
    haft__value_add(p, text);
}

bool haft__call_builder_is_code_open(const haft__parser *p)
{
    const haft__call_builder *call = &p->call;
    bool empty = call->text.quotes == 2 && !call->text.triple;
    return call->is_code && (call->depth > 0 || (call->text.quote != '\0' && !empty));
}

void haft__call_builder_begin_code(haft__parser *p)
{
    haft__call_builder *call = &p->call;
    haft__buf text = call->name;
    haft__buf_init(&call->name, HAFT__LIMIT_FORMAT_NAME_BYTES);
    haft__buf_add_str(&call->name, HAFT__LIT("python"));
    haft__parser_check(p, &call->name);
    (void)haft__call_builder_end_name(p);
    haft__buf_add_str(&call->key, HAFT__LIT("code"));
    haft__parser_check(p, &call->key);
    (void)haft__value_begin(p, HAFT__ACTION_KEY_END_STRING);
    call->is_code = true;
    haft__call_builder_add_code(p, haft__buf_str(&text));
    haft__buf_finish(&text);
}

static void begin(haft__parser *p)
{
    haft__call_builder *call = &p->call;
    haft__parser_flush_text(p);
    p->called = true;
    p->calls++;
    haft__parser_emit(p, &(haft__parser_event){.kind = HAFT__PARSER_EVENT_CALL,
                                               .index = p->calls - 1,
                                               .id = call->id.status == HAFT_OK
                                                         ? haft__buf_str(&call->id)
                                                         : HAFT__LIT(""),
                                               .text = haft__buf_str(&call->name)});
    call->announced = true;
    haft__parser_emit_text(p, HAFT__PARSER_EVENT_ARGUMENTS, haft__buf_str(&call->args));
    haft__buf_clear(&call->args);
}

static void trim(haft__buf *buf)
{
    haft_str text = haft__buf_str(buf), trimmed = haft__str_trim(text);
    if (trimmed.len < text.len) {
        haft__parser_remove_prefix(buf,
                                   trimmed.len > 0 ? (size_t)(trimmed.ptr - text.ptr) : text.len);
        buf->len = trimmed.len;
    }
}

void haft__call_builder_end_id(haft__parser *p)
{
    haft__call_builder *call = &p->call;
    haft_str id = haft__str_trim(haft__buf_str(&call->id)), name = id;
    bool dotted = haft__str_starts_with(id, HAFT__LIT("functions."));
    if (dotted || haft__str_starts_with(id, HAFT__LIT("functions_"))) {
        name = haft__str_skip(id, strlen("functions."));
    }
    size_t end = name.len;
    while (end > 0 && haft__ascii_is_digit(name.ptr[end - 1])) {
        end--;
    }
    bool numbered = end > 0 && end < name.len
                    && (name.ptr[end - 1] == ':' || (!dotted && name.ptr[end - 1] == '_'));
    haft__buf_clear(&call->name);
    haft__call_builder_add_text(p, &call->name,
                                (haft_str){name.ptr, numbered ? end - 1 : name.len});
    if (call->id.status != HAFT_OK) { /* the end of the name is missing */
        call->name.status = call->id.status;
    }
    trim(&call->id);
}

bool haft__call_builder_has_short_id(haft__parser *p)
{
    trim(&p->call.id);
    haft_str id = haft__buf_str(&p->call.id);
    size_t i = 0;
    while (i < id.len && is_name_byte(id.ptr[i]) && strchr("_.:/-", id.ptr[i]) == NULL) {
        i++;
    }
    return p->call.id.status == HAFT_OK && i == id.len && id.len == 9;
}

const char *haft__call_builder_end_name(haft__parser *p)
{
    haft__call_builder *call = &p->call;
    haft_str name = haft__str_trim(haft__buf_str(&call->name));
    if (call->name.status != HAFT_OK || !haft__call_builder_is_name(name)) {
        return "its name is not a valid tool name";
    }
    call->tool = haft__call_builder_find_tool(p, name);
    trim(&call->name);
    call->named = true;
    call->head = call->written;
    return NULL;
}

void haft__call_builder_reject_recipient(haft__parser *p)
{
    haft__call_builder *call = &p->call;
    haft__buf_clear(&call->name);
    call->bad_recipient = true;
    call->named = false;
    call->tool = NULL;
}

void haft__call_builder_revert_to_content(haft__parser *p, size_t pending)
{
    haft__call_builder *call = &p->call;
    haft__call_builder_unrecord(p, p->rereading && !call->late ? pending : 0);
    call->open = false;
    haft__section_text_revert(p);
    haft__parser_emit_content(p, haft__buf_str(&call->raw));
    clear(call);
}

/* ---- the arguments ---- */

/* If repair is on, a call is reported only when it is complete. */
void haft__call_builder_add_args(haft__parser *p, haft_str text)
{
    haft__call_builder *call = &p->call;
    if (call->named && !call->announced && !p->options.repair) {
        begin(p);
    }
    if (call->announced) {
        haft__parser_emit_text(p, HAFT__PARSER_EVENT_ARGUMENTS, text);
    } else {
        haft__buf_add_str(&call->args, text);
        haft__parser_check(p, &call->args);
    }
}

void haft__call_builder_end(haft__parser *p)
{
    haft__call_builder *call = &p->call;
    if (call->id.status == HAFT_TOO_BIG) {
        haft__call_builder_fail(p, HAFT__PARSER_EVENT_MALFORMED, "its id is too long");
        return;
    }
    if (!call->announced) {
        begin(p);
    }
    haft__parser_emit(p, &(haft__parser_event){.kind = HAFT__PARSER_EVENT_CALL_END,
                                               .index = p->calls - 1,
                                               .id = haft__buf_str(&call->id),
                                               .repaired = call->repaired || p->repair.repaired});
    clear(call);
}

void haft__call_builder_discard(haft__parser *p)
{
    clear(&p->call);
}

void haft__call_builder_fail(haft__parser *p, haft__parser_event_kind kind, const char *why)
{
    p->cut_count = p->call.announced ? 0 : p->cut_count; /* of arguments that were dropped */
    haft__parser_flush_text(p);
    p->called = true;
    haft__parser_emit(p, &(haft__parser_event){.kind = kind,
                                               .index = p->calls - (p->call.announced ? 1 : 0),
                                               .id = haft__buf_str(&p->call.id),
                                               .text = haft__buf_str(&p->call.raw),
                                               .name = p->call.named ? haft__buf_str(&p->call.name)
                                                                     : HAFT__LIT(""),
                                               .offset = p->call.offset,
                                               .why = why});
    clear(&p->call);
}
