/* SPDX-License-Identifier: Apache-2.0 */
/* parse_help.h - parses a text in pieces of a chosen size and collects the result. */
#ifndef HAFT_TESTS_FORMAT_PARSE_HELP_H
#define HAFT_TESTS_FORMAT_PARSE_HELP_H

#include "base/buf.h"
#include "format/format.h"

/* All reported events as text: content, reasoning, code, each call, each error. Two parses of the
 * same text must be equal. */
typedef struct help_parsed {
    haft__buf content, reasoning, code;
    haft__buf calls;  /* complete calls: a JSON array of {"id","name","arguments"} */
    haft__buf errors; /* a line for each: kind offset why raw */
    haft__buf call;   /* the call that is open */
    haft__buf whys;   /* the errors without offset and text: a line for each */
    size_t count, open_count;
    bool truncated, malformed, open;
    size_t event_count;
    bool repaired;      /* one of the calls was repaired */
    haft_status status; /* the status of the parser */
    bool lost;          /* out of memory in this helper, not in the parser: a call is missing */
    haft_str text;      /* the parsed text: errors quote it unchanged, unless it is repaired */
    bool repair;
    bool utf8; /* the text is UTF-8, so each reported piece must be */
} help_parsed;

typedef struct help_input {
    const char *format;
    haft_str text;
    const haft__format_tool *tools;
    size_t tool_count;
    bool start_in_reasoning, repair;
    bool cut;      /* the reply was cut off */
    bool may_fail; /* a failure goes to help_parsed.status, and does not fail the test */
} help_input;

void help_parsed_init(help_parsed *parsed);
void help_parsed_finish(help_parsed *parsed);

/* Checks that every call in a prefix of the text is also a call of `whole`. */
void help_check_beginnings(const help_input *input, const help_parsed *whole, const char *name);

/* A text of a format and all parts of it; NULL: the text has no such part. */
typedef struct help_case {
    const char *name, *text;
    const char *calls; /* a line for each: "[id ]name arguments", in compact JSON */
    const char *content, *reasoning, *code;
    const char *errors; /* a line for each: "truncated: why" or "malformed: why" */
} help_case;

/* The tool f with a parameter of each type (s n x b o l u), g and a.b.f. */
extern const haft__format_tool help_tools[];
extern const size_t help_tool_count;

/* A call in each format that has calls: the text before and after its argument. */
typedef struct help_sample {
    const char *format, *head, *tail;
    bool json; /* the argument is written as in JSON */
} help_sample;

extern const help_sample help_samples[];
extern const size_t help_sample_count;

/* Checks each case whole, byte by byte and at every cut into two; no prefix of it has a call that
 * the whole text does not have; and every allocation fails in turn. */
void help_check_cases(const char *format, const help_case *cases, size_t count);

/* Feeds `chunk` bytes at a time (0: all at once), the first piece being `first` bytes long. */
void help_parse(const help_input *input, size_t first, size_t chunk, help_parsed *parsed);

/* Whether both are equal; if not, the test fails with the difference and `what`. */
bool help_parsed_equal(const help_parsed *a, const help_parsed *b, const char *what);

#endif
