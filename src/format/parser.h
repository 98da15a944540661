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

/* Text that is trimmed next to calls: white space is withheld until the text or call after it is
 * known. White space before a call is emitted if text follows the call, so that two words stay
 * separate. */
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
    bool if_known;      /* a call only if a tool has its name */
    bool if_named;      /* a call only if a name can follow */
    bool named;         /* `name` is complete */
    bool announced;     /* HAFT__PARSER_EVENT_CALL was reported */
    bool repaired;      /* the call had an error, but its meaning is clear */
    bool late;          /* the call begins in bytes that were consumed before, and contains them */
    bool bad_recipient; /* the recipient is not a tool, or is not the only one */
    bool in_section;    /* another call of the section precedes it */
    size_t offset;
    size_t opener; /* length of the first mark of the call */
    size_t head;   /* length up to the end of the name */
    haft__buf name, id;
    haft__buf args; /* withheld until the name is known */
    haft__buf raw;  /* source text */
    size_t written; /* bytes of source text, including those beyond the limit of `raw` */

    /* arguments built from keys and values */
    const haft__format_tool *tool; /* NULL if no tool has this name */
    bool members;                  /* the object has at least one member */
    bool wrapped;                  /* the object has one member, which may contain all arguments */
    bool verbatim;                 /* the current value is a string and is reported as it arrives */
    unsigned types;                /* types that the current value may have: see call_value.c */
    bool in_value;                 /* a value is being read */
    bool fresh;                    /* no byte of the value has arrived yet */
    bool on_own_line;              /* the value begins on its own line */
    bool begun;                    /* a part of the value has been reported */
    haft__buf key, value;

    /* Python code: its open strings and brackets */ bool is_code, in_comment;
    haft__py_text text; /* the current string */
    uint32_t depth;     /* open brackets */
} haft__call_builder;

/* The start of a message, which may be the start of a call. */
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
    HAFT__CALL_MEMBER_ANSWER, /* the text of the answer, in JSON that may be a call */
    HAFT__CALL_MEMBER_INNER,  /* the call, or the calls, are one level deeper */
} haft__call_member;

typedef struct haft__parser_json_scanner {
    haft__json_stream json;
    bool live;              /* `json` is in use */
    uint8_t scan_kind;      /* haft__scan_kind */
    haft__call_member slot; /* of the current member */
    uint32_t base;          /* how many containers enclose a call */
    bool in_args;           /* the bytes belong to the arguments */
    bool has_args;          /* the arguments have arrived */
    const char *why; /* the reason why the current call is malformed although it is valid JSON */

    bool maybe;       /* the JSON may be content instead of a call */
    bool decided;     /* the JSON is known to be a call or an answer */
    bool is_content;  /* the JSON is known to be content */
    bool answered;    /* an answer was emitted */
    bool in_answer;   /* the bytes belong to an answer that is an object or array */
    bool null_answer; /* the answer is null */
} haft__parser_json_scanner;

