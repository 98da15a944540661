/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transition.c - performs the action of a mark and enters the next state.
 *
 * Tests: tests/format/parser_test.c, tests/format/cases_test.c. Fuzzer: fuzz/format.c.
 */
#include "base/limits.h"
#include "format/parser.h"

void haft__parser_reject_call(haft__parser *p, const char *why)
{
    if (p->format->states[p->format->malformed].bytes == HAFT__BYTES_IGNORED) {
        haft__malformed_call how =
            p->malformed; /* the state after the part of the name or id that has arrived */
        how.json = true;
        how.state = p->state;
        haft__malformed_call_begin(p, why, &how);
    } else {
        haft__call_builder_fail(p, HAFT__PARSER_EVENT_MALFORMED, why);
        haft__parser_enter_state(p, p->format->malformed);
    }
}

void haft__parser_reject_unless_mention(haft__parser *p, const char *why, char next, size_t pending)
{
    haft__mention mention = haft__mention_judge(p, next);
    if (mention == HAFT__MENTION_TEXT) {
        haft__mention_release(p, pending);
        return;
    }
    haft__parser_reject_call(p, why);
    if (mention == HAFT__MENTION_HELD && p->malformed.live) {
        haft__mention_hold(p, next);
    }
}

/* Like haft__parser_reject_call, for an error in a key: skips the value too. */
static void reject_key(haft__parser *p, const char *why)
{
    haft__parser_reject_call(p, why);
    if (p->format->malformed_value != 0) {
        haft__parser_enter_state(p, p->format->malformed_value);
    }
}

/* Reads text that was consumed before, in the current state. */
static void read_again(haft__parser *p, haft_str text)
{
    bool before = p->rereading;
    p->rereading = true;
    haft__parser_read(p, text);
    p->rereading = before;
}

/* Ends the name of a call. False if another state was entered, because the name is not valid, or
 * because it must be the name of a tool and is not. */
static bool end_name(haft__parser *p, const haft__format_mark *mark)
{
    const char *why = haft__call_builder_end_name(p);
    if ((p->call.if_known && p->call.tool == NULL) || (p->call.if_named && why != NULL)) {
        haft__call_builder_revert_to_content(p, 0);
        haft__parser_enter_state(p, p->format->plain);
        return false;
    }
    if (why != NULL
        && p->call.bad_recipient) { /* a later state decides whether the message is a call */
        return true;
    }
    if (why != NULL && haft__parser_state(p)->fallback != 0) { /* the mark is inside code */
        uint8_t code = haft__parser_state(p)->fallback;
        haft__call_builder_begin_code(p);
        haft__call_builder_add_code(p, haft__str(mark->text));
        haft__parser_enter_state(p, code);
    } else if (mark->reread && haft__mention_is_name(p)) {
        haft__mention_release(p, 0);
        return false;
    } else if (why != NULL && haft__str_starts_with(haft__str(mark->text), HAFT__LIT("</"))
               && haft__mention_is_empty(p, mark)) {
        haft__mention_release(p, 0);
    } else if (why != NULL) {
        haft_str name = haft__str_trim(haft__buf_str(&p->call.name));
        haft__parser_reject_unless_mention(p, why, name.len > 0 ? name.ptr[0] : '\0', 0);
    }
    return why == NULL;
}

/* Whether the arguments have a tool as recipient. Without `functions.`, the name of a tool counts
 * as a repair. */
static bool check_recipient(haft__parser *p, const haft__format_mark *mark)
{
    haft__call_builder *call = &p->call;
    (void)mark;
    if (call->bad_recipient && (!p->options.repair || call->tool == NULL)) {
        haft__parser_reject_call(p, "its recipient is not functions.NAME");
        return false;
    }
    call->repaired = call->repaired || call->bad_recipient;
    call->bad_recipient = false;
    return true;
}

/* ---- actions ---- */

/* Performs the action of a mark, or of the end of the text (`mark` is NULL). False if the action
 * entered another state than the mark's. */
typedef bool action_function(haft__parser *p, const haft__format_mark *mark);

static bool do_nothing(haft__parser *p, const haft__format_mark *mark)
{
    (void)p, (void)mark;
    return true;
}

static bool begin_call(haft__parser *p, const haft__format_mark *mark)
{
    if (!haft__section_text_ends_at(p, mark)) {
        haft__parser_reconsume(p, haft__str(mark->text));
        return false;
    }
    uint8_t bytes = haft__parser_state(p)->bytes;
    bool section = bytes == HAFT__BYTES_GAP || bytes == HAFT__BYTES_SECTION_TEXT;
    bool later = section && !p->call.open;
    haft__section_text_hold_mark(p, mark);
    haft__call_builder_begin(p, haft__str(mark->reread ? "" : mark->text), mark->if_known);
    p->call.if_named = mark->if_named;
    p->call.in_section = later;
    return true;
}

