/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/parser.h - the inside of a parser, for its own files.
 *
 *     parser.c      goes from place to place
 *     stop_tokens.c      tokens that end a turn, at the end of the text
 *     emit.c        what is told, and when
 *     call_builder.c     the call that is being read
 *     call_value.c       values that are written without quotes
 *     scan_json.c   JSON that holds calls
 *     repair.c        ... that has to be mended first
 *     malformed_call.c       the rest of a call that cannot be used; tags in it in
 * malformed_call_tag.c scan_python.c   calls written as Python; their strings in python_string.c
 *
 * A failure of memory, or of the one who is told, is kept in `status`; nothing is told any more.
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

/* Text that is trimmed next to calls: white space waits until it is known what follows. That in
 * front of a call stands for the call when more text comes, so that words do not grow together. */
typedef struct haft__trimmed_text {
    haft__parser_event_kind kind;
    haft__buf spaces;
    bool begun; /* there was text */
    bool fixed; /* a call has come behind the white space: what follows is layout */
} haft__trimmed_text;

/* The call that is being read. */
typedef struct haft__call_builder {
    bool open;          /* the text is inside a call: it must not end here */
    bool if_known;      /* it is one only if there is a tool of this name */
    bool if_named;      /* it is one only if what follows can be a name */
    bool named;         /* `name` is complete */
    bool announced;     /* that it begins */
    bool repaired;      /* it is not written as it should be, but what is meant is clear */
    bool late;          /* it begins in bytes that were used before: they are its own */
    bool bad_recipient; /* its recipient is no tool, or there are two of them */
    size_t offset;
    haft__buf name, id;
    haft__buf args; /* wait until the name is known */
    haft__buf raw;  /* how it is written */
    size_t written; /* how many bytes that are, those included that are too many to be kept */

    /* arguments that are made from keys and values */
    const haft__format_tool *tool; /* NULL when none has this name */
    bool members;                  /* there is one already */
    bool verbatim;                 /* the present value is a string: it is told as it comes */
    unsigned types;                /* that the present value may have: see call_value.c */
    bool in_value;                 /* a value is being read */
    bool fresh;                    /* nothing of it has come yet */
    bool on_own_line;              /* it begins on a line of its own */
    bool begun;                    /* some of it has been told */
    haft__buf key, value;

    /* code of Python: whether it may end here */
    bool coded, comment;
    haft__py_text text; /* the string at hand */
    uint32_t depth;     /* brackets that are open */
} haft__call_builder;

/* The beginning of a message, which may turn out to be that of a call. */
typedef struct haft__message_header {
    bool live;
    size_t offset, written;
    haft__buf raw;
} haft__message_header;

/* What a member of a call is. */
typedef enum haft__call_member {
    HAFT__CALL_MEMBER_OTHER,
    HAFT__CALL_MEMBER_NAME,
    HAFT__CALL_MEMBER_ARGS,
    HAFT__CALL_MEMBER_ID,
    HAFT__CALL_MEMBER_ANSWER, /* of what may be a call: it is what the model has to say */
    HAFT__CALL_MEMBER_INNER,  /* ... or the call is, or the calls are, one level further in */
} haft__call_member;

typedef struct haft__parser_json_scanner {
    haft__json_stream json;
    bool live;              /* `json` is in use */
    uint8_t what;           /* haft__scan_kind */
    haft__call_member slot; /* of the member at hand */
    uint32_t base;          /* how many containers are around a call */
    bool in_args;           /* the bytes are those of the arguments */
    bool has_args;          /* they have come */
    const char *why;        /* what is wrong with the present call although it is JSON */

    bool maybe;    /* it may be something else than a call */
    bool decided;  /* it is a call, or an answer */
    bool disowned; /* it is content */
    bool answered, in_answer;
    bool nothing; /* the answer is null */
} haft__parser_json_scanner;

/* JSON that waits until it is whole, to be mended. */
typedef struct haft__parser_repair {
    bool live;
    bool strict;   /* nothing is mended now: what was kept is being read */
    bool repaired; /* ... as it should have been written */
    bool cut;      /* ... although its end has not come */
    bool ended;    /* the text has ended; nothing is mended any more */
    bool broken;   /* the call has ended before the value did */
    bool waits;    /* a value is followed, and stays in doubt */
    haft__buf text;
    size_t offset;       /* where it begins */
    size_t raw, written; /* how much of the call was there before it */
    uint16_t mark;       /* state of the automaton of marks that end a call */
    uint32_t depth;      /* brackets that are open */
    char quote;          /* of the string at hand, or 0 */
    char comment;        /* what the present one begins with, or 0 */
    char last;           /* the byte before, outside strings */
    bool escape;         /* behind a backslash */
} haft__parser_repair;

/* The outermost tag of another dialect that is open in such a call: what stands in it is a value.
 */
