/* SPDX-License-Identifier: Apache-2.0 */
/* consume.c - bytes that are not part of a mark: the state defines their meaning, or they lead to
 * another state. Tests: tests/format/parser_test.c, tests/format/cases_test.c. Fuzzer:
 * fuzz/format.c. */
#include "format/parser.h"

#include "base/ascii.h"
#include "base/limits.h"

static size_t count_spaces(haft_str text)
{
    size_t i = 0;
    while (i < text.len && haft__ascii_is_space(text.ptr[i])) {
        i++;
    }
    return i;
}

bool haft__parser_is_undecided(const haft__format_state *state)
{
    return state->bytes == HAFT__BYTES_UNDECIDED || state->bytes == HAFT__BYTES_HEADER;
}

void haft__parser_reconsume(haft__parser *p, haft_str text)
{
    bool before = p->rereading;
    p->rereading = true;
    size_t used = haft__parser_consume(p, text);
    if (used < text.len) {
        haft__parser_read(p, haft__str_skip(text, used));
    }
    p->rereading = before;
    p->call.late = p->call.late && before;
}

bool haft__parser_is_call_uncertain(const haft__parser *p)
{
    return p->call.open && p->call.if_named && p->call.named && p->call.tool == NULL
           && haft__parser_state(p)->bytes == HAFT__BYTES_WHITESPACE;
}

/* Reads white space, then leaves the state if other bytes follow. */
static size_t consume_whitespace(haft__parser *p, const haft__format_state *state, haft_str text)
{
    size_t spaces = count_spaces(text);
    if (spaces > 0 && p->call.if_named
        && !p->call.named) { /* the name must follow without white space */
        haft__call_builder_revert_to_content(p, text.len);
        haft__parser_enter_state(p, p->format->plain);
        return 0;
    }
    haft__parser_advance(p, (haft_str){text.ptr, spaces});
    bool doubt = state->bytes == HAFT__BYTES_UNDECIDED;
    if (doubt) {
        haft__buf_add(&p->undecided, text.ptr, spaces);
        haft__parser_check(p, &p->undecided);
    } else if (state->bytes == HAFT__BYTES_WHITESPACE) {
        haft__parser_emit_whitespace(p, (haft_str){text.ptr, spaces});
    }
    if (spaces == text.len) {
        return spaces;
    }
    if (state->fallback == p->format->malformed && p->call.open) {
        haft__parser_reject_unless_mention(p, "it has text where only tags belong",
                                           text.ptr[spaces], text.len - spaces);
    } else if (haft__parser_is_call_uncertain(p)) {
        haft__call_builder_revert_to_content(p, text.len - spaces);
        haft__parser_enter_state(p, p->format->plain);
    } else {
        haft__parser_enter_state(p, state->fallback);
        if (haft__parser_state(p)->bytes == HAFT__BYTES_SECTION_TEXT) {
            haft__section_text_begin(p, text.ptr[spaces], text.len - spaces);
        } else if (haft__parser_state(p)->bytes == HAFT__BYTES_NAME
                   && !p->call.open) { /* the call begins with its name, without a mark */
            haft__call_builder_begin(p, HAFT__LIT(""), true);
            p->call.late = p->rereading;
            p->call.offset -= p->rereading ? text.len - spaces : 0;
        }
    }
    if (doubt && !state->drops) {
        haft__parser_reconsume(p, haft__buf_str(&p->undecided));
    }
    return spaces;
}

/* Begins a malformed call for a second value in a call. */
static void begin_second(haft__parser *p, size_t length)
{
    haft__call_builder_begin(p, HAFT__LIT(""), false);
    p->call.late = p->rereading;
    p->call.offset -= p->rereading ? length : 0;
    haft__malformed_call_begin(p, "it is a second value in one call",
                               &(haft__malformed_call){.json = true});
}

