/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/terminal/markdown.h - shows Markdown on a terminal while it arrives in pieces.
 *
 * Bytes go in, wrapped and styled lines come out: the same for the same text, wherever it was cut.
 * Plain words appear immediately; a span (emphasis, code, a link) appears when it is complete.
 * Markers that do not form a span, tables, a text that begins as a JSON object, and everything
 * unknown stay as they are. All text is escaped (cli/terminal/width.h). Only http and https URLs
 * become hyperlinks, and each URL is shown.
 */
#ifndef HAFT_CLI_TERMINAL_MARKDOWN_H
#define HAFT_CLI_TERMINAL_MARKDOWN_H

#include "cli/terminal/word_wrap.h"

/* Hyperlinks of code spans: appends the URL of a code span to `url`; false if it has none. The URL
 * has only characters of URLs. */
typedef struct haft__markdown_links {
    bool (*find)(const void *context, haft_str code, haft__buf *url);
    const void *context;
} haft__markdown_links;

/* The kind of line that the next byte belongs to. */
typedef enum haft__markdown_line {
    HAFT__MARKDOWN_LINE_START, /* not known yet */
    HAFT__MARKDOWN_LINE_TEXT,
    HAFT__MARKDOWN_LINE_RAW,  /* a row of a table, or of a code block: shown as it is */
    HAFT__MARKDOWN_LINE_DROP, /* the end of a fence: not shown */
} haft__markdown_line;

/* The search for the end of a span, which continues with the next piece. */
typedef struct haft__markdown_search {
    size_t at;      /* the next byte to look at; 0: not begun */
    unsigned ticks; /* emphasis: inside a code span of so many backticks. A link: parentheses */
    bool in_url;    /* a link: after "](" */
} haft__markdown_search;

/* The state of the spans of one text: a line, or the inside of a span. */
typedef struct haft__markdown_spans {
    unsigned style;
    unsigned hopeless; /* bits of delimiters that nothing closes in the rest of the line */
    unsigned depth;
    char previous; /* the byte before; a line feed at the beginning */
    bool in_word;  /* inside a bare URL, until white space */
    bool in_link;  /* the text of a link */
    haft__markdown_search search;
} haft__markdown_spans;

typedef struct haft__markdown {
    bool symbols, links;  /* the terminal has characters beyond ASCII; it has hyperlinks */
    haft__word_wrap wrap; /* its `indent` may be set */
    const haft__markdown_links *code_links; /* may be set; NULL: code spans are no links */

    /* private */
    bool begun, verbatim; /* a line of the text has begun; the text is not Markdown */
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