typedef struct haft__malformed_call_tag {
    uint8_t state; /* see malformed_call_tag.c */
    uint8_t length, match;
    char last;
    char name[32]; /* a longer one is no tag */
} haft__malformed_call_tag;

/* The rest of a call that cannot be used. */
typedef struct haft__malformed_call {
    bool live;
    bool json;      /* its strings and brackets are followed */
    bool resumes;   /* it is an element of an array, which is read on behind it */
    uint8_t state;  /* of the scanner that has found what is wrong */
    uint32_t depth; /* brackets that are open */
    uint32_t floor; /* ... and are not its own */
    char closers[HAFT__LIMIT_JSON_DEPTH]; /* of each of them, what closes it; any, further in */
    char quote;                           /* of the string at hand, or 0 */
    bool escape;                          /* behind a backslash */
    char last;                            /* the byte before, white space and strings left out */
    haft__malformed_call_tag tag;
    uint32_t level;                /* calls that have begun in it, and not ended */
    const haft__format_mark *mark; /* from where on it may have to be read again, or NULL */
    bool in_string;                /* ... that is the end of a call, in a string */
    size_t end_offset, end_raw;    /* behind the mark, in the text and in the call */
    haft__buf rest;                /* what has come behind it */
    bool tried;                    /* that was read once */
    char why[sizeof(((haft_error *)0)->message)];
} haft__malformed_call;

/* What a byte does to it. */
typedef enum haft__malformed_call_step {
    HAFT__MALFORMED_CONTINUES,
    HAFT__MALFORMED_ENDS_BEFORE, /* it ends in front of the byte */
    HAFT__MALFORMED_ENDS_AFTER,  /* ... behind it */
} haft__malformed_call_step;

/* What may be the end of the text: tokens that end a turn, or the beginning of one. */
typedef struct haft__stop_tokens {
    uint32_t fits;  /* the tokens that may have begun, a bit each */
    size_t held;    /* so many bytes of them have come */
    size_t since;   /* bytes from the first token on, if white space and tokens are all that came
                       behind it; 0: there is none */
    haft__buf text; /* the bytes: they are not read yet */
} haft__stop_tokens;

struct haft__parser {
    const haft__format *format;
    haft__parser_options options;
    haft__arena arena; /* of the automata */
    haft__aho_corasick marks[HAFT__FORMAT_STATES];
    uint8_t state;
    uint16_t held;  /* state of the present place's automaton */
    bool tailed;    /* the present place is a TAIL, and text has come in it */
    char tail;      /* ... the last of its brackets, commas and colons, when nothing else has */
    bool again;     /* the bytes at hand have been used before */
    size_t offset;  /* of the next byte */
    size_t reads;   /* bytes that were looked at, those looked at again included */
    uint32_t calls; /* that have begun */
    bool reasoned;  /* there was reasoning */
    bool any;       /* there was a call, reasoning or the end of a message: white space next to it
                       is layout */
    bool coding;    /* a block of code is open */
    haft__trimmed_text content, reasoning;
    char cut[HAFT__UTF8_MAX_BYTES]; /* the beginning of a character, not told yet */
    size_t cut_count;
    haft__parser_event_kind cut_kind;
    haft__buf scratch;
    haft__buf undecided; /* bytes of which it is not known yet what they are */
    haft__buf suspect;   /* of reasoning: from what looks like a call on; behind text, all of it */
    const haft__format_mark *supposed; /* the tag that begins reasoning behind text, or NULL */
    uint8_t supposed_in;               /* ... the place of that text */
    bool last_read;   /* what was in doubt at the end of the text was read, if any was */
    uint32_t endless; /* places of reasoning that never ends: 1 << place for each */
    haft__message_header head;
    haft__call_builder call;
    haft__parser_json_scanner scanner;
    haft__parser_python_scanner python;
    haft__parser_repair repair;
    haft__malformed_call malformed;
    haft__stop_tokens stop_tokens;
    haft_status status;
    haft_error err;
};

/* ---- parser.c ---- */

void haft__parser_enter_state(haft__parser *p, uint8_t state);

/* Reads bytes in the place where we are, and in those that they lead to. */
void haft__parser_read(haft__parser *p, haft_str bytes);

/* Counts bytes as used, and keeps them if they belong to a call. */
void haft__parser_advance(haft__parser *p, haft_str bytes);

/* The first failure counts. */
void haft__parser_fail(haft__parser *p, haft_status status, const haft_error *err);
void haft__parser_check(haft__parser *p, const haft__buf *buf);
/* The same, but a buffer that is full is no failure of the parser. */
void haft__parser_check_memory(haft__parser *p, const haft__buf *buf);

/* The automaton of a place; NULL when it has no marks. */
const haft__aho_corasick *haft__parser_marks(haft__parser *p, uint8_t state);

