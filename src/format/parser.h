/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/parser.h - the internals of the parser. Private to src/format.
 *
 *     parser.c              moves from state to state
 *     transition.c          what a mark does
 *     consume.c             bytes that are not part of a mark
 *     stop_tokens.c         tokens that end a turn, at the end of the text
 *     emit.c                which events are reported, and when
 *     call_builder.c        the call that is being read
 *     call_value.c          values that are written without quotes
 *     scan_json.c           JSON that contains calls
 *     repair.c              JSON that must be repaired first
 *     malformed_call.c      the rest of a call that cannot be read
 *     malformed_call_tag.c  tags inside such a call
 *     mention.c             prose that only mentions a mark
 *     section_text.c        text in a section whose mark may be such prose
 *     scan_python.c         calls written as Python
 *     python_string.c       their strings
 *
 * `status` keeps the first failure (out of memory, or of the callback). After it the parser reports
 * no more events.
 */
#ifndef HAFT_FORMAT_PARSER_H
#define HAFT_FORMAT_PARSER_H

#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "format/aho_corasick.h"
#include "format/format.h"
#include "format/scan_python.h"
#include "json/stream.h"

/* Text that is trimmed next to calls: white space is withheld until its successor is known. White
 * space before a call is emitted if text follows the call, so that words do not run together. */
typedef struct haft__trimmed_text {
    haft__parser_event_kind kind;
    haft__buf spaces;
    bool begun;           /* text was emitted */
    char last;            /* ... its last byte */
    bool spaces_complete; /* a call follows `spaces`: white space after the call is layout */
} haft__trimmed_text;

/* The call that is being read. */
typedef struct haft__call_builder {
    bool open;          /* the text is inside a call: it must not end here */
    bool if_known;      /* it is a call only if a tool has this name */
    bool if_named;      /* it is a call only if a name can follow */
    bool named;         /* `name` is complete */
    bool announced;     /* HAFT__PARSER_EVENT_CALL was reported */
    bool repaired;      /* it is not written correctly, but its meaning is clear */
    bool late;          /* it begins in bytes that were consumed before: they belong to it */
    bool bad_recipient; /* its recipient is not a tool, or it has two recipients */
    bool in_section;    /* it follows another call of its section */
    size_t offset;
    size_t opener; /* length of the mark that it begins with */
    size_t head;   /* ... of everything up to the end of its name */
    haft__buf name, id;
    haft__buf args; /* withheld until the name is known */
    haft__buf raw;  /* source text */
    size_t written; /* bytes of source text, including those beyond the limit of `raw` */

    /* arguments built from keys and values */
    const haft__format_tool *tool; /* NULL if no tool has this name */
    bool members;                  /* the object has at least one member */
    bool wrapped;                  /* ... only one: all arguments may be inside it */
    bool verbatim;                 /* the current value is a string: it is reported as it arrives */
    unsigned types;                /* types that the current value may have: see call_value.c */
    bool in_value;                 /* a value is being read */
    bool fresh;                    /* nothing of the value has arrived yet */
    bool on_own_line;              /* the value begins on its own line */
    bool begun;                    /* a part of the value has been reported */
    haft__buf key, value;

    /* Python code: whether it may end here */
    bool coded, comment;
    haft__py_text text; /* the current string */
    uint32_t depth;     /* open brackets */
} haft__call_builder;

/* The start of a message, which may turn out to be the start of a call. */
typedef struct haft__message_header {
    bool live;
    size_t offset, written;
    haft__buf raw;
} haft__message_header;

/* The role of a member of a call. */
typedef enum haft__call_member {
    HAFT__CALL_MEMBER_OTHER,
    HAFT__CALL_MEMBER_NAME,
    HAFT__CALL_MEMBER_ARGS,
    HAFT__CALL_MEMBER_ID,
    HAFT__CALL_MEMBER_ANSWER, /* of JSON that may be a call: the text of the answer */
    HAFT__CALL_MEMBER_INNER,  /* the call, or the calls, are one level deeper */
} haft__call_member;

typedef struct haft__parser_json_scanner {
    haft__json_stream json;
    bool live;              /* `json` is in use */
    uint8_t what;           /* haft__scan_kind */
    haft__call_member slot; /* of the current member */
    uint32_t base;          /* how many containers enclose a call */
    bool in_args;           /* the bytes belong to the arguments */
    bool has_args;          /* the arguments have arrived */
    const char *why; /* the reason why the current call is malformed although it is valid JSON */

    bool maybe;    /* it may turn out not to be a call */
    bool decided;  /* it is known to be a call or an answer */
    bool disowned; /* it is not a call but content */
    bool answered, in_answer;
    bool nothing; /* the answer is null */
} haft__parser_json_scanner;

