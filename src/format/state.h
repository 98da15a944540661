/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format/state.h - a format as data: a table of states, and of the marks that lead from one to
 * another.
 *
 * A state defines the meaning of its bytes and the literal texts (marks) that end it. If the bytes
 * are JSON or Python, a scanner reads them and finds their end. docs/adding-a-format.md shows how
 * to write a format.
 */
#ifndef HAFT_FORMAT_STATE_H
#define HAFT_FORMAT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/call_syntax.h"
#include "haft.h"

/* The meaning of the bytes of a state that are not part of a mark. */
typedef enum haft__bytes_kind {
    HAFT__BYTES_CONTENT,
    HAFT__BYTES_REASONING,
    HAFT__BYTES_CODE,
    HAFT__BYTES_WHITESPACE,   /* white space; anything else is read in the state `fallback` */
    HAFT__BYTES_GAP,          /* like WHITESPACE, between the calls of a section: never content */
    HAFT__BYTES_SECTION_TEXT, /* text in a section. Before the first call it is withheld, because
                                 the mark of the section may be text too */
    HAFT__BYTES_TAIL,  /* after the value of a call, up to its closing mark: white space; another
                          value makes the call malformed; other text is content, or is read in
                          `fallback` if that is set */
    HAFT__BYTES_NAME,  /* the name of a tool */
    HAFT__BYTES_ID,    /* the id of a call */
    HAFT__BYTES_KEY,   /* the name of a parameter */
    HAFT__BYTES_VALUE, /* the value of a parameter */
    HAFT__BYTES_UNDECIDED, /* white space after a mark that counts only if another mark follows;
                              else all of it is read in `fallback` */
    HAFT__BYTES_HEADER,    /* the header of a message: dropped if a mark ends it; without its first
                              word (the role or channel) read in
                              `fallback` if the text, or a mark with `reread_undecided`, ends the
                              message, or if it is too long */
    HAFT__BYTES_IGNORED,   /* dropped */
} haft__bytes_kind;

/* The action of a mark. */
typedef enum haft__format_action {
    HAFT__ACTION_NONE,
    HAFT__ACTION_CALL_BEGIN,        /* one or more calls begin */
    HAFT__ACTION_RECIPIENT_BEGIN,   /* a call begins and its recipient follows; it has none until
                                       RECIPIENT_TOOL */
    HAFT__ACTION_RECIPIENT_TOOL,    /* the recipient is a tool; its name follows */
    HAFT__ACTION_RECIPIENT_END,     /* the recipient of a call is complete */
    HAFT__ACTION_RECIPIENT_INVALID, /* a second recipient: the call is malformed */
    HAFT__ACTION_RECIPIENT_IN_TEXT, /* a message that is not a call has a recipient: malformed if it
                                       is a tool, or if the mark does not lead to text */
    HAFT__ACTION_ARGUMENTS_BEGIN,   /* the arguments follow: only a tool can have arguments */
    HAFT__ACTION_KIND_END,          /* the kind of a call is complete; its name follows */
    HAFT__ACTION_NAME_END,          /* the name is complete */
    HAFT__ACTION_ID_WITH_NAME_END,  /* the id is complete and contains the name: functions.NAME:N */
    HAFT__ACTION_SHORT_ID_END,      /* the id is complete and must have 9 letters and digits */
    HAFT__ACTION_KEY_END,           /* a key is complete; the schema gives the type of its value */
    HAFT__ACTION_KEY_END_STRING,    /* ... a string follows */
    HAFT__ACTION_KEY_END_JSON,      /* ... JSON follows */
    HAFT__ACTION_KEY_END_UNTYPED, /* ... the type of its value is missing although it is required */
    HAFT__ACTION_VALUE_END,       /* a value is complete */
    HAFT__ACTION_CALL_END,        /* the call is complete with all its values */
    HAFT__ACTION_EMPTY_CALL_END,  /* the name and the call are complete: no arguments */
    HAFT__ACTION_CODE_BEGIN,      /* a block of code begins */
    HAFT__ACTION_CODE_END,        /* the block of code is complete */
    HAFT__ACTION_CALL_IN_REASONING, /* a call in reasoning: it counts only if the reasoning never
                                       ends */
    HAFT__ACTION_CALL_AT_REASONING_START, /* ... only if the reasoning begins with it; else it is
                                             reasoning */
    HAFT__ACTION_REASONING_AFTER_TEXT, /* a tag that begins reasoning, after text: it counts if the
                                          reasoning ends; else it is text */
    HAFT__ACTION_REASONING_REOPEN,     /* a tag that begins reasoning: dropped at the start of
                                          reasoning, else part of it */
    HAFT__ACTION_CALL_DISCARD,         /* the open call was not a call */
    HAFT__ACTION_CALL_INCOMPLETE,      /* the call ends before it is complete: it is malformed */
    HAFT__ACTION_VALUE_NESTED,   /* the opening tag of a value inside a value: the rest of the text
                                    may belong to either value, so it contains no call */
    HAFT__ACTION_CALL_STRAY_END, /* the end tag of a call that never began: dropped after a call,
                                    and at the end of a text without any mark that begins calls;
                                    else content */
    HAFT__ACTION_CALL_STRAY_TOKEN,    /* a token that ends a call that never began: dropped unless
                                         marks are mentioned */
    HAFT__ACTION_LINE_BREAK,          /* text ends: further text begins on its own line */
    HAFT__ACTION_REASONING_STRAY_END, /* a tag that ends reasoning: dropped if there was reasoning,
                                         else content */
} haft__format_action;