/* JSON that is buffered until it is complete, to be repaired. */
typedef struct haft__parser_repair {
    bool live;            /* a value is being buffered */
    bool strict;          /* repair is off: the buffered text is being read */
    bool repaired;        /* ... after a repair */
    bool cut;             /* ... and incomplete */
    bool ended;           /* the text has ended; repair stays off */
    bool broken;          /* the call ended before the value did */
    bool scans_undecided; /* the value stays undecided until its end */
    haft__buf text;
    size_t offset;       /* of its first byte */
    size_t raw, written; /* how much of the call preceded it */
    uint16_t mark;       /* state of the automaton of marks that end a call */
    uint32_t depth;      /* open brackets */
    char quote;          /* of the current string, or 0 */
    char comment;        /* the first byte of the current .in_comment, or 0 */
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

/* The classification of the words after the first mark of a call: see mention.c. */
typedef struct haft__mention_words {
    uint8_t state;
    bool python;        /* a call would be Python */
    size_t count, word; /* bytes classified; start of the first word */
} haft__mention_words;

/* The rest of a malformed call. */
typedef struct haft__malformed_call {
    bool live;
    bool json;      /* its strings and brackets are tracked */
    bool resumes;   /* the call is an element of an array; reading continues after it */
    uint8_t state;  /* of the scanner that found the error */
    uint32_t depth; /* open brackets */
    uint32_t floor; /* open brackets that enclose the call */
    char closers[HAFT__LIMIT_JSON_DEPTH]; /* the closer of each open bracket; past the limit any
                                             closer counts */
    char quote;                           /* of the current string, or 0 */
    bool escape;                          /* after a backslash */
    char last;                            /* the previous byte, ignoring white space and strings */
    haft__malformed_call_tag tag;
    uint32_t level;                /* nested calls that have not ended */
    const haft__format_mark *mark; /* where a second reading may have to start, or NULL */
    bool in_string;                /* ... that mark is the end of a call, inside a string */
    size_t end_offset, end_raw;    /* after the mark, in the text and in the call */
    haft__buf rest;                /* the bytes after the mark */
    bool reparsed;                 /* `rest` was read a second time */
    bool nested;                   /* a call began inside the malformed call */
    bool mention;   /* the call may be prose about its first mark or head; `rest` begins after
                       `end_raw` bytes of the call */
    bool needs_end; /* ... and is text unless the mark that ends the call follows */
    bool
        empty; /* ... only white space follows; it is text if the mark that ends the call is next */
    haft__mention_words words; /* ... the words so far */
    size_t words_raw;          /* ... the position of the words in the call */
    char why[sizeof(((haft_error *)0)->message)];
} haft__malformed_call;

/* The mark of a section and the text after it, withheld until a call shows that the section is
 * real. */
typedef struct haft__section_text {
    bool withheld;
    bool drops;    /* the text is not content if a call follows */
    size_t layout; /* bytes of the mark and of the white space after it */
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
    bool tail_has_text; /* the current state is a TAIL that has read text */
    char tail;          /* the last bracket, comma or colon of the TAIL, if it has no other bytes */
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
    bool stray;  /* `content.spaces` has the end tag of a call that never began: it is content only
                    if text follows */
    char cut[HAFT__UTF8_MAX_BYTES]; /* the start of a split character, not reported yet */
    size_t cut_count;
    haft__parser_event_kind cut_kind;
    haft__buf scratch;
    haft__buf undecided; /* bytes whose meaning is not known yet */
    haft__buf suspect; /* the reasoning from a possible call on; after text, the whole reasoning */
    const haft__format_mark *suspect_mark;   /* the mark that `suspect` begins with */
    const haft__format_mark *reasoning_mark; /* the tag that begins reasoning after text, or NULL */
    uint8_t state_before_reasoning;          /* ... the state of that text */
    bool header_word_complete; /* the first word of the current message header is complete */
    bool last_read;            /* the undecided bytes at the end of the text have been read */
    uint32_t endless;          /* states whose reasoning never ends, as bits: 1 << state */
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

/* Stores the first failure; later ones are ignored. */
void haft__parser_fail(haft__parser *p, haft_status status, const haft_error *err);
void haft__parser_check(haft__parser *p, const haft__buf *buf);
/* Like haft__parser_check, but a full buffer is not a failure. */
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
bool haft__parser_apply_action(haft__parser *p, haft__format_action action,
                               const haft__format_mark *mark);

/* Marks the call as malformed; the rest of the call is skipped. */
void haft__parser_reject_call(haft__parser *p, const char *why);
/* Rejects the call too, unless the text only mentions the first mark of the call. Then the whole
 * call is text, immediately or when the text has ended. `next` is the first byte after that mark
 * and white space; `pending` as in haft__call_builder_revert_to_content. */
void haft__parser_reject_unless_mention(haft__parser *p, const char *why, char next,
                                        size_t pending);

/* Whether the suspect is a call if the reasoning never ends. Some marks must be followed by the
 * name of a tool. */
bool haft__parser_is_suspect_call(const haft__parser *p);

/* Whether the state reads a value that is perhaps not a call. */
bool haft__parser_is_maybe_call(const haft__format_state *state);

/* ---- consume.c: bytes that are not part of a mark ---- */

/* Returns the number of bytes consumed: fewer than given if they lead to another state. */
size_t haft__parser_consume(haft__parser *p, haft_str text);

/* Reads bytes that were consumed before, in the current state and in the states that they lead
 * to. */
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
/* Emits the white space of a state that allows only white space. */
void haft__parser_emit_whitespace(haft__parser *p, haft_str spaces);
/* Ends the text before something else begins. */
void haft__parser_flush_text(haft__parser *p);
void haft__parser_end_reasoning(haft__parser *p);
/* Emits the suspect as reasoning: it is not a call. */
void haft__parser_emit_suspect(haft__parser *p);
void haft__parser_end_code(haft__parser *p);
/* Withholds the end tag of a call that never began: it is content if text follows. */
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
/* The tool with this name, or NULL. */
const haft__format_tool *haft__call_builder_find_tool(const haft__parser *p, haft_str name);
/* Emits the open call as content, because it is not a call. `pending` is the number of bytes that
 * are still to be read; if they are read for the second time, they are recorded already. */
void haft__call_builder_revert_to_content(haft__parser *p, size_t pending);
/* Turns a name that is not valid into the start of code for the tool `python`. */
void haft__call_builder_begin_code(haft__parser *p);
/* Adds a piece of that code. */
void haft__call_builder_add_code(haft__parser *p, haft_str text);
/* Whether the code has an open bracket or string. */
bool haft__call_builder_is_code_open(const haft__parser *p);
/* Adds a piece of the arguments. */
void haft__call_builder_add_args(haft__parser *p, haft_str text);
/* The call is complete. */
void haft__call_builder_end(haft__parser *p);
/* Drops the open call, because it is not a call. */
void haft__call_builder_discard(haft__parser *p);
/* Reports the call as void. */
void haft__call_builder_fail(haft__parser *p, haft__parser_event_kind kind, const char *why);

/* ---- call_value.c ---- */

/* The key is complete. False if it is not valid; the state has changed then. */
bool haft__value_begin(haft__parser *p, haft__format_action how);
/* Whether the schema allows only a string for the parameter. */
bool haft__value_is_text(const haft__format_tool *tool, haft_str key);
void haft__value_add(haft__parser *p, haft_str text);
/* Whether a tag may end the value here. If the value began on its own line, only a tag at the start
 * of a line may. */
bool haft__value_may_end(const haft__parser *p);
void haft__value_end(haft__parser *p);
/* The call is complete. */
void haft__value_close(haft__parser *p);

/* ---- scan_json.c ---- */

/* Reads from *io_bytes and moves it past the consumed bytes. True if the value of the state has
 * ended. */
bool haft__scan_json(haft__parser *p, haft__scan_kind scan_kind, haft_str *io_bytes);
/* At the end of the text: whether only closers are missing. False also if no JSON is being read. */
bool haft__scan_complete(const haft__parser *p);
void haft__scan_finish(haft__parser *p);
/* The text has ended: if it is not decided whether the JSON is a call, the JSON is content. */
void haft__scan_decide(haft__parser *p);
/* Whether a number is not finite as a double: 1e999 is valid JSON but not a usable number. */
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
/* End the malformed call: at the current position, at a mark, or at the end of the text. */
void haft__malformed_call_end(haft__parser *p);
void haft__malformed_call_end_at_mark(haft__parser *p, const haft__format_mark *mark);
void haft__malformed_call_end_of_text(haft__parser *p);
/* Reads a byte that is not part of a mark. */
haft__malformed_call_step haft__malformed_call_scan_byte(const haft__parser *p,
                                                         haft__malformed_call *malformed, char c);
/* Reads bytes of a name or an id, which belong to the malformed call if the name or id is
 * invalid. */
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
    HAFT__MENTION_NO,   /* the call is malformed */
    HAFT__MENTION_HELD, /* the rest of the text decides */
    HAFT__MENTION_TEXT, /* the call is text */
} haft__mention;

/* Decides whether a call that cannot be read is prose about its first mark; `next` is the first
 * byte after the mark and white space. */
haft__mention haft__mention_judge(const haft__parser *p, char next);
/* The first byte after the first mark of the call and white space; '\0' if no such byte has
 * arrived. */
char haft__mention_first_byte(const haft__parser *p);
/* Whether the text mentions a mark, a word and an end mark. The word was read as the name of the
 * call. */
bool haft__mention_is_name(const haft__parser *p);
/* Whether `end`, the mark that ends the call, follows the first mark directly, inside a line of
 * text. `end` is the last part of the call so far. */
bool haft__mention_is_empty(const haft__parser *p, const haft__format_mark *end);
/* Emits the call as text; `pending` as in haft__call_builder_revert_to_content. */
void haft__mention_release(haft__parser *p, size_t pending);
/* Stores that the malformed call may be text; `next` as in haft__mention_judge. */
void haft__mention_hold(haft__parser *p, char next);
/* Whether a mark that would end the call is mentioned together with the first mark of the call. */
bool haft__mention_hides_end(haft__parser *p, const haft__format_mark *mark);
/* Handles the arrival of a byte after a withheld mention. If the words so far are prose, reads the
 * whole call as text. */
void haft__mention_step(haft__parser *p);
/* The text has ended. Reads a withheld mention as text; false if there is none. */
bool haft__mention_reread(haft__parser *p);
/* Whether the text has ended in prose that was read as a name or an id; `cut` as in
 * haft__parser_end. */
bool haft__mention_at_end(const haft__parser *p, bool cut);

/* Handles the start of text in a section, before any call: withholds the text if the mark of the
 * section may be prose. `next` is the first byte of the text, `pending` as in
 * haft__call_builder_revert_to_content. */
void haft__section_text_begin(haft__parser *p, char next, size_t pending);
/* A call begins: withholds the mark of its section until it is certain that the call is one. */
void haft__section_text_hold_mark(haft__parser *p, const haft__format_mark *mark);
/* The section is real: its mark is dropped, and the withheld text is content. */
void haft__section_text_release(haft__parser *p);
/* The section was only mentioned: its mark is content too. */
void haft__section_text_revert(haft__parser *p);
/* For the mark of a section inside a section: false if the mark is ordinary text there. */
bool haft__section_text_ends_at(haft__parser *p, const haft__format_mark *mark);

/* ---- malformed_call_tag.c ---- */

/* `bracket`: the byte is inside a bracket, where only a block of reasoning counts as a tag. */
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
void haft__parser_repair_scan(haft__parser *p, haft__scan_kind scan_kind, haft_str *io_bytes);
/* Scans a value to its end; all of it stays undecided. True after its last byte, unless the state
 * has changed. */
bool haft__parser_repair_scan_undecided(haft__parser *p, haft_str *io_bytes);
/* The text has ended: reads the buffered bytes as they are. */
void haft__parser_repair_end(haft__parser *p);
/* The buffered bytes have been read; repair is on again for the bytes after them. */
void haft__parser_repair_done(haft__parser *p);

/* ---- scan_python.c, python_string.c ---- */

bool haft__scan_python(haft__parser *p, haft__scan_kind scan_kind, haft_str *io_bytes);
/* Reads a part of a string. Returns the bytes consumed; *ret_why is the error, if any. */
size_t haft__python_string(haft__parser *p, haft_str bytes, const char **ret_why);
void haft__python_string_ended(haft__parser *p);
/* Reads a byte of a skipped string. False if the string ended before the byte. */
bool haft__python_skip_string(haft__py_text *text, char c);

#endif