/* Reads brackets, commas and colons after the end of a value, which may have ended too early. */
static size_t consume_stray_json(haft__parser *p, const haft__format_state *state, haft_str text)
{
    bool content =
        state->fallback == 0 || p->format->states[state->fallback].bytes == HAFT__BYTES_CONTENT;
    size_t used = 0;
    while (used < text.len && text.ptr[used] != '\0'
           && strchr("}],: \n\r\t", text.ptr[used]) != NULL) {
        p->tail = strchr("}],:", text.ptr[used]) != NULL ? text.ptr[used] : p->tail;
        used++;
    }
    haft_str debris = {text.ptr, used};
    haft__parser_advance(p, debris);
    if (content) {
        p->tail_has_text = p->tail_has_text || used > 0;
        haft__parser_emit_content(p, debris);
    }
    return used;
}

/* Whether the byte after a value and `tail` begins a second value, or continues a value that ended
 * too early. Marks in the strings of such a value are data. */
static bool is_second(const haft__parser *p, char c)
{
    bool more = p->tail == ',' || p->tail == ':';
    bool first = p->tail == '\0' && !p->format->open_ended; /* else the byte may begin text */
    return (c == '"' || c == '{' || c == '[') && (more || first);
}

/* Reads bytes between the value of a call and its closing mark. */
static size_t consume_tail(haft__parser *p, const haft__format_state *state, haft_str text)
{
    bool fresh = !p->tail_has_text && p->tail == '\0',
         text_came = p->tail_has_text && p->tail == '\0';
    size_t used = fresh ? count_spaces(text) : 0;
    haft__parser_advance(p, (haft_str){text.ptr, used});
    haft__parser_emit_whitespace(p, (haft_str){text.ptr, used});
    if (p->format->json && !text_came) {
        used += consume_stray_json(p, state, haft__str_skip(text, used));
    }
    haft_str rest = haft__str_skip(text, used);
    if (rest.len == 0) {
        return used;
    }
    if (p->format->json && !text_came && is_second(p, rest.ptr[0])) {
        begin_second(p, rest.len);
        return used;
    }
    if (state->fallback != 0) {
        haft__parser_enter_state(p, state->fallback);
        return used;
    }
    p->tail_has_text = true;
    p->tail = '\0';
    haft__parser_advance(p, rest);
    haft__parser_emit_content(p, rest);
    return text.len;
}

/* The longest header; more bytes are text. */
#define HEADER_BYTES 256

/* How many bytes precede the text of a header: its first word, and white space. */
static size_t count_before_text(haft__parser *p, haft_str text)
{
    size_t i = 0;
    while (!p->header_word_complete && i < text.len && haft__ascii_is_letter(text.ptr[i])) {
        i++;
    }
    p->header_word_complete = p->header_word_complete || i < text.len;
    return p->undecided.len == 0 ? i + count_spaces(haft__str_skip(text, i)) : i;
}

/* Withholds the header of a message. */
static size_t consume_message_header(haft__parser *p, const haft__format_state *state,
                                     haft_str text)
{
    haft__buf *header = &p->undecided;
    size_t before = count_before_text(p, text);
    size_t room = HEADER_BYTES - header->len, rest = text.len - before;
    haft_str piece = {text.ptr + before, rest < room ? rest : room};
    haft__parser_advance(p, (haft_str){text.ptr, before + piece.len});
    haft__buf_add_str(header, piece);
    haft__parser_check(p, header);
    if (header->len == HEADER_BYTES) {
        haft__parser_enter_state(p, state->fallback);
        haft__parser_reconsume(p, haft__buf_str(header));
    }
    return before + piece.len;
}

static void read_header(haft__parser *p, haft__buf *to, haft_str text)
{
    haft__parser_advance(p, text);
    haft__call_builder_add_text(p, to, text);
    if (to != &p->call.key && !p->marks[p->state].starts['"']) { /* else it is in quotes */
        haft__malformed_call_scan_header(p, text);
    }
}

/* A name or an id with more bytes than this, counted from the first mark of its call, may be
 * prose. */
#define WORD_BYTES (2 * HAFT__LIMIT_FORMAT_NAME_BYTES)

/* If a name or an id becomes longer than WORD_BYTES, reads its bytes up to that length. True if
 * they are prose; then the state has changed. */
