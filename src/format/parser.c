/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.c - moves through the states of a format, byte by byte. transition.c performs the actions
 * of marks, consume.c handles all other bytes.
 *
 * Invariants:
 *   1. A byte of the text is consumed once. Only the start of an incomplete mark, or a mark that
 *      belongs to the next state, is read a second time, in that state.
 *   2. Withheld bytes are the start of a mark, so the mark determines them.
 * Tests: tests/format/parser_test.c, tests/format/cases_test.c. Fuzzer: fuzz/format.c.
 */
#include "format/parser.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/limits.h"

/* How many bytes to search for a mark in states that another byte may end before the mark. */
#define LOOK_AHEAD 64

void haft__parser_fail(haft__parser *p, haft_status status, const haft_error *err)
{
    if (p->status == HAFT_OK) {
        p->status = status;
        p->err = *err;
    }
}

void haft__parser_check(haft__parser *p, const haft__buf *buf)
{
    if (buf->status != HAFT_OK && p->status == HAFT_OK) {
        p->status = haft__buf_check(buf, &p->err);
    }
}

void haft__parser_check_memory(haft__parser *p, const haft__buf *buf)
{
    if (buf->status == HAFT_NO_MEMORY) {
        haft__parser_check(p, buf);
    }
}

void haft__parser_advance(haft__parser *p, haft_str bytes)
{
    if (!p->rereading) {
        p->offset += bytes.len;
        haft__malformed_call_record(p, bytes);
    }
    if (!p->rereading || p->call.late) {
        haft__call_builder_record(p, bytes);
    }
}

/* ---- states ---- */

static void build_marks(haft__parser *p, uint8_t at)
{
    const haft__format_state *state = &p->format->states[at];
    const char *texts[COUNT(state->marks)];
    size_t count = 0;
    while (count < COUNT(state->marks) && state->marks[count].text != NULL) {
        texts[count] = state->marks[count].text;
        count++;
    }
    haft_error err = {0};
    haft_status status = haft__aho_corasick_build(&p->marks[at], &p->arena, texts, count, &err);
    if (status != HAFT_OK) {
        haft__parser_fail(p, status, &err);
    }
}

const haft__aho_corasick *haft__parser_marks(haft__parser *p, uint8_t state)
{
    const haft__format_state *target = &p->format->states[state];
    if (target->marks[0].text != NULL && p->marks[state].nodes == NULL) {
        build_marks(p, state);
    }
    return p->marks[state].nodes != NULL ? &p->marks[state] : NULL;
}

void haft__parser_enter_state(haft__parser *p, uint8_t state)
{
    bool inside = p->format->states[state].bytes == HAFT__BYTES_REASONING;
    bool thought = haft__parser_state(p)->bytes == HAFT__BYTES_REASONING && state != p->state;
    if (thought && !(inside && p->reasoning_mark != NULL)) {
        /* Back to the enclosing text. */
        state = p->reasoning_mark != NULL ? p->state_before_reasoning : state;
        haft__parser_end_reasoning(p);
    }
    p->state = state;
    haft__bytes_kind bytes = (haft__bytes_kind)haft__parser_state(p)->bytes;
    if (bytes == HAFT__BYTES_CONTENT || bytes == HAFT__BYTES_REASONING) {
        p->head.live = false; /* the message was not a call */
    }
    p->mark_node = 0;
    p->tail_has_text = false;
    p->tail = '\0';
    p->header_word_complete = haft__parser_state(p)->titled;
    if (bytes == HAFT__BYTES_HEADER) {
        haft__buf_clear(&p->undecided);
    }
    (void)haft__parser_marks(p, state);
}

/* ---- marks and other bytes ---- */

/* Handles a mark, or bytes that only look like one inside a value. */
static void on_mark(haft__parser *p, const haft__format_state *from, const haft__format_mark *mark)
{
    if (mark->if_line && !haft__value_may_end(p)) {
        haft__parser_reconsume(p, haft__str(mark->text));
    } else {
        haft__parser_transition(p, from, mark);
    }
}

