/* SPDX-License-Identifier: Apache-2.0 */
/* emit.c - reports events: whole characters only, and white space only if it is not layout. Tests:
 * tests/format/parser_test.c. */
#include "base/ascii.h"
#include "base/limits.h"
#include "format/parser.h"

void haft__parser_emit_init(haft__parser *p)
{
    p->content.kind = HAFT__PARSER_EVENT_CONTENT;
    p->reasoning.kind = HAFT__PARSER_EVENT_REASONING;
    haft__buf_init(&p->content.spaces, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&p->reasoning.spaces, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&p->scratch, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&p->undecided, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&p->suspect, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&p->section.text, HAFT__LIMIT_FORMAT_BYTES);
}

void haft__parser_emit_finish(haft__parser *p)
{
    haft__buf_finish(&p->content.spaces);
    haft__buf_finish(&p->reasoning.spaces);
    haft__buf_finish(&p->scratch);
    haft__buf_finish(&p->undecided);
    haft__buf_finish(&p->suspect);
    haft__buf_finish(&p->section.text);
}

void haft__parser_emit(haft__parser *p, const haft__parser_event *found)
{
    if (p->status == HAFT_OK) {
        p->status = p->options.take(p->options.context, found, &p->err);
    }
}

static void emit_piece(haft__parser *p, haft__parser_event_kind kind, haft_str text)
{
    if (text.len > 0) {
        uint32_t index = kind == HAFT__PARSER_EVENT_ARGUMENTS ? p->calls - 1 : 0;
        haft__parser_emit(p, &(haft__parser_event){.kind = kind, .index = index, .text = text});
    }
}

/* Completes a split character; returns the rest of the text. */
static haft_str complete_cut(haft__parser *p, haft__parser_event_kind kind, haft_str text)
{
    while (p->cut_count > 0 && text.len > 0) {
        p->cut[p->cut_count] = text.ptr[0];
        haft_str grown = {p->cut, p->cut_count + 1};
        if (haft__utf8_incomplete(grown)) {
            p->cut_count++;
            text = haft__str_skip(text, 1);
            continue;
        }
        bool whole = haft__utf8_valid(grown);
        grown.len -= whole ? 0 : 1;
        text = whole ? haft__str_skip(text, 1) : text;
        p->cut_count = 0;
        emit_piece(p, kind, grown);
    }
    return text;
}

/* Reports the start of a character whose other bytes did not arrive, although it is invalid
 * UTF-8. */
static void flush_cut(haft__parser *p)
{
    if (p->cut_count > 0) {
        haft_str rest = {p->cut, p->cut_count};
        p->cut_count = 0;
        emit_piece(p, p->cut_kind, rest);
    }
}

void haft__parser_emit_text(haft__parser *p, haft__parser_event_kind kind, haft_str text)
{
    if (kind != p->cut_kind) {
        flush_cut(p);
        p->cut_kind = kind;
    }
    text = complete_cut(p, kind, text);
    size_t whole = haft__utf8_complete_prefix(text);
    if (whole < text.len) {
        p->cut_count = text.len - whole;
        memcpy(p->cut, text.ptr + whole, p->cut_count);
    }
    emit_piece(p, kind, (haft_str){text.ptr, whole});
}

/* ---- text between calls ---- */

static void add_spaces(haft__parser *p, haft__trimmed_text *flow, haft_str spaces)
{
    if (spaces.len > 0 && !flow->spaces_complete) {
        haft__buf_add_str(&flow->spaces, spaces);
        haft__parser_check(p, &flow->spaces);
    }
}

static void emit_stray(haft__parser *p);

/* With `trim`, white space before the first text is layout. */
static void add_to_flow(haft__parser *p, haft__trimmed_text *flow, haft_str text, bool trim)
{
    size_t start = 0, end = text.len;
    bool first = trim && !flow->begun;
    if (text.len == 0) {
        return;
    }
    while (end > 0 && haft__ascii_is_space(text.ptr[end - 1])) {
        end--;
    }
    if (end > 0 && p->stray && flow == &p->content) {
        emit_stray(p);
        first = false;
    }
    if (end > 0) {
        while ((first || flow->spaces_complete) && haft__ascii_is_space(text.ptr[start])) {
            start++;
        }
        if (!first) {
            haft__parser_emit_text(p, flow->kind, haft__buf_str(&flow->spaces));
        }
        haft__buf_clear(&flow->spaces);
        flow->begun = true;
        flow->last = text.ptr[end - 1];
        flow->spaces_complete = false;
        haft__parser_emit_text(p, flow->kind, (haft_str){text.ptr + start, end - start});
    }
    add_spaces(p, flow, (haft_str){text.ptr + end, text.len - end});
}