static bool begin_recipient(haft__parser *p, const haft__format_mark *mark)
{
    haft__call_builder_begin(p, haft__str(mark->text), false);
    p->call.bad_recipient = true; /* until `functions.` follows */
    p->call.if_named = mark->if_named;
    return true;
}

static bool accept_recipient(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    p->call.bad_recipient = false;
    return true;
}

static bool end_recipient(haft__parser *p, const haft__format_mark *mark)
{
    bool named = end_name(p, mark);
    p->call.if_named = false;
    return named;
}

static bool reject_recipient(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    haft__call_builder_reject_recipient(p);
    return true;
}

/* Handles a recipient in a message that is not a call. A recipient without `functions.` is the
 * reader of a text. */
static bool reject_recipient_in_text(haft__parser *p, const haft__format_mark *mark)
{
    bool text = mark->to == p->format->plain;
    if (text && p->call.bad_recipient && p->call.tool == NULL) {
        haft__call_builder_discard(p);
        haft__parser_flush_text(p);
        return true;
    }
    haft__parser_reject_call(p, "its channel is neither commentary nor analysis");
    return false;
}

/* The kind of a call (`function` in deepseek_v3) is ignored. Prose in its place is rejected. */
static bool end_kind(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    char next = haft__mention_first_byte(p);
    if (haft__mention_judge(p, next) != HAFT__MENTION_NO) {
        haft__parser_reject_unless_mention(p, "it has prose where its kind (function) should be",
                                           next, 0);
        return false;
    }
    haft__buf_clear(&p->call.name);
    haft__malformed_call_reset(p);
    return true;
}

static bool end_id_with_name(haft__parser *p, const haft__format_mark *mark)
{
    haft__call_builder_end_id(p);
    return end_name(p, mark);
}

static bool end_short_id(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    if (!haft__call_builder_has_short_id(p)) {
        haft__parser_reject_call(p, "its id is not 9 letters and digits");
        return false;
    }
    return true;
}

static bool begin_value(haft__parser *p, haft__format_action key_end)
{
    if (!haft__value_begin(p, key_end)) {
        reject_key(p, "the name of a parameter is not valid");
        return false;
    }
    return true;
}

static bool end_key(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    return begin_value(p, HAFT__ACTION_KEY_END);
}

static bool end_key_of_string(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    return begin_value(p, HAFT__ACTION_KEY_END_STRING);
}

static bool end_key_of_json(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    return begin_value(p, HAFT__ACTION_KEY_END_JSON);
}

static bool end_untyped_key(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    reject_key(p, "a parameter has neither string=\"true\" nor string=\"false\"");
    return false;
}

static bool end_value(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    haft__value_end(p);
    return true;
}

/* Ends a call. If its code has an open bracket or string, the call was cut and stays open. */
static bool end_call(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    if (!haft__call_builder_is_code_open(p)) {
        haft__value_close(p);
    }
    return true;
}

/* Begins a block of code. It is recorded like a call, so that a block that is cut by the end of the
 * text is reported as a truncated call. */
static bool begin_code(haft__parser *p, const haft__format_mark *mark)
{
    haft__buf *opener = &p->undecided; /* the fence before the mark; a tag has none */
    bool fenced = haft__parser_state(p)->bytes == HAFT__BYTES_UNDECIDED;
    haft_str text = haft__str(mark->text);
    p->coding = true;
    haft__call_builder_begin(p, fenced ? haft__buf_str(opener) : text, false);
    if (fenced) {
        haft__call_builder_record(p, text);
        p->call.offset -= text.len;
    }
    return true;
}

static bool end_code(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    haft__call_builder_discard(p);
    haft__parser_end_code(p);
    return true;
}

static bool discard_call(haft__parser *p, const haft__format_mark *mark)
{
    if (p->section.withheld) { /* the section contains only prose */
        haft__parser_emit_content(p, haft__str(mark->text));
        haft__section_text_revert(p);
        haft__call_builder_discard(p);
    } else {
        haft__call_builder_discard(p);
        haft__parser_flush_text(p);
    }
    return true;
}

/* Handles a mark that is invalid here, if only prose follows the first mark of the call. False if
 * other text follows it. */
static bool reject_prose(haft__parser *p, const haft__format_mark *mark, const char *why)
{
    char next = haft__mention_first_byte(p);
    switch (haft__mention_judge(p, next)) {
    case HAFT__MENTION_NO: return false;
    case HAFT__MENTION_HELD: haft__parser_reject_unless_mention(p, why, next, 0); return true;
    case HAFT__MENTION_TEXT: break;
    }
    haft__call_builder_unrecord(p, strlen(mark->text));
    haft__mention_release(p, 0);
    read_again(p, haft__str(mark->text));
    return true;
}

