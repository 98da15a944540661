/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mention.c - prose that mentions a mark: "Write <tool_call> and then JSON."
 *
 * The text after the first mark of a call, or after its whole head (<function=f>), is classified
 * byte by byte, for a few words at most. Two words after a space, or punctuation after the mark,
 * are prose: then the mark is text, and reading continues after it. The name of a tool, or a word
 * directly after the mark, may be a damaged call. If such a mark is inside text, the end of the
 * text decides: everything from the mark on is buffered, and is read again as text if the mark that
 * ends the call has not arrived. This happens once. Every later mark of this kind is text
 * immediately; the same holds in formats without end marks. section_text.c does the same for the
 * marks of sections. Tests: tests/format/mention_test.c.
 */
#include "base/ascii.h"
#include "base/limits.h"
#include "format/parser.h"

/* Whether the call has a complete head such as <function=f>. If a space precedes the name, the name
 * is an ordinary word, unless it is written as name="...". */
static bool has_head(const haft__parser *p)
{
    const haft__call_builder *call = &p->call;
    if (!call->named || call->opener >= call->head || call->head > call->raw.len) {
        return false;
    }
    haft_str head = {call->raw.ptr, call->head};
    return !haft__ascii_is_space(head.ptr[call->opener])
           || haft__str_ends_with(head, HAFT__LIT("\">"));
}

static haft_str words_after_mark(const haft__parser *p)
{
    return haft__str_skip(haft__buf_str(&p->call.raw), has_head(p) ? p->call.head : p->call.opener);
}

/* Whether the mark of the section is withheld and text follows it. */
static bool has_section_text(const haft__parser *p)
{
    return p->section.withheld && p->section.text.len > p->section.layout;
}

/* Whether text is before the first mark of the call, on the same line. */
static bool is_in_line(const haft__parser *p)
{
    const haft__buf *before = &p->content.spaces;
    return has_section_text(p)
           || (p->content.begun
               && (before->len == 0 || memchr(before->ptr, '\n', before->len) == NULL));
}

/* ---- classifying the words after a mark ---- */

/* The maximum bytes that are classified. Longer words may be a call. */
#define MAX_WORD_BYTES (2 * HAFT__LIMIT_FORMAT_NAME_BYTES)

enum {
    AT_MARK,
    AFTER_SPACE,
    AFTER_QUOTE, /* a quote, back-tick or star right after the mark: the end of a quotation */
    AFTER_STOP,  /* a full stop or the like right after the mark */
    IN_WORD,
    AT_WORD_STOP, /* a full stop or the like in or after a word */
    AFTER_WORD,
    PROSE,
    MAYBE_CALL,
};

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

/* Bytes past ASCII count as letters. */
static bool is_word_byte(char c)
{
    return haft__ascii_is_alphanumeric(c) || c == '_' || (c & 0x80) != 0;
}

static uint8_t classify_word(const haft__parser *p, haft_str word, uint8_t prose)
{
    while (word.len > 0 && is_one_of(word.ptr[word.len - 1], ".,;!?)`'*")) {
        word.len--;
    }
    return haft__call_builder_find_tool(p, word) != NULL ? MAYBE_CALL : prose;
}

/* The state after a byte right after the mark, or after the spaces that follow the mark. */
static uint8_t weigh_after_mark(const haft__parser *p, const haft__mention_words *at, char c)
{
    if (haft__ascii_is_space(c)) {
        return c == ' ' || c == '\t' || is_in_line(p) ? AFTER_SPACE : MAYBE_CALL;
    }
    if (at->state == AFTER_SPACE) {
        if (c == '(') {
            return at->python ? MAYBE_CALL : PROSE;
        }
        return is_one_of(c, "{[<\"'`") ? MAYBE_CALL : (c & 0x80) != 0 ? PROSE : IN_WORD;
    }
    if ((c & 0x80) != 0) {
        return is_in_line(p) ? PROSE : MAYBE_CALL;
    }
    return is_one_of(c, "\"'`*") ? AFTER_QUOTE : is_one_of(c, ".,;!?)") ? AFTER_STOP : MAYBE_CALL;
}

