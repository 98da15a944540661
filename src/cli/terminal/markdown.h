/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/markdown.h - shows Markdown on a terminal while it arrives in pieces.
 *
 * The input is bytes, the output is wrapped and styled lines. The output does not depend on how the
 * input was split. Plain words appear immediately; a span (emphasis, code, a link) appears when it
 * is complete. Tables, markers that form no span, and a text that begins like a JSON object are
 * shown unchanged. All text is escaped (cli/terminal/width.h). Only http and https URLs become
 * hyperlinks, and each URL is shown.
 */
#ifndef HAFT_CLI_TERMINAL_MARKDOWN_H
#define HAFT_CLI_TERMINAL_MARKDOWN_H

#include "cli/terminal/word_wrap.h"

/* Finds hyperlinks of code spans: `find` appends the URL of a code span to `url`, or returns false
 * if the span has no URL. The URL must contain only characters that are valid in URLs. */
typedef struct haft__markdown_links {
    bool (*find)(const void *context, haft_str code, haft__buf *url);
    const void *context;
} haft__markdown_links;

/* The kind of line that the next byte belongs to. */
typedef enum haft__markdown_line {
    HAFT__MARKDOWN_LINE_START, /* not known yet */
    HAFT__MARKDOWN_LINE_TEXT,
    HAFT__MARKDOWN_LINE_RAW,  /* a row of a table, or of a code block: shown unchanged */
    HAFT__MARKDOWN_LINE_DROP, /* the end of a fence: not shown */
} haft__markdown_line;

/* The search for the end of a span, which continues with the next piece. */
typedef struct haft__markdown_search {
    size_t at;      /* position of the next byte; 0: the search has not begun */
    unsigned ticks; /* of emphasis: backticks of the code span around `at`, or 0; of a link: the
                       number of open parentheses */
    bool in_url;    /* of a link: after "](" */
} haft__markdown_search;

/* The state of the spans of one text: a line, or the inside of a span. */
typedef struct haft__markdown_spans {
    unsigned style;
    unsigned unclosed; /* bits of delimiters that the rest of the line does not close */
    unsigned depth;
    char previous; /* the previous byte; a line feed at the beginning */
    bool in_word;  /* inside a bare URL, until white space */
    bool in_link;  /* inside the text of a link */
    haft__markdown_search search;
} haft__markdown_spans;

typedef struct haft__markdown {
    bool symbols, links;  /* the terminal supports characters outside ASCII; supports hyperlinks */
    haft__word_wrap wrap; /* the caller may set its `indent` */
    const haft__markdown_links *code_links; /* the caller may set it; NULL: code is never a link */

    /* private */
    bool begun, verbatim; /* the text has begun; the text is JSON and not Markdown */
    haft__buf buffered;   /* bytes that are not shown yet */
    haft__markdown_line line;
    haft__markdown_spans spans;
    size_t lead; /* spaces at the beginning of the line */
    char fence;  /* inside a code block: ` or ~; otherwise 0 */
    size_t fence_length;
} haft__markdown;

void haft__markdown_init(haft__markdown *markdown, bool symbols);
void haft__markdown_finish(haft__markdown *markdown);

/* Appends to `out` the text that can be shown after the next piece, in lines of `width` columns. */
void haft__markdown_add(haft__markdown *markdown, haft__buf *out, size_t width, haft_str text);

/* Shows the rest, ends the line, and begins a new text. */
void haft__markdown_end(haft__markdown *markdown, haft__buf *out, size_t width);

#endif