typedef struct haft__format_mark {
    const char *text;      /* NULL after the last mark */
    uint8_t to;            /* the next state */
    uint8_t act;           /* haft__format_action */
    bool reread;           /* the next state reads the mark again */
    bool reread_undecided; /* with `reread`: and before it all undecided bytes */
    bool extend_undecided; /* the undecided bytes before it stay undecided */
    bool if_known; /* of CALL_BEGIN and CALL_IN_REASONING: a call only if a tool has the name that
                      follows; else content or reasoning */
    bool if_named; /* of CALL_BEGIN and RECIPIENT_BEGIN: a call only if a name follows; else content
                    */
    bool omit_mark; /* the undecided bytes begin after the mark */
    bool inside;    /* of a malformed call: the call continues */
    bool head;      /* a message begins: if it is a call, the call begins here */
    bool if_line;   /* if the value began on its own line, the mark counts only at the start of a
                       line; elsewhere it is part of the value */
} haft__format_mark;

/* A scanner reads bytes and finds their end. */
typedef enum haft__scan_kind {
    HAFT__SCAN_NONE,
    HAFT__SCAN_CALL,        /* a JSON object with name and arguments */
    HAFT__SCAN_CALLS,       /* a JSON array of such objects */
    HAFT__SCAN_ARGS,        /* a JSON object: the arguments of a call whose name is known */
    HAFT__SCAN_MAYBE_CALL,  /* JSON that is a call, calls or an answer; anything else is content */
    HAFT__SCAN_FINAL_VALUE, /* like MAYBE_CALL, but all bytes stay undecided: they are read only if
                               the text ends after the value. `not_call` is the next state if a
                               fence ends the value */
    HAFT__SCAN_PYTHON_LIST, /* calls in a Python list, after its bracket or the first parenthesis */
    HAFT__SCAN_PYTHON_LINES, /* Python calls on their own lines */
    HAFT__SCAN_PYTHON_ARGS,  /* the arguments of one Python call */
} haft__scan_kind;