/* Where it stands. */
static inline const haft__format_state *haft__parser_state(const haft__parser *p)
{
    return &p->format->states[p->state];
}

/* ---- stop_tokens.c ---- */

void haft__stop_tokens_init(haft__parser *p);
void haft__stop_tokens_finish(haft__parser *p);
/* Reads all but what may be the end of the text. */
void haft__stop_tokens_read(haft__parser *p, haft_str bytes);
/* The text ends: what was held back is read, unless it is tokens that end a turn. */
void haft__stop_tokens_end(haft__parser *p);

/* ---- transition.c: what a mark does ---- */

/* What the mark says, and on to the place it leads to. */
void haft__parser_transition(haft__parser *p, const haft__format_state *from,
                             const haft__format_mark *mark);

/* Whether the place of the mark comes next; if not, it is another already. */
bool haft__parser_apply_action(haft__parser *p, haft__format_action what,
                               const haft__format_mark *mark);

/* The call cannot be used; what is left of it is skipped. */
void haft__parser_reject_call(haft__parser *p, const char *why);

/* Whether what is read there may turn out not to be a call. */
bool haft__parser_is_maybe_call(const haft__format_state *state);

/* ---- bytes that are no mark: consume.c ---- */

/* How many of the bytes it has taken: fewer when they lead to another place. */
size_t haft__parser_consume(haft__parser *p, haft_str text);

/* Bytes that have been used already: all of them, wherever they lead. */
void haft__parser_reconsume(haft__parser *p, haft_str text);

/* Whether a byte that is no mark may lead to another place. */
bool haft__parser_may_leave_state(const haft__format_state *state);

/* A name that no tool has, behind a mark that stands in texts too: only arguments make it one. */
bool haft__parser_is_call_uncertain(const haft__parser *p);

/* Takes the first `count` bytes away. */
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
/* Pieces of text, whole characters at a time. */
void haft__parser_emit_text(haft__parser *p, haft__parser_event_kind kind, haft_str text);
void haft__parser_emit_content(haft__parser *p, haft_str text);
void haft__parser_emit_reasoning(haft__parser *p, haft_str text);
void haft__parser_emit_code(haft__parser *p, haft_str text);
/* White space of a place that has nothing else. */
void haft__parser_emit_whitespace(haft__parser *p, haft_str spaces);
/* The text before something else is over. */
void haft__parser_flush_text(haft__parser *p);
void haft__parser_end_reasoning(haft__parser *p);
void haft__parser_end_code(haft__parser *p);
void haft__parser_emit_end(haft__parser *p);

/* ---- call_builder.c ---- */

void haft__call_builder_init(haft__parser *p);
void haft__call_builder_finish(haft__parser *p);
/* A message begins with `mark`: a call that is opened in its header begins there. */
void haft__call_builder_begin_header(haft__parser *p, haft_str mark);
/* A call begins with `mark`. */
void haft__call_builder_begin(haft__parser *p, haft_str mark, bool if_known);
/* Keeps how it is written, up to HAFT__LIMIT_FORMAT_RAW_BYTES. */
void haft__call_builder_record(haft__parser *p, haft_str bytes);
/* Takes the last `count` bytes back. */
void haft__call_builder_unrecord(haft__parser *p, size_t count);
/* A piece of its name, its id, a key. */
void haft__call_builder_add_text(haft__parser *p, haft__buf *to, haft_str text);
/* The name is complete. NULL, or why it cannot be one. */
const char *haft__call_builder_end_name(haft__parser *p);
/* The id is complete: the name is a part of it. */
void haft__call_builder_end_id(haft__parser *p);
/* Whether the id, which is complete, is 9 letters and digits. */
bool haft__call_builder_has_short_id(haft__parser *p);
/* It has another recipient than the one that was named. */
void haft__call_builder_reject_recipient(haft__parser *p);
/* How many bytes at the start of `text` may belong to the name, white space around it included. */
size_t haft__call_builder_name_length(const haft__parser *p, haft_str text);
/* NULL when there is none of that name. */
const haft__format_tool *haft__call_builder_find_tool(const haft__parser *p, haft_str name);
/* It looked like a call: all of it is content. */
void haft__call_builder_revert_to_content(haft__parser *p);
/* It looked like a name: it is the beginning of code for the tool python. */
void haft__call_builder_begin_code(haft__parser *p);
/* The next piece of that code. */
void haft__call_builder_add_code(haft__parser *p, haft_str text);
/* Whether a bracket or a string of it is open. */
bool haft__call_builder_is_code_open(const haft__parser *p);
/* The next piece of its arguments. */
void haft__call_builder_add_args(haft__parser *p, haft_str text);
/* It is complete. */
void haft__call_builder_end(haft__parser *p);
/* There is no call after all. */
void haft__call_builder_discard(haft__parser *p);
/* It cannot be used. */
void haft__call_builder_fail(haft__parser *p, haft__parser_event_kind kind, const char *why);

