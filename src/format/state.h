/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/state.h - what a format is: a table of places, and of the marks that lead from one to
 * another.
 *
 * A place says what its bytes are, and which literal texts end it. Where the bytes are JSON or
 * Python, a scanner reads them and knows by itself where they end. docs/adding-a-format.md shows
 * how one is made.
 */
#ifndef HAFT_FORMAT_STATE_H
#define HAFT_FORMAT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/call_syntax.h"
#include "haft.h"

/* What the bytes of a place are that are no mark. */
typedef enum haft__bytes_kind {
    HAFT__BYTES_CONTENT,
    HAFT__BYTES_REASONING,
    HAFT__BYTES_CODE,
    HAFT__BYTES_WHITESPACE, /* white space; anything else belongs to the place `fallback` */
    HAFT__BYTES_GAP,        /* the same, between the calls of a section: it is never content */
    HAFT__BYTES_TAIL,  /* behind the value of a call, up to the mark that closes it: white space;
                          another value is a call that cannot be used; any other text is content,
                          or belongs to the place `fallback` if there is one */
    HAFT__BYTES_NAME,  /* the name of a tool */
    HAFT__BYTES_ID,    /* the id of a call */
    HAFT__BYTES_KEY,   /* the name of a parameter */
    HAFT__BYTES_VALUE, /* its value */
    HAFT__BYTES_UNDECIDED, /* white space behind a mark that counts only if another one follows; if
                          not, all of it is what the bytes of `fallback` are */
    HAFT__BYTES_IGNORED,   /* dropped */
} haft__bytes_kind;

/* What happens at a mark. */
typedef enum haft__format_action {
    HAFT__ACTION_NONE,
    HAFT__ACTION_CALL_BEGIN,        /* a call begins, or several */
    HAFT__ACTION_RECIPIENT_BEGIN,   /* the same: its recipient follows, and is nobody until REACH */
    HAFT__ACTION_RECIPIENT_TOOL,    /* the recipient is a tool, and its name follows */
    HAFT__ACTION_RECIPIENT_INVALID, /* a second recipient: it is nobody's */
    HAFT__ACTION_ARGUMENTS_BEGIN,   /* its arguments follow: only a tool can be sent any */
    HAFT__ACTION_NAME_END,          /* its name is complete */
    HAFT__ACTION_ID_WITH_NAME_END,  /* its id is, and has the name in it: functions.NAME:N */
    HAFT__ACTION_SHORT_ID_END,      /* its id is, and must be 9 letters and digits */
    HAFT__ACTION_KEY_END,           /* a key is complete; the schema knows the type of its value */
    HAFT__ACTION_KEY_END_STRING,    /* ... a string comes */
    HAFT__ACTION_KEY_END_JSON,      /* ... JSON comes */
    HAFT__ACTION_KEY_END_UNTYPED,   /* ... what comes is not said, although it has to be */
    HAFT__ACTION_VALUE_END,         /* a value is complete */
    HAFT__ACTION_CALL_END,          /* the call is complete: all its values are there */
    HAFT__ACTION_CODE_BEGIN,        /* a block of code begins */
    HAFT__ACTION_CODE_END,          /* ... and is complete */
    HAFT__ACTION_CALL_IN_REASONING, /* a call in reasoning: it is one only if the reasoning never
                                       ends */
    HAFT__ACTION_CALL_AT_REASONING_START, /* ... if the reasoning begins with it; else it is a part
                                             of that */
    HAFT__ACTION_REASONING_AFTER_TEXT,    /* the tag that begins reasoning, behind text: it does if
                             that ends; else it    is of the text */
    HAFT__ACTION_REASONING_REOPEN, /* the tag that begins reasoning: dropped where that begins, else
                                      of it */
    HAFT__ACTION_CALL_DISCARD,     /* what was opened is no call after all */
    HAFT__ACTION_CALL_INCOMPLETE,  /* the call ends before it is complete: it cannot be used */
    HAFT__ACTION_VALUE_NESTED, /* the opening tag of a value in a value: whose the rest of the text
                       is cannot be told, so that none of it is a call */
    HAFT__ACTION_LINE_BREAK,   /* text ends: more of it begins on a line of its own */
    HAFT__ACTION_REASONING_STRAY_END, /* an end of reasoning: dropped if there was any, else content
                                       */
} haft__format_action;

typedef struct haft__format_mark {
    const char *text;      /* NULL behind the last */
    uint8_t to;            /* the place behind it */
    uint8_t act;           /* haft__format_action */
    bool keep;             /* the mark itself is read again there */
    bool keep_undecided;   /* of KEEP: and before it all that is in doubt */
    bool extend_undecided; /* what is in doubt in front of it stays so */
    bool if_known; /* of OPEN: only if the name that follows is that of a tool; else content */
    bool if_named; /* of OPEN: only if a name follows; else content */
    bool forget;   /* it is not in doubt, although what follows it is */
    bool inside;   /* of a call that cannot be used: it goes on */
    bool head;     /* a message begins: should it be a call, that begins here */
    bool if_line;  /* of a value that begins on a line: only at the start of one; else it is of
                      the value */
} haft__format_mark;