typedef struct haft__format_state {
    uint8_t bytes;    /* haft__bytes_kind */
    uint8_t scan;     /* haft__scan_kind */
    uint8_t fallback; /* of WHITESPACE, TAIL, UNDECIDED and HEADER: the state for other bytes; of
                         NAME: the state for code, if the bytes are not a name; of a scanner: the
                         state after the value */
    uint8_t not_call; /* of a scanner: the state for text that is not a call; 0: `plain` */
    uint8_t at_end;   /* haft__format_action when the text ends here */
    bool drops;  /* of UNDECIDED: the bytes have no meaning in `fallback`. Of SECTION_TEXT: the text
                    is not content */
    bool last;   /* of UNDECIDED: the bytes are read as if the text began with them */
    bool titled; /* of HEADER: the mark that leads here was its first word */
    haft__format_mark marks[15];
} haft__format_state;

#define HAFT__FORMAT_STATES 25

/* How tools are rendered. */
typedef enum haft__tool_rendering {
    HAFT__TOOL_RENDERING_WRAPPED, /* {"type":"function","function":{"name", "description",
                                     "parameters"}}
                                   */
    HAFT__TOOL_RENDERING_PLAIN,   /* {"name","description","parameters"} */
    HAFT__TOOL_RENDERING_PYTHON,  /* Python functions with a docstring */
} haft__tool_rendering;

/*
 * How a format is written: templates with these placeholders.
 *
 *     %l   the tools (in `teach_tools`)
 *     %n   the tool's name             %N   ... as a JSON string
 *     %a   the arguments, a JSON object
 *     %k   ... as Python: a=1, b="x"
 *     %p   ... one by one, each by the template `param`
 *     %x   ... their code, or code that calls the tool
 *     %i   the call's id               %I   ... as a JSON string
 *     %s   ... as 9 letters and digits %f   ... as functions.NAME:N
 *     %d   the call's number in its conversation, from 0
 *     %t   the text                    %T   ... as a JSON string
 *     %K   a parameter's name (in `param`)
 *     %v   its value: a string without quotes, anything else as JSON
 *     %b   true if it is a string, else false
 *     %%   a percent sign
 *
 * NULL is the empty template.
 */
typedef struct haft__render {
    /* The section of the system prompt, in this order. */
    const char *teach;         /* how to call tools */
    const char *teach_results; /* how results come back, if the history is in the format */
    const char *teach_tools;   /* the tools */
    uint8_t shown;             /* haft__tool_rendering */
    const char *tool_next;     /* between two tools */
    const char *tool_marks[2]; /* around the tools; a tool must not contain them */

    const char *alone;       /* text of a turn without calls; NULL: unchanged */
    const char *together;    /* text of a turn with calls; NULL: unchanged */
    const char *before;      /* between text and calls */
    const char *after_calls; /* if there is text before them */
    const char *calls_begin, *call, *call_next, *calls_end;
    const char *param;
    bool bare_one; /* omit calls_begin and calls_end around a single call */

    const char *results_begin, *result, *result_next, *results_end;
    const char *result_marks[6]; /* a result must not contain these either */
} haft__render;

typedef struct haft__format {
    const char *name;
    haft__format_state states[HAFT__FORMAT_STATES]; /* the first is the start state */
    bool one_newline;        /* one newline at either end of a value is layout */
    uint8_t reasoning;       /* start state inside reasoning; 0: none */
    uint8_t plain;           /* state of ordinary text */
    uint8_t malformed;       /* state after a malformed call */
    uint8_t malformed_value; /* state in a value of a malformed call; 0: `malformed` */
    uint8_t after_malformed; /* state after a malformed call's JSON if it has no end tag; 0: the
                                state after the scanner, or `plain` */
    bool json;               /* calls, or their arguments, are JSON */
    bool open_ended;         /* ... without an end tag: a malformed call ends with its JSON */
    haft__render render;
    haft__call_syntax
        grammar[HAFT__FORMAT_SYNTAXES]; /* the syntaxes of calls; kind NONE: no further syntax */
} haft__format;

#endif
