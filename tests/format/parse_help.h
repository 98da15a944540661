/* SPDX-License-Identifier: Apache-2.0 */
/* parse_help.h - parses a text in pieces of a chosen size and collects the result. */
#ifndef HAFT_TESTS_FORMAT_PARSE_HELP_H
#define HAFT_TESTS_FORMAT_PARSE_HELP_H

#include "base/buf.h"
#include "format/format.h"

/* All reported events as text: content, reasoning, code, each call, each error. Two parses of one
 * text must give the same. */
typedef struct help_parsed {
    haft__buf content, reasoning, code;
    haft__buf calls;  /* a JSON array of {"id","name","arguments"}: those that have ended */
    haft__buf errors; /* a line for each: kind offset why raw */
    haft__buf call;   /* the one that is open */
    haft__buf whys;   /* of the errors: a line for each, without the place and the text */
    size_t count, open_count;
    bool truncated, malformed, open;
    size_t tells;
    bool repaired;      /* one of the calls was */
    haft_status status; /* of the parser */
    bool lost;          /* of a call: memory was short here, not in the parser */
    haft_str text;      /* that is read: errors quote it unchanged, unless it is repaired */
    bool mends;
    bool utf8; /* it is UTF-8, and so is every reported piece */
} help_parsed;

typedef struct help_input {
    const char *format;
    haft_str text;
    const haft__format_tool *tools;
    size_t tool_count;
    bool start_in_reasoning, repair;
    bool cut;      /* the model was not finished */
    bool may_fail; /* a failure is kept in help_parsed.status, and does not fail the test */
} help_input;

void help_parsed_init(help_parsed *parsed);
void help_parsed_finish(help_parsed *parsed);

/* Every call that a prefix of the text gives is a call of `whole` too. */
void help_check_beginnings(const help_input *input, const help_parsed *whole, const char *name);

/* A text of a format and all that is in it; what is NULL is nothing. */
typedef struct help_case {
    const char *name, *text;
    const char *calls; /* a line for each: "[id ]name arguments", the arguments without layout */
    const char *content, *reasoning, *code;
    const char *errors; /* a line for each: "truncated: why" or "malformed: why" */
} help_case;

/* The tool f with a parameter of each type (s n x b o l u), g and a.b.f. */
extern const haft__format_tool help_tools[];
extern const size_t help_tool_count;

/* A call in each format that has any: the text before and after its argument. */
typedef struct help_sample {
    const char *format, *head, *tail;
    bool json; /* the argument is written as JSON has it */
} help_sample;

extern const help_sample help_samples[];
extern const size_t help_sample_count;

/* Each case: whole, byte by byte and at every cut into two; no beginning of it gives another call
 * than the whole does; and every allocation fails in turn. */
void help_check_cases(const char *format, const help_case *cases, size_t count);

/* Feeds `chunk` bytes at a time (0: all at once), the first piece being `first` bytes long. */
void help_parse(const help_input *input, size_t first, size_t chunk, help_parsed *parsed);

/* Whether both say the same; says what differs, about `what`, when not. */
bool help_parsed_equal(const help_parsed *a, const help_parsed *b, const char *what);

#endif