/* JSON that is buffered until it is complete, to be repaired. */
typedef struct haft__parser_repair {
    bool live;            /* a value is being buffered */
    bool strict;          /* repair is off: the buffered text is being read */
    bool repaired;        /* ... after a repair */
    bool cut;             /* ... although it is incomplete */
    bool ended;           /* the text has ended; repair stays off */
    bool broken;          /* the call ended before the value did */
    bool scans_undecided; /* a value is scanned to its end and stays undecided */
    haft__buf text;
    size_t offset;       /* of its first byte */
    size_t raw, written; /* how much of the call preceded it */
    uint16_t mark;       /* state of the automaton of marks that end a call */
    uint32_t depth;      /* open brackets */
    char quote;          /* of the current string, or 0 */
    char comment;        /* the first byte of the current comment, or 0 */
    char last;           /* the previous byte, outside strings */
    bool escape;         /* after a backslash */
} haft__parser_repair;

/* The outermost open tag of another dialect in a malformed call. Its contents count as a value. */
typedef struct haft__malformed_call_tag {
    uint8_t state; /* see malformed_call_tag.c */
    uint8_t length, match;
    char last;
    char name[32]; /* a longer name is not a tag */
} haft__malformed_call_tag;

/* The words after the first mark of a call, as far as they are weighed: see mention.c. */
typedef struct haft__mention_words {
    uint8_t state;
    bool python;        /* a call would be Python */
    size_t count, word; /* bytes weighed; where the first word begins */
} haft__mention_words;

/* The rest of a malformed call. */
typedef struct haft__malformed_call {
    bool live;
    bool json;      /* its strings and brackets are tracked */
    bool resumes;   /* it is an element of an array; reading continues after it */
    uint8_t state;  /* of the scanner that found the error */
    uint32_t depth; /* open brackets */
    uint32_t floor; /* ... those of them that enclose the call */
    char closers[HAFT__LIMIT_JSON_DEPTH]; /* the closer of each open bracket; past the limit any
                                             closer counts */
    char quote;                           /* of the current string, or 0 */
    bool escape;                          /* after a backslash */
    char last;                            /* the previous byte, ignoring white space and strings */
    haft__malformed_call_tag tag;
    uint32_t level;                /* calls that began in it and have not ended */
    const haft__format_mark *mark; /* where a second reading may have to start, or NULL */
    bool in_string;                /* ... that mark is the end of a call, inside a string */
    size_t end_offset, end_raw;    /* after the mark, in the text and in the call */
    haft__buf rest;                /* the bytes after the mark */
    bool tried;                    /* `rest` was read once */
    bool nested;                   /* a call began in it */
    bool mention;                  /* prose may follow its first mark or head: `rest` begins after
                                      `end_raw` bytes of the call, and all of it may be text */
    bool firm;                     /* ... it is text unless the mark that ends it follows */
    bool empty;                /* ... nothing follows; only the mark that ends it makes it text */
    haft__mention_words words; /* ... the words so far */
    size_t words_raw;          /* ... where they begin in the call */
    char why[sizeof(((haft_error *)0)->message)];
} haft__malformed_call;

/* The mark of a section and the text after it, until a call shows that the section is one. */
typedef struct haft__section_text {
    bool withheld;
    bool drops;    /* the text is not content if a call follows */
    size_t layout; /* how many bytes are the mark and the white space after it */
    haft__buf text;
} haft__section_text;

/* The effect of a byte on a malformed call. */
typedef enum haft__malformed_call_step {
    HAFT__MALFORMED_CONTINUES,
    HAFT__MALFORMED_ENDS_BEFORE, /* the call ends before the byte */
    HAFT__MALFORMED_ENDS_AFTER,  /* the call ends after the byte */
} haft__malformed_call_step;

/* A possible end of the text: stop tokens, or the start of one. */
typedef struct haft__stop_tokens {
    uint32_t fits;  /* the tokens that may have begun, one bit each */
    size_t matched; /* how many of their bytes have arrived */
    size_t since; /* bytes from the first token on, if only white space and tokens follow it; 0: no
                     token */
    haft__buf text; /* the withheld bytes, not read yet */
} haft__stop_tokens;