/* Reads one byte while a mark may have begun. Returns whether the byte was consumed. */
static bool step(haft__parser *p, char byte)
{
    const haft__format_state *state = haft__parser_state(p);
    const haft__aho_corasick *marks = &p->marks[p->state];
    const haft__aho_corasick_node *before = &marks->nodes[p->mark_node];
    uint16_t next = haft__aho_corasick_step(marks, p->mark_node, byte);
    const haft__aho_corasick_node *after = &marks->nodes[next];
    if (haft__parser_may_leave_state(state) && after->depth <= before->depth && before->depth > 0) {
        p->mark_node = 0;
        haft__parser_reconsume(p, (haft_str){before->text, before->depth});
        return false;
    }
    size_t freed = before->depth + 1U - after->depth;
    p->mark_node = next;
    if (freed > 0 && before->depth > 0) {
        haft__parser_reconsume(
            p, (haft_str){before->text, freed < before->depth ? freed : before->depth});
    }
    if (freed > before->depth) {
        (void)haft__parser_consume(p, (haft_str){&byte, 1});
        return true;
    }
    haft__parser_advance(p, (haft_str){&byte, 1});
    if (after->mark != 0) {
        p->mark_node = 0;
        const haft__format_mark *mark = &state->marks[after->mark - 1];
        if (p->malformed.live && haft__malformed_call_hides_mark(p, mark)) {
            return true;
        }
        if (p->malformed.live && !mark->inside) {
            haft__malformed_call_end_at_mark(p, mark);
        }
        on_mark(p, state, mark);
    }
    return true;
}

static void consume(haft__parser *p, haft_str *io_bytes)
{
    const haft__aho_corasick *marks = &p->marks[p->state];
    size_t plain = 0;
    if (marks->nodes == NULL) {
        plain = io_bytes->len;
    } else if (p->mark_node == 0) {
        bool moves = haft__parser_may_leave_state(
            haft__parser_state(p)); /* in such states few of the bytes are likely to be consumed */
        size_t max = moves && io_bytes->len > LOOK_AHEAD ? LOOK_AHEAD : io_bytes->len;
        plain = haft__aho_corasick_skip(marks, (haft_str){io_bytes->ptr, max});
    }
    if (plain > 0) {
        size_t used = haft__parser_consume(p, (haft_str){io_bytes->ptr, plain});
        *io_bytes = haft__str_skip(*io_bytes, used);
    } else if (step(p, io_bytes->ptr[0])) {
        *io_bytes = haft__str_skip(*io_bytes, 1);
    }
}

/* Leaves a malformed call that ended with its JSON. */
static void leave_malformed(haft__parser *p)
{
    uint8_t state = p->malformed.state;
    bool resumes = p->malformed.resumes, scans = p->format->states[state].scan != HAFT__SCAN_NONE;
    uint8_t after = p->format->after_malformed != 0 ? p->format->after_malformed
                    : scans                         ? p->format->states[state].fallback
                                                    : p->format->plain;
    haft__malformed_call_end(p);
    if (resumes) {
        haft__parser_enter_state(p, state);
        haft__scan_resume(p);
    } else {
        haft__parser_enter_state(p, after);
        p->tail = ','; /* the call may have ended too early */
    }
}

/* Reads bytes of a malformed call; a mark counts only outside strings and tags. */
static void consume_malformed(haft__parser *p, haft_str *io_bytes)
{
    haft__malformed_call *w = &p->malformed;
    haft_str byte = {io_bytes->ptr, 1};
    haft__malformed_call_step did = haft__malformed_call_scan_byte(p, w, byte.ptr[0]);
    if (did == HAFT__MALFORMED_ENDS_BEFORE) {
        if (p->call.written == 0) { /* a comma without a call after it */
            haft__call_builder_record(p, byte);
        }
        leave_malformed(p);
        return;
    }
    (void)step(p, byte.ptr[0]); /* consumes every byte in this state */
    *io_bytes = haft__str_skip(*io_bytes, 1);
    if (!w->live) {
        return;
    }
    if (did == HAFT__MALFORMED_ENDS_AFTER) {
        leave_malformed(p);
    } else if (p->state == p->format->malformed && w->quote == '\0') {
        haft__malformed_call_tag_scan_byte(&w->tag, byte.ptr[0], w->depth > 0);
    }
    if (w->live && w->mention && !p->rereading) {
        haft__mention_step(p);
    }
}

static bool scan(haft__parser *p, haft__scan_kind scan_kind, haft_str *io_bytes)
{
    if (scan_kind == HAFT__SCAN_FINAL_VALUE) {
        return haft__parser_repair_scan_undecided(p, io_bytes);
    }
    return scan_kind >= HAFT__SCAN_PYTHON_LIST ? haft__scan_python(p, scan_kind, io_bytes)
                                               : haft__scan_json(p, scan_kind, io_bytes);
}