static bool fail_incomplete_call(haft__parser *p, const haft__format_mark *mark)
{
    if (mark != NULL && mark->reread && !p->call.named
        && reject_prose(p, mark, "it ends before its arguments")) {
        return false;
    }
    if (mark != NULL && haft__mention_is_empty(p, mark)) {
        haft__mention_release(p, 0);
        return false;
    }
    haft__call_builder_unrecord(p, mark != NULL && mark->head ? strlen(mark->text) : 0);
    haft__call_builder_fail(p, HAFT__PARSER_EVENT_MALFORMED, "it ends before its arguments");
    return true;
}

static bool fail_nested_value(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    haft__malformed_call_begin(
        p,
        "an argument contains the opening tag of another argument: its end is "
        "unknown, and no later call is run",
        &(haft__malformed_call){.state = p->state});
    return true;
}

static bool emit_line_break(haft__parser *p, const haft__format_mark *mark)
{
    (void)mark;
    haft__parser_emit_whitespace(p, HAFT__LIT("\n"));
    p->had_markup = true; /* the line break is layout if no text follows */
    return true;
}

static bool reopen_reasoning(haft__parser *p, const haft__format_mark *mark)
{
    if (p->reasoning.begun || p->suspect.len > 0) {
        haft__parser_emit_reasoning(p, haft__str(mark->text));
    }
    return true;
}

bool haft__parser_is_suspect_call(const haft__parser *p)
{
    size_t mark = strlen(p->suspect_mark->text);
    haft_str name =
        haft__call_builder_leading_name(haft__str_skip(haft__buf_str(&p->suspect), mark));
    return !p->suspect_mark->if_known || haft__call_builder_find_tool(p, name) != NULL;
}

/* Withholds the mark and all bytes after it: they may be a call. */
static bool hold_suspect(haft__parser *p, const haft__format_mark *mark)
{
    if (p->suspect.len > 0 && p->reasoning_mark == NULL && !haft__parser_is_suspect_call(p)) {
        haft__parser_emit_suspect(p); /* this mark is now the possible call */
    }
    p->suspect_mark = p->suspect.len == 0 ? mark : p->suspect_mark;
    haft__buf_add_str(&p->suspect, haft__str(mark->text));
    haft__parser_check(p, &p->suspect);
    return true;
}

static bool hold_at_reasoning_start(haft__parser *p, const haft__format_mark *mark)
{
    if (p->reasoning.begun) {
        haft__parser_emit_reasoning(p, haft__str(mark->text));
        return true;
    }
    return hold_suspect(p, mark);
}

/* Begins reasoning after text. False if it is known that the reasoning never ends. */
static bool hold_reasoning(haft__parser *p, const haft__format_mark *mark)
{
    if ((p->endless >> mark->to & 1) != 0) {
        haft__parser_reconsume(p, haft__str(mark->text));
        return false;
    }
    if (p->section.withheld) {
        haft__section_text_revert(p);
        haft__call_builder_discard(p);
        haft__parser_enter_state(p, p->format->plain);
    }
    p->reasoning_mark = mark;
    p->state_before_reasoning = p->state;
    return hold_suspect(p, mark);
}

static bool end_empty_call(haft__parser *p, const haft__format_mark *mark)
{
    bool named = end_name(p, mark);
    if (named) {
        haft__value_close(p);
    }
    return named;
}

static bool emit_stray_call_end(haft__parser *p, const haft__format_mark *mark)
{
    if (!p->called && !p->marked) {
        haft__parser_hold_stray(p, haft__str(mark->text));
    } else if (!p->called || p->mentioned) {
        haft__parser_emit_content(p, haft__str(mark->text));
    }
    return true;
}

static bool emit_stray_token(haft__parser *p, const haft__format_mark *mark)
{
    if (p->mentioned) {
        haft__parser_emit_content(p, haft__str(mark->text));
    }
    return true;
}

static bool emit_stray_reasoning_end(haft__parser *p, const haft__format_mark *mark)
{
    if (!p->reasoned) {
        haft__parser_emit_content(p, haft__str(mark->text));
    }
    return true;
}