struct haft__parser {
    const haft__format *format;
    haft__parser_options options;
    haft__arena arena; /* owns the automata */
    haft__aho_corasick marks[HAFT__FORMAT_STATES];
    uint8_t state;
    uint16_t mark_node; /* the node of the automaton of marks: the start of a mark that has arrived;
                           0: none */
    bool tail_has_text; /* the current state is a TAIL, and text has arrived in it */
    char tail;          /* ... the last of its brackets, commas and colons, if it has only those */
    bool rereading;     /* the current bytes were consumed before */
    size_t offset;      /* of the next byte */
    size_t reads;       /* bytes read, counting repeated reads */
    uint32_t calls;     /* calls that have begun */
    bool mentioned;     /* a mark that begins calls was only mentioned */
    bool called;        /* a call has occurred, perhaps a malformed one */
    bool reasoned;      /* reasoning has occurred */
    bool had_markup; /* a call, reasoning or the end of a message has occurred: white space next to
                        it is layout */
    bool coding;     /* a block of code is open */
    haft__trimmed_text content, reasoning;
    bool marked; /* a mark that begins calls has occurred */
    bool stray;  /* a tag that ends a call without one is in `content.spaces`: it is content only if
                    text follows */
    char cut[HAFT__UTF8_MAX_BYTES]; /* the start of a split character, not reported yet */
    size_t cut_count;
    haft__parser_event_kind cut_kind;
    haft__buf scratch;
    haft__buf undecided; /* bytes whose meaning is not known yet */
    haft__buf suspect;   /* reasoning from a possible call on; all of it, if it follows text */
    const haft__format_mark *suspect_mark;   /* the mark that `suspect` begins with */
    const haft__format_mark *reasoning_mark; /* the tag that begins reasoning after text, or NULL */
    uint8_t state_before_reasoning;          /* ... the state of that text */
    bool header_word_complete; /* the first word of the current message header is complete */
    bool last_read;   /* the bytes that were undecided at the end of the text have been read */
    uint32_t endless; /* states whose reasoning never ends, as bits: 1 << state */
    haft__message_header head;
    haft__call_builder call;
    haft__parser_json_scanner scanner;
    haft__parser_python_scanner python;
    haft__parser_repair repair;
    haft__malformed_call malformed;
    haft__section_text section;
    haft__stop_tokens stop_tokens;
    haft_status status;
    haft_error err;
};

/* ---- parser.c ---- */

void haft__parser_enter_state(haft__parser *p, uint8_t state);

/* Reads bytes in the current state and in the states that they lead to. */
void haft__parser_read(haft__parser *p, haft_str bytes);

/* Counts bytes as consumed, and records them if they belong to a call. */
void haft__parser_advance(haft__parser *p, haft_str bytes);

/* Keeps the first failure. */
void haft__parser_fail(haft__parser *p, haft_status status, const haft_error *err);
void haft__parser_check(haft__parser *p, const haft__buf *buf);
/* The same, but a full buffer is not a failure of the parser. */
void haft__parser_check_memory(haft__parser *p, const haft__buf *buf);

/* The automaton of a state; NULL if the state has no marks. */
const haft__aho_corasick *haft__parser_marks(haft__parser *p, uint8_t state);

static inline const haft__format_state *haft__parser_state(const haft__parser *p)
{
    return &p->format->states[p->state];
}

/* ---- stop_tokens.c ---- */

void haft__stop_tokens_init(haft__parser *p);
void haft__stop_tokens_finish(haft__parser *p);
/* Reads everything except a possible end of the text. */
void haft__stop_tokens_read(haft__parser *p, haft_str bytes);
/* The text has ended: reads the withheld bytes unless they are stop tokens. */
void haft__stop_tokens_end(haft__parser *p);

/* ---- transition.c: what a mark does ---- */

/* Performs the mark's action and enters its state. */
void haft__parser_transition(haft__parser *p, const haft__format_state *from,
                             const haft__format_mark *mark);

/* True if the mark's state comes next; false if the action entered another state. */
bool haft__parser_apply_action(haft__parser *p, haft__format_action what,
                               const haft__format_mark *mark);

/* Marks the call as malformed and skips the rest of it. */
void haft__parser_reject_call(haft__parser *p, const char *why);
/* The same, unless prose only mentions the first mark of the call: then all of it is text,
 * immediately or when the text has ended. `next` is the first byte after that mark and white space;
 * `pending` as in haft__call_builder_revert_to_content. */