/* The state after a byte in a word, or in the full stop after it. */
static uint8_t weigh_in_word(const haft__parser *p, const haft__mention_words *at, haft_str word,
                             char c)
{
    bool space = haft__ascii_is_space(c);
    if (at->state == IN_WORD) {
        if (space) {
            return classify_word(p, word, AFTER_WORD);
        }
        if (is_one_of(c, ".,;!?)")) {
            return AT_WORD_STOP;
        }
        return is_one_of(c, "{[(<=:\"") ? MAYBE_CALL : (c & 0x80) != 0 ? PROSE : IN_WORD;
    }
    if (space || c == '<') {
        return classify_word(p, word, PROSE);
    }
    return is_one_of(c, "{[(=:\"")     ? MAYBE_CALL
           : is_one_of(c, ".,;!?)`'*") ? AT_WORD_STOP
                                       : IN_WORD;
}

/* The state after a byte that follows a word and a space. */
static uint8_t weigh_after_word(const haft__mention_words *at, haft_str word, char c)
{
    if (haft__ascii_is_space(c)) {
        return AFTER_WORD;
    }
    if (c == '"') {
        haft_str trimmed = haft__str_trim(word);
        return haft__scan_call_member(trimmed) == HAFT__CALL_MEMBER_OTHER ? PROSE : MAYBE_CALL;
    }
    return is_one_of(c, "{[:=") || (c == '(' && at->python) ? MAYBE_CALL : PROSE;
}

/* The state after the byte at `i` of `words`. */
static uint8_t classify_byte(const haft__parser *p, const haft__mention_words *at, haft_str words,
                             size_t i)
{
    char c = words.ptr[i];
    haft_str word = {words.ptr + at->word, i - at->word};
    switch (at->state) {
    case AT_MARK:
    case AFTER_SPACE: return weigh_after_mark(p, at, c);
    case AFTER_QUOTE:
        if (is_one_of(c, "\"'`*")) {
            return AFTER_QUOTE;
        }
        return is_word_byte(c) || is_one_of(c, ":{[<") ? MAYBE_CALL : PROSE;
    case AFTER_STOP:
        if (is_one_of(c, "\"'`*.,;!?)")) {
            return AFTER_STOP;
        }
        return is_word_byte(c) || is_one_of(c, "{[") ? MAYBE_CALL : PROSE;
    case IN_WORD:
    case AT_WORD_STOP: return weigh_in_word(p, at, word, c);
    default: return weigh_after_word(at, word, c);
    }
}

/* Classifies the bytes that have arrived since the last time. */
static void classify_words(const haft__parser *p, haft__mention_words *at)
{
    haft_str words = words_after_mark(p);
    while (at->count < words.len && at->state < PROSE) {
        uint8_t before = at->state;
        at->state =
            at->count < MAX_WORD_BYTES ? classify_byte(p, at, words, at->count) : MAYBE_CALL;
        at->word = before == AFTER_SPACE && at->state == IN_WORD ? at->count : at->word;
        at->count++;
    }
}

static haft__mention_words classify_all(const haft__parser *p)
{
    haft__mention_words at = {.python = p->python.live
                                        || haft__parser_state(p)->scan >= HAFT__SCAN_PYTHON_LIST};
    classify_words(p, &at);
    return at;
}

/* ---- whether a call is a mention ---- */

/* Whether the parser reads an id that contains the name of the tool. */
static bool is_id(const haft__parser *p)
{
    return haft__parser_state(p)->bytes == HAFT__BYTES_ID && p->call.name.len == 0;
}

/* Whether the parser reads an id or the kind of a call; a token must follow both. */
static bool is_before_token(const haft__parser *p)
{
    return is_id(p) || haft__parser_state(p)->marks[0].act == HAFT__ACTION_KIND_END;
}