void haft__parser_read(haft__parser *p, haft_str bytes)
{
    p->reads += bytes.len;
    while (bytes.len > 0 && p->status == HAFT_OK) {
        const haft__format_state *state = haft__parser_state(p);
        if (p->malformed.live && p->malformed.json && p->state == p->format->malformed) {
            consume_malformed(p, &bytes);
        } else if (state->scan == HAFT__SCAN_NONE) {
            consume(p, &bytes);
        } else if (scan(p, (haft__scan_kind)state->scan, &bytes)) {
            haft__parser_enter_state(p, state->fallback);
        }
    }
}

/* ---- the public functions ---- */

haft_status haft__parser_create(const haft__format *format, const haft__parser_options *options,
                                haft__parser **ret_parser, haft_error *err)
{
    haft__parser *p = calloc(1, sizeof(*p));
    if (p == NULL) {
        return haft__fail_no_memory(err);
    }
    p->format = format;
    p->options = *options;
    haft__arena_init(&p->arena, 0);
    haft__parser_emit_init(p);
    haft__call_builder_init(p);
    haft__parser_repair_init(p);
    haft__malformed_call_init(p);
    haft__stop_tokens_init(p);
    haft__parser_enter_state(p, options->start_in_reasoning ? format->reasoning : 0);
    if (p->status != HAFT_OK) {
        haft_status status = p->status;
        if (err != NULL) {
            *err = p->err;
        }
        haft__parser_destroy(p);
        return status;
    }
    *ret_parser = p;
    return HAFT_OK;
}

void haft__parser_destroy(haft__parser *p)
{
    if (p != NULL) {
        haft__scan_finish(p);
        haft__parser_repair_finish(p);
        haft__malformed_call_finish(p);
        haft__stop_tokens_finish(p);
        haft__call_builder_finish(p);
        haft__parser_emit_finish(p);
        haft__arena_finish(&p->arena);
        free(p);
    }
}

static haft_status result(const haft__parser *p, haft_error *err)
{
    if (p->status != HAFT_OK && err != NULL) {
        *err = p->err;
    }
    return p->status;
}

haft_status haft__parser_feed(haft__parser *p, haft_str bytes, haft_error *err)
{
    if (bytes.len > HAFT__LIMIT_FORMAT_BYTES - p->offset - p->stop_tokens.text.len) {
        return haft__fail(err, HAFT_TOO_BIG, "", "expected at most %d bytes of text, found more",
                          HAFT__LIMIT_FORMAT_BYTES);
    }
    haft__stop_tokens_read(p, bytes);
    return result(p, err);
}

/* The reasoning never ended, so the possible call in it is read as a call. If the reasoning began
 * with that call, or after text, it was not reasoning. */
static void release_suspect(haft__parser *p)
{
    haft__buf text = p->suspect;
    haft__buf_init(&p->suspect, HAFT__LIMIT_FORMAT_BYTES);
    p->endless |= (uint32_t)1 << (p->reasoning_mark != NULL ? p->reasoning_mark->to : p->state);
    if (p->reasoning_mark != NULL) {
        p->reasoning_mark = NULL;
        haft__call_builder_unrecord(p, text.len); /* of a section that has begun */
        p->state = p->state_before_reasoning;
        haft__parser_enter_state(p, p->state_before_reasoning);
    } else {
        haft__parser_enter_state(p, p->reasoning.begun ? p->format->plain : 0);
    }
    p->offset -= text.len; /* the suspect extends to the end of the text */
    haft__parser_read(p, haft__buf_str(&text));
    haft__buf_finish(&text);
}

/* Whether the first `length` bytes of a mark can be dropped: the text ends inside the opening or
 * closing tag of a call. After other text, a single byte may be part of that text. */
static bool is_tag_of_call(const haft__parser *p, size_t length)
{
    const haft__format_state *state = haft__parser_state(p);
    bool header = state->bytes >= HAFT__BYTES_NAME && state->bytes <= HAFT__BYTES_KEY;
    return state->bytes == HAFT__BYTES_GAP
           || (state->bytes == HAFT__BYTES_TAIL && (!p->tail_has_text || length > 1))
           || (state->bytes == HAFT__BYTES_HEADER && (p->undecided.len == 0 || length > 1))
           || (state->bytes == HAFT__BYTES_WHITESPACE
               && ((p->call.open && (p->call.named || !p->call.if_named))
                   || (!p->call.open && p->had_markup && p->state != 0)))
           || (header && !p->call.if_known && !p->call.if_named && state->fallback == 0);
}