void haft__parser_reject_unless_mention(haft__parser *p, const char *why, char next,
                                        size_t pending);

/* Whether the suspect is a call if the reasoning never ends: some marks need the name of a tool. */
bool haft__parser_is_suspect_call(const haft__parser *p);

/* Whether the state reads something that may turn out not to be a call. */
bool haft__parser_is_maybe_call(const haft__format_state *state);

/* ---- consume.c: bytes that are not part of a mark ---- */

/* Returns the number of bytes consumed: fewer than given if they lead to another state. */
size_t haft__parser_consume(haft__parser *p, haft_str text);

/* Reads bytes that were consumed before: all of them, in whichever states they lead to. */
void haft__parser_reconsume(haft__parser *p, haft_str text);

/* Whether a byte that is not part of a mark may lead to another state. */
static inline bool haft__parser_may_leave_state(const haft__format_state *state)
{
    const unsigned kinds = 1U << HAFT__BYTES_WHITESPACE | 1U << HAFT__BYTES_GAP
                           | 1U << HAFT__BYTES_NAME | 1U << HAFT__BYTES_ID | 1U << HAFT__BYTES_KEY
                           | 1U << HAFT__BYTES_UNDECIDED | 1U << HAFT__BYTES_HEADER;
    return (kinds >> state->bytes & 1U) != 0
           || (state->bytes == HAFT__BYTES_TAIL && state->fallback != 0);
}

/* Whether the meaning of the state's bytes depends on the mark that follows them. */
bool haft__parser_is_undecided(const haft__format_state *state);

/* Whether an unknown name follows a mark that also occurs in ordinary text. Only arguments make it
 * a call. */
bool haft__parser_is_call_uncertain(const haft__parser *p);

static inline void haft__parser_remove_prefix(haft__buf *buf, size_t count)
{
    if (count > 0) {
        memmove(buf->ptr, buf->ptr + count, buf->len - count);
        buf->len -= count;
    }
}

/* ---- emit.c ---- */

void haft__parser_emit_init(haft__parser *p);
void haft__parser_emit_finish(haft__parser *p);
void haft__parser_emit(haft__parser *p, const haft__parser_event *found);
/* Emits text in whole characters. */
void haft__parser_emit_text(haft__parser *p, haft__parser_event_kind kind, haft_str text);
void haft__parser_emit_content(haft__parser *p, haft_str text);
void haft__parser_emit_reasoning(haft__parser *p, haft_str text);
void haft__parser_emit_code(haft__parser *p, haft_str text);
/* Emits white space of a state that allows nothing else. */
void haft__parser_emit_whitespace(haft__parser *p, haft_str spaces);
/* Ends the text before something else begins. */
void haft__parser_flush_text(haft__parser *p);
void haft__parser_end_reasoning(haft__parser *p);
/* Emits the suspect as reasoning: it is not a call. */
void haft__parser_emit_suspect(haft__parser *p);
void haft__parser_end_code(haft__parser *p);
/* A tag that ends a call, without one: it is content if text follows it. */
void haft__parser_hold_stray(haft__parser *p, haft_str tag);
/* The text has ended; `cut` as in haft__parser_end. */
void haft__parser_emit_end(haft__parser *p, bool cut);

/* ---- call_builder.c ---- */

void haft__call_builder_init(haft__parser *p);
void haft__call_builder_finish(haft__parser *p);
/* A message begins with `mark`: a call in its header begins there. */
void haft__call_builder_begin_header(haft__parser *p, haft_str mark);
/* A call begins with `mark`. */
void haft__call_builder_begin(haft__parser *p, haft_str mark, bool if_known);
/* Records source text, up to HAFT__LIMIT_FORMAT_RAW_BYTES. */
void haft__call_builder_record(haft__parser *p, haft_str bytes);
/* Removes the last `count` recorded bytes. */
void haft__call_builder_unrecord(haft__parser *p, size_t count);
/* Adds a piece of the name, the id or a key: as much as fits. */
void haft__call_builder_add_text(haft__parser *p, haft__buf *to, haft_str text);
/* The name is complete. Returns NULL, or the reason why it is not a name. */
const char *haft__call_builder_end_name(haft__parser *p);
/* The id is complete: it contains the name. */
void haft__call_builder_end_id(haft__parser *p);
/* Whether the complete id has 9 letters and digits. */
bool haft__call_builder_has_short_id(haft__parser *p);
/* The call has a second recipient. */
void haft__call_builder_reject_recipient(haft__parser *p);
bool haft__call_builder_is_name(haft_str name);
/* The name of a tool at the start of `text`; empty if the text begins with none. */
haft_str haft__call_builder_leading_name(haft_str text);
/* How many bytes at the start of `text` may belong to the name, including white space around it. */
size_t haft__call_builder_name_length(const haft__parser *p, haft_str text);
/* NULL if no tool has that name. */
const haft__format_tool *haft__call_builder_find_tool(const haft__parser *p, haft_str name);
/* It only looked like a call: emits all of it as content. `pending` bytes are still to be read; if
 * they are read again, they were recorded before. */