/* Whether words in the place of a name are prose. They are a name if they are valid as one, and if
 * no space precedes them or a tool has the name. */
static bool is_prose(const haft__parser *p, haft_str words)
{
    haft_str trimmed = haft__str_trim(words);
    return !haft__call_builder_is_name(trimmed)
           || (words.ptr[0] == ' ' && haft__call_builder_find_tool(p, trimmed) == NULL);
}

/* Whether the call so far has only its first mark or its head, and words after it, but no
 * argument. */
static bool has_only_words(const haft__parser *p)
{
    const haft__call_builder *call = &p->call;
    if (!call->open || call->opener == 0 || call->in_section || call->written > call->raw.len
        || call->announced || call->members) {
        return false;
    }
    if (has_head(p) || (call->named && call->tool != NULL)) {
        return has_head(p);
    }
    haft_str rest = words_after_mark(p);
    haft_str words = is_before_token(p) ? haft__str_split(&rest, '<') : rest;
    haft_str trimmed = haft__str_trim(words);
    haft_str name = haft__str_trim(haft__buf_str(is_id(p) ? &call->id : &call->name));
    bool bracket = trimmed.len > 0 && is_one_of(trimmed.ptr[0], "{[<");
    return !bracket
           && (name.len == 0 || (haft__str_starts_with(trimmed, name) && is_prose(p, words)));
}

/* Whether the reply begins with the mark. */
static bool is_at_start(const haft__parser *p)
{
    return !p->content.begun && !has_section_text(p);
}

/* Whether only white space follows a mark inside a line. The text may then mention the mark
 * together with its end mark. */
static bool is_empty_in_line(const haft__parser *p)
{
    return !has_head(p) && haft__str_trim(words_after_mark(p)).len == 0 && is_in_line(p);
}

char haft__mention_first_byte(const haft__parser *p)
{
    haft_str words = haft__str_trim(words_after_mark(p));
    return words.len > 0 ? words.ptr[0] : '\0';
}

haft__mention haft__mention_judge(const haft__parser *p, char next)
{
    bool start = is_at_start(p), head = has_head(p);
    if (next == '\0' || !has_only_words(p) || (start && p->format->open_ended)) {
        return HAFT__MENTION_NO;
    }
    haft__mention_words at = classify_all(p);
    if (at.state == PROSE && (!head || is_in_line(p))) {
        return HAFT__MENTION_TEXT;
    }
    if (next == '<' && is_empty_in_line(p)) {
        return HAFT__MENTION_HELD;
    }
    if (is_one_of(next, "{[<") || (next == '(' && (at.python || at.state != AFTER_SPACE))) {
        return HAFT__MENTION_NO;
    }
    if (start || head) {
        bool open = at.state < PROSE && (at.state != AT_MARK || is_one_of(next, "\"'`*.,;!?)"));
        return open && (!head || is_in_line(p)) ? HAFT__MENTION_HELD : HAFT__MENTION_NO;
    }
    return p->mentioned || p->format->open_ended ? HAFT__MENTION_TEXT : HAFT__MENTION_HELD;
}

bool haft__mention_is_name(const haft__parser *p)
{
    const haft__call_builder *call = &p->call;
    bool spaced =
        call->opener > 0 && call->opener < call->raw.len && call->raw.ptr[call->opener] == ' ';
    return spaced && call->tool == NULL && classify_all(p).state == PROSE;
}

bool haft__mention_is_empty(const haft__parser *p, const haft__format_mark *end)
{
    haft_str words = words_after_mark(p);
    size_t length = strlen(end->text);
    words.len -= length < words.len ? length : words.len;
    return p->call.opener > 0 && !p->call.in_section && !p->call.named
           && haft__str_trim(words).len == 0 && is_in_line(p);
}

void haft__mention_release(haft__parser *p, size_t pending)
{
    p->mentioned = true;
    haft__call_builder_revert_to_content(p, pending);
    haft__parser_enter_state(p, p->format->plain);
}