/* Handles the start of a mark at the end of the text. In the next state the same bytes may be the
 * start of another mark. */
static void end_partial_mark(haft__parser *p)
{
    while (p->mark_node > 0) {
        const haft__aho_corasick_node *node = &p->marks[p->state].nodes[p->mark_node];
        p->mark_node = 0;
        if (!is_tag_of_call(p, node->depth)) {
            haft__parser_reconsume(p, (haft_str){node->text, node->depth});
        }
    }
}

/* Handles undecided bytes at the end of the text. */
static void end_undecided(haft__parser *p, bool cut)
{
    const haft__format_state *state = haft__parser_state(p);
    bool complete =
        !cut || state->at_end == HAFT__ACTION_CODE_END; /* further text could belong to the value */
    if (state->at_end != HAFT__ACTION_NONE && complete) {
        (void)haft__parser_apply_action(p, (haft__format_action)state->at_end, NULL);
    } else if (haft__parser_is_undecided(state) || state->last) {
        haft__parser_enter_state(p, state->scan == HAFT__SCAN_NONE ? state->fallback
                                                                   : p->format->plain);
        haft__parser_reconsume(p, state->drops ? HAFT__LIT("") : haft__buf_str(&p->undecided));
    } else if (haft__parser_is_maybe_call(state)) {
        haft__scan_decide(p);
    }
}

/* Reads bytes that count only at the end of the text. */
static void read_last(haft__parser *p)
{
    haft__buf text = p->undecided;
    haft__buf_init(&p->undecided, HAFT__LIMIT_FORMAT_BYTES);
    p->last_read = true;
    haft__parser_enter_state(p, 0);
    p->offset -= text.len;
    haft__parser_read(p, haft__buf_str(&text));
    haft__buf_finish(&text);
}

/* Ends everything that was incomplete. In a text that was cut, the last part may be incomplete too.
 */
static void end_pending(haft__parser *p, bool cut)
{
    haft__parser_repair_end(p);
    end_partial_mark(p);
    if (haft__parser_state(p)->last && !cut) {
        read_last(p);
        haft__parser_repair_end(p);
        end_partial_mark(p);
    }
}

/* Reads all suspects, because each reading may withhold another one: any number of blocks of
 * reasoning after text, but only one possible call inside reasoning. */
static void end_suspects(haft__parser *p, bool cut)
{
    bool read_call = false;
    while (p->suspect.len > 0 && !cut
           && (p->reasoning_mark != NULL || (!read_call && haft__parser_is_suspect_call(p)))) {
        read_call = read_call || p->reasoning_mark == NULL;
        release_suspect(p);
        end_pending(p, cut);
    }
    if (p->suspect.len > 0) {
        haft__parser_end_reasoning(p); /* the end of the reasoning may be missing */
    }
}

bool haft__parser_is_thinking(const haft__parser *p)
{
    return haft__parser_state(p)->bytes == HAFT__BYTES_REASONING;
}

haft_status haft__parser_end(haft__parser *p, bool cut, haft_error *err)
{
    haft__stop_tokens_end(p);
    end_pending(p, cut);
    end_suspects(p, cut);
    while (!cut && (haft__mention_reread(p) || haft__malformed_call_reparse(p))) {
        end_pending(p, cut); /* at most one mention and one malformed call are read again */
    }
    if (!cut || haft__parser_is_undecided(haft__parser_state(p))
        || haft__parser_state(p)->scan != HAFT__SCAN_NONE) {
        end_undecided(p, cut);
    }
    if (p->malformed.live) {
        haft__malformed_call_end_of_text(p);
    } else if ((p->call.open && !p->call.named
                && (p->call.if_known || (p->call.if_named && p->call.bad_recipient)))
               || haft__parser_is_call_uncertain(p) || haft__mention_at_end(p, cut)) {
        haft__call_builder_revert_to_content(p, 0); /* it may have become a call */
    } else if (p->section.withheld && !cut
               && haft__parser_state(p)->bytes == HAFT__BYTES_SECTION_TEXT) {
        haft__section_text_revert(p);
        haft__call_builder_discard(p);
    } else if (p->call.open && p->call.if_named && p->call.name.len == 0) {
        haft__call_builder_discard(p); /* a mark with .null_answer after it */
    }
    if (p->call.open && !haft__scan_complete(p)) {
        haft__call_builder_fail(p, HAFT__PARSER_EVENT_TRUNCATED, "the text ends inside it");
    }
    haft__parser_emit_end(p, cut);
    return result(p, err);
}