/* ---- call_value.c ---- */

/* The key is complete. False when it cannot be one; then the place has changed. */
bool haft__value_begin(haft__parser *p, haft__format_action how);
/* Whether the schema says that the parameter is a string, and nothing else. */
bool haft__value_is_text(const haft__format_tool *tool, haft_str key);
void haft__value_add(haft__parser *p, haft_str text);
/* Whether a tag may end it here: at the start of a line, if it began on one. */
bool haft__value_may_end(const haft__parser *p);
void haft__value_end(haft__parser *p);
/* The call is complete. */
void haft__value_close(haft__parser *p);

/* ---- scan_json.c ---- */

/* Reads from *io_bytes and moves it behind what was used. True when it is done with the place. */
bool haft__scan_json(haft__parser *p, haft__scan_kind what, haft_str *io_bytes);
/* The text ends here: does only what closes it lack? False also when nothing is being read. */
bool haft__scan_complete(const haft__parser *p);
void haft__scan_finish(haft__parser *p);
/* What may be a call ends before that is known. */
void haft__scan_decide(haft__parser *p);
/* 1e999 is JSON, but no number that anybody could use. */
bool haft__scan_is_not_finite(const haft__json_event *event);
/* What models mean by the key of a member. */
haft__call_member haft__scan_call_member(haft_str key);

/* Goes on with an array behind an element that could not be read. */
void haft__scan_resume(haft__parser *p);

/* ---- malformed_call.c ---- */

void haft__malformed_call_init(haft__parser *p);
void haft__malformed_call_finish(haft__parser *p);
/* The call that is open cannot be used. `how` says where in its JSON we are. */
void haft__malformed_call_begin(haft__parser *p, const char *why, const haft__malformed_call *how);
/* It ends: here, at a mark, or with the text. */
void haft__malformed_call_end(haft__parser *p);
void haft__malformed_call_end_at_mark(haft__parser *p, const haft__format_mark *mark);
void haft__malformed_call_end_of_text(haft__parser *p);
/* A byte of it, outside of what a mark does. */
haft__malformed_call_step haft__malformed_call_scan_byte(const haft__parser *p,
                                                         haft__malformed_call *w, char c);
/* Bytes of a name or an id: should it be none, they are of the wreck. */
void haft__malformed_call_scan_header(haft__parser *p, haft_str bytes);
void haft__malformed_call_reset(haft__parser *p);
/* Whether a mark is a part of it, and does nothing. */
bool haft__malformed_call_hides_mark(haft__parser *p, const haft__format_mark *mark);
/* Keeps what may have to be read again. */
void haft__malformed_call_record(haft__parser *p, haft_str bytes);
/* The text has ended inside it: reads again from a call on that has begun in it, or what stands
 * behind the first end tag of a string that never closed. False when there is neither. */
bool haft__malformed_call_reparse(haft__parser *p);

/* ---- malformed_call_tag.c ---- */

/* `bracket`: one is open around it; then nothing but a block of reasoning is such a tag. */
void haft__malformed_call_tag_scan_byte(haft__malformed_call_tag *tag, char c, bool bracket);
/* Whether the bytes that come are of a tag, or of what stands in it. */
bool haft__malformed_call_tag_is_header(const haft__malformed_call_tag *tag);
bool haft__malformed_call_tag_is_open(const haft__malformed_call_tag *tag);

/* ---- repair.c ---- */

void haft__parser_repair_init(haft__parser *p);
void haft__parser_repair_finish(haft__parser *p);
/* Whether the JSON that comes is kept until it is whole. */
bool haft__parser_repair_applies(const haft__parser *p);
/* Keeps it; at its end it is read, and the place has changed. */
void haft__parser_repair_scan(haft__parser *p, haft__scan_kind what, haft_str *io_bytes);
/* Follows a value to its end; all of it stays in doubt. True behind its last byte, unless the place
 * has changed. */
bool haft__parser_repair_hold(haft__parser *p, haft_str *io_bytes);
/* The text ends: what was kept is read as it is. */
void haft__parser_repair_end(haft__parser *p);
/* What was kept has been read; what follows it may be mended again. */
void haft__parser_repair_done(haft__parser *p);

/* ---- scan_python.c, python_string.c ---- */

bool haft__scan_python(haft__parser *p, haft__scan_kind what, haft_str *io_bytes);
/* Reads of a string; says how much, and what is wrong with it if anything is. */
size_t haft__python_string(haft__parser *p, haft_str bytes, const char **ret_why);
void haft__python_string_ended(haft__parser *p);
/* A byte of a string that is skipped. False when it was over before the byte. */
bool haft__python_skip_string(haft__py_text *text, char c);

#endif