/* Reads bytes that know their own end. */
typedef enum haft__scan_kind {
    HAFT__SCAN_NONE,
    HAFT__SCAN_CALL,         /* a JSON object with name and arguments */
    HAFT__SCAN_CALLS,        /* a JSON array of them */
    HAFT__SCAN_ARGS,         /* a JSON object: the arguments of a call whose name is known */
    HAFT__SCAN_MAYBE_CALL,   /* JSON that is a call, calls or an answer; or else content */
    HAFT__SCAN_FINAL_VALUE,  /* the same, and all of it stays in doubt: it is read only if the text
                         ends  behind it. `disowned` is where it goes if a fence ends it */
    HAFT__SCAN_PYTHON_LIST,  /* calls in a list of Python's, behind its bracket or the first
                              * parenthesis
                              */
    HAFT__SCAN_PYTHON_LINES, /* calls of Python, on lines of their own */
    HAFT__SCAN_PYTHON_ARGS,  /* the arguments of one call of Python */
} haft__scan_kind;

typedef struct haft__format_state {
    uint8_t bytes;    /* haft__bytes_kind */
    uint8_t scan;     /* haft__scan_kind */
    uint8_t fallback; /* of LAYOUT, TAIL and DOUBT; of a NAME, where what is none is code; of a
                          scanner, where it goes when it is done */
    uint8_t disowned; /* of a scanner: where what is no call goes on; 0: in ordinary text */
    uint8_t at_end;   /* haft__format_action when the text ends here */
    bool last;        /* ... what is in doubt is read as if the text began with it */
    haft__format_mark marks[15];
} haft__format_state;

#define HAFT__FORMAT_STATES 24

/* How tools are shown. */
typedef enum haft__tool_rendering {
    HAFT__TOOL_RENDERING_WRAPPED, /* {"type":"function","function":{"name", "description",
                                     "parameters"}}
                                   */
    HAFT__TOOL_RENDERING_PLAIN,   /* {"name","description","parameters"} */
    HAFT__TOOL_RENDERING_PYTHON,  /* functions of Python, with a docstring */
} haft__tool_rendering;

/*
 * How a format is written: texts in which a % and a letter stand for something.
 *
 *     %l   the tools (of `teach`)
 *     %n   the tool's name             %N   ... as a JSON string
 *     %a   the arguments, a JSON object
 *     %k   ... as Python: a=1, b="x"
 *     %p   ... one by one, each as `param` says
 *     %x   ... the code that is in them, or what would call the tool
 *     %i   the call's id               %I   ... as a JSON string
 *     %s   ... as 9 letters and digits %f   ... as functions.NAME:N
 *     %d   the call's number in its conversation, from 0
 *     %t   the text                    %T   ... as a JSON string
 *     %K   a parameter's name (of `param`)
 *     %v   its value: a string as it is, anything else as JSON
 *     %b   true if it is a string, else false
 *     %%   a percent sign
 *
 * Texts that are NULL are empty.
 */
typedef struct haft__render {
    const char *teach;         /* the section of the system prompt */
    uint8_t shown;             /* haft__tool_rendering */
    const char *tool_next;     /* between two tools */
    const char *tool_marks[2]; /* around the tools, that none of them may have in it */

    const char *alone;    /* text of a turn without calls; NULL: as it is */
    const char *together; /* ... of one with calls; NULL: as it is */
    const char *before;   /* between text and calls */
    const char *behind;   /* ... behind the calls, if there is text before them */
    const char *calls_begin, *call, *call_next, *calls_end;
    const char *param;
    bool bare_one; /* calls_begin and calls_end are left out around a single call */

    const char *results_begin, *result, *result_next, *results_end;
    const char *result_marks[6]; /* that a result must not have in it, besides the format's own */
} haft__render;

typedef struct haft__format {
    const char *name;
    haft__format_state states[HAFT__FORMAT_STATES]; /* the first is where a text begins */
    bool one_newline;                               /* one at either end of a value is layout */
    uint8_t reasoning; /* the place of a text that begins inside reasoning; 0: there is none */
    uint8_t plain;     /* the place of ordinary text */
    uint8_t malformed; /* the place behind a call that cannot be used */
    uint8_t malformed_value; /* ... in a value of such a call; 0: the same */
    uint8_t behind;  /* ... behind its JSON, where it has no end tag; 0: that of ordinary text */
    bool json;       /* calls are JSON, or their arguments are */
    bool open_ended; /* ... and have no end tag: a bad one ends where its JSON does */
    haft__render render;
    haft__call_syntax
        grammar[HAFT__FORMAT_SYNTAXES]; /* how calls are written; kind NONE: no more ways */
} haft__format;

#endif