/* Emits a stray tag and the white space before it as content. */
static void emit_stray(haft__parser *p)
{
    haft__buf text = p->content.spaces;
    haft__buf_init(&p->content.spaces, HAFT__LIMIT_FORMAT_BYTES);
    p->stray = false;
    add_to_flow(p, &p->content, haft__buf_str(&text), p->had_markup);
    haft__buf_finish(&text);
}

void haft__parser_hold_stray(haft__parser *p, haft_str tag)
{
    haft__trimmed_text *flow = &p->content;
    haft_str before = haft__buf_str(&flow->spaces);
    /* The tag is content if the reply begins with it, or if a sentence or code mentions it. */
    if (!flow->begun || flow->last == '`' || haft__str_ends_with(before, HAFT__LIT(" "))) {
        haft__parser_emit_content(p, tag);
        return;
    }
    p->stray = true;
    haft__buf_add_str(&flow->spaces, tag);
    haft__parser_check(p, &flow->spaces);
    flow->spaces_complete = false;
}

void haft__parser_emit_content(haft__parser *p, haft_str text)
{
    if (p->section.withheld) {
        haft__buf_add_str(&p->section.text, text);
        haft__parser_check(p, &p->section.text);
    } else {
        add_to_flow(p, &p->content, text, p->had_markup);
    }
}

void haft__parser_emit_reasoning(haft__parser *p, haft_str text)
{
    if (p->suspect.len > 0) {
        haft__buf_add_str(&p->suspect, text);
        haft__parser_check(p, &p->suspect);
    } else {
        add_to_flow(p, &p->reasoning, text, true);
    }
}

void haft__parser_emit_whitespace(haft__parser *p, haft_str spaces)
{
    if (!p->call.open && (!p->had_markup || p->content.begun)) {
        add_spaces(p, &p->content, spaces);
    }
}

void haft__parser_flush_text(haft__parser *p)
{
    haft__trimmed_text *flow = &p->content;
    haft__section_text_release(p);
    if (p->stray) {
        emit_stray(p);
    }
    flush_cut(p);
    p->had_markup = true;
    if (!flow->begun) {
        haft__buf_clear(&flow->spaces);
    }
    flow->spaces_complete = flow->spaces.len > 0;
}

void haft__parser_emit_suspect(haft__parser *p)
{
    haft_str suspect = haft__buf_str(&p->suspect);
    size_t tag = p->reasoning_mark != NULL ? strlen(p->reasoning_mark->text) : 0;
    add_to_flow(p, &p->reasoning, haft__str_skip(suspect, tag), true);
    p->reasoning_mark = NULL;
    haft__buf_clear(&p->suspect);
}

void haft__parser_end_reasoning(haft__parser *p)
{
    haft__parser_emit_suspect(p);
    haft__buf_clear(&p->reasoning.spaces);
    p->reasoning.begun = p->reasoning.spaces_complete = false;
    p->reasoned = true;
    haft__parser_flush_text(p);
}

/* ---- code ---- */

void haft__parser_emit_code(haft__parser *p, haft_str text)
{
    haft__parser_emit_text(p, HAFT__PARSER_EVENT_CODE, text);
}

void haft__parser_end_code(haft__parser *p)
{
    p->coding = false;
    haft__parser_emit(p, &(haft__parser_event){.kind = HAFT__PARSER_EVENT_CODE_END});
}

void haft__parser_emit_end(haft__parser *p, bool cut)
{
    if (p->stray && (cut || p->marked)) {
        emit_stray(p);
    }
    if (!p->had_markup && !p->stray) {
        haft__parser_emit_text(p, HAFT__PARSER_EVENT_CONTENT, haft__buf_str(&p->content.spaces));
    }
    flush_cut(p);
}
