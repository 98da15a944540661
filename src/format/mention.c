/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mention.c - prose that mentions a mark: "Write <tool_call> and then JSON."
 *
 * If a mark that begins calls is inside prose, and the mark that ends them never follows, or is
 * mentioned with it ("<tool_call> and </tool_call>"), the first mark was text. So everything from
 * it on is buffered, and read again as text when the text has ended. That happens once; from then
 * on every such mark is text at once, as it is in formats without end marks. If the end follows
 * after more words, if the text was cut, or if the reply begins with the mark, it is a malformed
 * call. section_text.c does the same for the marks of sections. Tests: tests/format/mention_test.c.
 */
#include "base/ascii.h"
#include "base/limits.h"
#include "format/parser.h"

static haft_str words_after_mark(const haft__parser *p)
{
    return haft__str_skip(haft__buf_str(&p->call.raw), p->call.opener);
}

/* Whether an id is read that contains the name. */
static bool is_id(const haft__parser *p)
{
    return haft__parser_state(p)->bytes == HAFT__BYTES_ID && p->call.name.len == 0;
}

/* Whether an id or the kind of a call is read, which a token follows. */
static bool is_before_token(const haft__parser *p)
{
    return is_id(p) || haft__parser_state(p)->marks[0].act == HAFT__ACTION_KIND_END;
}

/* Whether words where a name is expected are prose. A name follows its mark without white space, or
 * is that of a tool. */
static bool is_prose(const haft__parser *p, haft_str words)
{
    haft_str trimmed = haft__str_trim(words);
    return !haft__call_builder_is_name(trimmed)
           || (words.ptr[0] == ' ' && haft__call_builder_find_tool(p, trimmed) == NULL);
}

/* Whether all of the call so far is its first mark and words: no tool's name, and no argument. */
static bool has_only_words(const haft__parser *p)
{
    const haft__call_builder *call = &p->call;
    if (!call->open || !p->content.begun || call->opener == 0 || call->written > call->raw.len
        || call->announced || call->members || (call->named && call->tool != NULL)) {
        return false;
    }
    haft_str rest = words_after_mark(p);
    haft_str words = is_before_token(p) ? haft__str_split(&rest, '<') : rest;
    haft_str trimmed = haft__str_trim(words);
    haft_str name = haft__str_trim(haft__buf_str(is_id(p) ? &call->id : &call->name));
    bool bracket = trimmed.len > 0 && strchr("{[(<", trimmed.ptr[0]) != NULL;
    return !bracket
           && (name.len == 0 || (haft__str_starts_with(trimmed, name) && is_prose(p, words)));
}

char haft__mention_first_byte(const haft__parser *p)
{
    haft_str words = haft__str_trim(words_after_mark(p));
    return words.len > 0 ? words.ptr[0] : '\0';
}

bool haft__mention_is_spaced(const haft__parser *p)
{
    haft_str words = words_after_mark(p);
    return words.len > 0 && words.ptr[0] == ' ';
}

haft__mention haft__mention_judge(const haft__parser *p, char next)
{
    if (next == '\0' || strchr("{[(<", next) != NULL || !has_only_words(p)) {
        return HAFT__MENTION_NO;
    }
    return p->mentioned || p->format->open_ended ? HAFT__MENTION_TEXT : HAFT__MENTION_HELD;
}

void haft__mention_release(haft__parser *p, size_t pending)
{
    haft__call_builder_revert_to_content(p, pending);
    haft__parser_enter_state(p, p->format->plain);
}

void haft__mention_hold(haft__parser *p)
{
    p->malformed.mention = true;
    p->malformed.end_raw = p->call.written;
}

/* Bytes past ASCII count as letters; a joined name (get_time) is one word. */
static bool is_word_byte(char c)
{
    return haft__ascii_is_alphanumeric(c) || c == '_' || c == '-' || (c & 0x80) != 0;
}

bool haft__mention_is_pair(const haft__parser *p, const haft__format_mark *mark)
{
    size_t mark_length = strlen(mark->text);
    haft_str between = words_after_mark(p);
    if (p->call.written > p->call.raw.len || between.len < mark_length) {
        return false;
    }
    between.len -= mark_length;
    size_t words = 0;
    haft_str word = {NULL, 0};
    for (size_t i = 0; i < between.len && words < 2; i++) {
        if (is_word_byte(between.ptr[i])) {
            bool begins = i == 0 || !is_word_byte(between.ptr[i - 1]);
            words += begins;
            word = begins ? (haft_str){between.ptr + i, 1} : (haft_str){word.ptr, word.len + 1};
        }
    }
    /* A word right after the mark is where the name of a call would be. */
    return words == 0
           || (words == 1 && word.ptr > between.ptr
               && haft__call_builder_find_tool(p, word) == NULL);
}

bool haft__mention_reread(haft__parser *p)
{
    haft__malformed_call *w = &p->malformed;
    if (!w->live || !w->mention) {
        return false;
    }
    haft__buf rest = w->rest, raw = p->call.raw;
    haft_str before = {raw.ptr, w->end_raw};
    haft_str mark = {raw.ptr, p->call.opener};
    haft__buf_init(&w->rest, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&p->call.raw, HAFT__LIMIT_FORMAT_BYTES);
    w->live = w->mention = false;
    p->mentioned = true;
    p->repair.strict = p->repair.cut = false;
    p->offset = p->call.offset + mark.len;
    haft__call_builder_discard(p);
    haft__section_text_revert(p);
    haft__parser_enter_state(p, p->format->plain);
    haft__parser_emit_content(p, mark);
    haft__parser_read(p, haft__str_skip(before, mark.len));
    haft__parser_read(p, haft__buf_str(&rest));
    haft__buf_finish(&rest);
    haft__buf_finish(&raw);
    return true;
}

bool haft__mention_at_end(const haft__parser *p)
{
    bool python = p->python.live && p->python.state == HAFT__PY_NAME;
    return (haft__parser_state(p)->bytes == HAFT__BYTES_NAME || is_id(p) || python)
           && haft__mention_first_byte(p) != '\0' && has_only_words(p);
}
