/* SPDX-License-Identifier: Apache-2.0 */
/*
 * section_text.c - text in a section, before its first call: "Write <function_calls> and then ...".
 *
 * A section contains calls. If text follows the mark of a section, the next mark decides. If it
 * begins a call, the section is real and the text is content. If it ends the section, or begins
 * another section or reasoning, or if the reply ends, the mark was only mentioned: mark and text
 * are content. The text is withheld until this decision. If the reply was cut, or begins with the
 * mark, the section is incomplete. Tests: tests/format/mention_test.c.
 */
#include <assert.h>

#include "format/parser.h"

void haft__section_text_begin(haft__parser *p, char next, size_t pending)
{
    haft__section_text *section = &p->section;
    /* No call begins with a parenthesis here. */
    if (haft__mention_judge(p, next == '(' ? ' ' : next) == HAFT__MENTION_NO) {
        return;
    }
    haft_str raw = haft__buf_str(&p->call.raw);
    size_t repeated = p->rereading && !p->call.late ? pending : 0;
    assert(repeated <= raw.len);
    raw.len -= repeated;
    section->withheld = true;
    section->drops = haft__parser_state(p)->drops;
    section->layout = raw.len;
    haft__buf_clear(&section->text);
    haft__buf_add_str(&section->text, raw);
    haft__parser_check(p, &section->text);
}

void haft__section_text_hold_mark(haft__parser *p, const haft__format_mark *mark)
{
    haft__section_text *section = &p->section;
    haft_str raw = haft__buf_str(&p->call.raw);
    size_t length = strlen(mark->text);
    if (haft__parser_state(p)->bytes != HAFT__BYTES_GAP || !p->call.open || section->withheld
        || raw.len < length) {
        return;
    }
    raw.len -= length;
    section->withheld = true;
    section->drops = true;
    section->layout = raw.len;
    haft__buf_clear(&section->text);
    haft__buf_add_str(&section->text, raw);
    haft__parser_check(p, &section->text);
}

static void emit(haft__parser *p, size_t from)
{
    haft_str text = haft__buf_str(&p->section.text);
    p->section.withheld = false;
    haft__parser_emit_content(p, haft__str_skip(text, from));
    haft__buf_clear(&p->section.text);
}

void haft__section_text_release(haft__parser *p)
{
    if (p->section.withheld) {
        emit(p, p->section.drops ? p->section.text.len : p->section.layout);
    }
}

void haft__section_text_revert(haft__parser *p)
{
    if (p->section.withheld) {
        emit(p, 0);
    }
}

bool haft__section_text_ends_at(haft__parser *p, const haft__format_mark *mark)
{
    bool inside = haft__parser_state(p)->bytes == HAFT__BYTES_SECTION_TEXT;
    bool section = p->format->states[mark->to].bytes == HAFT__BYTES_GAP;
    if (!inside || !section) {
        return true;
    }
    bool withheld = p->section.withheld;
    haft__section_text_revert(p);
    return withheld;
}