void haft__call_builder_revert_to_content(haft__parser *p, size_t pending);
/* It only looked like a name: it is the start of code for the tool `python`. */
void haft__call_builder_begin_code(haft__parser *p);
/* Adds a piece of that code. */
void haft__call_builder_add_code(haft__parser *p, haft_str text);
/* Whether the code has an open bracket or string. */
bool haft__call_builder_is_code_open(const haft__parser *p);
/* Adds a piece of the arguments. */
void haft__call_builder_add_args(haft__parser *p, haft_str text);
/* The call is complete. */
void haft__call_builder_end(haft__parser *p);
/* Drops the open call: it was not a call. */
void haft__call_builder_discard(haft__parser *p);
/* Reports the call as void. */
void haft__call_builder_fail(haft__parser *p, haft__parser_event_kind kind, const char *why);

/* ---- call_value.c ---- */

/* The key is complete. False if it is not valid; the state has changed then. */
bool haft__value_begin(haft__parser *p, haft__format_action how);
/* Whether the schema allows only a string for the parameter. */
bool haft__value_is_text(const haft__format_tool *tool, haft_str key);
void haft__value_add(haft__parser *p, haft_str text);
/* Whether a tag may end the value here: only at the start of a line if the value began on one. */
bool haft__value_may_end(const haft__parser *p);
void haft__value_end(haft__parser *p);
/* The call is complete. */
void haft__value_close(haft__parser *p);

/* ---- scan_json.c ---- */

/* Reads from *io_bytes and moves it past the consumed bytes. True if it is done with the state. */
bool haft__scan_json(haft__parser *p, haft__scan_kind what, haft_str *io_bytes);
/* At the end of the text: whether only closers are missing. False also if no JSON is being read. */
bool haft__scan_complete(const haft__parser *p);
void haft__scan_finish(haft__parser *p);
/* JSON that may be a call ends before that is decided. */
void haft__scan_decide(haft__parser *p);
/* 1e999 is valid JSON but not a usable number. */
bool haft__scan_is_not_finite(const haft__json_event *event);
/* The role of a member with this key, including the variants that models use. */
haft__call_member haft__scan_call_member(haft_str key);

/* Continues with an array after an element that could not be read. */
void haft__scan_resume(haft__parser *p);

/* ---- malformed_call.c ---- */

void haft__malformed_call_init(haft__parser *p);
void haft__malformed_call_finish(haft__parser *p);
/* Marks the open call as malformed. `how` is the position in its JSON. */
void haft__malformed_call_begin(haft__parser *p, const char *why, const haft__malformed_call *how);
/* The malformed call ends: here, at a mark, or with the text. */
void haft__malformed_call_end(haft__parser *p);
void haft__malformed_call_end_at_mark(haft__parser *p, const haft__format_mark *mark);
void haft__malformed_call_end_of_text(haft__parser *p);
/* Reads a byte that is not part of a mark. */
haft__malformed_call_step haft__malformed_call_scan_byte(const haft__parser *p,
                                                         haft__malformed_call *w, char c);
/* Reads bytes of a name or an id: if they turn out not to be one, they belong to the malformed
 * call. */
void haft__malformed_call_scan_header(haft__parser *p, haft_str bytes);
void haft__malformed_call_reset(haft__parser *p);
/* Whether a mark is part of the malformed call and has no effect. */
bool haft__malformed_call_hides_mark(haft__parser *p, const haft__format_mark *mark);
/* Records bytes that may have to be read again. */
void haft__malformed_call_record(haft__parser *p, haft_str bytes);
/* The text has ended inside the malformed call. Reads again from a call that began in it, or after
 * the first end tag in a string that never closed. False if neither exists. */
bool haft__malformed_call_reparse(haft__parser *p);