static bool consume_long_words(haft__parser *p, haft__buf *to, haft_str text, size_t *ret_used)
{
    size_t words = p->call.written - p->call.opener;
    *ret_used = 0;
    if (p->rereading || words > WORD_BYTES || text.len <= WORD_BYTES - words) {
        return false;
    }
    *ret_used = WORD_BYTES - words;
    read_header(p, to, (haft_str){text.ptr, *ret_used});
    char next = haft__mention_first_byte(p);
    if (haft__mention_judge(p, next) == HAFT__MENTION_NO) {
        return false;
    }
    haft__parser_reject_unless_mention(p, "its name is not a valid tool name", next,
                                       text.len - *ret_used);
    return true;
}

/* Reads a name, an id or a key up to the start of a tag, which is never part of it. */
static size_t consume_header(haft__parser *p, haft__buf *to, haft_str text)
{
    bool key = to == &p->call.key;
    size_t used = 0, before = 0;
    while (used < text.len && text.ptr[used] != '<' && (key || text.ptr[used] != '[')) {
        used++;
    }
    if (!key && consume_long_words(p, to, (haft_str){text.ptr, used}, &before)) {
        return before;
    }
    read_header(p, to, (haft_str){text.ptr + before, used - before});
    if (used < text.len) {
        haft__parser_reject_unless_mention(
            p, key ? "the name of a parameter contains a tag" : "its name or id contains a tag",
            key ? '\0' : haft__mention_first_byte(p), text.len - used);
        if (key
            && p->format->malformed_value != 0) { /* the value follows, or the end of the call */
            haft__parser_enter_state(p, p->format->malformed_value);
        }
    }
    return used;
}

/* Reads the name of a tool. If the call needs a known tool, or if other bytes are code, stops at
 * the first byte that cannot be part of a name. */
static size_t consume_name(haft__parser *p, const haft__format_state *state, haft_str text)
{
    bool content = p->call.if_known || p->call.if_named; /* bytes that are not a name are content */
    if (!content && state->fallback == 0) { /* the name is checked when it is complete */
        return consume_header(p, &p->call.name, text);
    }
    size_t used = haft__call_builder_name_length(p, text);
    haft__parser_advance(p, (haft_str){text.ptr, used});
    haft__call_builder_add_text(p, &p->call.name, (haft_str){text.ptr, used});
    if (used == text.len) {
        return used;
    }
    if (content) {
        haft__call_builder_revert_to_content(p, text.len - used);
        haft__parser_enter_state(p, p->format->plain);
    } else {
        haft__call_builder_begin_code(p);
        haft__parser_enter_state(p, state->fallback);
    }
    return used;
}

size_t haft__parser_consume(haft__parser *p, haft_str text)
{
    const haft__format_state *state = haft__parser_state(p);
    switch ((haft__bytes_kind)state->bytes) {
    case HAFT__BYTES_NAME: return consume_name(p, state, text);
    case HAFT__BYTES_ID: return consume_header(p, &p->call.id, text);
    case HAFT__BYTES_KEY: return consume_header(p, &p->call.key, text);
    case HAFT__BYTES_WHITESPACE:
    case HAFT__BYTES_UNDECIDED:
    case HAFT__BYTES_GAP: return consume_whitespace(p, state, text);
    case HAFT__BYTES_TAIL: return consume_tail(p, state, text);
    case HAFT__BYTES_HEADER: return consume_message_header(p, state, text);
    case HAFT__BYTES_CONTENT:
    case HAFT__BYTES_SECTION_TEXT:
    case HAFT__BYTES_REASONING:
    case HAFT__BYTES_CODE:
    case HAFT__BYTES_VALUE:
    case HAFT__BYTES_IGNORED: break;
    }
    haft__parser_advance(p, text);
    bool section =
        state->bytes == HAFT__BYTES_SECTION_TEXT && (!state->drops || p->section.withheld);
    if (state->bytes == HAFT__BYTES_CONTENT || section) {
        haft__parser_emit_content(p, text);
    } else if (state->bytes == HAFT__BYTES_REASONING) {
        haft__parser_emit_reasoning(p, text);
    } else if (state->bytes == HAFT__BYTES_CODE) {
        haft__parser_emit_code(p, text);
    } else if (state->bytes == HAFT__BYTES_VALUE && p->call.is_code) {
        haft__call_builder_add_code(p, text);
    } else if (state->bytes == HAFT__BYTES_VALUE) {
        haft__value_add(p, text);
    }
    return text.len;
}