static action_function *const actions[] = {
    [HAFT__ACTION_NONE] = do_nothing,
    [HAFT__ACTION_CALL_BEGIN] = begin_call,
    [HAFT__ACTION_RECIPIENT_BEGIN] = begin_recipient,
    [HAFT__ACTION_RECIPIENT_TOOL] = accept_recipient,
    [HAFT__ACTION_RECIPIENT_END] = end_recipient,
    [HAFT__ACTION_RECIPIENT_INVALID] = reject_recipient,
    [HAFT__ACTION_RECIPIENT_IN_TEXT] = reject_recipient_in_text,
    [HAFT__ACTION_ARGUMENTS_BEGIN] = check_recipient,
    [HAFT__ACTION_KIND_END] = end_kind,
    [HAFT__ACTION_NAME_END] = end_name,
    [HAFT__ACTION_ID_WITH_NAME_END] = end_id_with_name,
    [HAFT__ACTION_SHORT_ID_END] = end_short_id,
    [HAFT__ACTION_KEY_END] = end_key,
    [HAFT__ACTION_KEY_END_STRING] = end_key_of_string,
    [HAFT__ACTION_KEY_END_JSON] = end_key_of_json,
    [HAFT__ACTION_KEY_END_UNTYPED] = end_untyped_key,
    [HAFT__ACTION_VALUE_END] = end_value,
    [HAFT__ACTION_CALL_END] = end_call,
    [HAFT__ACTION_EMPTY_CALL_END] = end_empty_call,
    [HAFT__ACTION_CALL_STRAY_END] = emit_stray_call_end,
    [HAFT__ACTION_CALL_STRAY_TOKEN] = emit_stray_token,
    [HAFT__ACTION_CODE_BEGIN] = begin_code,
    [HAFT__ACTION_CODE_END] = end_code,
    [HAFT__ACTION_CALL_DISCARD] = discard_call,
    [HAFT__ACTION_CALL_INCOMPLETE] = fail_incomplete_call,
    [HAFT__ACTION_VALUE_NESTED] = fail_nested_value,
    [HAFT__ACTION_LINE_BREAK] = emit_line_break,
    [HAFT__ACTION_REASONING_AFTER_TEXT] = hold_reasoning,
    [HAFT__ACTION_REASONING_REOPEN] = reopen_reasoning,
    [HAFT__ACTION_CALL_AT_REASONING_START] = hold_at_reasoning_start,
    [HAFT__ACTION_CALL_IN_REASONING] = hold_suspect,
    [HAFT__ACTION_REASONING_STRAY_END] = emit_stray_reasoning_end,
};

bool haft__parser_apply_action(haft__parser *p, haft__format_action action,
                               const haft__format_mark *mark)
{
    return actions[action](p, mark);
}

/* ---- the state after a mark ---- */

bool haft__parser_is_maybe_call(const haft__format_state *state)
{
    return state->scan == HAFT__SCAN_MAYBE_CALL;
}

/* Adds the mark to the undecided bytes: as their start, or after those of the state before. */
static void begin_undecided(haft__parser *p, const haft__format_state *from,
                            const haft__format_mark *mark)
{
    bool candidate = haft__parser_is_maybe_call(haft__parser_state(p));
    if (haft__parser_state(p)->bytes != HAFT__BYTES_UNDECIDED && !candidate) {
        return;
    }
    if (from->bytes != HAFT__BYTES_UNDECIDED || !(candidate || mark->extend_undecided)) {
        haft__buf_clear(&p->undecided);
    }
    if (!mark->omit_mark) {
        haft__buf_add_str(&p->undecided, haft__str(mark->text));
        haft__parser_check(p, &p->undecided);
    }
}

/* Reads the mark again, with the undecided bytes before it. */
static void read_mark_again(haft__parser *p, const haft__format_mark *mark)
{
    if (mark->reread_undecided) {
        haft__buf_add_str(&p->undecided, haft__str(mark->text));
        haft__parser_check(p, &p->undecided);
    } else if (!haft__parser_is_maybe_call(haft__parser_state(p))) {
        read_again(p, haft__str(mark->text));
        return;
    }
    haft__buf text = p->undecided;
    bool before = p->rereading;
    haft__buf_init(&p->undecided, HAFT__LIMIT_FORMAT_BYTES);
    p->rereading = false; /* a call may begin inside it */
    p->offset -= text.len;
    haft__call_builder_unrecord(p, text.len);
    haft__parser_read(p, haft__buf_str(&text));
    p->rereading = before;
    haft__buf_finish(&text);
}

void haft__parser_transition(haft__parser *p, const haft__format_state *from,
                             const haft__format_mark *mark)
{
    if (haft__parser_apply_action(p, (haft__format_action)mark->act, mark)) {
        haft__parser_enter_state(p, mark->to);
        begin_undecided(p, from, mark);
        if (mark->head) {
            haft__call_builder_begin_header(p, haft__str(mark->text));
        }
        if (mark->reread) {
            read_mark_again(p, mark);
        }
    } else if (mark->reread
               && p->malformed.live) { /* the mark may be a bracket of the malformed call */
        read_again(p, haft__str(mark->text));
    }
}