/* ---- mention.c ---- */

typedef enum haft__mention {
    HAFT__MENTION_NO,   /* it is a malformed call */
    HAFT__MENTION_HELD, /* the rest of the text decides */
    HAFT__MENTION_TEXT, /* it is text */
} haft__mention;

/* Decides whether a call that cannot be read is prose about its first mark; `next` is the first
 * byte after the mark and white space. */
haft__mention haft__mention_judge(const haft__parser *p, char next);
/* The first byte after the first mark of the call and white space; '\0' if nothing has come. */
char haft__mention_first_byte(const haft__parser *p);
/* Whether the name of the call, which an end mark follows, is a word between two marks that are
 * mentioned. */
bool haft__mention_is_name(const haft__parser *p);
/* Whether the mark that ends the call follows its first mark directly, inside a line of text. It is
 * the last part of the call so far. */
bool haft__mention_is_empty(const haft__parser *p, const haft__format_mark *end);
/* The call is text; `pending` as in haft__call_builder_revert_to_content. */
void haft__mention_release(haft__parser *p, size_t pending);
/* The call, which is malformed now, may become text; `next` as in haft__mention_judge. */
void haft__mention_hold(haft__parser *p, char next);
/* Whether a mark that would end the call is mentioned together with the first mark of the call. */
bool haft__mention_hides_end(haft__parser *p, const haft__format_mark *mark);
/* A byte of a held mention has arrived. If the words so far are prose, reads all of it as text. */
void haft__mention_step(haft__parser *p);
/* The text has ended. Reads a withheld mention as text; false if there is none. */
bool haft__mention_reread(haft__parser *p);
/* Whether the text has ended in prose after a mark, where a name or an id would be; `cut` as in
 * haft__parser_end. */
bool haft__mention_at_end(const haft__parser *p, bool cut);

/* Text begins in a section, before any call; `next` is its first byte, `pending` as in
 * haft__call_builder_revert_to_content. Withholds it if the mark of the section may be prose. */
void haft__section_text_begin(haft__parser *p, char next, size_t pending);
/* A call begins: the mark of its section is withheld until the call is known to be one. */
void haft__section_text_hold_mark(haft__parser *p, const haft__format_mark *mark);
/* The section is one: its mark is dropped, and the withheld text is content. */
void haft__section_text_release(haft__parser *p);
/* The section is none: its mark is content too. */
void haft__section_text_revert(haft__parser *p);
/* A mark that begins a section, inside a section. False if it is ordinary text there. */
bool haft__section_text_ends_at(haft__parser *p, const haft__format_mark *mark);

/* ---- malformed_call_tag.c ---- */

/* `bracket`: a bracket is open around it; then only a block of reasoning is such a tag. */
void haft__malformed_call_tag_scan_byte(haft__malformed_call_tag *tag, char c, bool bracket);
/* Whether the next bytes belong to a tag or to its contents. */
bool haft__malformed_call_tag_is_header(const haft__malformed_call_tag *tag);
bool haft__malformed_call_tag_is_open(const haft__malformed_call_tag *tag);

/* ---- repair.c ---- */

void haft__parser_repair_init(haft__parser *p);
void haft__parser_repair_finish(haft__parser *p);
/* Whether the JSON that follows is buffered until it is complete. */
bool haft__parser_repair_applies(const haft__parser *p);
/* Buffers JSON; at its end the JSON is read and the state changes. */
void haft__parser_repair_scan(haft__parser *p, haft__scan_kind what, haft_str *io_bytes);
/* Scans a value to its end; all of it stays undecided. True after its last byte, unless the state
 * has changed. */
bool haft__parser_repair_scan_undecided(haft__parser *p, haft_str *io_bytes);
/* The text has ended: reads the buffered bytes as they are. */
void haft__parser_repair_end(haft__parser *p);
/* The buffered bytes have been read; repair is on again for those that follow. */
void haft__parser_repair_done(haft__parser *p);

/* ---- scan_python.c, python_string.c ---- */

bool haft__scan_python(haft__parser *p, haft__scan_kind what, haft_str *io_bytes);
/* Reads a part of a string. Returns the bytes consumed; *ret_why is the error, if any. */
size_t haft__python_string(haft__parser *p, haft_str bytes, const char **ret_why);
void haft__python_string_ended(haft__parser *p);
/* Reads a byte of a skipped string. False if the string ended before the byte. */
bool haft__python_skip_string(haft__py_text *text, char c);

#endif