void haft__mention_hold(haft__parser *p, char next)
{
    haft__malformed_call *malformed = &p->malformed;
    malformed->mention = true;
    malformed->empty = next == '<';
    malformed->needs_end = !is_at_start(p) && !has_head(p) && !malformed->empty;
    malformed->words = classify_all(p);
    malformed->words_raw = p->call.raw.len - words_after_mark(p).len;
    malformed->end_raw = p->call.written;
}

/* Whether the text between the first mark of the call and its end `mark`, which has just arrived,
 * has at most one word, and this word is not the name of a tool. */
static bool is_pair(const haft__parser *p, const haft__format_mark *mark)
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
        if (is_word_byte(between.ptr[i]) || between.ptr[i] == '-') { /* get-time is one word */
            bool begins = word.ptr == NULL || between.ptr + i != word.ptr + word.len;
            words += begins;
            word = begins ? (haft_str){between.ptr + i, 1} : (haft_str){word.ptr, word.len + 1};
        }
    }
    /* A word right after the mark is in the place of the name. */
    return words == 0
           || (words == 1 && word.ptr > between.ptr
               && haft__call_builder_find_tool(p, word) == NULL);
}

bool haft__mention_hides_end(haft__parser *p, const haft__format_mark *mark)
{
    haft__malformed_call *malformed = &p->malformed;
    if (malformed->mention
        && (malformed->empty ? haft__mention_is_empty(p, mark)
                             : malformed->needs_end && is_pair(p, mark))) {
        malformed->words.state = PROSE;
    }
    return malformed->mention && malformed->words.state == PROSE;
}

/* Reads the call again, as text. */
static void read_as_text(haft__parser *p)
{
    haft__malformed_call *malformed = &p->malformed;
    haft__buf rest = malformed->rest, raw = p->call.raw;
    haft_str before = {raw.ptr, malformed->end_raw};
    haft_str mark = {raw.ptr, malformed->words_raw};
    haft__buf_init(&malformed->rest, HAFT__LIMIT_FORMAT_BYTES);
    haft__buf_init(&p->call.raw, HAFT__LIMIT_FORMAT_BYTES);
    malformed->live = malformed->mention = false;
    p->mentioned = true;
    p->offset = p->call.offset + mark.len;
    haft__call_builder_discard(p);
    haft__section_text_revert(p);
    haft__parser_enter_state(p, p->format->plain);
    haft__parser_emit_content(p, mark);
    haft__parser_read(p, haft__str_skip(before, mark.len));
    haft__parser_read(p, haft__buf_str(&rest));
    haft__buf_finish(&rest);
    haft__buf_finish(&raw);
}

void haft__mention_step(haft__parser *p)
{
    haft__malformed_call *malformed = &p->malformed;
    if (!malformed->empty) {
        classify_words(p, &malformed->words);
    }
    if (malformed->words.state == PROSE) {
        read_as_text(p);
    } else if (malformed->words.state == MAYBE_CALL && !malformed->needs_end) {
        malformed->mention = false;
        haft__buf_clear(&malformed->rest);
    }
}

bool haft__mention_reread(haft__parser *p)
{
    const haft__malformed_call *malformed = &p->malformed;
    if (!malformed->live || !malformed->mention
        || (!malformed->needs_end && malformed->words.state != PROSE)) {
        return false;
    }
    p->repair.strict = p->repair.cut = false;
    read_as_text(p);
    return true;
}

bool haft__mention_at_end(const haft__parser *p, bool cut)
{
    bool python = p->python.live && p->python.state == HAFT__PY_NAME;
    bool named = haft__parser_state(p)->bytes == HAFT__BYTES_NAME || is_id(p) || python;
    if (!named || haft__mention_first_byte(p) == '\0' || !has_only_words(p)) {
        return false;
    }
    bool start = is_at_start(p);
    return (!cut && !start)
           || (classify_all(p).state == PROSE && !(start && p->format->open_ended));
}
